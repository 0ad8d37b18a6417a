"""Reading and driving a form made in QML, judged by what the form itself says happened."""

import pytest

from deskhand.model.errors import (
    ActionFailed,
    ActionUnsupported,
    InvalidParams,
    NotEditable,
    NotEnabled,
    NotFocusable,
    NotReady,
    NotVisible,
    OptionNotFound,
)

PROGRAM = "quick_form"


def tree(form, internals=False):
    return form.ask(f"stage.tree({internals})")


def find(form, **fields):
    """The only node with these fields."""
    (node,) = (node for node in tree(form) if fields.items() <= node.items())
    return node


# -- reading -------------------------------------------------------------------------------------


def test_controls_have_roles_names_and_states(form):
    assert find(form, automation_id="push")["name"] == "Push"
    assert find(form, automation_id="push")["role"] == "button"
    assert find(form, automation_id="dead")["enabled"] is False
    assert find(form, automation_id="check")["checked"] is False
    assert find(form, automation_id="wifi")["role"] == "switch"
    assert find(form, automation_id="post")["role"] == "radio"
    assert find(form, automation_id="delivery")["name"] == "Delivery"
    assert find(form, role="menu-item")["name"] == "File"


def test_classes_lose_the_marks_of_qml(form):
    assert find(form, automation_id="push")["native_class"] == "Button"
    assert all("_QML" not in node["native_class"] for node in tree(form, internals=True))


def test_fields_have_values_and_are_called_by_the_label_before_them(form):
    line = find(form, automation_id="line")
    assert (line["name"], line["placeholder"], line["value"]) == ("Name", "Full name", "")
    assert line["editable"] is True
    assert "editable" not in find(form, automation_id="fixed")
    spin = find(form, automation_id="spin")
    assert (spin["value"], spin["minimum"], spin["maximum"]) == ("0", 0, 50)


def test_a_field_without_a_label_is_called_by_its_placeholder(form):
    assert find(form, automation_id="digits")["name"] == "Number"


def test_a_combo_box_is_not_called_by_its_choice(form):
    free = find(form, automation_id="free")
    assert (free.get("name"), free["value"]) == (None, "one")


def test_a_password_is_masked(form):
    form.set_value("form.item('secret')", value="abc")
    secret = find(form, automation_id="secret")
    assert (secret["name"], secret["value"], secret["password"]) == ("Password", "••••", True)
    assert all("abc" not in str(node) for node in tree(form, internals=True))


def test_a_combo_box_lists_its_options(form):
    combo = find(form, automation_id="combo")
    assert [(each["text"], each["value"]) for each in combo["options"]] == [
        ("France", "fr"), ("Kenya", "ke"), ("Japan", "jp"),
    ]  # fmt: skip
    assert combo["value"] == "France"


def test_inner_parts_are_left_out_unless_asked_for(form):
    inside = {node["uid"] for node in tree(form, internals=True) if node.get("internal")}
    assert inside
    assert not inside & {node["uid"] for node in tree(form)}
    push = find(form, automation_id="push")["uid"]
    assert [node for node in tree(form) if node.get("parent") == push] == []
    assert [node for node in tree(form, internals=True) if node.get("parent") == push]


def test_a_view_has_only_the_rows_that_show(form):
    names = find(form, automation_id="names")
    rows = [node for node in tree(form) if node.get("parent") == names["uid"]]
    assert rows[0]["name"] == "name 0"
    assert len(rows) < 10
    virtual = names["virtualization"]
    assert virtual["items_count"] == 1000
    assert virtual["visible_range"] == [0, len(rows) - 1]


def test_a_current_row_that_was_scrolled_away_is_left_out(form):
    form.ask("form.item('names').setProperty('currentIndex', 0)")
    form.scroll("form.item('names')", row=500)
    names = find(form, automation_id="names")
    rows = [node["name"] for node in tree(form) if node.get("parent") == names["uid"]]
    assert "name 0" not in rows
    assert "name 500" in rows
    low, high = names["virtualization"]["visible_range"]
    assert low <= 500 <= high


def test_rows_are_rows_whatever_they_are_made_of(form):
    plain = find(form, automation_id="plain")
    rows = [node for node in tree(form) if node.get("parent") == plain["uid"]]
    assert [(row["role"], row["name"]) for row in rows] == [
        ("list-item", "ant"), ("list-item", "bee"), ("list-item", "cat"),
    ]  # fmt: skip


def test_a_table_has_the_cells_that_show(form):
    table = find(form, automation_id="table")
    cells = [node for node in tree(form) if node.get("parent") == table["uid"]]
    assert [(cell["role"], cell["name"]) for cell in cells[:3]] == [
        ("cell", "name 0"), ("cell", "age 0"), ("cell", "name 1"),
    ]  # fmt: skip
    virtual = table["virtualization"]
    assert (virtual["kind"], virtual["items_count"]) == ("table", 200)
    assert virtual["visible_cells"][1]["cells"] == [["0", "name 1"], ["1", "age 1"]]


def test_a_button_is_called_by_what_was_put_in_it(form):
    made = find(form, automation_id="made")
    assert made["name"] == "Own words"
    inside = [node for node in tree(form) if node.get("parent") == made["uid"]]
    assert [node["role"] for node in inside] == ["checkbox", "textfield"]
    assert all("hidden" not in str(node) for node in tree(form, internals=True))


def test_the_frame_of_a_text_area_is_not_an_element(form):
    notes = find(form, automation_id="notes")
    assert [node["role"] for node in tree(form) if node.get("parent") == notes["parent"]] == ["editable-text"]


def test_children_too_deep_to_be_read_are_counted(form):
    assert form.ask("stage.count(0)") == form.ask("stage.count(1)") > 1


def test_what_is_scrolled_away_in_a_flickable_is_out_of_sight(form):
    assert find(form, automation_id="far")["offscreen"] is True


def test_bounds_follow_rotation(form):
    _, _, width, height = find(form, automation_id="turned")["bounds"]
    assert (round(width), round(height)) == (20, 60)


def test_what_the_author_says_by_accessible_counts(form):
    turned = find(form, automation_id="turned")
    assert (turned["name"], turned["role"], turned["description"]) == ("Turn", "button", "stands upright")
    assert "press" in turned["actions"]


def test_a_text_is_not_called_by_its_markup(form):
    form.ask("named('Name:').setProperty('text', '<b>Name</b>:')")
    assert find(form, text="Name:")["name"] == "Name:"


def test_uids_stay_the_same_from_one_read_to_the_next(form):
    assert [node["uid"] for node in tree(form)] == [node["uid"] for node in tree(form)]


def test_a_popup_is_a_dialog_with_what_is_in_it(form):
    assert [node for node in tree(form) if node["role"] == "dialog" and node.get("visible", True)] == []
    form.click("form.item('ask')")
    dialog = find(form, role="dialog")
    assert (dialog["name"], dialog["modal"]) == ("Question", True)
    assert find(form, role="button", name="Yes")
    assert find(form, role="text", name="Really?")
    form.click("named('No')")


def test_the_focus_is_reported(form):
    form.focus("form.item('line')")
    assert [node["automation_id"] for node in tree(form) if node.get("focused")] == ["line"]


# -- acting --------------------------------------------------------------------------------------


def test_click_presses_controls(form):
    for name in ("push", "check", "wifi", "courier"):
        form.click(f"form.item('{name}')")
    assert form.journal == ["pushed", "check true", "wifi true", "delivery Courier"]


def test_click_on_a_text_hits_the_mouse_area_over_it(form):
    form.click("form.item('caption')", modifiers=["ctrl"])
    assert form.journal[-1] == "left ctrl"
    form.click("form.item('card')", button="right")
    assert form.journal[-1] == "right"


def test_click_reaches_a_turned_item_and_its_tap_handler(form):
    form.click("form.item('turned')")
    assert form.journal == ["tapped"]


def test_double_click_and_hover(form):
    form.hover("form.item('card')")
    assert form.journal == ["hovered"]
    form.click("form.item('card')", count=2)
    assert form.journal == ["left", "double"]


def test_wheel_goes_to_the_item(form):
    form.scroll("form.item('card')", dy=1)
    assert form.journal[-1] == "wheel -120"


def test_click_names_what_covers_the_item(form):
    form.ask("form.item('lid').setProperty('visible', True)")
    with pytest.raises(NotReady, match='"Push" is covered by'):
        form.click("form.item('push')")
    assert form.journal == []


def test_click_goes_through_a_text_that_has_no_link(form):
    form.ask("form.item('glass').setProperty('visible', True)")
    form.click("form.item('push')")
    assert form.journal == ["pushed"]
    form.ask("form.item('glass').setProperty('text', '<a href=\"x\">' + 'Over it all ' * 200 + '</a>')")
    form.ask("form.item('glass').setProperty('wrapMode', 1)")
    with pytest.raises(NotReady, match='"Push" is covered by text "Over it all'):
        form.click("form.item('push')")


def test_click_names_the_dialog_in_front(form):
    form.click("form.item('ask')")
    with pytest.raises(NotReady, match=r'covered by .*"Question"'):
        form.click("form.item('push')")
    form.click("named('Yes')")
    assert form.journal == ["answered yes"]


def test_click_reaches_into_a_popup(form):
    form.click("form.item('float')")
    form.click("form.item('inside')")
    assert form.journal == ["inside"]


def test_click_opens_a_menu_and_chooses_from_it(form):
    form.click("named('File')")
    menu = find(form, role="menu")
    assert [node["role"] for node in tree(form) if node.get("parent") == menu["uid"]] == [
        "menu-item", "menu-item-checkbox",
    ]  # fmt: skip
    form.click("named('Open')")
    assert form.journal == ["opened"]


def test_click_on_something_scrolled_away_says_so(form):
    with pytest.raises(NotVisible, match="shows"):
        form.click("form.item('far')")
    form.scroll("form.item('far')", into_view=True)
    form.click("form.item('far')")
    assert form.journal == ["far"]


def test_press_and_set_checked(form):
    form.press("form.item('push')")
    form.set_checked("form.item('check')", checked=True)
    form.set_checked("form.item('check')", checked=True)
    form.set_checked("form.item('three')", checked=True)
    assert form.journal == ["pushed", "check true", "three 1", "three 2"]
    with pytest.raises(NotEnabled):
        form.press("form.item('dead')")
    with pytest.raises(ActionUnsupported):
        form.set_checked("form.item('line')", checked=True)


def test_type_text_into_a_field(form):
    form.type_text("form.item('line')", text="Zoë 日本", submit=True)
    assert form.ask("form.item('line').property('text')") == "Zoë 日本"
    assert set(form.journal[-2:]) == {"submitted Zoë 日本", "finished Zoë 日本"}
    form.type_text("form.item('line')", text="x", clear=True)
    assert form.ask("form.item('line').property('text')") == "x"
    with pytest.raises(NotEditable):
        form.type_text("form.item('fixed')", text="x")


def test_type_text_into_an_area(form):
    form.type_text("form.item('text')", text="a\nb")
    assert form.ask("form.item('text').property('text')") == "a\nb"


def test_set_value_replaces_text_as_if_it_was_edited(form):
    form.set_value("form.item('line')", value="Ada")
    form.set_value("form.item('line')", value="Zoë")
    form.set_value("form.item('line')", value="")
    assert form.journal == ["edited Ada", "edited Zoë", "edited "]
    with pytest.raises(NotEditable):
        form.set_value("form.item('fixed')", value="x")
    with pytest.raises(ActionFailed, match="validator"):
        form.set_value("form.item('digits')", value="abc")


def test_set_value_never_returns_a_password(form):
    with pytest.raises(ActionFailed) as caught:
        form.set_value("form.item('secret')", value="hunter22")
    assert "hunter" not in str(caught.value.to_json())


def test_set_value_turns_numbers(form):
    form.set_value("form.item('spin')", value="7")
    form.set_value("form.item('slider')", value="42")
    assert form.journal == ["spin 7", "slid 42"]
    with pytest.raises(InvalidParams, match="between 0 and 50"):
        form.set_value("form.item('spin')", value="51")
    with pytest.raises(NotEditable):
        form.set_value("form.item('bar')", value="1")


@pytest.mark.parametrize("by", [{"text": "Japan"}, {"index": 2}, {"value": "jp"}])
def test_select_in_a_combo_box_as_a_person_would(form, by):
    answer = form.select("form.item('combo')", **by)
    assert answer == {"selected": {"value": "jp", "index": 2, "text": "Japan"}}
    assert form.journal == ["chose Japan"]
    assert form.ask("form.item('combo').property('currentText')") == "Japan"


def test_select_lists_what_there_is(form):
    with pytest.raises(OptionNotFound, match="did you mean 'Kenya'") as caught:
        form.select("form.item('combo')", text="Kenia")
    assert caught.value.details["options"] == ["France", "Kenya", "Japan"]


def test_expand_opens_a_combo_box_whose_rows_can_be_clicked(form):
    form.expand("form.item('combo')")
    form.click("named('Kenya', 'list-item')")
    assert form.journal == ["chose Kenya"]
    form.expand("form.item('combo')")
    form.expand("form.item('combo')", expanded=False)
    assert form.ask("form.item('combo').property('currentText')") == "Kenya"


def test_set_value_on_combo_boxes(form):
    form.set_value("form.item('combo')", value="Kenya")
    form.set_value("form.item('free')", value="anything")
    assert form.journal == ["chose Kenya"]
    assert form.ask("form.item('free').property('editText')") == "anything"


def test_select_a_tab_and_a_radio_button(form):
    assert form.select("form.item('tabs')", text="Second")["selected"]["index"] == 1
    form.select("form.item('delivery')", text="Post")
    assert form.journal == ["tab 1", "delivery Post"]


def test_select_a_row_far_away(form):
    assert form.select("form.item('names')", index=700)["selected"]["text"] == "name 700"
    assert form.journal == ["row 700"]
    assert form.ask("form.item('names').property('currentIndex')") == 700
    form.select("form.item('plain')", text="bee")
    assert form.journal == ["chose bee"]
    with pytest.raises(OptionNotFound, match="it has 3 rows"):
        form.select("form.item('plain')", text="dog")


def test_select_a_cell_of_a_table(form):
    assert form.select("form.item('table')", index=150)["selected"]["text"] == "name 150"
    assert form.select("form.item('table')", text="age 42")["selected"]["index"] == 42
    assert form.select("form.item('table')", index=7, column=1)["selected"]["text"] == "age 7"
    assert form.journal == ["cell 150,0", "cell 42,1", "cell 7,1"]


def test_what_is_inside_a_button_can_be_operated(form):
    form.click("form.item('inner')")
    assert form.journal == ["inner true"]


def test_scroll_to_a_row_by_its_text(form):
    form.scroll("form.item('names')", text="name 150")
    assert find(form, name="name 150")
    form.scroll("form.item('names')", text="name 3")
    assert find(form, name="name 3")
    with pytest.raises(OptionNotFound):
        form.scroll("form.item('names')", row=1000)


def test_keys_reach_shortcuts_and_the_focus(form):
    form.key(keys="ctrl+s")
    form.focus("form.item('push')")
    form.key(keys="space")
    assert form.journal == ["saved", "pushed"]
    form.key(keys="tab")
    assert not form.ask("form.item('push').hasActiveFocus()")


def test_focus_goes_only_where_it_can(form):
    form.focus("form.item('digits')")
    assert form.ask("form.item('digits').hasActiveFocus()")
    with pytest.raises(NotFocusable):
        form.focus("form.item('caption')")


def test_drag_moves_a_slider(form):
    form.drag("form.item('slider')", "form.item('slider')", x=5, y=6, to_x=100, to_y=6)
    assert form.ask("form.item('slider').property('value')") > 30
    assert form.journal[-1].startswith("slid ")


def test_windows_obey(form):
    form.control_window("form.item('push')", do="move", x=55, y=66)
    form.control_window("form.item('push')", do="resize", width=720, height=650)
    assert form.ask("[form.window.x(), form.window.y()]") == [55, 66]
    assert form.ask("[form.window.width(), form.window.height()]") == [720, 650]
    form.control_window("form.window", do="close")
    assert not form.ask("form.window.isVisible()")


# -- screenshots ---------------------------------------------------------------------------------


def test_screenshots_of_the_window_and_of_an_item(form, tmp_path):
    whole = form.shoot("form.window", tmp_path / "window.png")
    assert (whole["width"], whole["height"]) == (700, 640)
    part = form.shoot("form.item('card')", tmp_path / "card.png")
    assert (part["width"], part["height"]) == (100, 60)

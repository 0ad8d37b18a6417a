"""What every toolkit can do, by every way in. The form's own report is the judge."""

from __future__ import annotations

import json
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from deskhand import App, expect
from deskhand.model import codec
from deskhand.model import operations as ops
from deskhand.model.errors import (
    Ambiguous,
    DeskhandError,
    InvalidParams,
    NotEditable,
    NotEnabled,
    NotFound,
    NotVisible,
    OptionNotFound,
    SelectorError,
    Stale,
    WaitTimeout,
)
from deskhand.model.node import MASK, Rect
from deskhand.protocols.gip.snapshot import encode_snapshot
from deskhand.serving.mcp import mcp_server
from tests.wire.orca_shapes import check_node

from .protocol_clients import AgentClient, Orca, Through

R = TypeVar("R")
NEEDS_A_TOOLKIT = pytest.mark.toolkits
"""For parts of the form that no control of the memory adapter stands for."""


class NotReported(DeskhandError):
    """The program does not say something that is asked for."""

    kind = "not_reported"


def reported(value: R | None) -> R:
    """What was read, if there is anything."""
    if value is None or value == ():
        raise NotReported("nothing is reported about this")
    return value


def says(app: App, what: str) -> None:
    """The program reports that this is what happened last."""
    expect(app.locator("#report")).to_have_text(what)


def briefly(app: App) -> float:
    """How long to wait for what does not happen, in seconds: at least one read must be complete by then."""
    return app.timeout / 5


# -- looking ------------------------------------------------------------------------------------


def test_the_main_window_is_the_root_of_the_tree(app: App) -> None:
    tree = app.tree()
    assert tree.main is not None
    assert tree.main.name == "Order form"
    assert tree.main.role == "window"
    assert tree.path(tree.main) == "root"
    assert [window.title for window in app.windows()] == ["Order form"]


def test_every_path_leads_back_to_its_node(app: App) -> None:
    tree = app.tree()
    paths = {path: node.uid for node, path in tree.paths()}
    assert len(paths) == len(tree)
    assert {path: tree.resolve(path).uid for path in paths} == paths


def test_every_suggested_selector_finds_its_node_alone(app: App) -> None:
    selectors = app.run(ops.Selectors())
    assert len(selectors) == len(app.tree())
    sample = list(selectors.items())[::7]
    for uid, selector in sample:
        assert [node.uid for node in app.run(ops.Find(selector))] == [uid], selector


def test_a_field_is_named_by_the_label_next_to_it(app: App) -> None:
    assert app.locator('textfield[name="Name"]').get().uid == app.locator("#name").get().uid
    assert app.get_by_role("combo-box", name="Country").count() == 1


def test_ids_set_by_the_app_are_reported(app: App) -> None:
    assert app.locator('[id="name"]').get().name == "Name"


def test_states_are_reported(app: App) -> None:
    send = app.locator("#send").get()
    assert (send.visible, send.enabled) == (True, False)
    assert app.get_by_role("checkbox", name="Send me the newsletter").get().checked is False
    assert app.locator("#name").get().editable is True


def test_hidden_elements_are_listed_as_hidden(app: App) -> None:
    assert app.locator("#hint").get().visible is False


def test_options_of_a_combo_box_are_listed(app: App) -> None:
    country = app.locator("#country").get()
    assert country.value == "France"
    assert [option.text for option in reported(country.options)] == ["France", "Kenya", "Japan", "Peru"]


def test_bounds_are_inside_the_window(app: App) -> None:
    tree = app.tree()
    button = next(node for node in tree if node.name == "Greet")
    inner, outer = tree.bounds_in_window(button), tree.bounds_in_window(tree.window_of(button))
    assert inner is not None
    assert outer is not None
    assert inner.width > 0
    assert inner.x + inner.width <= outer.width
    assert inner.y + inner.height <= outer.height


def test_a_password_never_leaves_the_app(app: App) -> None:
    app.locator("#secret").fill("hunter2")
    says(app, "secret of 7")
    snapshots = [app.run(ops.ReadTree(details=True, internals=True)), app.locator("#secret").get()]
    assert "hunter2" not in json.dumps(codec.encode(snapshots))
    assert app.locator("#secret").get().value == MASK


def test_an_unchanged_tree_is_reported_as_unchanged(app: App) -> None:
    app.wait_idle()
    first = app.run(ops.ReadTree())
    second = app.run(ops.ReadTree(since=first.revision))
    assert second.difference is not None
    assert second.difference.empty


def test_a_changed_tree_is_reported_as_a_difference(app: App) -> None:
    first = app.run(ops.ReadTree())
    app.get_by_role("button", name="Greet").click()
    says(app, "Hello, !")
    difference = app.run(ops.ReadTree(since=first.revision)).difference
    assert difference is not None
    assert any("Hello, !" in change.what for change in difference.changed)


def test_a_truncated_tree_says_so(app: App) -> None:
    tree = app.run(ops.ReadTree(max_nodes=5)).tree
    assert tree is not None
    assert len(tree) == 5
    assert tree.cut is not None
    whole = app.tree()
    never_read = 0 if whole.cut is None else whole.cut.left_out
    assert tree.cut.left_out == len(whole) - 5 + never_read


def test_depth_0_lists_only_the_windows(app: App) -> None:
    tree = app.run(ops.ReadTree(depth=0)).tree
    assert tree is not None
    assert [node.name for node in tree] == ["Order form"]
    assert tree.nodes[0].child_count > 0


def test_the_app_reports_its_toolkit_title_and_process(app: App) -> None:
    info = app.info()
    assert info.framework
    assert info.title == "Order form"
    assert info.pid > 0
    assert app.state().modal_dialog is None


# -- acting -------------------------------------------------------------------------------------


def test_a_click_reaches_the_app(app: App) -> None:
    app.locator("#name").fill("Ada")
    app.get_by_role("button", name="Greet").click()
    says(app, "Hello, Ada!")


def test_a_button_is_pressed_without_the_mouse(app: App) -> None:
    app.get_by_role("button", name="Greet").activate()
    says(app, "Hello, !")


def test_fill_replaces_and_type_appends(app: App) -> None:
    app.locator("#name").fill("Grace")
    app.locator("#name").fill("Ada")
    app.locator("#name").type(" L.")
    says(app, "name Ada L.")
    assert app.locator("#name").input_value() == "Ada L."


def test_typing_can_submit(app: App) -> None:
    app.run(ops.TypeText("#name", text="Ada", submit=True))
    says(app, "submitted Ada")


@pytest.mark.parametrize("text", ["Zoë Ångström", "Ωμέγα", "日本語", "🙂 ok", "a\tb"])
def test_any_text_can_be_typed(app: App, text: str) -> None:
    typed = text.replace("\t", " ")
    app.locator("#name").type(typed)
    says(app, f"name {typed}")


def test_checking_a_checked_box_changes_nothing(app: App) -> None:
    box = app.get_by_role("checkbox", name="Send me the newsletter")
    box.check()
    box.check()
    says(app, "newsletter True")
    expect(box).to_be_checked()
    box.uncheck()
    says(app, "newsletter False")


def test_a_click_in_the_middle_of_a_checkbox_checks_it(app: App) -> None:
    app.get_by_role("checkbox", name="Send me the newsletter").click()
    says(app, "newsletter True")


def test_a_radio_button_is_chosen(app: App) -> None:
    app.get_by_role("radio", name="Courier").click()
    says(app, "delivery Courier")
    expect(app.get_by_role("radio", name="Courier")).to_be_checked()


def test_an_option_is_chosen_by_text_index_or_value(app: App) -> None:
    country = app.locator("#country")
    country.select_option(text="Kenya")
    says(app, "country Kenya")
    done = country.select_option(index=2)
    says(app, "country Japan")
    assert done.selected is not None
    assert (done.selected["index"], done.selected["text"]) == (2, "Japan")


def test_an_error_names_its_node_by_the_role_that_selectors_use(app: App) -> None:
    for target in ("#country", "#name", 'button[name="Greet"]', "#report"):
        with pytest.raises((NotEditable, OptionNotFound)) as caught:
            app.locator(target).select_option(text="Nowhere")
        assert caught.value.message.startswith(f'{app.locator(target).get().role} "')


def test_selecting_where_there_are_no_options_is_refused_as_not_editable(app: App) -> None:
    for target in ("#name", 'button[name="Greet"]', "#report"):
        with pytest.raises(NotEditable, match="has no options to choose from"):
            app.locator(target).select_option(text="Kenya")


def test_unknown_option_error_lists_the_available_options(app: App) -> None:
    with pytest.raises(OptionNotFound) as caught:
        app.locator("#country").select_option(text="Japn")
    assert "Japan" in str(caught.value.details["options"])
    assert "Japan" in caught.value.near


def test_a_disabled_button_is_not_clicked(app: App) -> None:
    with pytest.raises(NotEnabled) as caught:
        app.locator("#send").click(timeout=0)
    assert caught.value.last_seen == {"visible": True, "enabled": False}
    assert caught.value.suggestions


def test_a_hidden_button_is_not_clicked(app: App) -> None:
    with pytest.raises(NotVisible):
        app.locator("#hint").click(timeout=0)


def test_a_label_cannot_be_edited(app: App) -> None:
    with pytest.raises(NotEditable):
        app.locator("#report").set_value("x", timeout=briefly(app))


def refuses(app: App, kind: str, *actions: ops.Action) -> None:
    """Each of these actions fails with an error of this kind."""
    for action in actions:
        try:
            app.run(replace(action, timeout=app.timeout))
        except DeskhandError as error:
            if error.kind != kind:
                raise
        else:
            pytest.fail(f"{action} succeeded")


def test_an_element_that_cannot_be_checked_or_expanded_says_so(app: App) -> None:
    check, expand = ops.SetChecked("#name", checked=True), ops.Expand("#name", expanded=True)
    greet = 'button[name="Greet"]'
    changed = (check, expand, replace(check, target=greet), replace(expand, target=greet))
    refuses(app, "action_unsupported", *changed)


def test_a_radio_button_cannot_be_unchecked(app: App) -> None:
    courier = app.get_by_role("radio", name="Courier")
    courier.click()
    expect(courier).to_be_checked()
    refuses(app, "action_failed", ops.SetChecked('radio[name="Courier"]', checked=False))
    expect(courier).to_be_checked()


def test_click_refuses_to_choose_between_two(app: App) -> None:
    with pytest.raises(Ambiguous) as caught:
        app.locator("textfield:visible").click(timeout=0)
    names = [app.locator(match).get().name for match in caught.value.matches]
    assert set(names) == {"Name", "Password"}


def test_one_visible_match_among_hidden_ones_is_the_match(app: App) -> None:
    assert not app.locator('button[name="Hidden hint"]').get(timeout=0).visible
    either = app.locator('button[name="Greet"], button[name="Hidden hint"]')
    assert either.count() == 2
    app.locator("#name").fill("Ada")
    expect(either).to_be_enabled()
    either.click()
    expect(app.locator("#report")).to_have_text("Hello, Ada!")


def test_a_selector_without_a_match_suggests_similar_elements(app: App) -> None:
    with pytest.raises(NotFound) as caught:
        app.locator('button[name="Gret"]').click(timeout=0)
    assert 'button[name="Greet"]' in caught.value.near
    assert "Greet" in str(caught.value)


def test_a_broken_selector_points_at_the_character(app: App) -> None:
    with pytest.raises(SelectorError) as caught:
        app.locator("button[name=").click()
    assert caught.value.details["position"] >= 11


def test_an_invalid_parameter_error_names_the_parameter(app: App) -> None:
    with pytest.raises(InvalidParams) as caught:
        app.run(ops.Click("#name", button="fourth"))
    assert caught.value.details["field"] == "button"


# -- waiting ------------------------------------------------------------------------------------


def test_an_action_waits_until_its_target_is_ready(app: App) -> None:
    app.locator("#later").click()
    app.locator("#send").click()
    says(app, "sent")


def test_expect_waits_until_an_element_is_visible_or_enabled(app: App) -> None:
    app.locator("#later").click()
    expect(app.locator("#hint")).to_be_visible()
    expect(app.locator("#send")).to_be_enabled()
    expect(app.locator("#nothing")).to_be_hidden()


def test_a_wait_that_times_out_reports_the_last_seen_state(app: App) -> None:
    timeout, began = briefly(app), time.monotonic()
    with pytest.raises(WaitTimeout) as caught:
        app.run(ops.Wait("#send", "enabled", timeout=timeout))
    assert timeout <= time.monotonic() - began < timeout + 4
    assert caught.value.last_seen is not None
    assert caught.value.last_seen["enabled"] is False


def test_expect_waits_for_a_number_of_matches(app: App) -> None:
    fields = app.locator("textfield:visible")
    expect(fields).to_have_count(2)
    with pytest.raises(AssertionError):
        expect(fields).to_have_count(3, timeout=briefly(app))


def test_a_failed_expectation_says_what_it_found(app: App) -> None:
    with pytest.raises(AssertionError, match="ready"):
        expect(app.locator("#report")).to_have_text("something else", timeout=briefly(app))


# -- dialogs ------------------------------------------------------------------------------------


def test_a_modal_dialog_is_answered(app: App) -> None:
    app.locator("#name").fill("Ada")
    app.locator("#order").click()
    dialog = app.locator('dialog[name="Confirm"]')
    expect(dialog).to_be_visible()
    assert app.state().modal_dialog == "Confirm"
    expect(dialog.get_by_text("Place the order for Ada?")).to_be_visible()
    dialog.get_by_role("button", name="Yes").click()
    says(app, "ordered")
    expect(dialog).to_be_hidden()


def test_an_element_that_is_gone_is_stale_and_says_what_it_was(app: App) -> None:
    app.locator("#order").click()
    button = app.locator('dialog >> button[name="No"]').get()
    app.locator(f"uid={button.uid}").click()
    says(app, "order cancelled")
    app.wait_idle()
    with pytest.raises(Stale, match=r"(?i)no"):
        app.locator(f"uid={button.uid}").click(timeout=0)


def test_a_receipt_says_what_changed(app: App) -> None:
    receipt = app.locator("#order").click(receipt=True).receipt
    assert receipt is not None
    assert [window.title for window in receipt.windows_opened] == ["Confirm"]
    assert any(node.name == "Yes" for node in receipt.added)


# -- input --------------------------------------------------------------------------------------


def test_focus_moves(app: App) -> None:
    app.locator("#secret").focus()
    expect(app.locator("#secret")).to_be_focused()
    app.locator("#name").focus()
    expect(app.locator("#name")).to_be_focused()


def test_keys_edit_the_field_that_has_the_focus(app: App) -> None:
    app.locator("#name").fill("Ada!")
    app.locator("#name").focus()
    app.keyboard.press("end")
    app.keyboard.press("backspace")
    says(app, "name Ada")


def test_a_shortcut_reaches_the_app(app: App) -> None:
    app.locator("#name").press("ctrl+s")
    says(app, "saved")


def test_the_pointer_hovers_without_pressing(app: App) -> None:
    app.get_by_role("button", name="Greet").hover()
    app.wait_idle()
    assert app.locator("#report").text_content() == "ready"


def test_a_window_moves_and_resizes(app: App) -> None:
    app.locator("#order_form").control_window("resize", width=700, height=600)
    app.wait_idle()
    bounds = app.locator("#order_form").bounds()
    assert bounds is not None
    assert (bounds.width, bounds.height) == (700, 600)


def test_a_coordinate_or_size_that_is_not_given_stays_unchanged(app: App) -> None:
    form = app.locator("#order_form")

    def bounds() -> Rect:
        app.wait_idle()
        found = form.bounds()
        assert found is not None
        return found

    form.control_window("resize", width=700, height=600)
    form.control_window("move", x=60, y=50)
    before = bounds()
    form.control_window("resize", width=680)
    assert (bounds().width, bounds().height) == (680, before.height)
    form.control_window("resize", height=580)
    assert (bounds().width, bounds().height) == (680, 580)
    form.control_window("move", x=before.x + 30)
    assert (bounds().x, bounds().y) == (before.x + 30, before.y)
    form.control_window("move", y=before.y + 20)
    assert (bounds().x, bounds().y) == (before.x + 30, before.y + 20)


# -- screenshots --------------------------------------------------------------------------------


def png_size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def test_a_screenshot_of_the_window_is_a_png_of_its_size(app: App) -> None:
    image = app.run(ops.Screenshot())
    bounds = app.windows()[0].bounds
    assert bounds is not None
    assert png_size(image.png) == (image.width, image.height)
    assert (image.width, image.height) == (bounds.width * image.scale, bounds.height * image.scale)


def test_a_screenshot_of_a_node_is_a_part_of_the_window(app: App) -> None:
    image = app.run(ops.Screenshot("#name"))
    bounds = app.locator("#name").bounds()
    assert bounds is not None
    assert png_size(image.png) == (round(bounds.width * image.scale), round(bounds.height * image.scale))


def test_a_screenshot_of_the_desktop_shows_the_whole_screen(app: App) -> None:
    image = app.screenshot(desktop=True)
    assert png_size(image.png) == (image.width, image.height) == (1280, 800)


# -- through the other protocols ----------------------------------------------------------------


def test_an_orca_client_reads_clicks_types_and_waits(app: App) -> None:
    orca = Orca(app)
    root = orca.call("tree.dump")
    check_node(root, children=True)
    assert root["label"] == "Order form"
    orca.call("input.type", text="Ada", target=orca.target("#name"))
    says(app, "name Ada")
    assert orca.call("widget.get", target=orca.target("#name"))["value"] == "Ada"
    orca.call("input.click", target=orca.target('button[name="Greet"]'))
    says(app, "Hello, Ada!")
    send = orca.target("#send")
    orca.call("input.click", target=orca.target("#later"))
    orca.call("sync.wait_for", target=send, state="enabled")
    orca.call("input.click", target=send)
    says(app, "sent")
    assert orca.call("app.state")["foreground"] is True


def test_protocols_report_what_a_field_shows_and_not_its_label(app: App) -> None:
    mcp = mcp_server(Through(app))

    def call(tool: str, **arguments: object) -> Any:
        answer = mcp.call(tool, arguments, threading.Event())
        assert not answer["isError"], answer
        return answer["structuredContent"]["output"]

    app.locator("#name").set_value("xyz")
    says(app, "name xyz")
    field = app.locator("#name").get()
    assert field.name == "Name"

    (match,) = call("ui_query", selector={"css": ':input[name="Name"]'})["matches"]
    assert match["summary"].endswith("[text=xyz]")
    assert call("ui_get_node", ref=match["ref"])["text"]["label"] == "xyz"
    (stage,) = call("ui_get_snapshot", mode="full", depth=0)["stages"]
    assert (stage["title"], stage["scene"]["root"]["text"]["label"]) == ("Order form", None)

    tree = app.tree()
    (widget,) = [one for one in _widgets(json.loads(encode_snapshot(tree))) if one["ref"] == tree.path(field)]
    assert widget["properties"]["text"] == "xyz"

    orca = Orca(app)
    node = orca.call("widget.get", target=orca.target("#name"))
    if field.backend == "imgui" and field.labelled_by is None:  # Dear ImGui draws the label with the field
        assert (node["label"].partition("##")[0], node["value"]) == ("Name", "xyz")
    else:
        assert (node["label"], node["value"], node["name_hint"]) == ("", "xyz", "Name")
        assert node["path"] not in [one["path"] for one in orca.call("tree.find", label="Name")]


def test_an_agent_client_finds_a_field_by_the_caption_next_to_it(app: App) -> None:
    agent = AgentClient(app)
    assert agent.post("/set-value", label="Country", value="Japan")["success"]
    says(app, "country Japan")
    assert agent.post("/set-value", label="Name", value="Ada")["success"]
    says(app, "name Ada")


def test_mcp_names_each_wrong_target_however_short_the_timeout_is(app: App) -> None:
    targets = [{"role": "button", "name": "Gret"}, {"role": "button", "name": "Newsleter"}]
    arguments = {
        "actions": [{"type": "click", "target": target} for target in targets],
        "onError": "continue",
        "timeoutMs": 200,
    }

    answer = mcp_server(Through(app)).call("ui_perform", arguments, threading.Event())

    first, second = answer["structuredContent"]["error"]["details"]["results"]
    assert 'nothing matches {"role": "button", "name": "Gret"}; there is' in first["error"]
    assert '"Greet"' in first["error"]
    assert 'nothing matches {"role": "button", "name": "Newsleter"}' in second["error"]


def _widgets(widget: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield widget
    for child in widget["children"]:
        yield from _widgets(child)


# -- lists, tables, trees, tabs, menus: the parts of the form that need a toolkit ---------------


@NEEDS_A_TOOLKIT
def test_a_tab_is_chosen_and_shows_its_page(app: App) -> None:
    app.locator("#tabs").select_option(text="More")
    says(app, "tab More")
    expect(app.locator("#volume")).to_be_visible()
    app.get_by_role("tab", name="Person").click()
    says(app, "tab Person")


@NEEDS_A_TOOLKIT
def test_an_error_names_tabs_by_the_role_that_selectors_use(app: App) -> None:
    with pytest.raises(OptionNotFound, match=r"^tab-list ") as caught:
        app.locator("tab-list").select_option(text="Nowhere")
    assert "Items" in caught.value.message


@NEEDS_A_TOOLKIT
def test_a_table_of_many_rows_shows_those_on_screen(app: App) -> None:
    app.get_by_role("tab", name="Items").click()
    table = app.locator("#table").get()
    view = reported(table.virtualization)
    assert view.items_count == 1000
    assert [column.text for column in view.columns] == ["Item", "Price", "Stock"]
    assert view.visible_range is not None
    assert view.visible_range[0] == 0
    assert view.visible_range[1] < 100
    assert dict(view.visible_cells[1].cells)[view.columns[0].id] == "Item 1"


@NEEDS_A_TOOLKIT
def test_a_distant_row_is_scrolled_to_by_index_and_by_text(app: App) -> None:
    app.get_by_role("tab", name="Items").click()
    app.locator("#table").scroll_to(row=900)
    expect(app.locator('#table >> cell[name="Item 900"]')).to_be_visible()
    app.locator("#table").scroll_to(text="Item 42")
    expect(app.locator('#table >> cell[name="Item 42"]')).to_be_visible()


@NEEDS_A_TOOLKIT
def test_a_missing_row_or_column_is_an_unknown_option(app: App) -> None:
    app.get_by_role("tab", name="Items").click()
    refuses(
        app,
        "option_not_found",
        ops.Scroll("#table", row=100_000),
        ops.Scroll("#table", text="Item 100000"),
        ops.Select("#table", index=100_000),
        ops.Select("#table", text="Item 100000"),
        ops.Select("#table", index=3, column=90),
    )


@NEEDS_A_TOOLKIT
def test_an_element_without_rows_cannot_be_scrolled_to_one(app: App) -> None:
    refuses(app, "action_unsupported", ops.Scroll("#name", row=1))


@NEEDS_A_TOOLKIT
def test_a_cell_is_selected_and_edited(app: App) -> None:
    app.get_by_role("tab", name="Items").click()
    app.run(ops.Select("#table", index=3, column=1))
    says(app, "selected 3,1")
    app.locator('#table >> cell[name="Item 2"]').click()
    says(app, "selected 2,0")
    app.locator('#table >> cell[name="Item 2"]').set_value("Lamp")
    says(app, "cell 2,0 Lamp")


@NEEDS_A_TOOLKIT
def test_a_list_item_is_chosen(app: App) -> None:
    app.get_by_role("tab", name="Items").click()
    app.locator("#colours").select_option(text="blue")
    says(app, "colour blue")
    app.locator('#colours >> list-item[name="green"]').click()
    says(app, "colour green")


@NEEDS_A_TOOLKIT
def test_a_tree_item_expands_and_shows_its_children(app: App) -> None:
    app.get_by_role("tab", name="Items").click()
    app.locator('#tree >> tree-item[name="Europe"]').expand()
    says(app, "expanded Europe")
    app.locator('#tree >> tree-item[name="Paris"]').click()
    says(app, "place Paris")


@NEEDS_A_TOOLKIT
def test_menu_items_in_closed_menus_are_activated(app: App) -> None:
    app.get_by_role("menu-item", name="Save").activate()
    says(app, "saved")
    app.get_by_role("menu-item", name="first.txt").click()
    says(app, "opened first.txt")


@NEEDS_A_TOOLKIT
def test_a_menu_item_is_checked(app: App) -> None:
    grid = app.locator('menu-item-checkbox[name="Show grid"]')
    assert grid.get().checked is False
    grid.click()
    says(app, "grid True")


@NEEDS_A_TOOLKIT
def test_a_tool_bar_button_works(app: App) -> None:
    app.locator('#tools >> button[name="Zoom in"]').click()
    says(app, "zoomed")


@NEEDS_A_TOOLKIT
@pytest.mark.parametrize(("field", "value", "report"), [
    ("#amount", "7", "amount 7"),
    ("#volume", "30", "volume 30"),
    ("#day", "2026-02-28", "day 2026-02-28"),
])  # fmt: skip
def test_a_number_or_a_date_is_set(app: App, field: str, value: str, report: str) -> None:
    app.locator("#tabs").select_option(text="More")
    app.locator(field).set_value(value)
    says(app, report)
    expect(app.locator(field)).to_have_value(value)


@NEEDS_A_TOOLKIT
def test_a_value_that_a_field_cannot_have_is_an_invalid_parameter(app: App) -> None:
    app.locator("#tabs").select_option(text="More")
    word, far = ops.SetValue("#amount", value="many"), ops.SetValue("#volume", value="100000")
    refuses(app, "invalid_params", word, far)


@NEEDS_A_TOOLKIT
def test_an_element_below_the_visible_part_is_scrolled_into_view_and_clicked(app: App) -> None:
    app.locator("#tabs").select_option(text="More")
    assert app.locator("#far").get().offscreen
    app.locator("#far").click()
    says(app, "far pressed")


@NEEDS_A_TOOLKIT
def test_the_wheel_scrolls(app: App) -> None:
    app.locator("#tabs").select_option(text="More")
    assert app.locator("#far").get().offscreen
    app.locator("#area").scroll(dy=60)
    app.wait_idle()
    assert not app.locator("#far").get().offscreen


@NEEDS_A_TOOLKIT
def test_dragging_the_slider_changes_its_value(app: App) -> None:
    app.locator("#tabs").select_option(text="More")
    bounds = app.locator("#volume").bounds()
    assert bounds is not None
    app.run(
        ops.Drag(
            "#volume", x=5, y=bounds.height / 2, to="#volume", to_x=bounds.width - 5, to_y=bounds.height / 2
        )
    )
    expect(app.locator("#volume")).not_.to_have_value("0")


@NEEDS_A_TOOLKIT
def test_a_context_menu_opens_and_its_entry_works(app: App) -> None:
    app.locator("#tabs").select_option(text="More")
    app.locator("#pad").right_click()
    app.locator('menu-item[name="Copy"]').click()
    says(app, "copied")

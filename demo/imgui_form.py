"""An order form in Dear ImGui. It knows nothing of deskhand.

Run it: `python demo/imgui_form.py`. What the user did is shown in the status line, and printed as JSON when
the form closes. With `--again`, each line on standard input starts it over with a fresh form, which is
answered by a line. With `--bare` it draws without a window, sixty times a second, for its client.
"""

import argparse
import collections
import json
import select
import sys
import time

from imgui_bundle import hello_imgui, imgui

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--again", action="store_true")
parser.add_argument("--bare", action="store_true")
arguments = parser.parse_args()

COUNTRIES = ["France", "Kenya", "Japan", "Peru"]
COLOURS = ["red", "green", "blue"]
SIZE = (640, 560)
WINDOW = (
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.menu_bar
)
LEAF = imgui.TreeNodeFlags_.leaf | imgui.TreeNodeFlags_.no_tree_push_on_open


class Form:
    def __init__(self, number=0):
        self.number = number
        self.events = collections.deque(maxlen=1000)
        self.report = "ready"
        self.name = self.secret = self.notes = ""
        self.news = self.grid = self.loaded = False
        self.country = 0
        self.delivery = self.colour = self.place = None
        self.tab = "Person"
        self.cell = None
        self.amount = self.volume = 0
        self.day = "2026-01-31"
        self.due = None
        self.asks = False
        self.closed = False

    def say(self, what):
        self.events.append(what)
        self.report = what

    def draw(self):
        if self.due is not None and time.monotonic() >= self.due:
            self.due, self.loaded = None, True
            self.say("loaded")
        view = imgui.get_main_viewport()
        imgui.set_next_window_pos(view.work_pos)
        imgui.set_next_window_size(view.work_size)
        imgui.begin("Order form###order_form", None, WINDOW)
        # Dear ImGui remembers tabs, trees and scroll bars by their ids: those of a fresh form are others.
        imgui.push_id(self.number)
        self.draw_menus()
        imgui.begin_child("##tools", (0, 32))
        if imgui.button("Zoom in"):
            self.say("zoomed")
        imgui.end_child()
        imgui.begin_child("##pages", (0, -28))
        if imgui.begin_tab_bar("##tabs"):
            self.draw_page("Person", self.draw_person)
            self.draw_page("Items", self.draw_items)
            self.draw_page("More", self.draw_more)
            imgui.end_tab_bar()
        imgui.end_child()
        imgui.label_text("##report", self.report)
        self.draw_dialog()
        imgui.pop_id()
        imgui.end()

    # -- the parts ------------------------------------------------------------------------

    def draw_menus(self):
        if imgui.shortcut(int(imgui.Key.mod_ctrl) | int(imgui.Key.s), imgui.InputFlags_.route_global):
            self.say("saved")
        if not imgui.begin_menu_bar():
            return
        if imgui.begin_menu("File"):
            if imgui.menu_item_simple("Save", "Ctrl+S"):
                self.say("saved")
            if imgui.begin_menu("Recent"):
                if imgui.menu_item_simple("first.txt"):
                    self.say("opened first.txt")
                imgui.end_menu()
            imgui.separator()
            self.closed = imgui.menu_item_simple("Quit") or self.closed
            imgui.end_menu()
        if imgui.begin_menu("View"):
            changed, self.grid = imgui.menu_item("Show grid", "", self.grid)
            if changed:
                self.say(f"grid {self.grid}")
            imgui.end_menu()
        imgui.end_menu_bar()

    def draw_page(self, title, draw):
        if imgui.begin_tab_item(title)[0]:
            if self.tab != title:
                self.tab = title
                self.say(f"tab {title}")
            draw()
            imgui.end_tab_item()

    def draw_person(self):
        changed, self.name = imgui.input_text_with_hint("Name##name", "Full name", self.name)
        if changed:
            self.say(f"name {self.name}")
        if imgui.is_item_deactivated() and imgui.is_key_pressed(imgui.Key.enter):
            self.say(f"submitted {self.name}")
        changed, self.secret = imgui.input_text(
            "Password##secret", self.secret, imgui.InputTextFlags_.password
        )
        if changed:
            self.say(f"secret of {len(self.secret)}")
        changed, self.news = imgui.checkbox("Send me the newsletter", self.news)
        if changed:
            self.say(f"newsletter {self.news}")
        changed, self.country = imgui.combo("Country##country", self.country, COUNTRIES)
        if changed:
            self.say(f"country {COUNTRIES[self.country]}")
        imgui.separator_text("Delivery")
        for text in ("Post", "Courier"):
            if imgui.radio_button(text, self.delivery == text):
                self.delivery = text
                self.say(f"delivery {text}")
            imgui.same_line()
        imgui.new_line()
        changed, self.notes = imgui.input_text_multiline("Notes##notes", self.notes, (0, 60))
        if changed:
            self.say(f"notes {self.notes!r}")
        if imgui.button("Greet"):
            self.say(f"Hello, {self.name}!")
        imgui.same_line()
        self.asks = imgui.button("Place order…##order")
        imgui.same_line()
        if imgui.button("Load later##later"):
            self.say("loading")
            self.due = time.monotonic() + 0.3
        imgui.same_line()
        imgui.begin_disabled(not self.loaded)
        if imgui.button("Send##send"):
            self.say("sent")
        imgui.end_disabled()
        if self.loaded:
            imgui.button("Hidden hint##hint")

    def draw_items(self):
        flags = imgui.TableFlags_.scroll_y | imgui.TableFlags_.borders
        if imgui.begin_table("table", 3, flags, (0, 240)):
            imgui.table_setup_scroll_freeze(0, 1)
            for title in ("Item", "Price", "Stock"):
                imgui.table_setup_column(title)
            imgui.table_headers_row()
            clipper = imgui.ListClipper()
            clipper.begin(arguments.rows)
            while clipper.step():
                for row in range(clipper.display_start, clipper.display_end):
                    self.draw_row(row)
            imgui.end_table()
        if imgui.begin_list_box("##colours", (200, 80)):
            for colour in COLOURS:
                if imgui.selectable(colour, self.colour == colour)[0]:
                    self.colour = colour
                    self.say(f"colour {colour}")
            imgui.end_list_box()
        imgui.same_line()
        imgui.begin_child("##tree", (0, 80))
        for place, inner in (("Europe", ["Paris"]), ("Africa", [])):
            self.draw_place(place, inner)
        imgui.end_child()

    def draw_row(self, row):
        imgui.table_next_row()
        for column, text in enumerate((f"Item {row}", f"{row}.50", str(row % 7))):
            imgui.table_next_column()
            if imgui.selectable(f"{text}##{row},{column}", self.cell == (row, column))[0]:
                self.cell = (row, column)
                self.say(f"selected {row},{column}")

    def draw_place(self, place, inner):
        opened = imgui.tree_node_ex(place, 0 if inner else LEAF)
        if imgui.is_item_toggled_open():
            self.say(f"{'expanded' if opened else 'collapsed'} {place}")
        elif imgui.is_item_clicked():
            self.say(f"place {place}")
        if opened and inner:
            for each in inner:
                self.draw_place(each, [])
            imgui.tree_pop()

    def draw_more(self):
        changed, amount = imgui.input_int("Amount##amount", self.amount)
        if changed:
            self.amount = max(0, min(50, amount))
            self.say(f"amount {self.amount}")
        changed, self.volume = imgui.slider_int("Volume##volume", self.volume, 0, 100)
        if changed:
            self.say(f"volume {self.volume}")
        changed, self.day = imgui.input_text("Day##day", self.day)
        if changed:
            self.say(f"day {self.day}")
        imgui.begin_child("Area##area", (0, -28), imgui.ChildFlags_.borders)
        imgui.dummy((1, 2000))
        if imgui.button("Far away##far"):
            self.say("far pressed")
        imgui.end_child()
        imgui.selectable("Right-click me##pad", False)
        if imgui.begin_popup_context_item("pad menu"):
            if imgui.menu_item_simple("Copy"):
                self.say("copied")
            imgui.end_popup()

    def draw_dialog(self):
        if self.asks:
            imgui.open_popup("Confirm")
        if imgui.begin_popup_modal("Confirm", None, imgui.WindowFlags_.always_auto_resize)[0]:
            imgui.text(f"Place the order for {self.name}?")
            for label, outcome in (("Yes", "ordered"), ("No", "order cancelled")):
                if imgui.button(label):
                    self.say(outcome)
                    imgui.close_current_popup()
                imgui.same_line()
            imgui.end_popup()


class Forms:
    """The form on the screen, and a fresh one for each line that is read."""

    def __init__(self):
        self.form = Form()

    def draw(self):
        if arguments.again and select.select([0], [], [], 0)[0] and sys.stdin.readline():
            imgui.internal.clear_active_id()
            if imgui.get_current_context().open_popup_stack:
                imgui.internal.close_popup_to_level(0, False)
            self.form = Form(self.form.number + 1)
            print("ready", flush=True)
        self.form.draw()

    def run(self):
        params = hello_imgui.RunnerParams()
        params.app_window_params.window_title = "Order form"
        params.app_window_params.window_geometry.size = SIZE
        params.imgui_window_params.default_imgui_window_type = (
            hello_imgui.DefaultImGuiWindowType.no_default_window
        )
        params.ini_disable = True

        def show():
            self.draw()
            # Also set by the button that closes the window.
            params.app_shall_exit |= self.form.closed

        params.callbacks.show_gui = show
        hello_imgui.run(params)

    def run_bare(self):
        imgui.create_context()
        io = imgui.get_io()
        io.display_size = SIZE
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        io.set_ini_filename("")
        while not self.form.closed:
            io.delta_time = 1 / 60
            imgui.new_frame()
            self.draw()
            imgui.render()
            time.sleep(1 / 60)


if __name__ == "__main__":
    forms = Forms()
    if arguments.bare:
        forms.run_bare()
    else:
        forms.run()
    print(json.dumps({"events": list(forms.form.events), "name": forms.form.name}), flush=True)

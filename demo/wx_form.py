"""The order form in wxPython: `/usr/bin/python3 demo/wx_form.py`. It knows nothing of deskhand.

What the user did is shown in the status line, and printed as JSON when the form closes. With `--again`, each
line on standard input starts it over with a fresh form, which is answered by a line.
"""

import argparse
import collections
import json
import sys
import threading

import wx
import wx.adv
import wx.grid

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--again", action="store_true")
arguments = parser.parse_args()


def called(window, name):
    """Give a window the name by which it is found."""
    window.SetName(name)
    return window


class Form(wx.Frame):
    def __init__(self):
        super().__init__(None, title="Order form", name="order_form")
        self.events = collections.deque(maxlen=1000)
        self.asks = False
        self.make_menus()
        self.tabs = called(wx.Notebook(self), "tabs")
        self.tabs.AddPage(self.make_person(), "Person")
        self.tabs.AddPage(self.make_items(), "Items")
        self.tabs.AddPage(self.make_more(), "More")
        self.tabs.Bind(wx.EVT_NOTEBOOK_PAGE_CHANGED, self.tell_tab)
        bar = self.CreateStatusBar()
        self.report = called(wx.StaticText(bar, label="ready", pos=(4, 2)), "report")
        self.report.SetHelpText("What happened last")
        self.SetClientSize(640, 560)
        self.Bind(wx.EVT_CLOSE, self.finish)
        self.name.SetFocus()

    def say(self, what):
        self.events.append(what)
        self.report.SetLabelText(what)

    def finish(self, event):
        print(json.dumps({"events": list(self.events), "name": self.name.GetValue()}), flush=True)
        event.Skip()

    # -- the parts ------------------------------------------------------------------------

    def make_menus(self):
        file, recent, view = wx.Menu(), wx.Menu(), wx.Menu()
        self.entry(file, "&Save\tCtrl+S", lambda _: self.say("saved"))
        self.entry(recent, "first.txt", lambda _: self.say("opened first.txt"))
        file.AppendSubMenu(recent, "&Recent")
        file.AppendSeparator()
        self.entry(file, "&Quit", lambda _: self.Close())
        grid = view.AppendCheckItem(wx.ID_ANY, "Show &grid")
        self.Bind(wx.EVT_MENU, lambda event: self.say(f"grid {event.IsChecked()}"), grid)
        bar = wx.MenuBar()
        bar.Append(file, "&File")
        bar.Append(view, "&View")
        self.SetMenuBar(bar)
        tools = self.CreateToolBar(wx.TB_TEXT | wx.TB_NOICONS)
        tools.SetName("tools")
        zoom = tools.AddTool(wx.ID_ZOOM_IN, "Zoom in", wx.ArtProvider.GetBitmap(wx.ART_PLUS))
        self.Bind(wx.EVT_TOOL, lambda _: self.say("zoomed"), zoom)
        tools.Realize()

    def entry(self, menu, text, chosen):
        self.Bind(wx.EVT_MENU, chosen, menu.Append(wx.ID_ANY, text))

    def make_person(self):
        page = wx.Panel(self.tabs)
        column = wx.BoxSizer(wx.VERTICAL)
        form = wx.FlexGridSizer(2, 6, 6)
        form.AddGrowableCol(1)

        def row(text, field):
            form.Add(wx.StaticText(page, label=text), flag=wx.ALIGN_CENTER_VERTICAL)
            made = field()
            form.Add(made, flag=wx.EXPAND)
            return made

        self.name = row("&Name", lambda: wx.TextCtrl(page, style=wx.TE_PROCESS_ENTER, name="name"))
        self.name.SetHint("Full name")
        self.name.Bind(wx.EVT_TEXT, lambda _: self.say(f"name {self.name.GetValue()}"))
        self.name.Bind(wx.EVT_TEXT_ENTER, lambda _: self.say(f"submitted {self.name.GetValue()}"))
        self.secret = row("&Password", lambda: wx.TextCtrl(page, style=wx.TE_PASSWORD, name="secret"))
        self.secret.Bind(wx.EVT_TEXT, lambda _: self.say(f"secret of {len(self.secret.GetValue())}"))
        self.country = row("&Country", lambda: wx.Choice(page, name="country"))
        for text, code in (("France", "FR"), ("Kenya", "KE"), ("Japan", "JP"), ("Peru", "PE")):
            self.country.Append(text, code)
        self.country.SetSelection(0)
        self.country.Bind(wx.EVT_CHOICE, lambda event: self.say(f"country {event.GetString()}"))
        several = wx.TE_MULTILINE
        self.notes = row("N&otes", lambda: wx.TextCtrl(page, style=several, size=(-1, 60), name="notes"))
        self.notes.Bind(wx.EVT_TEXT, lambda _: self.say(f"notes {self.notes.GetValue()!r}"))
        column.Add(form, flag=wx.EXPAND | wx.ALL, border=8)
        self.news = wx.CheckBox(page, label="Send me the &newsletter")
        self.news.Bind(wx.EVT_CHECKBOX, lambda event: self.say(f"newsletter {event.IsChecked()}"))
        column.Add(self.news, flag=wx.EXPAND | wx.ALL, border=8)
        column.Add(self.make_delivery(page), flag=wx.EXPAND | wx.ALL, border=8)
        column.Add(self.make_buttons(page), flag=wx.ALL, border=8)
        self.hint = wx.Button(page, label="Hidden hint", name="hint")
        self.hint.Hide()
        column.Add(self.hint, flag=wx.ALL, border=8)
        page.SetSizer(column)
        return page

    def make_delivery(self, page):
        box = wx.StaticBoxSizer(wx.HORIZONTAL, page, "Delivery")
        # The first one is not shown: of the radio buttons in a group, wx always has one that is chosen.
        none = wx.RadioButton(box.GetStaticBox(), style=wx.RB_GROUP)
        none.Hide()
        for text in ("Post", "Courier"):
            radio = wx.RadioButton(box.GetStaticBox(), label=text)
            radio.Bind(wx.EVT_RADIOBUTTON, lambda _, text=text: self.say(f"delivery {text}"))
            box.Add(radio, 1)
        return box

    def make_buttons(self, page):
        row = wx.BoxSizer(wx.HORIZONTAL)
        greet = wx.Button(page, label="&Greet")
        greet.Bind(wx.EVT_BUTTON, lambda _: self.say(f"Hello, {self.name.GetValue()}!"))
        order = wx.Button(page, label="Place order…", name="order")
        order.Bind(wx.EVT_BUTTON, self.place_order)
        later = wx.Button(page, label="Load later", name="later")
        later.Bind(wx.EVT_BUTTON, self.load_later)
        self.send = wx.Button(page, label="Send", name="send")
        self.send.Disable()
        self.send.Bind(wx.EVT_BUTTON, lambda _: self.say("sent"))
        for button in (greet, order, later, self.send):
            row.Add(button, flag=wx.RIGHT, border=6)
        return row

    def make_items(self):
        page = wx.Panel(self.tabs)
        column = wx.BoxSizer(wx.VERTICAL)
        self.table = called(wx.grid.Grid(page), "table")
        self.table.CreateGrid(arguments.rows, 3)
        for at, text in enumerate(("Item", "Price", "Stock")):
            self.table.SetColLabelValue(at, text)
        for number in range(arguments.rows):
            for at, text in enumerate((f"Item {number}", f"{number}.50", str(number % 7))):
                self.table.SetCellValue(number, at, text)
        self.table.Bind(wx.grid.EVT_GRID_SELECT_CELL, self.tell_cell)
        self.table.Bind(wx.grid.EVT_GRID_CELL_CHANGED, self.tell_change)
        # Else it would want room for all its rows.
        self.table.SetMinSize((100, 100))
        column.Add(self.table, 1, wx.EXPAND)
        lower = wx.BoxSizer(wx.HORIZONTAL)
        self.colours = wx.ListBox(page, choices=["red", "green", "blue"], name="colours")
        self.colours.Bind(wx.EVT_LISTBOX, lambda event: self.say(f"colour {event.GetString()}"))
        lower.Add(self.colours, 1, wx.EXPAND)
        self.tree = wx.TreeCtrl(page, style=wx.TR_DEFAULT_STYLE | wx.TR_HIDE_ROOT, name="tree")
        root = self.tree.AddRoot("Place")
        europe = self.tree.AppendItem(root, "Europe")
        self.tree.AppendItem(europe, "Paris")
        self.tree.AppendItem(root, "Africa")
        self.tree.Bind(
            wx.EVT_TREE_ITEM_EXPANDED,
            lambda event: self.say(f"expanded {self.tree.GetItemText(event.GetItem())}"),
        )
        self.tree.Bind(
            wx.EVT_TREE_SEL_CHANGED, lambda event: self.say(f"place {self.tree.GetItemText(event.GetItem())}")
        )
        lower.Add(self.tree, 1, wx.EXPAND)
        column.Add(lower, 1, wx.EXPAND)
        page.SetSizer(column)
        return page

    def make_more(self):
        page = wx.Panel(self.tabs)
        column = wx.BoxSizer(wx.VERTICAL)
        form = wx.FlexGridSizer(2, 6, 6)
        form.AddGrowableCol(1)
        form.Add(wx.StaticText(page, label="&Amount"), flag=wx.ALIGN_CENTER_VERTICAL)
        self.amount = wx.SpinCtrl(page, min=0, max=50, name="amount")
        self.amount.Bind(wx.EVT_SPINCTRL, lambda event: self.say(f"amount {event.GetPosition()}"))
        form.Add(self.amount, flag=wx.EXPAND)
        form.Add(wx.StaticText(page, label="&Volume"), flag=wx.ALIGN_CENTER_VERTICAL)
        self.volume = wx.Slider(page, maxValue=100, name="volume")
        self.volume.Bind(wx.EVT_SLIDER, lambda event: self.say(f"volume {event.GetInt()}"))
        form.Add(self.volume, flag=wx.EXPAND)
        form.Add(wx.StaticText(page, label="&Day"), flag=wx.ALIGN_CENTER_VERTICAL)
        self.day = wx.adv.DatePickerCtrl(page, dt=wx.DateTime(31, 0, 2026), name="day")
        self.day.Bind(
            wx.adv.EVT_DATE_CHANGED, lambda event: self.say(f"day {event.GetDate().FormatISODate()}")
        )
        form.Add(self.day, flag=wx.EXPAND)
        column.Add(form, flag=wx.EXPAND | wx.ALL, border=8)
        area = wx.ScrolledWindow(page, name="area")
        area.SetToolTip("Area")
        area.SetScrollRate(0, 10)
        inner = wx.BoxSizer(wx.VERTICAL)
        inner.Add((10, 2000))
        far = wx.Button(area, label="Far away", name="far")
        far.Bind(wx.EVT_BUTTON, lambda _: self.say("far pressed"))
        inner.Add(far)
        area.SetSizer(inner)
        column.Add(area, 1, wx.EXPAND | wx.ALL, border=8)
        pad = wx.StaticText(page, label="Right-click me", name="pad")
        pad.Bind(wx.EVT_CONTEXT_MENU, self.context_menu)
        column.Add(pad, flag=wx.ALL, border=8)
        page.SetSizer(column)
        return page

    # -- what happens -----------------------------------------------------------------------

    def tell_tab(self, event):
        self.say(f"tab {self.tabs.GetPageText(event.GetSelection())}")
        event.Skip()

    def tell_cell(self, event):
        self.say(f"selected {event.GetRow()},{event.GetCol()}")
        event.Skip()

    def tell_change(self, event):
        row, column = event.GetRow(), event.GetCol()
        self.say(f"cell {row},{column} {self.table.GetCellValue(row, column)}")

    def context_menu(self, _):
        menu = wx.Menu()
        menu.Bind(wx.EVT_MENU, lambda _: self.say("copied"), menu.Append(wx.ID_ANY, "Copy"))
        self.PopupMenu(menu)
        menu.Destroy()

    def place_order(self, _):
        text = f"Place the order for {self.name.GetValue()}?"
        self.asks = True
        with wx.MessageDialog(self, text, "Confirm", wx.YES_NO) as box:
            answer = box.ShowModal()
        self.asks = False
        self.say("ordered" if answer == wx.ID_YES else "order cancelled")

    def load_later(self, _):
        self.say("loading")
        wx.CallLater(300, self.loaded)

    def loaded(self):
        self.send.Enable()
        self.hint.Show()
        self.hint.GetParent().Layout()
        self.say("loaded")


class Forms:
    """The form on the screen, and a fresh one for each line that is read."""

    def __init__(self):
        self.form = Form()
        self.form.Show()
        if arguments.again:
            threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for _ in sys.stdin:
            wx.CallAfter(self.start_over)

    def start_over(self):
        old = self.form
        if old.asks:
            # The program itself cannot end a native dialog; its user can.
            wx.UIActionSimulator().Char(wx.WXK_ESCAPE)
            wx.CallLater(50, self.start_over)
            return
        self.form = Form()
        self.form.Show()
        old.Destroy()
        print("ready", flush=True)


if __name__ == "__main__":
    app = wx.App()
    forms = Forms()
    app.MainLoop()

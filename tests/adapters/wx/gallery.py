"""Every control of wx in one window, run by `/usr/bin/python3`; the status line says what happened last."""

import os
import time
from pathlib import Path

import library
import wx
import wx.adv
import wx.aui
import wx.dataview
import wx.glcanvas
import wx.grid
import wx.html
import wx.propgrid
import wx.richtext
import wx.stc


class Many(wx.ListCtrl):
    """A hundred thousand rows that are nowhere."""

    def __init__(self, parent):
        super().__init__(parent, style=wx.LC_REPORT | wx.LC_VIRTUAL, name="many")
        self.InsertColumn(0, "Number", width=90)
        self.InsertColumn(1, "Square", width=120)
        self.SetItemCount(100_000)

    def OnGetItemText(self, row, column):
        return str(row) if column == 0 else str(row * row)


class Cells(wx.grid.GridTableBase):
    """A table of a hundred thousand rows."""

    def GetNumberRows(self):
        return 100_000

    def GetNumberCols(self):
        return 40

    def GetValue(self, row, column):
        return f"r{row}c{column}"

    def SetValue(self, row, column, value):
        pass

    def IsEmptyCell(self, row, column):
        return False


class Gallery(wx.Frame):
    def __init__(self):
        super().__init__(None, title="Gallery", size=(1000, 720))
        self.book = wx.Notebook(self, name="book")
        for name in ("simple", "choices", "views", "data", "books", "panes", "drawn", "library"):
            page = wx.Panel(self.book, name=f"page_{name}")
            page.SetSizer(wx.WrapSizer())
            getattr(self, name)(page, page.GetSizer())
            self.book.AddPage(page, name)
        self.report = wx.StaticText(self.CreateStatusBar(), label="ready", pos=(4, 2), name="report")
        self.make_menus()

    def say(self, what):
        self.report.SetLabel(str(what))

    def make_menus(self):
        menu = wx.Menu()
        for text, do in (
            ("Message…", self.message),
            ("Open…", lambda _: self.file(wx.FD_OPEN)),
            ("Save as…", lambda _: self.file(wx.FD_SAVE)),
            ("Own dialog…", self.own),
            ("Wedge", lambda _: wx.CallLater(1, self.wedge)),
            ("Yield", self.yields),
            ("Colour…", self.colour),
        ):
            self.Bind(wx.EVT_MENU, do, menu.Append(wx.ID_ANY, text))
        item = menu.Append(wx.ID_ANY, "Never")
        item.Enable(False)
        for text in ("Small", "Large"):
            self.Bind(wx.EVT_MENU, lambda _, text=text: self.say(text), menu.AppendRadioItem(wx.ID_ANY, text))
        bar = wx.MenuBar()
        bar.Append(menu, "&Do")
        self.SetMenuBar(bar)

    # -- pages -----------------------------------------------------------------------------------

    def put(self, sizer, window, size=None):
        if size:
            window.SetMinSize(size)
        sizer.Add(window, flag=wx.ALL, border=4)
        return window

    def simple(self, page, sizer):
        self.put(sizer, wx.Button(page, label="&Plain")).Bind(wx.EVT_BUTTON, lambda _: self.say("plain"))
        bitmap = wx.ArtProvider.GetBitmap(wx.ART_FOLDER, size=(24, 24))
        folder = self.put(sizer, wx.BitmapButton(page, bitmap=bitmap, name="folder"))
        folder.SetToolTip("Folder")
        folder.Bind(wx.EVT_BUTTON, lambda _: self.say("folder"))
        toggle = self.put(sizer, wx.ToggleButton(page, label="Hold"))
        toggle.Bind(wx.EVT_TOGGLEBUTTON, lambda event: self.say(f"hold {event.IsChecked()}"))
        three = self.put(
            sizer, wx.CheckBox(page, label="Three", style=wx.CHK_3STATE | wx.CHK_ALLOW_3RD_STATE_FOR_USER)
        )
        three.Set3StateValue(wx.CHK_UNDETERMINED)
        three.Bind(wx.EVT_CHECKBOX, lambda _: self.say(f"three {three.Get3StateValue()}"))
        radios = wx.RadioBox(page, label="Size", choices=["S", "M", "L"], name="size")
        radios.EnableItem(2, False)
        radios.Bind(wx.EVT_RADIOBOX, lambda event: self.say(f"size {event.GetString()}"))
        self.put(sizer, radios)
        self.put(sizer, wx.StaticText(page, label="Limited:"))
        limited = self.put(sizer, wx.TextCtrl(page, name="limited"))
        limited.SetMaxLength(3)
        self.put(sizer, wx.StaticText(page, label="Fixed:"))
        self.put(sizer, wx.TextCtrl(page, value="as it is", style=wx.TE_READONLY, name="fixed"))
        search = self.put(sizer, wx.SearchCtrl(page, name="search"))
        search.SetDescriptiveText("Search here")
        self.put(sizer, wx.StaticText(page, label="Real:"))
        real = self.put(sizer, wx.SpinCtrlDouble(page, min=0, max=2, inc=0.25, name="real"))
        real.SetDigits(2)
        real.Bind(wx.EVT_SPINCTRLDOUBLE, lambda event: self.say(f"real {event.GetValue()}"))
        gauge = self.put(sizer, wx.Gauge(page, range=50, name="gauge"))
        gauge.SetValue(20)
        self.put(sizer, wx.StaticLine(page, size=(60, 2)))
        self.put(sizer, wx.StaticBitmap(page, bitmap=bitmap, name="bitmap"))
        link = self.put(sizer, wx.adv.HyperlinkCtrl(page, label="Elsewhere", url="http://localhost/"))
        link.Bind(wx.adv.EVT_HYPERLINK, lambda event: self.say(f"link {event.GetURL()}"))
        self.put(sizer, wx.StaticText(page, label="When:"))
        when = self.put(sizer, wx.adv.TimePickerCtrl(page, name="when"))
        when.SetTime(9, 30, 0)
        when.Bind(wx.adv.EVT_TIME_CHANGED, lambda _: self.say(f"when {when.GetTime()}"))
        calendar = self.put(sizer, wx.adv.CalendarCtrl(page, date=wx.DateTime(5, 4, 2026), name="calendar"))
        calendar.Bind(
            wx.adv.EVT_CALENDAR_SEL_CHANGED, lambda e: self.say(f"calendar {e.GetDate().FormatISODate()}")
        )
        self.put(sizer, wx.ScrollBar(page, size=(80, -1), name="bar")).SetScrollbar(2, 5, 20, 5)
        self.put(sizer, wx.SpinButton(page, name="steps"))
        file = self.put(sizer, wx.FilePickerCtrl(page, path="/etc/hostname", name="file"))
        file.Bind(wx.EVT_FILEPICKER_CHANGED, lambda event: self.say(f"file {event.GetPath()}"))
        self.put(sizer, wx.DirPickerCtrl(page, path="/etc", name="folder"))
        colour = self.put(sizer, wx.ColourPickerCtrl(page, colour=wx.RED, name="paint"))
        colour.Bind(
            wx.EVT_COLOURPICKER_CHANGED, lambda event: self.say(f"paint {event.GetColour().GetAsString(4)}")
        )
        self.put(sizer, wx.FontPickerCtrl(page, name="font"))
        styled = self.put(sizer, wx.stc.StyledTextCtrl(page, name="styled"), (150, 60))
        styled.Bind(wx.stc.EVT_STC_MODIFIED, lambda _: self.say("styled"))
        self.put(sizer, wx.richtext.RichTextCtrl(page, value="rich", name="rich"), (150, 60))
        html = self.put(sizer, wx.html.HtmlWindow(page, name="html"), (150, 60))
        html.SetPage("<title>Page</title><b>Bold</b> words")

    def choices(self, page, sizer):
        editable = wx.ComboBox(page, choices=["one", "two"], name="editable")
        editable.Bind(wx.EVT_COMBOBOX, lambda event: self.say(f"combo {event.GetString()}"))
        editable.Bind(wx.EVT_TEXT, lambda event: self.say(f"combo text {event.GetString()}"))
        self.put(sizer, editable)
        self.put(sizer, wx.ComboBox(page, choices=["one", "two"], style=wx.CB_READONLY, name="closed"))
        drawn = wx.adv.OwnerDrawnComboBox(page, choices=["x", "y"], style=wx.CB_READONLY, name="own_drawn")
        drawn.Bind(wx.EVT_COMBOBOX, lambda event: self.say(f"own drawn {event.GetString()}"))
        self.put(sizer, drawn)
        bitmaps = wx.adv.BitmapComboBox(page, style=wx.CB_READONLY, name="bitmaps")
        for text in ("sun", "moon"):
            bitmaps.Append(text, wx.ArtProvider.GetBitmap(wx.ART_NEW, size=(16, 16)))
        bitmaps.Bind(wx.EVT_COMBOBOX, lambda event: self.say(f"bitmaps {event.GetString()}"))
        self.put(sizer, bitmaps)
        several = wx.ListBox(page, choices=list("abc"), style=wx.LB_EXTENDED, name="several")
        several.Bind(wx.EVT_LISTBOX, lambda _: self.say(f"several {list(several.GetSelections())}"))
        self.put(sizer, several)
        checks = wx.CheckListBox(page, choices=["tea", "milk"], name="checks")
        checks.Bind(wx.EVT_CHECKLISTBOX, lambda event: self.say(f"checks {checks.GetCheckedStrings()}"))
        self.put(sizer, checks)
        long = wx.ListBox(page, choices=[f"item {n}" for n in range(5000)], name="long")
        self.put(sizer, long, (120, 120))

    def views(self, page, sizer):
        report = wx.ListCtrl(page, style=wx.LC_REPORT, name="table")
        for at, text in enumerate(("Name", "Size")):
            report.InsertColumn(at, text, width=90)
        for row in range(50):
            report.InsertItem(row, f"file {row}")
            report.SetItem(row, 1, str(row * 10))
        report.Bind(wx.EVT_LIST_ITEM_SELECTED, lambda event: self.say(f"file {event.GetIndex()}"))
        report.Bind(wx.EVT_LIST_ITEM_ACTIVATED, lambda event: self.say(f"opened {event.GetIndex()}"))
        report.Bind(wx.EVT_LIST_COL_CLICK, lambda event: self.say(f"sorted {event.GetColumn()}"))
        self.put(sizer, report, (240, 200))
        self.put(sizer, Many(page), (240, 200))
        grid = self.put(sizer, wx.grid.Grid(page, name="cells"), (420, 200))
        grid.SetTable(Cells(), True)
        tree = wx.TreeCtrl(page, style=wx.TR_DEFAULT_STYLE | wx.TR_EDIT_LABELS, name="tree")
        root = tree.AddRoot("root")
        for branch in range(30):
            item = tree.AppendItem(root, f"branch {branch}")
            for leaf in range(30):
                tree.AppendItem(item, f"leaf {branch}.{leaf}")
        tree.Expand(root)
        tree.Bind(
            wx.EVT_TREE_SEL_CHANGED, lambda event: self.say(f"tree {tree.GetItemText(event.GetItem())}")
        )
        tree.Bind(
            wx.EVT_TREE_ITEM_ACTIVATED, lambda event: self.say(f"went {tree.GetItemText(event.GetItem())}")
        )
        self.put(sizer, tree, (240, 200))
        self.tree = tree

    def data(self, page, sizer):
        data = wx.dataview
        rows = data.DataViewListCtrl(page)
        rows.SetName("rows")
        rows.AppendTextColumn("Name", mode=data.DATAVIEW_CELL_EDITABLE, width=90)
        rows.AppendToggleColumn("Done", width=60)
        for at in range(40):
            rows.AppendItem([f"task {at}", at % 2 == 0])
        rows.Bind(data.EVT_DATAVIEW_SELECTION_CHANGED, lambda _: self.say(f"task {rows.GetSelectedRow()}"))
        rows.Bind(
            data.EVT_DATAVIEW_ITEM_VALUE_CHANGED,
            lambda event: self.say(f"changed {rows.ItemToRow(event.GetItem())}"),
        )
        self.put(sizer, rows, (240, 200))
        places = data.DataViewTreeCtrl(page)
        places.SetName("places")
        europe = places.AppendContainer(data.NullDataViewItem, "Europe")
        places.AppendItem(europe, "Paris")
        places.AppendItem(data.NullDataViewItem, "Moon")
        places.Bind(
            data.EVT_DATAVIEW_SELECTION_CHANGED,
            lambda event: self.say(f"place {places.GetItemText(event.GetItem())}"),
        )
        self.put(sizer, places, (240, 200))
        grid = wx.propgrid.PropertyGrid(page, name="settings")
        grid.Append(wx.propgrid.PropertyCategory("Print"))
        grid.Append(wx.propgrid.IntProperty("Copies", "copies", 1))
        grid.Append(wx.propgrid.BoolProperty("Colour", "colour", False))
        grid.Append(wx.propgrid.EnumProperty("Paper", "paper", ["A4", "Letter"], [0, 1], 0))
        grid.Append(wx.propgrid.FlagsProperty("Sides", "sides", ["front", "back"], [1, 2], 1))
        grid.Append(wx.propgrid.StringProperty("Printer", "printer", "none"))
        grid.SetPropertyReadOnly("printer")
        grid.Bind(
            wx.propgrid.EVT_PG_CHANGED,
            lambda e: self.say(f"{e.GetPropertyName()} {e.GetProperty().GetValueAsString()}"),
        )
        self.put(sizer, grid, (300, 200))

    def books(self, page, sizer):
        choice = self.put(sizer, wx.Choicebook(page, name="by_choice"), (200, 120))
        simple = self.put(sizer, wx.Simplebook(page, name="by_program"), (200, 120))
        aui = self.put(sizer, wx.aui.AuiNotebook(page), (300, 150))
        aui.SetName("aui")
        for book in (choice, simple, aui):
            for text in ("first", "second"):
                inner = wx.Panel(book)
                wx.Button(inner, label=f"{text} of {book.GetName()}")
                book.AddPage(inner, text)
        simple.SetSelection(0)
        aui.Bind(wx.aui.EVT_AUINOTEBOOK_PAGE_CHANGED, lambda event: self.say(f"aui {event.GetSelection()}"))
        tools = wx.aui.AuiToolBar(page)
        tools.SetName("aui_tools")
        tools.AddTool(31, "Cut", wx.ArtProvider.GetBitmap(wx.ART_CUT, size=(16, 16)), "Cut it")
        tools.AddTool(
            32, "Pin", wx.ArtProvider.GetBitmap(wx.ART_COPY, size=(16, 16)), "Pin it", wx.ITEM_CHECK
        )
        tools.Realize()
        tools.Bind(wx.EVT_TOOL, lambda event: self.say(f"aui tool {event.GetId()}"))
        self.put(sizer, tools)
        bar = wx.ToolBar(page, name="bar_tools")
        bar.AddTool(41, "Cut", wx.ArtProvider.GetBitmap(wx.ART_CUT, size=(16, 16)), "Cut it")
        bar.AddSeparator()
        bar.AddCheckTool(42, "Pin", wx.ArtProvider.GetBitmap(wx.ART_COPY, size=(16, 16)), shortHelp="Pin it")
        bar.AddControl(wx.TextCtrl(bar, name="in_bar"))
        bar.Realize()
        bar.Bind(wx.EVT_TOOL, lambda event: self.say(f"tool {event.GetId()} {event.IsChecked()}"))
        self.put(sizer, bar)

    def library(self, page, _):
        library.fill(self, page)

    def panes(self, page, sizer):
        pane = wx.CollapsiblePane(page, label="More", name="pane")
        wx.Button(pane.GetPane(), label="In the pane")
        self.put(sizer, pane)
        split = self.put(sizer, wx.SplitterWindow(page, name="split"), (300, 100))
        left, right = wx.Panel(split), wx.Panel(split)
        wx.Button(left, label="Left")
        wx.Button(right, label="Right", pos=(10, 20))
        split.SplitVertically(left, right, 120)
        area = self.put(sizer, wx.ScrolledWindow(page, name="area"), (200, 100))
        area.SetScrollRate(10, 10)
        area.SetVirtualSize(800, 800)
        wx.Button(area, label="Near", pos=(10, 10))
        wx.Slider(area, value=20, pos=(0, 35), size=(190, 40), name="turned")
        wx.Button(area, label="Far", pos=(600, 700)).Bind(wx.EVT_BUTTON, lambda _: self.say("far"))
        box = wx.StaticBox(page, label="Box", name="box", size=(200, 90))
        wx.Button(box, label="In the box", pos=(20, 30))
        self.put(sizer, box, (200, 90))
        bordered = self.put(sizer, wx.Panel(page, style=wx.BORDER_SUNKEN, name="bordered"), (150, 60))
        wx.Button(bordered, label="In the border", pos=(5, 5))
        context = self.put(sizer, wx.Panel(page, name="context"), (100, 60))
        context.SetBackgroundColour("light blue")
        context.Bind(wx.EVT_CONTEXT_MENU, self.menu)

    def drawn(self, page, sizer):
        canvas = wx.glcanvas.GLCanvas(page, name="canvas", size=(200, 150))
        self.context = wx.glcanvas.GLContext(canvas)
        canvas.Bind(wx.EVT_PAINT, lambda _: self.paint(canvas))
        canvas.Bind(wx.EVT_LEFT_DOWN, lambda event: self.say(f"canvas {event.GetX()},{event.GetY()}"))
        canvas.Bind(wx.EVT_CHAR, lambda event: self.say(f"char {chr(event.GetUnicodeKey())}"))
        self.put(sizer, canvas, (200, 150))

    # -- what happens ----------------------------------------------------------------------------

    def paint(self, canvas):
        import ctypes

        wx.PaintDC(canvas)
        canvas.SetCurrent(self.context)
        gl = ctypes.CDLL("libGL.so.1")
        gl.glClearColor.argtypes = [ctypes.c_float] * 4
        gl.glClearColor(0.0, 0.5, 0.0, 1.0)
        gl.glClear(0x4000)
        canvas.SwapBuffers()

    def menu(self, event):
        menu, more = wx.Menu(), wx.Menu()
        menu.Bind(wx.EVT_MENU, lambda _: self.say("pasted"), menu.Append(wx.ID_ANY, "Paste"))
        more.Bind(wx.EVT_MENU, lambda _: self.say("deep"), more.Append(wx.ID_ANY, "Deep"))
        menu.AppendSubMenu(more, "More")
        self.PopupMenu(menu)
        menu.Destroy()

    def message(self, _):
        with wx.MessageDialog(self, "Really?", "Sure", wx.YES_NO | wx.CANCEL | wx.ICON_QUESTION) as dialog:
            dialog.SetExtendedMessage("It cannot be undone.")
            self.say({wx.ID_YES: "yes", wx.ID_NO: "no"}.get(dialog.ShowModal(), "cancel"))

    def file(self, style):
        with wx.FileDialog(self, "Which file", style=style) as dialog:
            self.say(dialog.GetPath() if dialog.ShowModal() == wx.ID_OK else "no file")

    def colour(self, _):
        with wx.ColourDialog(self) as dialog:
            self.say("colour" if dialog.ShowModal() == wx.ID_OK else "no colour")

    def own(self, _):
        with wx.Dialog(self, title="Own") as dialog:
            column = wx.BoxSizer(wx.VERTICAL)
            field = wx.TextCtrl(dialog, name="own_field")
            column.Add(field, flag=wx.ALL, border=8)
            column.Add(dialog.CreateButtonSizer(wx.OK | wx.CANCEL))
            dialog.SetSizerAndFit(column)
            self.say(f"own {field.GetValue()}" if dialog.ShowModal() == wx.ID_OK else "own cancelled")

    def wedge(self):
        """Until there is a file, whose name it was given."""
        until = time.monotonic() + 20
        while not Path(os.environ["GALLERY_GOES_ON"]).exists() and time.monotonic() < until:
            time.sleep(0.01)
        self.say("unwedged")

    def yields(self, _):
        for _ in range(5):
            wx.Yield()
            time.sleep(0.02)
        self.say("yielded")


if __name__ == "__main__":
    app = wx.App()
    frame = Gallery()
    frame.Show()
    app.MainLoop()

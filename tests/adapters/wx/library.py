"""Controls that wx.lib draws in Python, and combo boxes whose lists are windows: a page of the gallery."""

import wx
import wx.dataview
import wx.html
import wx.lib.agw.aui
import wx.lib.agw.customtreectrl
import wx.lib.agw.flatnotebook
import wx.lib.agw.floatspin
import wx.lib.agw.ultimatelistctrl
import wx.lib.buttons
import wx.lib.intctrl
import wx.lib.masked
import wx.lib.platebtn
import wx.lib.stattext

agw = wx.lib.agw


class Fruits(wx.ComboPopup):
    """The list of a wx.ComboCtrl."""

    def Create(self, parent):
        self.list = wx.ListCtrl(parent, style=wx.LC_LIST | wx.LC_SINGLE_SEL)
        for text in ("apple", "pear"):
            self.list.InsertItem(self.list.GetItemCount(), text)
        self.list.Bind(wx.EVT_LEFT_DOWN, self.pick)
        self.chosen = ""
        return True

    def pick(self, event):
        row, _ = self.list.HitTest(event.GetPosition())
        self.chosen = self.list.GetItemText(row)
        self.Dismiss()

    def GetControl(self):
        return self.list

    def SetStringValue(self, text):
        self.chosen = text

    def GetStringValue(self):
        return self.chosen


def put(gallery, page, window, name=None, size=None):
    if name:
        window.SetName(name)
    if size:
        window.SetMinSize(size)
    return gallery.put(page.GetSizer(), window)


def fill(gallery, page):
    page.SetSizer(wx.FlexGridSizer(4, 4, 4))
    buttons(gallery, page)
    fields(gallery, page)
    lists(gallery, page)
    books(gallery, page)


def buttons(gallery, page):
    for kind, label in (
        (wx.lib.buttons.GenButton, "Drawn"),
        (wx.lib.buttons.GenToggleButton, "Held"),
        (wx.lib.platebtn.PlateButton, "Plate"),
    ):
        button = put(gallery, page, kind(page, label=label))
        button.Bind(wx.EVT_BUTTON, lambda _, label=label: gallery.say(f"pressed {label}"))
    put(gallery, page, wx.lib.stattext.GenStaticText(page, label="Drawn text"))


def fields(gallery, page):
    combo = put(gallery, page, wx.ComboCtrl(page, style=wx.CB_READONLY), "fruit", (90, -1))
    combo.SetPopupControl(Fruits())
    put(gallery, page, wx.lib.intctrl.IntCtrl(page, value=7), "whole")
    put(gallery, page, wx.lib.masked.TextCtrl(page, mask="###-####"), "phone")
    spin = agw.floatspin.FloatSpin(page, value=1.5, min_val=0, max_val=10, increment=0.5, digits=2)
    spin.Bind(agw.floatspin.EVT_FLOATSPIN, lambda _: gallery.say(f"float {spin.GetValue():g}"))
    put(gallery, page, spin, "float")


def lists(gallery, page):
    html = put(
        gallery, page, wx.html.SimpleHtmlListBox(page, choices=["<b>bold</b> one", "two"]), "html_list"
    )
    html.SetMinSize((120, 60))
    html.Bind(wx.EVT_LISTBOX, lambda event: gallery.say(f"html {event.GetSelection()}"))
    tree = agw.customtreectrl.CustomTreeCtrl(page, agwStyle=wx.TR_DEFAULT_STYLE)
    root = tree.AddRoot("root")
    tree.AppendItem(root, "box", ct_type=1)
    tree.AppendItem(tree.AppendItem(root, "branch"), "leaf")
    tree.Expand(root)
    tree.Bind(wx.EVT_TREE_SEL_CHANGED, lambda event: gallery.say(f"drawn tree {event.GetItem().GetText()}"))
    put(gallery, page, tree, "drawn_tree", (160, 120))
    table = agw.ultimatelistctrl.UltimateListCtrl(page, agwStyle=agw.ultimatelistctrl.ULC_REPORT)
    for column, title in enumerate(("Name", "Size")):
        table.InsertColumn(column, title)
    for row in range(3):
        table.InsertStringItem(row, f"file {row}", it_kind=1)
        table.SetStringItem(row, 1, f"{row} kB")
    table.Bind(wx.EVT_LIST_ITEM_SELECTED, lambda event: gallery.say(f"drawn row {event.GetIndex()}"))
    put(gallery, page, table, "drawn_table", (220, 120))
    steps = wx.dataview.TreeListCtrl(page, style=wx.dataview.TL_CHECKBOX)
    steps.AppendColumn("Step", width=100)
    steps.AppendItem(steps.AppendItem(steps.GetRootItem(), "cut"), "measure")
    steps.AppendItem(steps.GetRootItem(), "glue")
    steps.Bind(
        wx.dataview.EVT_TREELIST_SELECTION_CHANGED,
        lambda event: gallery.say(f"step {steps.GetItemText(event.GetItem())}"),
    )
    put(gallery, page, steps, "work", (160, 120))


def books(gallery, page):
    flat = agw.flatnotebook.FlatNotebook(page)
    flat.Bind(
        agw.flatnotebook.EVT_FLATNOTEBOOK_PAGE_CHANGED,
        lambda event: gallery.say(f"flat {event.GetSelection()}"),
    )
    aui = agw.aui.AuiNotebook(page)
    aui.Bind(
        agw.aui.EVT_AUINOTEBOOK_PAGE_CHANGED, lambda event: gallery.say(f"agw aui {event.GetSelection()}")
    )
    for book, name in ((flat, "flat"), (aui, "agw_aui")):
        put(gallery, page, book, name, (220, 100))
        book.AddPage(wx.TextCtrl(book, value=f"text of {name}", style=wx.TE_MULTILINE), "first")
        book.AddPage(wx.Panel(book), "second")

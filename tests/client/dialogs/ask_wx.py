"""Asks for files with the dialogs of wxPython, and prints what was chosen."""

import wx

app = wx.App()
frame = wx.Frame(None, title="Files")
panel = wx.Panel(frame)
column = wx.BoxSizer(wx.VERTICAL)
panel.SetSizer(column)


def add(text, make):
    def ask(_event):
        with make() as dialog:
            print("chosen", dialog.GetPath() if dialog.ShowModal() == wx.ID_OK else "", flush=True)

    button = wx.Button(panel, label=text)
    button.Bind(wx.EVT_BUTTON, ask)
    column.Add(button)


add("Open", lambda: wx.FileDialog(frame, "Open", style=wx.FD_OPEN | wx.FD_FILE_MUST_EXIST))
add("Save", lambda: wx.FileDialog(frame, "Save", style=wx.FD_SAVE | wx.FD_OVERWRITE_PROMPT))
add("Folder", lambda: wx.DirDialog(frame, "Folder"))
frame.Show()
app.MainLoop()

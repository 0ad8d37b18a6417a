"""Dear ImGui in a canvas of wx, drawn when it is asked for. It knows nothing of deskhand."""

import wx
from imgui_bundle import imgui
from wx import glcanvas

BUTTONS = {
    wx.wxEVT_LEFT_DOWN: (0, True),
    wx.wxEVT_LEFT_UP: (0, False),
    wx.wxEVT_RIGHT_DOWN: (1, True),
    wx.wxEVT_RIGHT_UP: (1, False),
}


class Canvas(glcanvas.GLCanvas):
    def __init__(self, parent, say):
        super().__init__(parent, size=(400, 300))
        self.say = say
        self.context = None
        self.name = ""
        self.volume = 10
        self.presses = 0
        self.Bind(wx.EVT_PAINT, self.paint)
        self.Bind(wx.EVT_MOUSE_EVENTS, self.mouse)

    def paint(self, _event):
        wx.PaintDC(self)
        if self.context is None:
            self.context = glcanvas.GLContext(self)
            self.SetCurrent(self.context)
            imgui.create_context()
            imgui.get_io().set_ini_filename("")
            imgui.backends.opengl3_init("#version 130")
        self.SetCurrent(self.context)
        io = imgui.get_io()
        io.display_size = tuple(self.GetClientSize())
        imgui.backends.opengl3_new_frame()
        imgui.new_frame()
        self.draw()
        imgui.render()
        imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())
        self.SwapBuffers()

    def draw(self):
        imgui.set_next_window_pos((20, 30), imgui.Cond_.once)
        imgui.begin("Tools", None, imgui.WindowFlags_.always_auto_resize)
        if imgui.button("Press"):
            self.presses += 1
            self.say(f"pressed {self.presses}")
        if imgui.button("Ask"):
            answer = wx.MessageBox("Really?", "Question", wx.YES_NO, self)
            self.say("yes" if answer == wx.YES else "no")
        changed, self.name = imgui.input_text("Name##name", self.name)
        if changed:
            self.say(f"name {self.name}")
        changed, self.volume = imgui.slider_int("Volume##volume", self.volume, 0, 100)
        if changed:
            self.say(f"volume {self.volume}")
        imgui.end()

    def mouse(self, event):
        if self.context is None:
            return
        io = imgui.get_io()
        io.add_mouse_pos_event(event.GetX(), event.GetY())
        if event.GetEventType() in BUTTONS:
            io.add_mouse_button_event(*BUTTONS[event.GetEventType()])
        self.Refresh(False)
        event.Skip()


class Frame(wx.Frame):
    def __init__(self):
        super().__init__(None, title="Canvas")
        book = wx.Notebook(self)
        self.canvas = Canvas(book, self.say)
        book.AddPage(self.canvas, "Drawing")
        page = wx.Panel(book)
        wx.Button(page, label="Beside")
        book.AddPage(page, "Other")
        self.report = wx.TextCtrl(self, value="ready", style=wx.TE_READONLY, name="report")
        sizer = wx.BoxSizer(wx.VERTICAL)
        sizer.Add(book, 1, wx.EXPAND)
        sizer.Add(self.report, 0, wx.EXPAND)
        self.SetSizerAndFit(sizer)

    def say(self, what):
        self.report.SetValue(what)


if __name__ == "__main__":
    app = wx.App()
    Frame().Show()
    app.MainLoop()

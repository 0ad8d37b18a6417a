"""The view: an OpenGL canvas of wx in which ImGui draws its panels. What is in it, the owner says."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import imgui_bundle
import wx
from imgui_bundle import imgui
from wx import glcanvas

_FONT = Path(imgui_bundle.__file__).parent / "assets/fonts/DroidSans.ttf"
_FAST, _IDLE = 0.03, 0.1
"""How often it is drawn, in seconds: while something happens, and otherwise."""
_LINGER = 1.0
"""How long it goes on as if something happened; ImGui answers an input in the frames that follow."""

_BUTTONS = (
    (wx.EVT_LEFT_DOWN, wx.EVT_LEFT_UP, wx.EVT_LEFT_DCLICK),
    (wx.EVT_RIGHT_DOWN, wx.EVT_RIGHT_UP, wx.EVT_RIGHT_DCLICK),
    (wx.EVT_MIDDLE_DOWN, wx.EVT_MIDDLE_UP, wx.EVT_MIDDLE_DCLICK),
)
"""In the order of ImGui's numbers."""

_KEYS = {
    wx.WXK_TAB: imgui.Key.tab,
    wx.WXK_LEFT: imgui.Key.left_arrow,
    wx.WXK_RIGHT: imgui.Key.right_arrow,
    wx.WXK_UP: imgui.Key.up_arrow,
    wx.WXK_DOWN: imgui.Key.down_arrow,
    wx.WXK_PAGEUP: imgui.Key.page_up,
    wx.WXK_PAGEDOWN: imgui.Key.page_down,
    wx.WXK_HOME: imgui.Key.home,
    wx.WXK_END: imgui.Key.end,
    wx.WXK_INSERT: imgui.Key.insert,
    wx.WXK_DELETE: imgui.Key.delete,
    wx.WXK_BACK: imgui.Key.backspace,
    wx.WXK_SPACE: imgui.Key.space,
    wx.WXK_RETURN: imgui.Key.enter,
    wx.WXK_NUMPAD_ENTER: imgui.Key.keypad_enter,
    wx.WXK_ESCAPE: imgui.Key.escape,
    **{ord(letter.upper()): getattr(imgui.Key, letter) for letter in "acvxyz"},
}
_MODIFIERS = {
    wx.MOD_CONTROL: imgui.Key.mod_ctrl,
    wx.MOD_SHIFT: imgui.Key.mod_shift,
    wx.MOD_ALT: imgui.Key.mod_alt,
    wx.MOD_META: imgui.Key.mod_super,
}


class Canvas(glcanvas.GLCanvas):
    """Draws a frame whenever something happens, and now and then. Input that no panel takes is its owner's.

    `start` is called once, `panels` in each frame to make its panels, and `draw` then, with the size in
    pixels; the context is current. `drag(button, right, up)` gets moves of the mouse in parts of the height.
    """

    def __init__(
        self,
        parent: wx.Window,
        *,
        start: Callable[[], None],
        panels: Callable[[], None],
        draw: Callable[[tuple[int, int]], None],
        drag: Callable[[int, float, float], None],
        wheel: Callable[[float], None],
    ) -> None:
        attributes = glcanvas.GLAttributes()
        attributes.PlatformDefaults().RGBA().DoubleBuffer().Depth(24).EndList()
        super().__init__(parent, attributes, style=wx.WANTS_CHARS | wx.FULL_REPAINT_ON_RESIZE, name="canvas")
        self.SetMinSize((320, 240))
        self._context = glcanvas.GLContext(self)
        self._start, self._panels, self._draw = start, panels, draw
        self._drag, self._wheel = drag, wheel
        self._ready = False
        self._dragged: tuple[int, int, int] | None = None
        self._frame_at = self._busy_until = 0.0
        self._timer = wx.Timer(self)
        self.Bind(wx.EVT_PAINT, self._on_paint)
        self.Bind(wx.EVT_ERASE_BACKGROUND, lambda _: None)
        self.Bind(wx.EVT_TIMER, self._on_timer, self._timer)
        self.Bind(wx.EVT_SIZE, self._on_size)
        for number, events in enumerate(_BUTTONS):
            for at, event in enumerate(events):
                self.Bind(event, lambda e, number=number, down=at != 1: self._on_button(e, number, down))
        self.Bind(wx.EVT_MOTION, self._on_motion)
        self.Bind(wx.EVT_MOUSEWHEEL, self._on_wheel)
        self.Bind(wx.EVT_LEAVE_WINDOW, self._on_leave)
        self.Bind(wx.EVT_KEY_DOWN, lambda event: self._on_key(event, True))
        self.Bind(wx.EVT_KEY_UP, lambda event: self._on_key(event, False))
        self.Bind(wx.EVT_CHAR, self._on_char)
        self.Bind(wx.EVT_KILL_FOCUS, self._on_focus_lost)
        self.Bind(wx.EVT_MOUSE_CAPTURE_LOST, lambda _: setattr(self, "_dragged", None))
        self._timer.Start(int(_FAST * 1000))

    def wake(self) -> None:
        """Something changed: draw at the full rate for a while."""
        self._busy_until = time.monotonic() + _LINGER

    def make_current(self) -> bool:
        """Make its context current; False as long as it was never drawn."""
        return self._ready and self.SetCurrent(self._context)

    def stop(self) -> None:
        """Draw no more; the window is about to close."""
        self._timer.Stop()
        if self.make_current():
            self._ready = False
            imgui.backends.opengl3_shutdown()

    # -- frames -------------------------------------------------------------------------------

    def _on_timer(self, _: wx.TimerEvent) -> None:
        now = time.monotonic()
        if self.IsShownOnScreen() and (now < self._busy_until or now - self._frame_at >= _IDLE):
            self.Refresh(False)

    def _on_size(self, event: wx.SizeEvent) -> None:
        self.wake()
        event.Skip()

    def _on_paint(self, _: wx.PaintEvent) -> None:
        wx.PaintDC(self)
        if not self.IsShownOnScreen() or not self._timer.IsRunning():
            return
        self.SetCurrent(self._context)
        if not self._ready:
            self._set_up()
            self._ready = True
            self._start()
        io = imgui.get_io()
        size = self.GetClientSize()
        scale = self.GetContentScaleFactor()
        io.display_size = imgui.ImVec2(max(1, size.width), max(1, size.height))
        io.display_framebuffer_scale = imgui.ImVec2(scale, scale)
        now = time.monotonic()
        io.delta_time = min(0.2, max(0.001, now - self._frame_at))
        self._frame_at = now
        imgui.backends.opengl3_new_frame()
        imgui.new_frame()
        try:
            self._panels()
        finally:
            imgui.render()
        self._draw((int(size.width * scale), int(size.height * scale)))
        imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())
        self.SwapBuffers()

    def _set_up(self) -> None:
        imgui.create_context()
        io = imgui.get_io()
        io.set_ini_filename("")
        io.fonts.add_font_from_file_ttf(str(_FONT), 15)
        imgui.style_colors_dark()
        style = imgui.get_style()
        style.window_rounding = style.frame_rounding = 4
        imgui.backends.opengl3_init("#version 330")

    # -- input --------------------------------------------------------------------------------

    def _io(self, event: wx.MouseEvent | wx.KeyEvent) -> imgui.IO | None:
        """Where ImGui takes input, with the keys that are held and the position of the mouse."""
        self.wake()
        if not self._ready:
            return None
        io = imgui.get_io()
        for modifier, key in _MODIFIERS.items():
            io.add_key_event(key, bool(event.GetModifiers() & modifier))
        if isinstance(event, wx.MouseEvent):
            io.add_mouse_pos_event(event.x, event.y)
        return io

    def _on_button(self, event: wx.MouseEvent, number: int, down: bool) -> None:
        if down:
            self.SetFocus()
        io = self._io(event)
        if io is None:
            return
        io.add_mouse_button_event(number, down)
        if down and not io.want_capture_mouse and self._dragged is None:
            self._dragged = (number, event.x, event.y)
        elif not down and self._dragged is not None and self._dragged[0] == number:
            self._dragged = None
        if down and not self.HasCapture():
            self.CaptureMouse()
        elif not down and self.HasCapture():
            self.ReleaseMouse()

    def _on_motion(self, event: wx.MouseEvent) -> None:
        if self._io(event) is not None and self._dragged is not None:
            number, x, y = self._dragged
            self._dragged = (number, event.x, event.y)
            height = max(1, self.GetClientSize().height)
            self._drag(number, (event.x - x) / height, (y - event.y) / height)

    def _on_wheel(self, event: wx.MouseEvent) -> None:
        io = self._io(event)
        if io is None:
            return
        steps = event.GetWheelRotation() / (event.GetWheelDelta() or 120)
        if io.want_capture_mouse:
            io.add_mouse_wheel_event(0, steps)
        else:
            self._wheel(steps)

    def _on_leave(self, event: wx.MouseEvent) -> None:
        if not self.HasCapture():
            io = self._io(event)
            if io is not None:
                io.add_mouse_pos_event(-1e9, -1e9)

    def _on_key(self, event: wx.KeyEvent, down: bool) -> None:
        io = self._io(event)
        key = _KEYS.get(event.GetKeyCode())
        if io is not None and key is not None:
            io.add_key_event(key, down)
        # Otherwise no character comes of it, and no menu's shortcut works.
        event.Skip()

    def _on_char(self, event: wx.KeyEvent) -> None:
        io = self._io(event)
        code = event.GetUnicodeKey()
        if io is not None and code >= 32 and code != wx.WXK_DELETE and not event.ControlDown():
            io.add_input_character(code)
        if io is None or not io.want_text_input:
            event.Skip()

    def _on_focus_lost(self, event: wx.FocusEvent) -> None:
        if self._ready:
            imgui.get_io().add_focus_event(False)
            imgui.get_io().add_focus_event(True)
        event.Skip()

"""The window: tabs, settings, the view and the menus, and what may be automated of them."""

from __future__ import annotations

import argparse
import functools
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import wx

import deskhand

from . import panels, stl
from .canvas import Canvas
from .gl import Scene, camera
from .job import Job, Plan, Result
from .model import FILAMENTS, PRINTERS, Placement, Settings, check_fits
from .panels import Shown
from .stl import Mesh, ModelError

PREPARE, PREVIEW, DEVICE = VIEWS = ("prepare", "preview", "device")

_TITLE = "Deskhand Slicer"
_LEFT, _RIGHT, _MIDDLE = range(3)
_VIEWS = {"iso": (-60, 35), "top": (-90, 90), "front": (-90, 0)}
"""Where the eye is, in degrees round and up."""
_TURN = 180.0
"""Degrees that the view turns by when the mouse is dragged over its whole height."""


class Slicer(wx.Frame):
    """The main window. All that happens in it happens on the GUI thread, but for the slicing itself."""

    def __init__(self, models: list[str]) -> None:
        super().__init__(None, title=_TITLE, size=(1120, 760), name="slicer")
        self.view = PREPARE
        self.mesh: Mesh | None = None
        """The model as it was loaded."""
        self.placement = Placement()
        self.job: Job | None = None
        self.result: Result | None = None
        self._models = models
        self._path = Path("model.stl")
        self._placed: Mesh | None = None
        self._inside = True
        self._uniform = True
        self._shown = Shown(1)
        self._scene: Scene | None = None
        self._camera = camera(PRINTERS[0])

        self._make_menus()
        self.CreateStatusBar()
        self._tabs = self._make_tabs()
        self._book = wx.Simplebook(self)
        self._book.AddPage(self._make_editor(self._book), "Editor")
        self._book.AddPage(self._make_device(self._book), "Device")
        column = wx.BoxSizer(wx.VERTICAL)
        column.Add(self._tabs, 0, wx.EXPAND)
        column.Add(self._book, 1, wx.EXPAND)
        self.SetSizer(column)
        # Next to an OpenGL canvas, GTK erases only what has a colour of its own.
        for part in (self, self._book, self._tabs, self.printers.Parent, self._device.Parent):
            part.SetBackgroundColour(wx.SystemSettings.GetColour(wx.SYS_COLOUR_FRAMEBK))
        self.SetMinSize((860, 560))
        self.Centre()
        self.Bind(wx.EVT_CLOSE, self._on_close)
        for widget, automation_id in (
            (self.slice_button, "btn_slice"),
            (self.export_button, "btn_export"),
            (self._tab[DEVICE], "tab_device"),
            (self.printers, "combo_printer"),
            (self.filaments, "combo_filament"),
            (self.canvas, "canvas_3d"),
        ):
            deskhand.set_id(widget, automation_id)
        deskhand.register(
            app_state=self.state,
            file_open=self.load,
            view_select=self.select,
            viewport3d=self.viewport,
        )
        self._refresh("Open a model to begin")

    # -- what may be automated ----------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """What goes on, in the words of the automation protocol; windows and dialogs can be seen without."""
        done = 100 if self.result else -1
        return {
            "active_tab": self.view,
            "project_loaded": self.mesh is not None,
            "slicing": self.job is not None,
            "slice_progress": self.job.percent if self.job else done,
        }

    def load(self, paths: list[str]) -> int:
        """Put a model on the middle of the plate; several files are its parts. ModelError if that fails."""
        mesh = stl.join([stl.load(path) for path in paths])
        self.mesh = mesh
        self._path = Path(paths[0])
        width, depth, _ = self.printer.size
        self.placement = Placement((width / 2, depth / 2))
        self.SetTitle(f"{self._path.name} - {_TITLE}")
        self.select(PREPARE)
        self._changed(f"{self._path.name}: {len(mesh.faces)} triangles")
        return len(paths)

    def select(self, view: str) -> int:
        """Show a tab; LookupError for one that is not there."""
        if view not in VIEWS:
            raise LookupError(f"there is no view '{view}'; there are {', '.join(VIEWS)}")
        self.view = view
        for name, button in self._tab.items():
            button.SetValue(name == view)
        self._book.SetSelection(1 if view == DEVICE else 0)
        self.canvas.wake()
        return VIEWS.index(view)

    def viewport(self, plate: int | None, width: int, height: int) -> bytes:
        """An image of the view, without the panels, as PNG."""
        if plate not in (None, 0):
            raise ValueError(f"there is only plate 0, not {plate}")
        if not (1 <= width <= 8192 and 1 <= height <= 8192):
            raise ValueError(f"an image has 1 to 8192 pixels in each direction; got {width}x{height}")
        if self._scene is None or not self.canvas.make_current():
            raise RuntimeError("the view was never shown, so there is nothing to draw with")
        pixels = np.ascontiguousarray(self._scene.render(self._camera, (width, height), **self._what()))
        image = io.BytesIO()
        if not wx.Image(width, height, pixels.tobytes()).SaveFile(image, wx.BITMAP_TYPE_PNG):
            raise RuntimeError("wx made no PNG of the image")
        return image.getvalue()

    # -- the parts ----------------------------------------------------------------------------

    def _make_menus(self) -> None:
        file, model, view = wx.Menu(), wx.Menu(), wx.Menu()
        self._add(file, "&Open...\tCtrl+O", self._on_open)
        self._export_item = self._add(file, "&Export G-code...\tCtrl+E", self._on_export)
        file.AppendSeparator()
        self._add(file, "&Quit\tCtrl+Q", lambda _: self.Close())
        self._add(model, "&Slice\tCtrl+R", lambda _: self.start_slicing())
        self._add(model, "&Reset placement", self._on_reset)
        self._add(model, "Re&move", self._on_remove)
        for name in VIEWS:
            self._add(view, f"&{name.capitalize()}", functools.partial(self._on_tab, name))
        bar = wx.MenuBar()
        for menu, title in ((file, "&File"), (model, "&Model"), (view, "&View")):
            bar.Append(menu, title)
        self.SetMenuBar(bar)

    def _add(self, menu: wx.Menu, text: str, action: Callable[[wx.CommandEvent], object]) -> wx.MenuItem:
        item = menu.Append(wx.ID_ANY, text)
        self.Bind(wx.EVT_MENU, action, item)
        return item

    def _make_tabs(self) -> wx.Panel:
        bar = wx.Panel(self, name="tabs")
        row = wx.BoxSizer(wx.HORIZONTAL)
        self._tab = {name: wx.ToggleButton(bar, label=name.capitalize(), name=name) for name in VIEWS}
        for name, button in self._tab.items():
            button.Bind(wx.EVT_TOGGLEBUTTON, functools.partial(self._on_tab, name))
            row.Add(button, 0, wx.ALL, 4)
        self._tab[PREPARE].SetValue(True)
        bar.SetSizer(row)
        return bar

    def _make_editor(self, parent: wx.Window) -> wx.Panel:
        page = wx.Panel(parent, name="editor")
        side = wx.Panel(page, name="settings")
        self.printers = wx.Choice(side, choices=[printer.name for printer in PRINTERS], name="printer")
        self.filaments = wx.Choice(side, choices=[filament.name for filament in FILAMENTS], name="filament")
        self.height = wx.SpinCtrlDouble(side, min=0.08, max=0.4, initial=0.2, inc=0.04, name="layer_height")
        self.height.SetDigits(2)
        self.walls = wx.SpinCtrl(side, min=1, max=8, initial=2, name="walls")
        self.infill = wx.SpinCtrl(side, min=0, max=100, initial=15, name="infill")
        self.slice_button = wx.Button(side, label="Slice plate", name="slice")
        self.cancel_button = wx.Button(side, label="Cancel", name="cancel")
        self.export_button = wx.Button(side, label="Export G-code", name="export")
        self.gauge = wx.Gauge(side, range=100, name="progress")
        column = wx.BoxSizer(wx.VERTICAL)
        for label, widget in (
            ("Printer", self.printers),
            ("Filament", self.filaments),
            ("Layer height (mm)", self.height),
            ("Walls", self.walls),
            ("Infill (%)", self.infill),
        ):
            column.Add(wx.StaticText(side, label=label), 0, wx.LEFT | wx.TOP, 8)
            column.Add(widget, 0, wx.EXPAND | wx.LEFT | wx.RIGHT | wx.TOP, 8)
        side.SetMinSize((180, -1))
        column.AddStretchSpacer()
        for widget in (self.gauge, self.slice_button, self.cancel_button, self.export_button):
            column.Add(widget, 0, wx.EXPAND | wx.ALL, 6)
        side.SetSizer(column)
        self.printers.SetSelection(0)
        self.filaments.SetSelection(0)
        self.printers.Bind(wx.EVT_CHOICE, self._on_printer)
        self.filaments.Bind(wx.EVT_CHOICE, lambda _: self._changed("The filament was changed"))
        for spin, event in (
            (self.height, wx.EVT_SPINCTRLDOUBLE),
            (self.walls, wx.EVT_SPINCTRL),
            (self.infill, wx.EVT_SPINCTRL),
        ):
            spin.Bind(event, lambda _: self._changed("The settings were changed"))
        self.slice_button.Bind(wx.EVT_BUTTON, lambda _: self.start_slicing())
        self.cancel_button.Bind(wx.EVT_BUTTON, lambda _: self.stop_slicing("The slicing was cancelled"))
        self.export_button.Bind(wx.EVT_BUTTON, self._on_export)
        self.canvas = Canvas(
            page,
            start=self._start,
            panels=self._panels,
            draw=self._draw,
            drag=self._on_drag,
            wheel=self._on_wheel,
        )
        row = wx.BoxSizer(wx.HORIZONTAL)
        row.Add(side, 0, wx.EXPAND)
        row.Add(self.canvas, 1, wx.EXPAND)
        page.SetSizer(row)
        return page

    def _make_device(self, parent: wx.Window) -> wx.Panel:
        page = wx.Panel(parent, name="device")
        self._device = wx.StaticText(page, label="", name="connection")
        self._files = wx.ListBox(page, name="exported_files")
        column = wx.BoxSizer(wx.VERTICAL)
        column.Add(self._device, 0, wx.ALL, 12)
        column.Add(wx.StaticText(page, label="Exported files, to be carried to the printer"), 0, wx.LEFT, 12)
        column.Add(self._files, 1, wx.EXPAND | wx.ALL, 12)
        page.SetSizer(column)
        return page

    @property
    def printer(self) -> Any:
        return PRINTERS[self.printers.GetSelection()]

    @property
    def settings(self) -> Settings:
        return Settings(
            layer_height=round(self.height.GetValue(), 3),
            walls=self.walls.GetValue(),
            infill=self.infill.GetValue() / 100,
        )

    # -- slicing ------------------------------------------------------------------------------

    def start_slicing(self) -> None:
        """Slice what is on the plate, in its current position; says why if it cannot."""
        if self.job is not None or self.mesh is None or self._placed is None:
            return
        try:
            check_fits(self._placed, self.printer)
        except ModelError as error:
            self._complain("Cannot slice", str(error))
            return
        self.result = None
        plan = Plan(self._placed, self.printer, FILAMENTS[self.filaments.GetSelection()], self.settings)
        self.job = Job(
            plan,
            progress=lambda job, percent: wx.CallAfter(self._on_progress, job, percent),
            done=lambda job, result: wx.CallAfter(self._on_sliced, job, result),
            failed=lambda job, why: wx.CallAfter(self._on_failed, job, why),
        )
        self._show_paths()
        self._refresh("Slicing")
        self.job.start()

    def stop_slicing(self, why: str) -> None:
        """Give up the slicing that goes on, if one does."""
        if self.job is not None:
            self.job.cancel()
            self.job = None
            self._refresh(why)

    def _on_progress(self, job: Job, percent: int) -> None:
        if job is self.job:
            self.gauge.SetValue(percent)
            self.SetStatusText(f"Slicing: {percent} %")

    def _on_sliced(self, job: Job, result: Result) -> None:
        if job is not self.job:
            return
        self.job, self.result = None, result
        self._shown = Shown(len(result.sliced.layers))
        self._show_paths()
        self.select(PREVIEW)
        repaired = f"; gaps were closed in {result.sliced.repaired} layers" if result.sliced.repaired else ""
        count, needed = len(result.sliced.layers), result.needed
        self._refresh(f"{count} layers, {needed.weight:.1f} g, about {needed.time}{repaired}")

    def _on_failed(self, job: Job, why: str) -> None:
        if job is self.job:
            self.job = None
            self._refresh("Nothing was sliced")
            self._complain("Cannot slice", why)

    def _changed(self, what: str) -> None:
        """The model, its place or a setting changed: what was sliced is no longer true."""
        if self.job is not None:
            self.job.cancel()
        self.job = self.result = None
        self._placed = self.placement.place(self.mesh) if self.mesh else None
        self._inside = True
        if self._placed is not None:
            try:
                check_fits(self._placed, self.printer)
            except ModelError:
                self._inside = False
        self._show_model()
        self._show_paths()
        self._refresh(what)

    def _refresh(self, status: str) -> None:
        """Update every control to the current state."""
        self.slice_button.Enable(self.mesh is not None and self.job is None)
        self.cancel_button.Enable(self.job is not None)
        for control in (self.export_button, self._export_item):
            control.Enable(self.result is not None)
        self.gauge.SetValue(self.job.percent if self.job else 100 if self.result else 0)
        size = " x ".join(f"{length:.0f}" for length in self.printer.size)
        self._device.SetLabel(
            f"{self.printer.name}: {size} mm, nozzle {self.printer.nozzle} mm. It is not connected."
        )
        self.SetStatusText(status)
        self.canvas.wake()

    # -- the view -----------------------------------------------------------------------------

    def _start(self) -> None:
        """In the first frame, when there is something to draw with, and a window for dialogs to be above."""
        self._scene = Scene()
        self._scene.set_plate(self.printer)
        self._show_model()
        self._show_paths()
        if self._models:
            wx.CallAfter(self.open, self._models)

    def _show_model(self) -> None:
        if self._scene is not None and self.canvas.make_current():
            self._scene.set_model(self._placed, inside=self._inside)

    def _show_paths(self) -> None:
        if self._scene is not None and self.canvas.make_current():
            self._scene.set_paths(self.result.sliced if self.result else None)

    def _what(self) -> dict[str, Any]:
        """What of the scene is to be drawn."""
        if self.view != PREVIEW:
            return {}
        return {"kinds": sorted(self._shown.kinds), "layers": self._shown.layers}

    def _draw(self, size: tuple[int, int]) -> None:
        if self._scene is not None:
            self._scene.draw(self._camera, size, **self._what())

    def _panels(self) -> None:
        asked = panels.views()
        if asked == "fit" and self._placed is not None:
            self._camera = self._camera.fit(*self._placed.bounds)
        elif asked in _VIEWS:
            self._camera = camera(self.printer, *_VIEWS[asked])
        if self.view == PREVIEW:
            if self.result is None:
                panels.nothing_sliced()
            else:
                self._shown = panels.layers(self._shown, len(self.result.sliced.layers), self.result.needed)
            return
        panels.model(self._placed, self._inside)
        if self.mesh is not None:
            placement, self._uniform = panels.gizmos(self.placement, self.printer, self._uniform)
            if placement != self.placement:
                self.placement = placement
                self._changed("The model was placed anew")

    def _on_drag(self, button: int, right: float, up: float) -> None:
        if button == _LEFT:
            self._camera = self._camera.orbit(_TURN * right, -_TURN * up)
        else:
            self._camera = self._camera.pan(right, up)

    def _on_wheel(self, steps: float) -> None:
        self._camera = self._camera.zoom(steps)

    # -- what people do -----------------------------------------------------------------------

    def _on_tab(self, view: str, _: wx.CommandEvent) -> None:
        self.select(view)

    def open(self, paths: list[str]) -> None:
        """Load a model; what is wrong with it is said in a dialog."""
        try:
            self.load(paths)
        except ModelError as error:
            self._complain("Cannot open the model", str(error))

    def _on_open(self, _: wx.CommandEvent) -> None:
        style = wx.FD_OPEN | wx.FD_FILE_MUST_EXIST | wx.FD_MULTIPLE
        dialog = wx.FileDialog(self, "Open a model", wildcard="STL|*.stl;*.STL|All|*", style=style)
        if dialog.ShowModal() == wx.ID_OK:
            self.open(dialog.GetPaths())
        dialog.Destroy()

    def _on_export(self, _: wx.CommandEvent) -> None:
        if self.result is None:
            return
        dialog = wx.FileDialog(
            self,
            "Export G-code",
            defaultFile=f"{self._path.stem}.gcode",
            wildcard="G-code|*.gcode",
            style=wx.FD_SAVE | wx.FD_OVERWRITE_PROMPT,
        )
        if dialog.ShowModal() == wx.ID_OK and self.result is not None:
            self._export(Path(dialog.GetPath()))
        dialog.Destroy()

    def _export(self, path: Path) -> None:
        assert self.result is not None
        try:
            path.write_text(self.result.text, encoding="utf-8")
        except OSError as error:
            self._complain("Cannot export", f"'{path}' cannot be written: {error.strerror}")
            return
        self._files.Append(str(path))
        self.SetStatusText(f"Exported {path.name}")

    def _on_printer(self, _: wx.CommandEvent) -> None:
        width, depth, _height = self.printer.size
        self.placement = Placement((width / 2, depth / 2), self.placement.rotate, self.placement.scale)
        self._camera = camera(self.printer)
        if self._scene is not None and self.canvas.make_current():
            self._scene.set_plate(self.printer)
        self._changed("The printer was changed")

    def _on_reset(self, _: wx.CommandEvent) -> None:
        width, depth, _height = self.printer.size
        self.placement = Placement((width / 2, depth / 2))
        self._changed("The placement was reset")

    def _on_remove(self, _: wx.CommandEvent) -> None:
        self.mesh = None
        self.SetTitle(_TITLE)
        self._changed("The plate is empty")

    def _complain(self, title: str, text: str) -> None:
        dialog = wx.GenericMessageDialog(self, text, title, wx.OK | wx.ICON_ERROR)
        deskhand.set_id(dialog, "dlg_error")
        dialog.ShowModal()
        dialog.Destroy()

    def _on_close(self, event: wx.CloseEvent) -> None:
        if self.job is not None:
            self.job.cancel(timeout=10)
            self.job = None
        self.canvas.stop()
        event.Skip()


def run(argv: list[str]) -> int:
    """Show the window until it is closed."""
    parser = argparse.ArgumentParser(prog="slicer", allow_abbrev=False)
    parser.add_argument("--automation-server", action="store_true", help="let scripts operate it")
    parser.add_argument("--automation-server-port", metavar="PORT", help="default: 13619")
    parser.add_argument("models", nargs="*")
    models = parser.parse_args(argv[1:]).models
    deskhand.automation_flags(argv)
    app = wx.App()
    frame = Slicer(models)
    frame.Show()
    app.MainLoop()
    return 0


def main() -> None:
    sys.exit(run(sys.argv))

"""Every toolkit in one record: how it is recognised, noticed, diagnosed, checked, demonstrated and tested.

Whatever differs between toolkits and is not code is here, and read by the import hook, the diagnosis, the
doctor, the help and the conformance matrix; the code of a toolkit is in the folder of its name in `adapters`.
The import hook loads this alone, in interpreters that have nothing of ours: so it imports nothing, not even
dataclasses.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEBIAN = "/usr/bin/python3"
"""The interpreter that has the toolkits of Debian."""


class Limit:
    """Why a behaviour of the conformance suite is not possible, and the kinds of error that refuse it."""

    def __init__(self, reason: str, *refused: str) -> None:
        self.reason = reason
        self.refused = refused or ("action_unsupported",)


class Way:
    """One way into a form of `demo`, over which the conformance suite runs: some rows of the matrix."""

    def __init__(
        self,
        name: str,
        what: str,
        *,
        form: str,
        column: str,
        note: str = "",
        through: str = "launch",
        python: str = "",
        arguments: Iterable[str] = (),
        env: Mapping[str, str] | None = None,
        on_screen: bool = True,
        all_controls: bool = True,
        verified: bool = False,
        selectors: Mapping[str, str] | None = None,
        limits: Mapping[str, Limit] | None = None,
    ) -> None:
        self.name = name
        self.what = what
        self.form = form
        """The program, in the folder `demo`."""
        self.column = column
        """Its column in the matrix; ways with the same answers share one."""
        self.note = note
        """What the column is; one way of each column says it."""
        self.through = through
        """What drives the form: `launch`, `enable`, or from outside `atspi` or `xa11y`."""
        self.python = python
        """The interpreter, if it is not the one that runs the tests."""
        self.arguments = tuple(arguments)
        self.env = dict(env or {})
        self.on_screen = on_screen
        """Whether it needs a desktop."""
        self.all_controls = all_controls
        """Whether the form has every control: menus, tabs, tables, trees."""
        self.verified = verified
        """Whether its reads are also compared with cold ones."""
        self.selectors = dict(selectors or {})
        """What finds parts of the form where no ids are reported and the roles are unusual, by their id."""
        self.limits = dict(limits or {})
        """What does not work, by the behaviour as the matrix lists it."""


class Toolkit:
    """One toolkit. Everything that is not given does not apply to it."""

    def __init__(
        self,
        name: str,
        title: str,
        *,
        programs: Iterable[str] = (),
        adapter: str = "",
        bindings: Mapping[str, str] | None = None,
        watched: Iterable[str] = (),
        immediate: bool = False,
        runtime: str = "",
        libraries: Mapping[str, str] | None = None,
        on_bus: bool = False,
        own_input: bool = False,
        doctor: str = "",
        sample: str = "",
        native: Mapping[str, str] | None = None,
        native_modules: Mapping[str, str] | None = None,
        native_packages: Mapping[str, str] | None = None,
        native_if_asked: bool = False,
        ways: Iterable[Way] = (),
    ) -> None:
        self.name = name
        """Its folder in `adapters`, the backend of its nodes and its line in the doctor's report."""
        self.title = title
        self.programs = tuple(programs)
        """What the help calls the programs that get an agent."""
        self.adapter = adapter
        """The class in `adapters/<name>/adapter.py`; empty if no adapter reads it from inside."""
        self.bindings = dict(bindings or {})
        """The packages with which Python programs import it, each with how to install it."""
        self.watched = tuple(watched)
        """The modules after whose import the toolkit's `application.watch` is called."""
        self.immediate = immediate
        """Whether there is no application object: what counts is the first frame, which may be in a window of
        another toolkit."""
        self.runtime = runtime
        """Where its agent runs: `python` or `java`."""
        self.libraries = dict(libraries or {})
        """Parts of the paths of mapped files that show it is in a program, each with what that is called."""
        self.on_bus = on_bus
        """Whether its programs are on the accessibility bus, where they can be driven from outside."""
        self.own_input = own_input
        """Whether its adapter makes input inside the app, where it cannot reach another one."""
        self.doctor = doctor
        """How the doctor tries it: a key of `doctor.toolkits.CHECKS`."""
        self.sample = sample
        """The doctor's program: a button that says `pressed` once it was."""
        self.native = dict(native or {})
        """The libraries of programs written in C or C++ that can be entered, and the binding for each."""
        self.native_modules = dict(native_modules or {})
        """What is imported of a binding there, each with the library without which it is not needed; none if
        that must be done on the GUI thread."""
        self.native_packages = dict(native_packages or {})
        """The distribution's package of each binding there."""
        self.native_if_asked = native_if_asked
        """Whether such programs are driven from outside unless `--way inside` or `attach` asks for more."""
        self.ways = tuple(ways)


def binding_of(module: str) -> str:
    """The package of a module, such as `PySide6` of `PySide6.QtGui`."""
    return module.partition(".")[0]


def of_binding(binding: str) -> Toolkit:
    """The toolkit that a package is a binding of."""
    return next(toolkit for toolkit in TOOLKITS if binding in toolkit.bindings)


def named(name: str) -> Toolkit | None:
    """The toolkit whose adapter has this name, if it is one of a toolkit."""
    return next((toolkit for toolkit in TOOLKITS if toolkit.name == name), None)


def bindings() -> tuple[str, ...]:
    """The packages whose programs an agent can be put into."""
    return tuple(binding for toolkit in TOOLKITS if toolkit.adapter for binding in toolkit.bindings)


def driven_inside(word: str = "or") -> str:
    """The programs that get an agent, as a list in a sentence."""
    *others, last = [program for toolkit in TOOLKITS for program in toolkit.programs]
    return f"{', '.join(others)} {word} {last}"


# -- limits that several ways share -------------------------------------------------------------

_NO_IDS = Limit("the toolkit reports no ids over AT-SPI; elements are found by role and name", "not_found")
_OFFSCREEN = {
    "a screenshot of the desktop shows the whole screen": Limit(
        "Qt's offscreen platform has no desktop", "screenshot_failed"
    )
}
_IMGUI_HIDDEN = Limit("in immediate mode an element that is not drawn does not exist", "not_found")
_IMGUI_MENUS = Limit("in immediate mode the items of a menu exist only while it is open", "not_found")
_IMGUI_BARE = Limit("it does not draw into a window of the desktop")
_IMGUI = {
    "hidden elements are listed as hidden": _IMGUI_HIDDEN,
    "a hidden button is not clicked": _IMGUI_HIDDEN,
    "one visible match among hidden ones is the match": _IMGUI_HIDDEN,
    "a cell is selected and edited": Limit(
        "a table of Dear ImGui has no cells of its own: one that is not drawn as a field cannot be edited",
        "not_editable",
    ),
    "menu items in closed menus are activated": _IMGUI_MENUS,
    "a menu item is checked": _IMGUI_MENUS,
}
_GTK4_HIDDEN = Limit("GTK 4 removes hidden elements from its tree", "not_found")
_GTK4_MENUS = Limit("GTK 4 has the items of a menu only while it is open", "not_found")
_GTK4_RADIO = Limit("GTK 4 reports a radio button as a check box", "not_found")
_GTK4_CELLS = Limit("GTK 4 has no cells that can be selected: a column view selects rows")
_GTK4_ROWS = Limit("GTK 4 reports neither how many rows a table has nor which of them it shows")

# -- the records --------------------------------------------------------------------------------

QT = Toolkit(
    "qt",
    "Qt",
    programs=("PySide6", "PyQt6", "PyQt5", "PySide2"),
    adapter="QtAdapter",
    bindings={
        "PySide6": "pip install 'deskhand[qt]'",
        "PyQt6": "pip install 'deskhand[pyqt]'",
        "PyQt5": "pip install PyQt5, or apt install python3-pyqt5",
        "PySide2": "apt install python3-pyside2.qtwidgets",
    },
    # The modules of QApplication and QGuiApplication. QCoreApplication is left out: it has no windows.
    watched=tuple(
        f"{binding}.{part}"
        for binding in ("PySide6", "PyQt6", "PyQt5", "PySide2")
        for part in ("QtWidgets", "QtGui")
    ),
    runtime="python",
    libraries={
        "libQt6Widgets": "Qt 6",
        "libQt6Gui": "Qt 6",
        "libQt5Widgets": "Qt 5",
        "libQt5Gui": "Qt 5",
    },
    native={"libQt5Gui.so.5": "PyQt5", "libQt6Gui.so.6": "PyQt6"},
    native_modules={
        "QtCore": "libQt{}Core.so",
        "QtGui": "libQt{}Gui.so",
        "QtWidgets": "libQt{}Widgets.so",
    },
    native_packages={"PyQt5": "python3-pyqt5", "PyQt6": "python3-pyqt6"},
    on_bus=True,
    own_input=True,
    doctor="bindings",
    sample="""
from {binding} import QtWidgets
app = QtWidgets.QApplication([])
button = QtWidgets.QPushButton("0")
button.clicked.connect(lambda: button.setText("pressed"))
button.show()
app.exec() if hasattr(app, "exec") else app.exec_()
""",
    ways=(
        Way(
            "pyside6-xcb",
            "an unmodified PySide6 script started by launch(), on a private desktop",
            form="qt_form.py",
            arguments=("--binding", "PySide6"),
            column="Widgets",
            note="Qt Widgets",
            verified=True,
        ),
        Way(
            "pyqt6-xcb",
            "an unmodified PyQt6 script, likewise",
            form="qt_form.py",
            arguments=("--binding", "PyQt6"),
            column="Widgets",
        ),
        Way(
            "pyside6-offscreen",
            "an unmodified PySide6 script with Qt's offscreen platform",
            form="qt_form.py",
            arguments=("--binding", "PySide6"),
            column="Widgets",
            on_screen=False,
            env={"QT_QPA_PLATFORM": "offscreen"},
            limits=_OFFSCREEN,
        ),
        Way(
            "pyqt6-offscreen",
            "an unmodified PyQt6 script with Qt's offscreen platform",
            form="qt_form.py",
            arguments=("--binding", "PyQt6"),
            column="Widgets",
            on_screen=False,
            env={"QT_QPA_PLATFORM": "offscreen"},
            limits=_OFFSCREEN,
        ),
        Way(
            "pyside6-qml",
            "an unmodified Qt Quick program in PySide6, started by launch(), on a private desktop",
            form="qml_form.py",
            arguments=("--binding", "PySide6"),
            column="QML",
            note="Qt Quick",
            all_controls=False,
            verified=True,
        ),
        Way(
            "pyqt6-qml",
            "an unmodified Qt Quick program in PyQt6, likewise",
            form="qml_form.py",
            arguments=("--binding", "PyQt6"),
            column="QML",
            all_controls=False,
        ),
        Way(
            "pyqt5-xcb",
            "an unmodified PyQt5 script in Debian's Python, started by launch(), on a private desktop",
            form="qt_form.py",
            python=DEBIAN,
            arguments=("--binding", "PyQt5"),
            column="Qt 5 inside",
            note="Qt 5 Widgets, with the agent inside",
            verified=True,
        ),
        Way(
            "pyside2-offscreen",
            "an unmodified PySide2 script in Debian's Python, with Qt's offscreen platform",
            form="qt_form.py",
            python=DEBIAN,
            arguments=("--binding", "PySide2"),
            column="Qt 5 inside",
            on_screen=False,
            env={"QT_QPA_PLATFORM": "offscreen"},
            limits=_OFFSCREEN,
        ),
        Way(
            "pyside6-enable",
            "a PySide6 program that calls deskhand.enable() itself, through connect()",
            form="qt_form.py",
            arguments=("--binding", "PySide6"),
            column="Widgets",
            through="enable",
        ),
        Way(
            "atspi-pyside6",
            "an unmodified Qt 6 program, driven from outside through the accessibility bus",
            form="qt_form.py",
            arguments=("--binding", "PySide6"),
            column="Qt 6",
            note="a Qt 6 program, from outside through the accessibility bus",
            through="atspi",
        ),
        Way(
            "atspi-qt5",
            "an unmodified Qt 5 program, driven from outside through the accessibility bus",
            form="qt_form.py",
            python=DEBIAN,
            arguments=("--binding", "PyQt5"),
            through="atspi",
            column="Qt 5",
            note="a Qt 5 program, from outside through the accessibility bus",
            selectors={"colours": 'list:has(list-item[name="green"])', "tree": "tree"},
            limits={
                "a menu item is checked": Limit(
                    "Qt 5 does not report over AT-SPI that a menu item can be checked", "not_found"
                ),
                "ids set by the app are reported": _NO_IDS,
            },
        ),
        Way(
            "xa11y-pyside6",
            "an unmodified PySide6 script on a private desktop, from outside through xa11y",
            form="qt_form.py",
            # xa11y takes milliseconds for each cell of a table.
            arguments=("--binding", "PySide6", "--rows", "12"),
            column="xa11y",
            note="a Qt 6 program from outside, through the library xa11y",
            through="xa11y",
        ),
    ),
)

WX = Toolkit(
    "wx",
    "wx",
    programs=("wxPython",),
    adapter="WxAdapter",
    bindings={"wx": "apt install python3-wxgtk4.0, or pip install wxPython"},
    watched=("wx.core",),
    runtime="python",
    libraries={"libwx_": "wxWidgets"},
    native={"libwx_gtk3u_core-3.2.so.0": "wx"},
    native_packages={"wx": "python3-wxgtk4.0"},
    on_bus=True,
    doctor="python",
    sample="""
import wx
app = wx.App()
frame = wx.Frame(None, title="doctor")
button = wx.Button(frame, label="0")
button.Bind(wx.EVT_BUTTON, lambda _: button.SetLabel("pressed"))
frame.Show()
app.MainLoop()
""",
    ways=(
        Way(
            "wx-xcb",
            "an unmodified wxPython script in Debian's Python, started by launch(), on a private desktop",
            form="wx_form.py",
            python=DEBIAN,
            column="wx",
            note="wxPython",
            verified=True,
        ),
    ),
)

IMGUI = Toolkit(
    "imgui",
    "Dear ImGui",
    programs=("Dear ImGui",),
    adapter="ImguiAdapter",
    bindings={"imgui_bundle": "pip install imgui-bundle"},
    watched=("imgui_bundle",),
    immediate=True,
    runtime="python",
    libraries={"/imgui_bundle/": "Dear ImGui"},
    doctor="python",
    sample="""
from imgui_bundle import hello_imgui, imgui
label = ["0"]
def show():
    if imgui.button(label[0] + "###button"):
        label[0] = "pressed"
hello_imgui.run(show, window_title="doctor")
""",
    ways=(
        Way(
            "imgui-glfw",
            "an unmodified hello_imgui script with GLFW, started by launch(), on a private desktop",
            form="imgui_form.py",
            column="ImGui",
            note="Dear ImGui in a window, with hello_imgui",
            limits=_IMGUI,
        ),
        Way(
            "imgui-bare",
            "an unmodified Dear ImGui script that draws without a window, started by launch()",
            form="imgui_form.py",
            arguments=("--bare",),
            column="bare ImGui",
            note="Dear ImGui without a window",
            limits={
                **_IMGUI,
                "a screenshot of the window is a png of its size": _IMGUI_BARE,
                "a screenshot of a node is a part of the window": _IMGUI_BARE,
                "a window moves and resizes": _IMGUI_BARE,
                "a coordinate or size that is not given stays unchanged": _IMGUI_BARE,
            },
        ),
    ),
)

JAVAFX = Toolkit(
    "javafx",
    "JavaFX",
    programs=("JavaFX",),
    adapter="JavaFxAdapter",
    runtime="java",
    libraries={"libglass": "JavaFX"},
    doctor="java",
    sample="""
import javafx.application.Application;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.stage.Stage;

public class Doctor extends Application {
    public static void main(String[] words) {
        launch(Doctor.class, words);
    }

    @Override
    public void start(Stage stage) {
        Button button = new Button("0");
        button.setOnAction(pressed -> button.setText("pressed"));
        stage.setScene(new Scene(button, 200, 100));
        stage.show();
    }
}
""",
    ways=(
        Way(
            "javafx",
            "an unmodified JavaFX program, through a shell script that ends in java, started by launch()",
            form="javafx_form/run.sh",
            # To compile its code well would take longer than it gains in the seconds that it runs.
            env={"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
            column="JavaFX",
            note="JavaFX",
            verified=True,
        ),
    ),
)

SWING = Toolkit(
    "swing",
    "Swing",
    runtime="java",
    libraries={"libawt_xawt": "Java Swing"},
    on_bus=True,
)

GTK = Toolkit(
    "gtk",
    "GTK",
    programs=("PyGObject",),
    adapter="GtkAdapter",
    bindings={"gi": "apt install python3-gi gir1.2-gtk-3.0 gir1.2-gtk-4.0"},
    watched=("gi.repository.Gtk",),
    runtime="python",
    libraries={"libgtk-4": "GTK 4", "libgtk-3": "GTK 3"},
    native={"libgtk-4.so.1": "gi", "libgtk-3.so.0": "gi"},
    native_packages={"gi": "python3-gi gir1.2-gtk-3.0 gir1.2-gtk-4.0"},
    native_if_asked=True,
    on_bus=True,
    doctor="python",
    sample="""
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="doctor")
button = Gtk.Button(label="0")
button.connect("clicked", lambda _: button.set_label("pressed"))
window.add(button)
window.show_all()
Gtk.main()
""",
    ways=(
        Way(
            "gtk3-inside",
            "an unmodified GTK 3 script in Debian's Python, started by launch(), on a private desktop",
            form="gtk3_form.py",
            python=DEBIAN,
            column="GTK 3 inside",
            note="PyGObject with GTK 3",
            verified=True,
        ),
        Way(
            "gtk4-inside",
            "an unmodified GTK 4 script in Debian's Python, likewise",
            form="gtk4_form.py",
            python=DEBIAN,
            column="GTK 4 inside",
            note="PyGObject with GTK 4",
            verified=True,
            limits={"a cell is selected and edited": _GTK4_CELLS},
        ),
        Way(
            "atspi-gtk3",
            "an unmodified GTK 3 program, driven from outside through the accessibility bus",
            form="gtk3_form.py",
            python=DEBIAN,
            through="atspi",
            column="GTK 3",
            note="a GTK 3 program, from outside through the accessibility bus",
            verified=True,
            limits={"ids set by the app are reported": _NO_IDS},
        ),
        Way(
            "atspi-gtk4",
            "an unmodified GTK 4 program, driven from outside through the accessibility bus",
            form="gtk4_form.py",
            python=DEBIAN,
            # Of more rows, GTK 4 makes some two hundred at once, shown or not, and takes seconds for it.
            arguments=("--rows", "12"),
            through="atspi",
            column="GTK 4",
            note="a GTK 4 program, from outside through the accessibility bus",
            selectors={
                "colours": 'list:has(list-item[name="green"])',
                "table": "tree-grid",
                "tree": 'list:has(list-item[name="Europe"])',
            },
            limits={
                "hidden elements are listed as hidden": _GTK4_HIDDEN,
                "a hidden button is not clicked": _GTK4_HIDDEN,
                "one visible match among hidden ones is the match": _GTK4_HIDDEN,
                "options of a combo box are listed": Limit(
                    "GTK 4 has the options of a drop-down only while it is open", "not_reported"
                ),
                "a radio button is chosen": _GTK4_RADIO,
                "a radio button cannot be unchecked": _GTK4_RADIO,
                "a table of many rows shows those on screen": Limit(_GTK4_ROWS.reason, "not_reported"),
                "a distant row is scrolled to by index and by text": _GTK4_ROWS,
                "a missing row or column is an unknown option": _GTK4_ROWS,
                "a cell is selected and edited": _GTK4_ROWS,
                "a tree item expands and shows its children": Limit(
                    "GTK 4 reports a tree as a list whose rows do not say that they expand", "not_found"
                ),
                "menu items in closed menus are activated": _GTK4_MENUS,
                "a menu item is checked": _GTK4_MENUS,
                "ids set by the app are reported": _NO_IDS,
            },
        ),
    ),
)

_TK_CELLS = {
    "a cell is selected and edited": Limit(
        "a tree view of Tk has no cells that can be edited; programs put a field over them", "not_editable"
    )
}

TK = Toolkit(
    "tk",
    "Tk",
    programs=("tkinter",),
    adapter="TkAdapter",
    bindings={"tkinter": "apt install python3-tk"},
    watched=("tkinter",),
    runtime="python",
    libraries={"libtk8": "Tk", "_tkinter": "Tk"},
    doctor="python",
    sample="""
import tkinter
root = tkinter.Tk()
button = tkinter.Button(root, text="0", command=lambda: button.config(text="pressed"))
button.pack()
root.mainloop()
""",
    ways=(
        Way(
            "tk-xcb",
            "an unmodified tkinter script started by launch(), on a private desktop",
            form="tk_form.py",
            column="Tk",
            note="tkinter",
            verified=True,
            limits=_TK_CELLS,
        ),
        Way(
            "tk-enable",
            "a tkinter program that calls deskhand.enable() itself, through connect()",
            form="tk_form.py",
            column="Tk",
            through="enable",
            limits=_TK_CELLS,
        ),
    ),
)

_CLOSED_MENU = Limit(
    "a closed menu of a page is hidden as any other element is, and a page does not say how it opens",
    "not_visible",
)

WEB = Toolkit(
    "web",
    "web pages",
    on_bus=True,
    doctor="outside",
    ways=(
        Way(
            "web-port",
            "a page in Chromium with a debugging port, opened by an unmodified script, on a private desktop",
            form="web_form.py",
            arguments=("--debuggable",),
            column="Web",
            note="a page in Chromium, over the DevTools protocol",
            verified=True,
            limits={
                "menu items in closed menus are activated": _CLOSED_MENU,
                "a menu item is checked": _CLOSED_MENU,
            },
        ),
    ),
)

TOOLKITS = (QT, WX, IMGUI, JAVAFX, SWING, TK, GTK, WEB)
"""In the order in which they are recognised, noticed and listed: GTK late, as others load it as well."""

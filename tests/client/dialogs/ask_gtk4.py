"""Asks for files with the dialogs of GTK 4, and prints what was chosen."""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402


def start(app):
    window = Gtk.ApplicationWindow(application=app, title="Files")
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.set_child(column)

    def add(text, action, accept):
        def ask(_button):
            dialog = Gtk.FileChooserNative.new(text, window, action, accept, None)
            window.dialog = dialog  # it lives as long as something refers to it
            dialog.connect("response", answered)
            dialog.show()

        def answered(dialog, answer):
            accepted = answer == Gtk.ResponseType.ACCEPT
            print("chosen", dialog.get_file().get_path() if accepted else "", flush=True)

        button = Gtk.Button(label=text)
        button.connect("clicked", ask)
        column.append(button)

    add("Open", Gtk.FileChooserAction.OPEN, "_Open")
    add("Save", Gtk.FileChooserAction.SAVE, "_Save")
    add("Folder", Gtk.FileChooserAction.SELECT_FOLDER, "Take it")
    window.present()


app = Gtk.Application()
app.connect("activate", start)
app.run()

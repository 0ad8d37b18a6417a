"""Asks for files with the dialogs of GTK 3, and prints what was chosen."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window(title="Files")
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(column)


def add(text, action, accept):
    def ask(_button):
        dialog = Gtk.FileChooserDialog(title=text, transient_for=window, action=action)
        dialog.add_buttons("_Cancel", Gtk.ResponseType.CANCEL, accept, Gtk.ResponseType.ACCEPT)
        dialog.set_do_overwrite_confirmation(True)
        answer = dialog.run()
        print("chosen", dialog.get_filename() if answer == Gtk.ResponseType.ACCEPT else "", flush=True)
        dialog.destroy()

    button = Gtk.Button(label=text)
    button.connect("clicked", ask)
    column.add(button)


add("Open", Gtk.FileChooserAction.OPEN, "_Open")
add("Save", Gtk.FileChooserAction.SAVE, "_Save")
add("Folder", Gtk.FileChooserAction.SELECT_FOLDER, "Take it")
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()

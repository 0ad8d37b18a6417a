"""A GTK 3 form with one of each field; what happens is said in a label."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402 - the version must be chosen first

window = Gtk.Window(title="Fields")
window.set_default_size(420, 420)
window.connect("destroy", Gtk.main_quit)
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
window.add(column)
report = Gtk.Label(label="ready")


def row(text, field):
    line = Gtk.Box(spacing=6)
    label = Gtk.Label(label=text)
    label.set_mnemonic_widget(field)
    line.add(label)
    line.add(field)
    column.add(line)
    return field


name = row("Name", Gtk.Entry())
name.connect("changed", lambda entry: report.set_text(f"name {entry.get_text()}"))
secret = row("Secret", Gtk.Entry(visibility=False))
secret.connect("changed", lambda entry: report.set_text(f"{len(entry.get_text())} characters"))
news = Gtk.CheckButton(label="News")
news.connect("toggled", lambda box: report.set_text(f"news {box.get_active()}"))
column.add(news)
country = row("Country", Gtk.ComboBoxText())
for text in ("France", "Kenya", "Japan"):
    country.append_text(text)
country.set_active(0)
country.connect("changed", lambda box: report.set_text(f"country {box.get_active_text()}"))
amount = row("Amount", Gtk.SpinButton.new_with_range(0, 50, 1))
amount.connect("value-changed", lambda spin: report.set_text(f"amount {spin.get_value_as_int()}"))
volume = row("Volume", Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1))
volume.set_size_request(200, -1)
volume.connect("value-changed", lambda scale: report.set_text(f"volume {int(scale.get_value())}"))
column.add(Gtk.LinkButton.new_with_label("http://127.0.0.1:9/", "More about us"))
off = Gtk.Button(label="Off", sensitive=False)
column.add(off)
area = Gtk.ScrolledWindow(vexpand=True)
inner = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
inner.pack_start(Gtk.Label(label="top", height_request=1500), False, False, 0)
far = Gtk.Button(label="Far away")
far.connect("clicked", lambda _: report.set_text("far"))
inner.pack_start(far, False, False, 0)
area.add(inner)
column.pack_start(area, True, True, 0)
column.add(report)
window.show_all()
Gtk.main()

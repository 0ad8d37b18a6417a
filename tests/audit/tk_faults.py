"""A form of Tk with faults, or with `--fixed` the same form without them."""

from __future__ import annotations

import sys
import tkinter

FIXED = "--fixed" in sys.argv


def build(root: tkinter.Tk) -> None:
    root.title("Trip")
    root.configure(background="#ffffff")
    icon = tkinter.PhotoImage(width=24, height=24, master=root)
    icon.put("#204080", to=(4, 4, 20, 20))
    reload = tkinter.Button(root, image=icon, text="Reload" if FIXED else "", compound="left", name="reload")
    reload.icon = icon  # type: ignore[attr-defined]  # Tk keeps no reference itself
    reload.pack(anchor="w", padx=20, pady=6)
    if FIXED:
        tkinter.Label(root, text="City:", background="#ffffff").pack(anchor="w", padx=20)
    tkinter.Entry(root, name="city").pack(anchor="w", padx=20)
    ink = "#333333" if FIXED else "#c0c0c0"
    tkinter.Label(root, text="Prices include taxes", background="#ffffff", foreground=ink, name="pale").pack(
        anchor="w", padx=20, pady=6
    )
    mouse = tkinter.Button(root, text="Mouse", takefocus=int(FIXED), name="mouse")
    mouse.pack(anchor="w", padx=20, pady=6)
    tkinter.Button(root, text="Done", name="done").pack(anchor="w", padx=20, pady=6)
    root.after(100, lambda: root.children["city"].focus_force())


if __name__ == "__main__":
    root = tkinter.Tk()
    build(root)
    root.mainloop()

"""Widgets of Tk that the order form does without. Its status line says what happened."""

import tkinter as tk
from tkinter import filedialog, messagebox, ttk

root = tk.Tk(className="widgets")
root.title("Widgets")
root.geometry("700x700+20+30")
report = tk.Label(root, name="report", text="ready")
report.pack(side="bottom")


def say(what):
    report["text"] = what


# -- dialogs that Tk makes in Tcl, and one of the program's own --------------------------------------


def ask():
    say(f"asked {messagebox.askokcancel('Sure', 'Shall it be done?')}")


def open_file():
    say(f"opened {filedialog.askopenfilename(title='Pick', initialdir=root.folder)}")


def own_dialog():
    dialog = tk.Toplevel(root)
    dialog.title("Own")
    dialog.transient(root)
    tk.Button(dialog, text="Done", command=dialog.destroy).pack(padx=40, pady=20)
    dialog.wait_visibility()
    dialog.grab_set()
    root.wait_window(dialog)
    say("own dialog done")


bar = tk.Frame(root, name="bar")
bar.pack(fill="x")
for text, command in (("Ask", ask), ("Open", open_file), ("Own dialog", own_dialog)):
    tk.Button(bar, text=text, command=command).pack(side="left")

# -- drawings ----------------------------------------------------------------------------------------

canvas = tk.Canvas(root, name="canvas", height=90, width=300, background="white")
canvas.create_rectangle(10, 10, 60, 60, fill="red", tags=("stop", "light"))
canvas.create_oval(80, 10, 130, 60, outline="blue", width=4, tags="ring")
canvas.create_text(200, 40, text="drawn text", tags="words")
for tag in ("stop", "ring", "words"):
    canvas.tag_bind(tag, "<Button-1>", lambda _, tag=tag: say(f"drawn {tag}"))
canvas.pack()

# -- a text with links -------------------------------------------------------------------------------

text = tk.Text(root, name="text", height=4, width=40)
text.insert("end", "Read the ")
text.insert("end", "manual", ("link", "blue"))
text.insert("end", " first, ")
text.insert("end", "please", "blue")
text.tag_bind("link", "<Button-1>", lambda _: say("link followed"))
text.tag_configure("blue", foreground="blue")
text.pack()

# -- classic controls --------------------------------------------------------------------------------

row = tk.Frame(root, name="classic")
row.pack(fill="x")
size = tk.StringVar(root, "small")
tk.OptionMenu(row, size, "small", "large", command=lambda chosen: say(f"size {chosen}")).pack(side="left")
mixed = tk.StringVar(root, "?")
tk.Checkbutton(
    row, text="Mixed", variable=mixed, tristatevalue="?", command=lambda: say(f"mixed {mixed.get()}")
).pack(side="left")
only_digits = root.register(lambda wanted: wanted.isdigit() or not wanted)
tk.Label(row, text="Digits").pack(side="left")
tk.Entry(row, name="digits", width=8, validate="key", validatecommand=(only_digits, "%P")).pack(side="left")
tk.Label(row, text="Secret").pack(side="left")
tk.Entry(row, name="secret", width=8, show="*").pack(side="left")
combo = ttk.Combobox(row, name="fruit", values=["apple", "pear", "plum"], width=8)
combo.bind("<<ComboboxSelected>>", lambda _: say(f"fruit {combo.get()}"))
combo.pack(side="left")
mixed_class = ttk.Button(row, text="Own class", class_="MyButton", command=lambda: say("own class pressed"))
mixed_class.pack(side="left")

# -- a list and a table of many rows -----------------------------------------------------------------

lower = tk.Frame(root)
lower.pack(fill="both", expand=True)
many = ttk.Treeview(lower, name="many", columns=("name", "size"), show="tree headings", height=8)
for column in ("#0", "name", "size"):
    many.heading(
        column, text=column.strip("#").title(), command=lambda column=column: say(f"sorted by {column}")
    )
    many.column(column, width=120)
for number in range(10_000):
    many.insert("", "end", iid=f"row{number}", text=f"Row {number}", values=(f"name {number}", "007"))
for number in range(50):
    many.insert("row1", "end", iid=f"inner{number}", text=f"Inner {number}", values=("", number))
many.bind("<<TreeviewSelect>>", lambda _: say(f"rows {', '.join(many.selection())}"))
many.pack(side="left", fill="both")
names = tk.Listbox(lower, name="names", selectmode="extended")
names.insert("end", *(f"name {number}" for number in range(500)))
names.bind("<<ListboxSelect>>", lambda _: say(f"names {names.curselection()}"))
names.pack(side="left", fill="both")

# -- a second interpreter ----------------------------------------------------------------------------

second = tk.Tk()
second.title("Second")
second.geometry("200x80+800+30")
tk.Button(second, text="Elsewhere", command=lambda: say("pressed elsewhere")).pack()

if __name__ == "__main__":
    import sys

    root.folder = sys.argv[1]
    root.mainloop()

"""The order form in tkinter: `python demo/tk_form.py`. It knows nothing of deskhand.

What the user did is shown in the status line, and printed as JSON when the form closes. With `--again`, each
line on standard input starts it over with a fresh form, which is answered by a line.
"""

import argparse
import collections
import json
import sys
import threading
import tkinter as tk
from tkinter import messagebox, ttk

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--again", action="store_true")
arguments = parser.parse_args()


class Form(tk.Toplevel):
    def __init__(self, root):
        super().__init__(root, name="order_form")
        self.title("Order form")
        self.geometry("640x560")
        self.events = collections.deque(maxlen=1000)
        self.replaced = False
        self.protocol("WM_DELETE_WINDOW", self.finish)
        self.make_menus()
        self.tabs = ttk.Notebook(self, name="tabs")
        self.make_person()
        self.make_items()
        self.make_more()
        self.report = ttk.Label(self, name="report", text="ready", anchor="w")
        self.report.pack(side="bottom", fill="x", padx=4, pady=2)
        self.tabs.pack(fill="both", expand=True)
        self.tabs.bind("<<NotebookTabChanged>>", self.tell_tab)
        self.bind("<Control-s>", lambda _: self.say("saved"))
        self.shown_tab = 0
        self.name.focus_set()

    def say(self, what):
        self.events.append(what)
        self.report["text"] = what

    def finish(self):
        print(json.dumps({"events": list(self.events), "name": self.name.get()}), flush=True)
        self.master.destroy()

    # -- the parts ------------------------------------------------------------------------

    def make_menus(self):
        bar = tk.Menu(self, tearoff=False)
        file, view = tk.Menu(bar, tearoff=False), tk.Menu(bar, tearoff=False)
        recent = tk.Menu(file, tearoff=False)
        file.add_command(label="Save", underline=0, accelerator="Ctrl+S", command=lambda: self.say("saved"))
        recent.add_command(label="first.txt", command=lambda: self.say("opened first.txt"))
        file.add_cascade(label="Recent", underline=0, menu=recent)
        file.add_separator()
        file.add_command(label="Quit", underline=0, command=self.finish)
        self.grid_shown = tk.BooleanVar(self)
        view.add_checkbutton(
            label="Show grid",
            variable=self.grid_shown,
            command=lambda: self.say(f"grid {self.grid_shown.get()}"),
        )
        bar.add_cascade(label="File", underline=0, menu=file)
        bar.add_cascade(label="View", underline=0, menu=view)
        self["menu"] = bar
        tools = ttk.Frame(self, name="tools", relief="groove", padding=2)
        ttk.Button(
            tools, text="Zoom in", style="Toolbutton", command=lambda: self.say("zoomed"), takefocus=False
        ).pack(side="left")
        tools.pack(fill="x")

    def make_person(self):
        page = ttk.Frame(self.tabs, name="person", padding=8)
        page.columnconfigure(1, weight=1)
        self.tabs.add(page, text="Person")
        rows = iter(range(100))

        def row(text, field):
            at = next(rows)
            ttk.Label(page, text=text).grid(row=at, column=0, sticky="w", pady=2)
            field.grid(row=at, column=1, sticky="ew", pady=2)
            return field

        self.name_text, self.secret_text = tk.StringVar(self), tk.StringVar(self)
        self.name = row("Name", ttk.Entry(page, name="name", textvariable=self.name_text))
        self.name_text.trace_add("write", lambda *_: self.say(f"name {self.name_text.get()}"))
        self.name.bind("<Return>", lambda _: self.say(f"submitted {self.name_text.get()}"))
        row("Password", ttk.Entry(page, name="secret", show="•", textvariable=self.secret_text))
        self.secret_text.trace_add("write", lambda *_: self.say(f"secret of {len(self.secret_text.get())}"))
        countries = ("France", "Kenya", "Japan", "Peru")
        self.country = row("Country", ttk.Combobox(page, name="country", values=countries, state="readonly"))
        self.country.current(0)
        self.country.bind("<<ComboboxSelected>>", lambda _: self.say(f"country {self.country.get()}"))
        self.notes = row("Notes", tk.Text(page, name="notes", height=4, width=20))
        self.notes.bind("<<Modified>>", self.tell_notes)
        self.news = tk.BooleanVar(self)
        ttk.Checkbutton(
            page,
            text="Send me the newsletter",
            variable=self.news,
            command=lambda: self.say(f"newsletter {self.news.get()}"),
        ).grid(row=next(rows), column=0, columnspan=2, sticky="ew", pady=6)
        self.make_delivery(page).grid(row=next(rows), column=0, columnspan=2, sticky="ew")
        self.make_buttons(page).grid(row=next(rows), column=0, columnspan=2, sticky="w", pady=8)
        self.hint = ttk.Button(page, name="hint", text="Hidden hint")
        self.hint.grid(row=next(rows), column=0, columnspan=2, sticky="w")
        self.hint.grid_remove()

    def make_delivery(self, page):
        box = ttk.Labelframe(page, text="Delivery")
        self.delivery = tk.StringVar(self)
        for text in ("Post", "Courier"):
            ttk.Radiobutton(
                box,
                text=text,
                value=text,
                variable=self.delivery,
                command=lambda: self.say(f"delivery {self.delivery.get()}"),
            ).pack(side="left", expand=True, fill="x")
        return box

    def make_buttons(self, page):
        row = ttk.Frame(page)
        greet = ttk.Button(row, text="Greet", command=lambda: self.say(f"Hello, {self.name.get()}!"))
        order = ttk.Button(row, name="order", text="Place order…", command=self.place_order)
        later = ttk.Button(row, name="later", text="Load later", command=self.load_later)
        self.send = ttk.Button(
            row, name="send", text="Send", state="disabled", command=lambda: self.say("sent")
        )
        for button in (greet, order, later, self.send):
            button.pack(side="left", padx=3)
        return row

    def make_items(self):
        page = ttk.Frame(self.tabs, name="items")
        self.tabs.add(page, text="Items")
        self.table = ttk.Treeview(page, name="table", columns=("item", "price", "stock"), show="headings")
        for column in ("item", "price", "stock"):
            self.table.heading(column, text=column.capitalize())
            self.table.column(column, width=120)
        for number in range(arguments.rows):
            self.table.insert("", "end", values=(f"Item {number}", f"{number}.50", number % 7))
        bar = ttk.Scrollbar(page, command=self.table.yview)
        self.table["yscrollcommand"] = bar.set
        self.table.bind("<ButtonRelease-1>", self.tell_cell)
        page.rowconfigure((0, 1), weight=1)
        page.columnconfigure((0, 1), weight=1)
        self.table.grid(row=0, column=0, columnspan=2, sticky="nsew")
        bar.grid(row=0, column=2, sticky="ns")
        self.colours = tk.Listbox(page, name="colours", height=5, exportselection=False)
        self.colours.insert("end", "red", "green", "blue")
        self.colours.bind("<<ListboxSelect>>", self.tell_colour)
        self.colours.grid(row=1, column=0, sticky="nsew")
        self.tree = ttk.Treeview(page, name="tree", show="tree", height=5)
        europe = self.tree.insert("", "end", text="Europe")
        self.tree.insert(europe, "end", text="Paris")
        self.tree.insert("", "end", text="Africa")
        self.tree.bind(
            "<<TreeviewOpen>>", lambda _: self.say(f"expanded {self.tree.item(self.tree.focus(), 'text')}")
        )
        self.tree.bind("<<TreeviewSelect>>", self.tell_place)
        self.tree.grid(row=1, column=1, columnspan=2, sticky="nsew")

    def make_more(self):
        page = ttk.Frame(self.tabs, name="more", padding=8)
        self.tabs.add(page, text="More")
        page.columnconfigure(1, weight=1)
        self.amount_text, self.day_text = tk.StringVar(self, "0"), tk.StringVar(self, "2026-01-31")
        ttk.Label(page, text="Amount").grid(row=0, column=0, sticky="w")
        amount = ttk.Spinbox(page, name="amount", from_=0, to=50, textvariable=self.amount_text)
        self.amount_text.trace_add("write", lambda *_: self.say(f"amount {self.amount_text.get()}"))
        amount.grid(row=0, column=1, sticky="ew", pady=2)
        ttk.Label(page, text="Volume").grid(row=1, column=0, sticky="w")
        volume = tk.Scale(
            page,
            name="volume",
            from_=0,
            to=100,
            orient="horizontal",
            showvalue=False,
            command=lambda value: self.say(f"volume {value}"),
        )
        volume.grid(row=1, column=1, sticky="ew", pady=2)
        ttk.Label(page, text="Day").grid(row=2, column=0, sticky="w")
        ttk.Entry(page, name="day", textvariable=self.day_text).grid(row=2, column=1, sticky="ew", pady=2)
        self.day_text.trace_add("write", lambda *_: self.say(f"day {self.day_text.get()}"))
        area = tk.Canvas(page, name="area", height=120, highlightthickness=0, yscrollincrement=20)
        inner = ttk.Frame(area)
        far = ttk.Button(inner, name="far", text="Far away", command=lambda: self.say("far pressed"))
        far.pack(pady=(1500, 0), anchor="w")
        area.create_window(0, 0, window=inner, anchor="nw")
        inner.bind("<Configure>", lambda _: area.configure(scrollregion=area.bbox("all")))
        for button, units in (("<Button-4>", -2), ("<Button-5>", 2)):
            for widget in (area, inner, far):
                widget.bind(button, lambda _, units=units: area.yview_scroll(units, "units"))
        area.grid(row=3, column=0, columnspan=2, sticky="nsew", pady=6)
        page.rowconfigure(3, weight=1)
        pad = ttk.Label(page, name="pad", text="Right-click me")
        pad.bind("<Button-3>", self.context_menu)
        pad.grid(row=4, column=0, sticky="w")
        self.context = tk.Menu(self, name="context", tearoff=False)
        self.context.add_command(label="Copy", command=lambda: self.say("copied"))

    # -- what happens -----------------------------------------------------------------------

    def tell_tab(self, _):
        now = self.tabs.index("current")
        if now != self.shown_tab:
            self.shown_tab = now
            self.say(f"tab {self.tabs.tab(now, 'text')}")

    def tell_notes(self, _):
        if self.notes.edit_modified():
            self.say(f"notes {self.notes.get('1.0', 'end-1c')!r}")
            self.notes.edit_modified(False)

    def tell_cell(self, event):
        row, column = self.table.identify_row(event.y), self.table.identify_column(event.x)
        if row:
            self.say(f"selected {self.table.index(row)},{int(column[1:]) - 1}")

    def tell_colour(self, _):
        for at in self.colours.curselection():
            self.say(f"colour {self.colours.get(at)}")

    def tell_place(self, _):
        for item in self.tree.selection():
            self.say(f"place {self.tree.item(item, 'text')}")

    def context_menu(self, event):
        self.context.tk_popup(event.x_root, event.y_root)

    def place_order(self):
        text = f"Place the order for {self.name.get()}?"
        yes = messagebox.askyesno("Confirm", text, parent=self)
        if not self.replaced:
            self.say("ordered" if yes else "order cancelled")

    def load_later(self):
        self.say("loading")
        self.after(300, self.loaded)

    def loaded(self):
        self.send["state"] = "normal"
        self.hint.grid()
        self.say("loaded")


class Forms(tk.Tk):
    """The form on the screen, and a fresh one for each line that is read."""

    def __init__(self):
        super().__init__()
        self.withdraw()
        self.form = Form(self)
        if arguments.again:
            threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for _ in sys.stdin:
            self.event_generate("<<StartOver>>", when="tail")

    def start_over(self, _):
        self.form.replaced = True
        self.form.destroy()
        self.form = Form(self)
        print("ready", flush=True)


if __name__ == "__main__":
    forms = Forms()
    forms.bind("<<StartOver>>", forms.start_over)
    forms.mainloop()

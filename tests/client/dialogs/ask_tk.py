"""Asks for files with the dialogs of Tk, and prints what was chosen."""

import tkinter
from tkinter import filedialog

window = tkinter.Tk()
window.title("Files")


def add(text, ask):
    tkinter.Button(window, text=text, command=lambda: print("chosen", ask(), flush=True)).pack()


add("Open", filedialog.askopenfilename)
add("Save", filedialog.asksaveasfilename)
add("Folder", filedialog.askdirectory)
window.mainloop()

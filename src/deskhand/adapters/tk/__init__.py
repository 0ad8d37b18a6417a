"""Tk from inside: tkinter, ttk and CustomTkinter programs, with the dialogs that Tk makes in Tcl.

Imports the model, the standard library and the tkinter of the program.
"""

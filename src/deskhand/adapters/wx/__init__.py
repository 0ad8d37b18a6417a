"""wxPython from the inside: windows and what they draw, through the wx that the program itself has loaded.

Imports the standard library, the model, and wx. GTK, which wx draws with on Linux, is reached by ctypes: for
dialogs that wx does not list, and for where the parts of native controls are.
"""

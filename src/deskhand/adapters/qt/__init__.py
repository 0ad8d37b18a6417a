"""Qt from the inside: widgets and QML, through the binding that the program itself has loaded.

Imports the standard library, the model, and at run time PySide6 or PyQt6, whichever is there.
"""

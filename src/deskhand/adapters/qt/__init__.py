"""Qt from the inside: widgets and QML, through the binding that the program itself has loaded.

Imports the standard library, the model, and at run time the binding that the program has loaded.
"""

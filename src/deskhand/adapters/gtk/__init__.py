"""GTK 3 and GTK 4 from inside the program, through PyGObject: whichever of both the program has loaded.

Imports PyGObject (`gi`) and, for what it does not offer, the same libraries by ctypes.
"""

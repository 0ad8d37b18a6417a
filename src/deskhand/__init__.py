"""Drive the graphical interface of a desktop program."""

"""Windows of each toolkit that change on command, with the same commands: `SCENE FIFO ANSWERS`.

A test writes a command as a line to the FIFO; the scene performs it and then writes it to ANSWERS.
"""

"""Windows of each toolkit that change when they are told to, by the same words: `SCENE FIFO ANSWERS`.

A line with a word is written to the FIFO; the scene does it and writes the word to the other when it is done.
"""

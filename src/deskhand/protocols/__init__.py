"""Messages of each protocol to and from operations. No I/O; imports the model only.

`gip` also runs inside the programs that are driven: standard library only, with orjson where it is there.
"""

"""The order form in a program that lets itself be driven: `python enabled_form.py SOCKET FORM [options]`."""

import runpy
import sys

import deskhand

deskhand.enable(gip=sys.argv[1])
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")

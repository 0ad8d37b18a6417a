"""Web pages in Chromium, Electron and whatever else has a debugging port, over the DevTools protocol.

It runs outside the browser, and may import the standard library, the model and what adapters share.
"""

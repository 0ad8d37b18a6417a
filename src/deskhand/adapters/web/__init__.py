"""Web pages in Chromium, Electron and everything else with a debugging port, over the Chrome DevTools Protocol.

It runs outside the browser, and may import the standard library, the model and what adapters share.
"""

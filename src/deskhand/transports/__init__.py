"""How bytes get from one process to another: sockets, HTTP and WebSocket, named pipes.

Imports nothing of ours: a transport is given something that answers messages (`interface.Conversation`)
and knows neither the protocol nor what is behind it. `socket`, `framing` and `interface` also run inside the
programs that are driven, and import the standard library only.
"""

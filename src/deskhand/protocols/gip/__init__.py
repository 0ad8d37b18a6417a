"""GIP: JSON-RPC over a socket, WebSocket or HTTP."""

"""The peer for HTTP: the standard library's server, which answers every POST with the same few bytes."""

from http.server import BaseHTTPRequestHandler, HTTPServer

ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"ok":true}}'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()

// The connection to the server: messages as JSON, screenshots as bytes, and one reply for each request.

const AGAIN = 1000;

export function connect({ onMessage, onShot, onState }) {
  const waiting = new Map();
  let socket = null, count = 0;

  function open() {
    const address = new URL("live", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = location.search;
    socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => onState(true));
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") { onShot(...shot(data)); return; }
      const message = JSON.parse(data);
      if (message.type !== "reply") { onMessage(message); return; }
      const [done, failed] = waiting.get(message.id) || [];
      waiting.delete(message.id);
      if (message.error) { if (failed) failed(Object.assign(new Error(message.error.message), message.error)); }
      else if (done) done(message.result);
    });
    socket.addEventListener("close", () => {
      for (const [, failed] of waiting.values()) failed(new Error("the connection to the server ended"));
      waiting.clear();
      onState(false);
      setTimeout(open, AGAIN);
    });
  }

  // A screenshot or the parts of it that changed: the length of a header, the header, and a PNG for each part.
  function shot(data) {
    const size = new DataView(data).getUint32(0);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
    let at = 4 + size;
    const images = header.parts.map(([, , , , length]) => {
      const image = new Blob([new Uint8Array(data, at, length)], { type: "image/png" });
      at += length;
      return image;
    });
    return [header, images];
  }

  function request(what, content = {}) {
    return new Promise((done, failed) => {
      if (!socket || socket.readyState !== WebSocket.OPEN) { failed(new Error("there is no connection to the server")); return; }
      count += 1;
      waiting.set(count, [done, failed]);
      socket.send(JSON.stringify({ do: what, id: count, ...content }));
    });
  }

  open();
  return request;
}

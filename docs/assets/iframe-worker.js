// Lets the site's search work when its pages are opened as files: browsers then refuse Worker, so that the
// worker's script runs in a hidden frame instead. Over HTTP nothing changes.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      inside.document.open();
      inside.document.write("<!doctype html><html><body></body></html>");
      inside.document.close();
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data: structuredClone(data) });
        setTimeout(() => {
          this.dispatchEvent(message);
          if (this.onmessage) this.onmessage(message);
        });
      };
      const load = (source) =>
        new Promise((resolve, reject) => {
          const script = inside.document.createElement("script");
          script.src = source;
          script.onload = resolve;
          script.onerror = () => reject(new Error(`cannot load ${source}`));
          inside.document.body.appendChild(script);
        });
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      this.ready = load(String(url));
    }

    postMessage(data) {
      this.ready.then(() =>
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) })),
      );
    }

    terminate() {
      this.frame.remove();
    }
  };
}

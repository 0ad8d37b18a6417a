// What clients do to the app, newest last, and the windows of the app.
const { $, make, seconds } = deskhand;

const KEPT = 500;

export class Console {
  constructor(onHover) {
    this.rows = new Map();
    this.onHover = onHover;
    $("reads").addEventListener("change", () => { for (const row of this.rows.values()) this.filter(row); });
  }

  add(entries) {
    const panel = $("console-panel"), follows = panel.scrollTop + panel.clientHeight > panel.scrollHeight - 30;
    for (const entry of entries) {
      const row = this.row(entry), before = this.rows.get(entry.number);
      if (before) before.replaceWith(row); else $("console").append(row);
      this.rows.set(entry.number, row);
      this.filter(row);
    }
    $("nothing").hidden = this.rows.size > 0;
    for (const [number, row] of this.rows) {
      if (this.rows.size <= KEPT) break;
      row.remove();
      this.rows.delete(number);
    }
    if (follows) panel.scrollTop = panel.scrollHeight;
  }

  row(entry) {
    const state = entry.held ? "waits for you" : entry.took === null ? "…" : seconds(entry.took);
    const client = entry.token && entry.token !== "main" ? `${entry.client} (${entry.token})` : entry.client;
    const row = make("li", {
      class: ["mono-row", entry.error ? "bad" : "", entry.held ? "held" : "", entry.acts ? "" : "read"].join(" ").trim(),
      "data-number": entry.number, "data-acts": String(entry.acts || Boolean(entry.error)),
    },
      make("span", { text: new Date(entry.time * 1000).toTimeString().slice(0, 8) }), make("span", { text: client }),
      make("span", { class: "title", text: entry.title }), make("span", { text: state }),
      entry.error ? make("span", { class: "why", text: entry.error }) : null);
    if (entry.uid) {
      row.addEventListener("mouseenter", () => this.onHover(entry.uid));
      row.addEventListener("mouseleave", () => this.onHover(null));
    }
    return row;
  }

  filter(row) {
    row.hidden = row.dataset.acts !== "true" && !$("reads").checked;
  }
}

export function showWindows(tree, { onHover, onChoose, onControl, operating }) {
  const windows = tree ? tree.windows : [];
  $("windows").replaceChildren(...windows.map((window) => {
    const size = window.bounds ? `${Math.round(window.bounds[2])} × ${Math.round(window.bounds[3])}` : "";
    const flags = ["focused", "modal", "minimized", "maximized"].filter((flag) => window[flag]).join(", ");
    const row = make("li", {},
      make("button", { type: "button", class: "title", text: window.title || "(no title)", onclick: () => onChoose(window.uid) }),
      make("span", { class: "quiet", text: [window.app_name, window.kind || "regular", size, flags].filter(Boolean).join(" · ") }),
      make("button", { type: "button", text: "Raise", disabled: !operating, title: operating ? "Bring it to the front" : "Switch Operate on first", onclick: () => onControl(window.uid, "focus") }));
    row.addEventListener("mouseenter", () => onHover(window.uid));
    row.addEventListener("mouseleave", () => onHover(null));
    return row;
  }));
}

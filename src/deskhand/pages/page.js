"use strict";
// What our pages have in common: elements, names of nodes, trees that arrive as differences, and the colours.
// A classic script, so that it can also be put into a page that is one file; it leaves one name.
const deskhand = (() => {
  const $ = (id) => document.getElementById(id);

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") element.textContent = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name.startsWith("aria-") && value !== null) element.setAttribute(name, String(value));
      else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  const seconds = (value) => value === undefined ? "" : value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(2)} s`;
  const shown = (value) => typeof value === "string" ? value : JSON.stringify(value);
  const label = (node) => {
    const name = node.name || node.text || node.automation_id;
    return name ? `${node.role} "${name}"` : `${node.role || "unknown"} ${node.native_class || ""}`.trim();
  };

  function about(node) {
    const words = [];
    if (node.value !== undefined && node.value !== null) words.push(`= "${node.value}"`);
    const flags = ["focused", "checked", "selected", "expanded", "modal", "password"].filter((flag) => node[flag]);
    if (node.enabled === false) flags.push("disabled");
    if (node.visible === false) flags.push("hidden");
    if (flags.length) words.push(`[${flags.join(", ")}]`);
    return words.length ? ` ${words.join(" ")}` : "";
  }

  function list(pairs) {
    const rows = make("dl");
    for (const [name, value] of pairs) {
      if (value === undefined || value === null || value === "") continue;
      rows.append(make("dt", { text: name }), make("dd", { text: shown(value) }));
    }
    return rows;
  }

  // -- trees -----------------------------------------------------------------------------------------

  function patched(before, change) {
    if (change.nodes) return change;
    const gone = new Set(change.gone || []);
    const fresh = new Map((change.set || []).map((node) => [node.uid, node]));
    let nodes = before.nodes.filter((node) => !gone.has(node.uid)).map((node) => fresh.get(node.uid) || node);
    if (change.added) {
      const anchors = new Map(), inserted = new Map();
      for (const [node, previous] of change.added) {
        const anchor = anchors.has(previous) ? anchors.get(previous) : previous;
        anchors.set(node.uid, anchor);
        if (!inserted.has(anchor)) inserted.set(anchor, []);
        inserted.get(anchor).push(node);
      }
      nodes = [...(inserted.get(null) || []), ...nodes.flatMap((node) => [node, ...(inserted.get(node.uid) || [])])];
    }
    const around = change.windows ? change : before;
    return { nodes, windows: around.windows, focused: around.focused, cut: around.cut };
  }

  // Later windows and deeper elements are above; of those under a point the smallest is meant.
  function smallest(nodes, x, y) {
    const inside = nodes.filter(({ bounds, visible, offscreen }) => bounds && visible !== false && !offscreen &&
      x >= bounds[0] && y >= bounds[1] && x < bounds[0] + bounds[2] && y < bounds[1] + bounds[3]);
    return inside.reduce((best, node) => !best || node.bounds[2] * node.bounds[3] <= best.bounds[2] * best.bounds[3] ? node : best, null);
  }

  // -- colours -----------------------------------------------------------------------------------------

  function paint(theme) {
    document.documentElement.dataset.theme = theme;
    $("theme").textContent = theme === "dark" ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", `Switch to ${theme === "dark" ? "light" : "dark"} colours`);
  }
  // A page that was opened from a file may not store anything; then the system's theme counts each time.
  let stored = null;
  try { stored = localStorage.getItem("theme"); } catch { /* no storage */ }
  paint(stored || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  $("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    paint(theme);
    try { localStorage.setItem("theme", theme); } catch { /* no storage */ }
  });

  return { $, about, label, list, make, patched, seconds, shown, smallest };
})();

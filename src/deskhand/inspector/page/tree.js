// The tree of the app: rows that are kept while the app changes, keys to walk through them, and a search.
const { $, about, label, make } = deskhand;

const MOST = 3000;

export class TreeView {
  constructor({ onHover, onChoose }) {
    this.tree = null;
    this.closed = new Set();
    this.rows = new Map();
    this.chosen = null;
    this.current = null;
    this.matches = new Set();
    this.onHover = onHover;
    this.onChoose = onChoose;
    $("tree").addEventListener("keydown", (event) => this.key(event));
    $("tree").addEventListener("mouseleave", () => onHover(null));
    $("search").addEventListener("input", () => this.render());
  }

  show(tree) {
    this.tree = tree;
    this.render();
  }

  // The rows as they are listed: those that the search finds, or all but what is in closed ones.
  listed() {
    if (!this.tree) return [];
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) {
      const text = (node) => [node.role, node.name, node.text, node.value, node.automation_id, node.native_class].join(" ").toLowerCase();
      return this.tree.nodes.filter((node) => words.every((word) => text(node).includes(word)));
    }
    const hidden = new Set();
    return this.tree.nodes.filter((node) => {
      if (hidden.has(node.parent)) { hidden.add(node.uid); return false; }
      if (this.closed.has(node.uid)) hidden.add(node.uid);
      return true;
    });
  }

  render() {
    const nodes = this.listed(), tree = this.tree, kept = new Map();
    if (tree && !tree.byUid.has(this.current)) this.current = nodes.length ? nodes[0].uid : null;
    const rows = nodes.slice(0, MOST).map((node) => {
      const row = this.rows.get(node.uid) || this.row(node.uid);
      kept.set(node.uid, row);
      this.fill(row, node);
      return row;
    });
    this.rows = kept;
    // Rows stay where they are, so that the one with the focus keeps it.
    const parent = $("tree");
    let at = parent.firstChild;
    for (const row of rows) {
      if (row === at) { at = at.nextSibling; continue; }
      parent.insertBefore(row, at);
    }
    while (at) { const next = at.nextSibling; at.remove(); at = next; }
    if (nodes.length && !kept.has(this.current)) rows[0].tabIndex = 0;
    $("found").textContent = tree ? ($("search").value.trim() ? `${nodes.length} of ${tree.nodes.length}` : `${tree.nodes.length} elements`) : "";
    const left = nodes.length - rows.length;
    $("cut").hidden = !tree || !(left > 0 || tree.cut);
    $("cut").textContent = left > 0 ? `${left} more: search for them` : tree && tree.cut ? `${tree.cut.left_out} more: ${tree.cut.reason}` : "";
  }

  row(uid) {
    const row = make("div", { role: "treeitem", "data-uid": uid });
    row.addEventListener("mouseenter", () => this.onHover(uid));
    row.addEventListener("click", (event) => {
      if (event.offsetX < parseFloat(getComputedStyle(row).paddingLeft) + 16 && this.tree.children(uid).length) this.toggle(uid);
      this.go(uid);
      this.onChoose(uid);
    });
    row.addEventListener("focus", () => { this.onHover(uid); });
    return row;
  }

  fill(row, node) {
    const depth = this.tree.depth(node), inside = this.tree.children(node.uid).length > 0;
    const text = label(node) + about(node);
    if (row.textContent !== text) row.textContent = text;
    row.style.paddingLeft = `${4 + Math.min(depth, 20) * 12}px`;
    row.setAttribute("aria-level", depth + 1);
    if (inside) row.setAttribute("aria-expanded", !this.closed.has(node.uid)); else row.removeAttribute("aria-expanded");
    row.setAttribute("aria-selected", this.chosen === node.uid);
    row.classList.toggle("hidden-node", node.visible === false);
    row.classList.toggle("match", this.matches.has(node.uid));
    row.tabIndex = this.current === node.uid ? 0 : -1;
  }

  toggle(uid, close = !this.closed.has(uid)) {
    if (close) this.closed.add(uid); else this.closed.delete(uid);
    this.render();
  }

  // Make the row of a node visible, whatever is closed or searched for.
  reveal(uid) {
    if (!this.tree || !this.tree.byUid.has(uid)) return null;
    for (let up = this.tree.byUid.get(uid); up; up = this.tree.byUid.get(up.parent)) if (up.uid !== uid) this.closed.delete(up.uid);
    if (!this.rows.has(uid)) { if ($("search").value && !this.listed().some((node) => node.uid === uid)) $("search").value = ""; this.render(); }
    return this.rows.get(uid);
  }

  choose(uid) {
    this.chosen = this.current = uid;
    this.reveal(uid);
    this.render();
    const row = this.rows.get(uid);
    if (row) row.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  hover(uid, { scroll = false } = {}) {
    for (const row of $("tree").querySelectorAll(".hovered")) row.classList.remove("hovered");
    let at = uid;
    while (at && !this.rows.has(at)) at = (this.tree && this.tree.byUid.get(at) || {}).parent;
    const row = at && this.rows.get(at);
    if (!row) return;
    row.classList.add("hovered");
    if (scroll) row.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  match(uids) {
    this.matches = new Set(uids);
    this.render();
  }

  go(uid) {
    const before = this.rows.get(this.current);
    if (before) before.tabIndex = -1;
    this.current = uid;
    const row = this.rows.get(uid);
    if (!row) return;
    row.tabIndex = 0;
    row.focus();
  }

  key(event) {
    const rows = [...this.rows.keys()], at = rows.indexOf(this.current), uid = this.current;
    const inside = this.tree && uid ? this.tree.children(uid) : [];
    const to = (index) => this.go(rows[Math.max(0, Math.min(rows.length - 1, index))]);
    const keys = {
      ArrowDown: () => to(at + 1), ArrowUp: () => to(at - 1), Home: () => to(0), End: () => to(rows.length - 1),
      PageDown: () => to(at + 15), PageUp: () => to(at - 15),
      ArrowRight: () => { if (inside.length && this.closed.has(uid)) this.toggle(uid, false); else if (inside.length) this.go(inside[0].uid); },
      ArrowLeft: () => { if (inside.length && !this.closed.has(uid)) this.toggle(uid, true); else this.go((this.tree.byUid.get(uid) || {}).parent); },
      Enter: () => this.onChoose(uid), " ": () => this.onChoose(uid),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    keys[event.key]();
    event.preventDefault(); event.stopPropagation();
  }
}

// A tree as it arrived, with ways around in it.
export function ways(data) {
  if (!data) return null;
  const byUid = new Map(data.nodes.map((node) => [node.uid, node])), below = new Map();
  for (const node of data.nodes) {
    if (!below.has(node.parent)) below.set(node.parent, []);
    below.get(node.parent).push(node);
  }
  const children = (uid) => below.get(uid) || [];
  const within = (uid) => { const root = byUid.get(uid); return root ? [root, ...children(uid).flatMap((node) => within(node.uid))] : []; };
  const depths = new Map();
  const depth = (node) => {
    if (!depths.has(node.uid)) { const above = byUid.get(node.parent); depths.set(node.uid, above ? depth(above) + 1 : 0); }
    return depths.get(node.uid);
  };
  return { ...data, byUid, children, within, depth };
}

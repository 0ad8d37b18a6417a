// The screen of the app: its pixels, the boxes around elements, and what is under the mouse.
const { $, label, make, smallest } = deskhand;

// What a person means who points at a text inside of one of these.
const WHOLES = new Set(["button", "checkbox", "color-well", "combo-box", "link", "menu-item", "menu-item-checkbox", "menu-item-radio", "radio", "split-button", "switch", "tab", "toggle-button"]);
const PARTS = new Set(["generic", "graphics-symbol", "group", "image", "img", "inline-text-box", "label-text", "none", "paragraph", "presentation", "text", "text-run", "unknown"]);
// Controls whose button is not meant by itself.
const COMPOSITE = new Set(["combo-box", "date-picker", "spin-button"]);
const BUTTONS = new Set(["button", "toggle-button"]);
const LIFTED = 4;
const ON_TOP = ["popup", "systemDialog", "sheet", "dialog", "floating"];

export class Screen {
  constructor() {
    this.frame = null;
    this.tree = null;
    this.marks = { hovered: [], match: [], selected: [] };
    this.drawing = Promise.resolve();
    new ResizeObserver(() => this.fit()).observe($("stage"));
  }

  // -- pixels ------------------------------------------------------------------------------------------

  // In order: a part is drawn on what came before it.
  draw(header, images) {
    this.drawing = this.drawing.then(async () => {
      const parts = await Promise.all(images.map((image) => createImageBitmap(image)));
      const canvas = $("canvas");
      if (canvas.width !== header.width || canvas.height !== header.height) { canvas.width = header.width; canvas.height = header.height; }
      const context = canvas.getContext("2d");
      header.parts.forEach(([left, top], index) => context.drawImage(parts[index], left, top));
      this.frame = header;
      for (const name of ["x", "y", "width", "height", "scale"]) $("screen").dataset[name] = header[name];
      this.fit();
      document.documentElement.dataset.ready = "true";
    });
  }

  clear() {
    this.frame = null;
    this.fit();
  }

  fit() {
    $("screen").hidden = !this.frame;
    $("no-screen").hidden = Boolean(this.frame);
    if (!this.frame) return;
    const { width, height } = this.frame, stage = $("stage");
    const zoom = Math.max(0.05, Math.min((stage.clientWidth - 24) / width, (stage.clientHeight - 24) / height, 2));
    $("screen").style.width = `${Math.round(width * zoom)}px`;
    $("screen").style.height = `${Math.round(height * zoom)}px`;
    this.place();
  }

  // -- places ------------------------------------------------------------------------------------------

  zoom() { return $("screen").clientWidth / this.frame.width; }

  // The point of a mouse event, in logical pixels of the screen of the app.
  point(event) {
    if (!this.frame) return null;
    const box = $("screen").getBoundingClientRect(), scale = this.zoom() * this.frame.scale;
    const x = (event.clientX - box.left) / scale + this.frame.x, y = (event.clientY - box.top) / scale + this.frame.y;
    return [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
  }

  at([x, y]) {
    if (!this.tree) return null;
    const inside = ({ bounds }) => bounds && x >= bounds[0] && y >= bounds[1] && x < bounds[0] + bounds[2] && y < bounds[1] + bounds[3];
    // The windows here, the one that is in front first; popups hang over those that they belong to.
    const windows = this.tree.windows.filter((window) => window.showing !== false && !window.minimized && inside(window));
    windows.sort((one, other) => rank(one) - rank(other));
    for (const window of windows) {
      const found = smallest(this.tree.within(window.uid), x, y);
      if (found) return this.lift(found);
    }
    const found = smallest(this.tree.nodes, x, y);
    return found && this.lift(found);
  }

  // A label in a button stands for the button, and the button of a combo box for that.
  lift(node) {
    const whole = PARTS.has(node.role) ? this.above(node, WHOLES) || node : node;
    return BUTTONS.has(whole.role) ? this.above(whole, COMPOSITE) || whole : whole;
  }

  above(node, roles) {
    for (let up = this.tree.byUid.get(node.parent), steps = 0; up && steps < LIFTED; up = this.tree.byUid.get(up.parent), steps++) {
      if (roles.has(up.role)) return up;
    }
    return null;
  }

  // -- boxes -------------------------------------------------------------------------------------------

  mark(kind, nodes) {
    this.marks[kind] = nodes;
    this.place();
  }

  place() {
    if (!this.frame) return;
    const boxes = [];
    for (const kind of ["match", "selected", "hovered"]) {
      for (const uid of this.marks[kind]) {
        const node = this.tree && this.tree.byUid.get(uid);
        if (node && node.bounds && node.visible !== false) boxes.push(this.box(kind, node));
      }
    }
    $("boxes").replaceChildren(...boxes);
  }

  box(kind, node) {
    const scale = this.frame.scale * this.zoom(), [x, y, width, height] = node.bounds;
    const top = (y - this.frame.y) * scale;
    const box = make("div", { class: kind, "data-uid": node.uid });
    Object.assign(box.style, {
      left: `${(x - this.frame.x) * scale}px`, top: `${top}px`, width: `${width * scale}px`, height: `${height * scale}px`,
    });
    if (kind === "hovered") {
      box.append(make("span", { text: label(node) }));
      box.classList.toggle("above", top + height * scale + 20 > $("screen").clientHeight);
    }
    return box;
  }
}

function rank(window) {
  const kind = ON_TOP.indexOf(window.kind);
  return (kind < 0 ? ON_TOP.length : kind) * 4 + (window.modal ? 0 : 2) + (window.focused ? 0 : 1);
}

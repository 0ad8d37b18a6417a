// The inspector: joins the screen, the tree, the selectors and the console, and says what a person wants.
import { connect } from "./link.js";
import { Console, showWindows } from "./console.js";
import { showDetails, showFailure } from "./details.js";
import { Screen } from "./screen.js";
import { TreeView, ways } from "./tree.js";

const { $, make, patched } = deskhand;
const PAUSE = 150;

let data = null, tree = null, revision = 0, selected = null, hovered = null;
let picking = false, operating = false, turn = {}, questions = [], recorded = {};
const screen = new Screen();
const view = new TreeView({ onHover: (uid) => hover(uid), onChoose: (uid) => choose(uid) });
const entries = new Console((uid) => hover(uid));
const request = connect({ onMessage, onShot: (header, images) => screen.draw(header, images), onState });

// -- what comes -------------------------------------------------------------------------------------------

function onState(connected) {
  document.documentElement.dataset.connected = connected;
  if (connected) { trouble(null); retry(); return; }
  data = tree = null;
  trouble("There is no connection to the server; trying again. If it has ended, start it again and open the new address.");
}

const comes = {
  about({ name }) {
    $("title").textContent = `Inspector: ${name || "app"}`;
    document.title = `${name || "app"} – deskhand inspector`;
  },
  tree(message) {
    const before = selected && tree && tree.byUid.get(selected);
    data = message.tree && patched(data, message.tree);
    tree = screen.tree = ways(data);
    revision = message.revision;
    view.show(tree);
    screen.place();
    listWindows();
    summarize();
    // A node that looks as before is the same object.
    const now = selected && tree && tree.byUid.get(selected);
    if (now && now !== before) describe(); else if (selected && !now) select(null);
  },
  screen() { screen.clear(); },
  matches(message) {
    if (message.text !== $("selector").value.trim()) return;
    const { count, error, near, suggestions } = message;
    $("count").textContent = error ? [error, ...(suggestions || []).filter((hint) => !error.includes(hint))].join("; ") :
      count === 1 ? "1 match" : count ? `${count} matches` : near && near.length ? `no match; near: ${near.join(", ")}` : "no match";
    $("count").className = error || !count ? "bad" : count === 1 ? "good" : "";
    mark(message.uids);
  },
  console({ entries: news }) { entries.add(news); },
  trouble({ text }) { trouble(text && `The app cannot be read: ${text}`); },
  turn(message) {
    turn = message;
    $("take-over").setAttribute("aria-pressed", turn.mine);
    $("take-over").textContent = turn.mine ? "Hand back" : "Take over";
    $("taken").hidden = !turn.taken;
    const waiting = turn.waiting === 1 ? "1 operation waits." : turn.waiting ? `${turn.waiting} operations wait.` : "";
    $("taken").textContent = turn.mine ? `You have taken over: what clients do to the app waits until you hand back. ${waiting}` : `Another page has taken over. ${waiting}`;
  },
  operating({ on }) {
    operating = on;
    $("operate").setAttribute("aria-checked", on);
    document.body.classList.toggle("operating", on);
    // What is typed there goes to the app, which screen readers have to know.
    $("screen").setAttribute("role", on ? "application" : "img");
    listWindows();
  },
  questions(message) { questions = message.questions; ask(); },
  recording({ there, active, code }) {
    $("record").hidden = $("tab-code").hidden = !there;
    $("record").setAttribute("aria-pressed", Boolean(active));
    $("record").textContent = active ? "Stop recording" : "Record";
    recorded = code;
    $("expectations").hidden = !active;
    showCode();
  },
  failed({ message }) { trouble(message); },
};

function onMessage(message) {
  comes[message.type](message);
}

function showCode() {
  const panel = $("code-panel");
  queueMicrotask(() => { panel.scrollTop = panel.scrollHeight; });
  $("code").textContent = recorded[$("format").value] || "Record begins anew each time; what you do to the app becomes code here.";
}
$("format").addEventListener("change", showCode);

function trouble(text) {
  $("trouble").hidden = !text;
  $("trouble").textContent = text || "";
}

function summarize() {
  const windows = tree ? tree.windows.length : 0;
  $("summary").textContent = tree ? `${tree.nodes.length} elements · ${windows} ${windows === 1 ? "window" : "windows"} · revision ${revision}` : "";
}

function listWindows() {
  showWindows(tree, {
    operating, onHover: hover, onChoose: choose,
    onControl: (uid, what) => act("control_window", { target: `uid=${JSON.stringify(uid)}`, do: what }),
  });
}

// -- questions --------------------------------------------------------------------------------------------

const left = (until) => `Refused in ${Math.max(0, Math.round(until - Date.now() / 1000))} s.`;

function ask() {
  $("questions").replaceChildren(...questions.map(({ number, text, until }) => make("div", { class: "notice question", role: "group", "aria-label": "A question of the policy" },
    make("span", {}, "A client wants to ", make("strong", { text })),
    make("span", { class: "left", "aria-hidden": true, "data-until": until, text: left(until) }),
    make("button", { type: "button", text: "Allow", onclick: () => answer(number, true) }),
    make("button", { type: "button", text: "Refuse", onclick: () => answer(number, false) }))));
}

function answer(number, yes) {
  request("answer", { number, yes }).catch((error) => trouble(error.message));
}

// -- choosing an element ----------------------------------------------------------------------------------

function hover(uid, options) {
  if (uid === hovered) return;
  hovered = uid;
  screen.mark("hovered", uid ? [uid] : []);
  view.hover(uid, options);
}

function select(uid) {
  selected = uid;
  screen.mark("selected", uid ? [uid] : []);
  if (uid) view.choose(uid);
}

// Show all that is known of the selected element; null if another one was selected meanwhile.
async function describe() {
  const uid = selected;
  try {
    const told = await request("describe", { uid });
    if (selected !== uid) return null;
    showDetails(tree, told, { onSelector: fillIn, onChoose: choose });
    return told;
  } catch (error) {
    if (selected === uid) showFailure(error);
    return null;
  }
}

// Choose an element, and put the best selector for it into the field.
async function choose(uid) {
  select(uid);
  const told = await describe();
  if (told && told.selectors.length) fillIn(told.selectors[0].text);
}

function pickAt(event) {
  const point = screen.point(event), node = point && screen.at(point);
  pick(false);
  if (node) choose(node.uid);
}

function pick(on) {
  picking = on;
  $("pick").setAttribute("aria-pressed", on);
  document.body.classList.toggle("picking", on);
  if (!on) hover(null);
}

// -- trying a selector ------------------------------------------------------------------------------------

let typed = null;

function mark(uids) {
  screen.mark("match", uids);
  view.match(uids);
}

function fillIn(text) {
  $("selector").value = text;
  retry();
}

function retry() {
  clearTimeout(typed);
  const text = $("selector").value.trim();
  if (!text) { $("count").textContent = ""; mark([]); }
  request("try", { text }).catch((error) => trouble(error.message));
}

$("selector").addEventListener("input", () => { clearTimeout(typed); typed = setTimeout(retry, PAUSE); });
$("try").addEventListener("submit", (event) => { event.preventDefault(); retry(); });
async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}
$("copy").addEventListener("click", () => copy($("copy"), $("selector").value));
$("copy-code").addEventListener("click", () => copy($("copy-code"), $("code").textContent));

// -- operating the app ------------------------------------------------------------------------------------

const BUTTONS = ["left", "middle", "right"];
const KEYS = { ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right", " ": "Space" };
const MOVED = 4;

function act(operation, params) {
  request("act", { operation, params }).catch((error) => trouble(error.message));
}

const held = (event) => [["ctrlKey", "ctrl"], ["shiftKey", "shift"], ["altKey", "alt"], ["metaKey", "meta"]].filter(([flag]) => event[flag]).map(([, name]) => name);
let pressed = null;

$("screen").addEventListener("mousemove", (event) => {
  const point = screen.point(event), node = point && screen.at(point);
  hover(node ? node.uid : null, { scroll: picking });
});
$("screen").addEventListener("mouseleave", () => hover(null));
$("screen").addEventListener("mousedown", (event) => {
  if (!operating || picking) return;
  pressed = { point: screen.point(event), at: [event.clientX, event.clientY], button: event.button };
});
$("screen").addEventListener("mouseup", (event) => {
  if (!operating || picking || !pressed || pressed.button !== event.button) return;
  const [x, y] = screen.point(event), button = BUTTONS[event.button], modifiers = held(event);
  const moved = Math.hypot(event.clientX - pressed.at[0], event.clientY - pressed.at[1]) > MOVED;
  if (moved) act("drag", { x: pressed.point[0], y: pressed.point[1], to_x: x, to_y: y, button, modifiers });
  else act("click", { x, y, button, modifiers, count: Math.min(Math.max(event.detail, 1), 3) });
  pressed = null;
});
$("screen").addEventListener("click", (event) => { if (picking || !operating) pickAt(event); });
$("screen").addEventListener("contextmenu", (event) => { if (operating) event.preventDefault(); });
$("screen").addEventListener("wheel", (event) => {
  if (!operating || picking) return;
  event.preventDefault();
  const point = screen.point(event), node = screen.at(point);
  const notches = (delta) => Math.sign(delta) * Math.max(1, Math.round(Math.abs(delta) / 100));
  if (node) act("scroll", { target: `uid=${JSON.stringify(node.uid)}`, dy: event.deltaY ? notches(event.deltaY) : 0, dx: event.deltaX ? notches(event.deltaX) : 0 });
}, { passive: false });
$("screen").addEventListener("keydown", (event) => {
  if (!operating || event.key === "F8" || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  event.preventDefault(); event.stopPropagation();
  const modifiers = held(event), plain = modifiers.every((name) => name === "shift");
  if (event.key.length === 1 && plain) act("type_text", { text: event.key });
  else act("key", { keys: [...modifiers, KEYS[event.key] || event.key].join("+") });
});

// -- the buttons and keys of the page ---------------------------------------------------------------------

function operate(on) {
  request("operate", { on }).then(() => { if (on) $("screen").focus(); }, (error) => trouble(error.message));
}

$("pick").addEventListener("click", () => pick(!picking));
$("operate").addEventListener("click", () => operate(!operating));
$("take-over").addEventListener("click", () => request("take-over", { on: !turn.mine }).catch((error) => trouble(error.message)));
$("record").addEventListener("click", () => {
  const on = $("record").getAttribute("aria-pressed") !== "true";
  request("record", { on }).catch((error) => trouble(error.message));
  if (on && !operating) operate(true);
  chooseTab("code");
});

for (const button of $("expectations").querySelectorAll("button")) {
  button.addEventListener("click", () => request("expect", { kind: button.dataset.kind, uid: selected }).catch((error) => trouble(error.message)));
}

const TABS = ["console", "windows", "code"];

function chooseTab(name) {
  for (const each of TABS) {
    const is = each === name;
    $(`tab-${each}`).setAttribute("aria-selected", is);
    $(`tab-${each}`).tabIndex = is ? 0 : -1;
    $(`${each}-panel`).hidden = !is;
  }
  $("reads-choice").hidden = name !== "console";
}
for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => chooseTab(name));
$("lower-tabs").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by || event.target.getAttribute("role") !== "tab") return;
  const there = TABS.filter((name) => !$(`tab-${name}`).hidden);
  const next = there[(there.indexOf(event.target.id.slice(4)) + by + there.length) % there.length];
  chooseTab(next);
  $(`tab-${next}`).focus();
  event.preventDefault(); event.stopPropagation();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "F8") { operate(!operating); event.preventDefault(); return; }
  if (event.key === "Escape" && picking) { pick(false); event.preventDefault(); return; }
  if (event.target.closest("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { p: () => pick(!picking), "/": () => $("search").focus(), s: () => $("selector").focus() };
  if (!keys[event.key]) return;
  keys[event.key]();
  event.preventDefault();
});
setInterval(() => { for (const each of $("questions").querySelectorAll(".left")) each.textContent = left(Number(each.dataset.until)); }, 1000);

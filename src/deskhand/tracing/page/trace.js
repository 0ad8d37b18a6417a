"use strict";
// The page of a trace: reads its events, and shows one step at a time. No other file is needed.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { $, about, label, list, make, patched, seconds, shown, smallest } = deskhand;

  // -- reading ---------------------------------------------------------------------------------------

  const trace = { about: {}, apps: {}, groups: {}, steps: [], states: {}, frames: {}, log: [], complete: false };

  function read(events) {
    const steps = new Map(), newest = {};
    for (const event of events) {
      switch (event.type) {
        case "start": trace.about = event; break;
        case "app": trace.apps[event.app] = event; break;
        case "group": trace.groups[event.group] = event; break;
        case "before": steps.set(event.step, { ...event, start: event.time, before: event.state }); break;
        case "after": {
          const step = steps.get(event.step);
          const target = { ...(step.target || {}), ...(event.target || {}) };
          Object.assign(step, event, { target, end: event.time, type: "step" });
          break;
        }
        case "settled": steps.get(event.step).after = event.state; break;
        case "params": Object.assign(steps.get(event.step).params, event.params); break;
        case "state":
          if (event.tree) event.tree = newest[event.app] = patched(newest[event.app], event.tree);
          trace.states[event.state] = event;
          break;
        case "frame": trace.frames[event.frame] = event; break;
        case "log": case "output": case "error": case "cut": trace.log.push(event); break;
        case "end": trace.complete = true; trace.ended = event.time; break;
      }
    }
    trace.steps = [...steps.values()].sort((one, other) => one.step - other.step);
    // A step that took no state of its own shows the newest one of its app.
    const last = {};
    for (const step of trace.steps) {
      if (step.before) last[step.app] = step.before; else step.shown = last[step.app];
      if (step.after) last[step.app] = step.after;
    }
  }

  // -- screenshots -------------------------------------------------------------------------------------

  const composed = new Map();
  const KEPT = 16;

  function image(name) {
    return new Promise((done, failed) => {
      const loaded = new Image();
      loaded.onload = () => done(loaded);
      loaded.onerror = () => failed(new Error(`cannot load ${name}`));
      loaded.src = data.resources ? `data:image/png;base64,${data.resources[name]}` : `resources/${name}`;
    });
  }

  async function compose(number) {
    if (composed.has(number)) return composed.get(number);
    const chain = [];
    let at = number;
    while (!composed.has(at) && trace.frames[at].base !== undefined) { chain.push(at); at = trace.frames[at].base; }
    const canvas = document.createElement("canvas");
    const first = trace.frames[at];
    canvas.width = first.width; canvas.height = first.height;
    const context = canvas.getContext("2d");
    context.drawImage(composed.get(at) || await image(first.png), 0, 0);
    for (const part of chain.reverse()) {
      // The strips that changed are in one image, below each other.
      const strips = await image(trace.frames[part].png);
      let below = 0;
      for (const [left, top, height] of trace.frames[part].strips) {
        context.drawImage(strips, 0, below, strips.width, height, left, top, strips.width, height);
        below += height;
      }
    }
    composed.set(number, canvas);
    if (composed.size > KEPT) composed.delete(composed.keys().next().value);
    return canvas;
  }

  // -- small things --------------------------------------------------------------------------------------

  const failed = (step) => Boolean(step.error);
  const running = (step) => step.end === undefined;

  // -- choosing ------------------------------------------------------------------------------------------

  let current = null, moment = "after", tab = "call", query = "", picked = null, source = 0;

  const visible = () => trace.steps.filter((step) => $("reads").checked || step.acts || step.after || failed(step));
  const stateOf = (step, which) => trace.states[which === "before" ? (step.before || step.shown) : (step.after || step.before || step.shown)];

  function choose(number, { scroll = true, push = true } = {}) {
    const step = trace.steps.find((one) => one.step === number);
    if (!step) return;
    if (!visible().includes(step)) { $("reads").checked = true; listSteps(); }
    if (current !== step) { picked = null; source = 0; }
    current = step;
    for (const row of $("steps").querySelectorAll("[role=option]")) {
      const is = Number(row.dataset.step) === number;
      row.setAttribute("aria-selected", is);
      if (is) { $("steps").setAttribute("aria-activedescendant", row.id); if (scroll) row.scrollIntoView({ block: "nearest" }); }
    }
    if (push) history.replaceState(null, "", `#step=${number}`);
    show();
  }

  function move(by) {
    const steps = visible();
    const at = steps.indexOf(current);
    const next = steps[Math.max(0, Math.min(steps.length - 1, at + by))];
    if (next) choose(next.step);
  }

  function nextError() {
    const at = trace.steps.indexOf(current);
    const next = trace.steps.slice(at + 1).find(failed) || trace.steps.find(failed);
    if (next) { choose(next.step); chooseTab("errors"); }
  }

  function chooseTab(name) {
    tab = name;
    for (const button of $("tabs").children) {
      const is = button.dataset.tab === name;
      button.setAttribute("aria-selected", is);
      button.tabIndex = is ? 0 : -1;
      if (is) $("panel").setAttribute("aria-labelledby", button.id);
    }
    showPanel();
  }

  function chooseMoment(which) {
    moment = which;
    show();
  }

  // -- showing -------------------------------------------------------------------------------------------

  function listSteps() {
    const rows = [];
    let group;
    for (const step of visible()) {
      if (step.group !== group) {
        group = step.group;
        if (group !== undefined) rows.push(make("li", { role: "presentation", text: trace.groups[group].title }));
      }
      const time = `${failed(step) ? "failed " : ""}${running(step) ? "…" : seconds(step.end - step.start)}`;
      rows.push(make("li", {
        role: "option", id: `step-${step.step}`, "data-step": step.step, "aria-selected": false,
        class: [failed(step) ? "bad" : "", step.acts || step.after ? "" : "read"].join(" ").trim() || null,
        onclick: () => choose(step.step, { scroll: false }),
      },
        make("span", { class: "number", text: step.step }),
        make("span", { class: "title", text: step.title, title: step.title }),
        make("span", { class: "time", text: time })));
    }
    $("steps").replaceChildren(...rows);
  }

  async function listFrames() {
    const buttons = [];
    let before = null;
    for (const step of trace.steps) {
      for (const which of ["before", "after"]) {
        const state = trace.states[step[which]];
        if (!state || state.frame === undefined || !trace.frames[state.frame] || state.frame === before) continue;
        before = state.frame;
        const canvas = make("canvas", { width: 1, height: 1, "aria-hidden": "true" });
        const button = make("button", {
          type: "button", "data-step": step.step, "data-moment": which, class: failed(step) && which === "after" ? "bad" : null,
          "aria-label": `Screenshot ${which} step ${step.step}: ${step.title}`, title: step.title,
          onclick: () => { moment = which; choose(step.step); },
        }, canvas, make("span", { text: which === "before" ? `${step.step}` : `${step.step} →` }));
        buttons.push([button, canvas, state]);
      }
    }
    $("filmstrip").replaceChildren(...buttons.map(([button]) => button));
    for (const [, canvas, state] of buttons) {
      const whole = await compose(state.frame);
      const part = view(state, trace.frames[state.frame]);
      const height = 136, width = Math.round(part[2] * height / part[3]);
      canvas.width = width; canvas.height = height;
      canvas.getContext("2d").drawImage(whole, ...part, 0, 0, width, height);
    }
  }

  // The part of a frame that is shown, in its pixels: what the app shows with a margin, or all of it.
  function view(state, frame) {
    const whole = [0, 0, frame.width, frame.height];
    const nodes = ((state.tree || {}).nodes || []).filter(({ bounds, visible, offscreen }) => bounds && visible !== false && !offscreen && bounds[2] > 0 && bounds[3] > 0);
    if ($("whole").checked || !nodes.length) return whole;
    const frameArea = (state.tree.windows || []).filter((window) => window.bounds && !window.minimized).map((window) => window.bounds);
    const all = [...nodes.map((node) => node.bounds), ...frameArea];
    const margin = 28;  // the title bar is a part of no element
    const left = Math.max(0, (Math.min(...all.map((b) => b[0])) - frame.x - margin) * frame.scale);
    const top = Math.max(0, (Math.min(...all.map((b) => b[1])) - frame.y - margin) * frame.scale);
    const right = Math.min(frame.width, (Math.max(...all.map((b) => b[0] + b[2])) - frame.x + margin) * frame.scale);
    const bottom = Math.min(frame.height, (Math.max(...all.map((b) => b[1] + b[3])) - frame.y + margin) * frame.scale);
    return right - left > 40 && bottom - top > 40 ? [left, top, right - left, bottom - top].map(Math.round) : whole;
  }

  let area = [0, 0, 1, 1];

  function place(element, bounds, frame, canvas) {
    if (!bounds || !frame) { element.hidden = true; return; }
    const zoom = canvas.clientWidth / area[2], scale = frame.scale * zoom;
    element.hidden = false;
    element.style.left = `${(bounds[0] - frame.x) * scale - area[0] * zoom}px`;
    element.style.top = `${(bounds[1] - frame.y) * scale - area[1] * zoom}px`;
    if (bounds.length > 2) {
      element.style.width = `${bounds[2] * scale}px`;
      element.style.height = `${bounds[3] * scale}px`;
    }
  }

  let drawn = 0;

  async function show() {
    const step = current;
    const own = step.before !== undefined || step.after !== undefined;
    for (const which of ["before", "after"]) {
      const button = $(`moment-${which}`);
      button.setAttribute("aria-selected", which === moment);
      button.tabIndex = which === moment ? 0 : -1;
      if (which === moment) $("stage").setAttribute("aria-labelledby", button.id);
    }
    for (const button of $("filmstrip").children) {
      const is = Number(button.dataset.step) === step.step;
      button.setAttribute("aria-current", is);
      if (is) button.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    showPanel();
    const state = stateOf(step, moment);
    $("moment-note").textContent = !own ? "a read: the newest screenshot before it" :
      moment === "after" && !step.after ? "no state was taken afterwards" : state ? `at ${seconds(state.time)}` : "";
    const turn = ++drawn;
    const frame = state && trace.frames[state.frame];
    $("screen").hidden = !frame;
    $("no-screenshot").hidden = Boolean(frame);
    $("no-screenshot").textContent = "There is no screenshot of this step.";
    if (!frame) return;
    const whole = await compose(state.frame);
    if (turn !== drawn) return;
    const canvas = $("canvas");
    area = view(state, frame);
    canvas.width = area[2]; canvas.height = area[3];
    canvas.getContext("2d").drawImage(whole, -area[0], -area[1]);
    canvas.setAttribute("aria-label", `Screenshot ${moment} step ${step.step}: ${step.title}`);
    fit();
    const marked = moment === "before" || !own;
    place($("target"), marked ? step.target && step.target.bounds : null, frame, canvas);
    place($("point"), marked ? step.point : null, frame, canvas);
    placeHover();
  }

  function fit() {
    const canvas = $("canvas"), stage = $("stage");
    const scale = Math.min((stage.clientWidth - 26) / canvas.width, (stage.clientHeight - 26) / canvas.height, 2);
    canvas.style.width = `${Math.max(50, Math.floor(canvas.width * scale))}px`;
  }

  function placeHover() {
    const state = current && stateOf(current, moment);
    const node = state && state.tree && state.tree.nodes.find((one) => one.uid === picked);
    place($("hover"), node && node.bounds, state && trace.frames[state.frame], $("canvas"));
  }

  const panels = {
    call(step) {
      const app = trace.apps[step.app] || {};
      const target = step.target || {};
      const parts = [];
      if (step.error) parts.push(errorBox(step));
      parts.push(make("h2", { text: "Call" }), list([
        ["operation", step.operation], ["method", step.method], ["app", app.name], ["client", step.client], ["token", step.token],
        ["began", seconds(step.start)], ["took", running(step) ? "it did not end" : seconds(step.end - step.start)],
      ]));
      if (step.params && Object.keys(step.params).length) parts.push(make("h2", { text: "Parameters" }), list(Object.entries(step.params)));
      if (Object.keys(target).length) parts.push(make("h2", { text: "Target" }), list([
        ["selector", target.selector], ["matches", target.matches], ["element", target.label], ["bounds", target.bounds && target.bounds.join(", ")],
        ["hit at", step.point && step.point.join(", ")], ["uid", target.uid],
      ]));
      if (step.waits) parts.push(make("h2", { text: "Waited for" }),
        make("ul", { class: "plain" }, ...step.waits.map(([at, what]) => make("li", { text: `${seconds(at)}: ${what}` }))));
      if (step.receipt) {
        parts.push(make("h2", { text: "Receipt" }));
        const lines = [
          ...step.receipt.changed, ...step.receipt.added.map((what) => `${what} appeared`), ...step.receipt.removed,
          ...step.receipt.windows_opened.map((title) => `window "${title}" opened`), ...(step.receipt.windows_closed.length ? [`${step.receipt.windows_closed.length} windows closed`] : []),
        ];
        if (step.receipt.exit) lines.push(step.receipt.exit);
        parts.push(make("ul", { class: "plain" }, ...(lines.length ? lines : ["nothing changed"]).map((text) => make("li", { text }))));
      }
      if (step.result && Object.keys(step.result).length) parts.push(make("h2", { text: "Result" }), typeof step.result === "object" ? list(Object.entries(step.result)) : make("pre", { text: shown(step.result) }));
      return parts;
    },

    tree(step) {
      const state = stateOf(step, moment);
      if (!state || !state.tree) return [make("p", { text: state && state.unread ? `There is no tree: ${state.unread}` : "There is no tree of this step." })];
      const input = make("input", { type: "search", id: "search", "data-testid": "tree-search", "aria-label": "Search the tree", placeholder: "Search: role, name, value, id", value: query });
      const count = make("output", { for: "search" });
      const tree = make("div", { role: "tree", "data-testid": "tree", "aria-label": `Elements ${moment} step ${step.step}` });
      const fill = () => {
        const changed = new Set(differences(step).map((one) => one.uid));
        const parents = new Map(state.tree.nodes.map((node) => [node.uid, node]));
        const depth = (node) => { let deep = 0; for (let up = parents.get(node.parent); up; up = parents.get(up.parent)) deep++; return deep; };
        const words = query.toLowerCase().split(/\s+/).filter(Boolean);
        const text = (node) => [node.role, node.name, node.text, node.value, node.automation_id, node.native_class].join(" ").toLowerCase();
        const found = state.tree.nodes.filter((node) => words.every((word) => text(node).includes(word)));
        count.textContent = words.length ? `${found.length} of ${state.tree.nodes.length}` : `${state.tree.nodes.length} elements`;
        tree.replaceChildren(...found.slice(0, 3000).map((node, index) => make("div", {
          role: "treeitem", "aria-level": depth(node) + 1, "data-uid": node.uid, tabindex: (picked ? picked === node.uid : index === 0) ? 0 : -1,
          "aria-selected": picked === node.uid, style: `margin-left: ${Math.min(depth(node), 16) * 14}px`,
          class: [node.visible === false ? "hidden-node" : "", changed.has(node.uid) ? "changed" : "", step.target && step.target.uid === node.uid ? "hit" : ""].join(" ").trim() || null,
          onmouseenter: () => { picked = node.uid; placeHover(); },
          onclick: () => pick(node.uid),
          onfocus: () => { picked = node.uid; placeHover(); },
        }, make("span", { text: label(node) + about(node) }))));
        if (state.tree.cut) tree.append(make("p", { text: `${state.tree.cut.left_out} more: ${state.tree.cut.reason}` }));
      };
      input.addEventListener("input", () => { query = input.value; fill(); });
      tree.addEventListener("keydown", (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step) return;
        const items = [...tree.querySelectorAll("[role=treeitem]")];
        const next = items[items.indexOf(document.activeElement) + step];
        if (next) next.focus();
        event.preventDefault(); event.stopPropagation();
      });
      fill();
      const parts = [make("div", { class: "search" }, input, count), tree];
      const node = state.tree.nodes.find((one) => one.uid === picked);
      if (node) parts.push(make("h2", { text: "Properties" }), list(Object.entries(node)));
      return parts;
    },

    changes(step) {
      const rows = differences(step);
      const state = stateOf(step, "after");
      if (!step.after) return [make("p", { text: "A read changes nothing, and no state was taken after it." })];
      if (!step.before) return [make("p", { text: "A wait changes nothing. The tree shows what was there when it ended." })];
      if (!rows.length) return [make("p", { text: state && state.tree ? "Nothing changed in the tree." : "There is no tree of this step." })];
      return [make("ul", { class: "plain", "data-testid": "changes" }, ...rows.map((row) => make("li", { class: row.kind },
        make("button", { type: "button", class: "link", text: row.label, onclick: () => { picked = row.uid; moment = row.kind === "removed" ? "before" : "after"; query = ""; chooseTab("tree"); show(); } }),
        ` ${row.what}`)))];
    },

    source(step) {
      const lines = (step.stack || []).filter((line) => line.source);
      if (!lines.length) return [make("p", { text: step.client ? "A client of a server did this; its source is not known here." : "There is no source of this step." })];
      const line = lines[Math.min(source, lines.length - 1)];
      const choice = make("div", { class: "source-choice" }, ...lines.map((one, index) => make("button", {
        type: "button", class: "link", "aria-current": index === source, text: `${one.file.split("/").pop()}:${one.line} ${one.function}`, title: one.file,
        onclick: () => { source = index; showPanel(); },
      })));
      const text = (data.sources[line.source] || "").split("\n");
      const rows = make("div", { class: "lines mono", "data-testid": "source" }, ...text.map((content, index) => make("div", { class: index + 1 === line.line ? "current" : null, "aria-current": index + 1 === line.line ? "true" : null },
        make("span", { text: index + 1 }), make("span", { text: content }))));
      queueMicrotask(() => { const at = rows.querySelector(".current"); if (at) at.scrollIntoView({ block: "center" }); });
      return [choice, rows];
    },

    log(step) {
      if (!trace.log.length) return [make("p", { text: "The log is empty: the app wrote nothing, and nothing else was logged." })];
      const rows = trace.log.map((entry) => make("div", { class: "log-row mono" },
        make("span", { text: entry.time.toFixed(2) + " s" }),
        make("span", { text: entry.type === "output" ? entry.stream : entry.type === "error" ? "error" : entry.source || entry.type }),
        make("pre", { text: entry.text || entry.message })));
      const until = trace.log.findIndex((entry) => entry.time > (step.end === undefined ? Infinity : step.end));
      if (until >= 0) rows.splice(until, 0, make("h2", { text: `after step ${step.step}` }));
      return [make("div", { "data-testid": "log" }, ...rows)];
    },

    errors() {
      const steps = trace.steps.filter(failed), others = trace.log.filter((entry) => entry.type === "error");
      if (!steps.length && !others.length) return [make("p", { text: "No step failed." })];
      return [make("div", { "data-testid": "errors" }, ...others.map((entry) => make("div", { class: "error" }, make("pre", { text: entry.traceback || entry.message }))), ...steps.map(errorBox))];
    },
  };

  function errorBox(step) {
    const error = step.error;
    return make("div", { class: "error" },
      make("button", { type: "button", text: `Step ${step.step}`, onclick: () => choose(step.step) }),
      make("pre", { text: error.message }),
      error.last_seen ? make("div", { class: "mono", text: `last seen: ${shown(error.last_seen)}` }) : null,
      error.near && error.near.length ? make("div", { class: "mono", text: `near: ${error.near.join(", ")}` }) : null,
      ...(error.suggestions || []).filter((hint) => !error.message.includes(hint)).map((hint) => make("div", { text: `hint: ${hint}` })));
  }

  const UNTOLD = new Set(["bounds", "child_count", "actions", "options", "virtualization", "properties", "font"]);

  function differences(step) {
    const before = trace.states[step.before], after = trace.states[step.after];
    if (!before || !after || !before.tree || !after.tree || before === after) return [];
    const old = new Map(before.tree.nodes.map((node) => [node.uid, node]));
    const now = new Map(after.tree.nodes.map((node) => [node.uid, node]));
    const rows = [];
    for (const node of after.tree.nodes) {
      const was = old.get(node.uid);
      if (!was) { rows.push({ uid: node.uid, kind: "added", label: label(node), what: "appeared" }); continue; }
      if (was === node) continue;
      const names = [...new Set([...Object.keys(was), ...Object.keys(node)])].filter((name) => JSON.stringify(was[name]) !== JSON.stringify(node[name]));
      if (!names.length) continue;
      const told = names.filter((name) => !UNTOLD.has(name)).map((name) => `${name} ${shown(was[name] ?? null)} → ${shown(node[name] ?? null)}`);
      rows.push({ uid: node.uid, kind: "changed-row", label: label(node), what: (told.length ? told : names).join(", ") });
    }
    for (const node of before.tree.nodes) if (!now.has(node.uid)) rows.push({ uid: node.uid, kind: "removed", label: label(node), what: "is gone" });
    return rows;
  }

  function pick(uid) {
    picked = uid;
    showPanel();
    const row = $("panel").querySelector('[aria-selected="true"]');
    if (row) { row.scrollIntoView({ block: "nearest" }); row.focus({ preventScroll: true }); }
    placeHover();
  }

  function showPanel() {
    if (!current) return;
    const searching = document.activeElement && document.activeElement.id === "search";
    $("panel").replaceChildren(...panels[tab](current));
    if (searching && $("search")) $("search").focus();
  }

  // -- what the user does -------------------------------------------------------------------------------

  $("canvas").addEventListener("click", (event) => {
    const state = stateOf(current, moment), frame = state && trace.frames[state.frame];
    if (!frame || !state.tree) return;
    const zoom = area[2] / $("canvas").clientWidth;
    const x = (event.offsetX * zoom + area[0]) / frame.scale + frame.x, y = (event.offsetY * zoom + area[1]) / frame.scale + frame.y;
    const found = smallest(state.tree.nodes, x, y);
    if (found) { query = ""; tab = "tree"; chooseTab("tree"); pick(found.uid); }
  });

  for (const button of $("tabs").children) {
    button.id = `tab-${button.dataset.tab}`;
    button.setAttribute("aria-controls", "panel");
    button.addEventListener("click", () => chooseTab(button.dataset.tab));
  }
  for (const which of ["before", "after"]) {
    $(`moment-${which}`).setAttribute("aria-controls", "stage");
    $(`moment-${which}`).addEventListener("click", () => chooseMoment(which));
  }
  $("tabs").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const buttons = [...$("tabs").children];
    const next = buttons[(buttons.indexOf(document.activeElement) + by + buttons.length) % buttons.length];
    next.focus(); chooseTab(next.dataset.tab);
    event.preventDefault(); event.stopPropagation();
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1),
      Home: () => move(-Infinity), End: () => move(Infinity), PageDown: () => move(10), PageUp: () => move(-10),
      ArrowLeft: () => chooseMoment("before"), ArrowRight: () => chooseMoment("after"),
      e: nextError, "/": () => { chooseTab("tree"); if ($("search")) $("search").focus(); },
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  });
  $("whole").addEventListener("change", () => { listFrames(); if (current) show(); });
  $("reads").addEventListener("change", () => { listSteps(); if (current) choose(current.step, { push: false }); });
  addEventListener("resize", () => { if (current) show(); });
  addEventListener("hashchange", () => fromLink());

  function fromLink() {
    const found = /step=(\d+)/.exec(location.hash);
    if (found) choose(Number(found[1]), { push: false });
    return Boolean(found);
  }

  // -- the beginning ---------------------------------------------------------------------------------------

  read(data.events);
  const errors = trace.steps.filter(failed).length + trace.log.filter((entry) => entry.type === "error").length;
  const title = trace.about.title || data.name;
  document.title = `${title} – deskhand trace`;
  $("title").textContent = title;
  $("title").title = title;
  const end = trace.ended === undefined ? Math.max(0, ...data.events.map((event) => event.time)) : trace.ended;
  $("summary").append(
    make("span", { class: errors ? "bad" : "good", text: errors ? `${errors} ${errors === 1 ? "error" : "errors"}` : "no errors" }),
    ` · ${trace.steps.length} steps · ${seconds(end)} · ${Object.values(trace.apps).map((app) => `${app.name || "app"}${app.framework ? ` (${app.framework})` : ""}`).join(", ")}` +
    ` · ${new Date(trace.about.wall * 1000).toLocaleString()}${trace.complete ? "" : " · not complete: the recording process was ended"}`);
  if (errors) {
    const tabButton = $("tabs").querySelector('[data-tab="errors"]');
    tabButton.append(make("span", { class: "count", text: errors }));
  }
  $("reads").checked = !trace.steps.some((step) => step.acts || step.after);
  listSteps();
  chooseTab(tab);
  if (!fromLink()) {
    const first = trace.steps.find(failed) || visible()[0];
    if (first) choose(first.step, { push: false });
    else $("panel").replaceChildren(make("p", { text: "This trace has no steps." }));
  }
  listFrames().then(() => { document.documentElement.dataset.ready = "true"; if (current) show(); });
})();

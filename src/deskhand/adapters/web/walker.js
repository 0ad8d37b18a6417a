// Reads one document as nodes of the model, and finds, watches and changes single elements of it.
//
// Runs in a world of its own in each frame, so the page's scripts neither see it nor can change it. It keeps
// nothing but numbers for elements: every read is of the document as it is. Input is not made here.
(() => {
  "use strict"
  if (globalThis.deskhand) return

  const MASK = "••••"
  const MANY = 100 // rows; of a longer table or list that scrolls by itself, those in sight are read
  const OPTIONS = 1000
  const LONGEST = 10000 // characters of one text

  // -- numbers for elements --------------------------------------------------------------------

  const numbers = new WeakMap()
  const elements = new Map()
  const forget = new FinalizationRegistry(number => elements.delete(number))
  let last = 0

  const numberOf = element => {
    let number = numbers.get(element)
    if (number === undefined) {
      number = ++last
      numbers.set(element, number)
      elements.set(number, new WeakRef(element))
      forget.register(element, number)
    }
    return number
  }

  const known = number => {
    const element = elements.get(number)?.deref()
    return element?.isConnected ? element : null
  }

  // -- roles -----------------------------------------------------------------------------------

  const ROLES = {
    alert: "alert", alertdialog: "alert-dialog", application: "application", article: "section",
    banner: "banner", blockquote: "blockquote", button: "button", caption: "caption", cell: "cell",
    checkbox: "checkbox", code: "code", columnheader: "column-header", combobox: "combo-box",
    complementary: "complementary", contentinfo: "content-info", definition: "definition",
    deletion: "content-deletion", dialog: "dialog", directory: "directory", document: "document",
    emphasis: "emphasis", feed: "feed", figure: "figure", form: "form", generic: "generic", grid: "grid",
    gridcell: "grid-cell", group: "group", heading: "heading", img: "img", image: "img",
    insertion: "content-insertion", link: "link", list: "list", listbox: "list-box", listitem: "list-item",
    log: "log", main: "main", mark: "mark", marquee: "marquee", math: "math", menu: "menu",
    menubar: "menu-bar", menuitem: "menu-item", menuitemcheckbox: "menu-item-checkbox",
    menuitemradio: "menu-item-radio", meter: "meter", navigation: "navigation", note: "note",
    option: "list-item", paragraph: "paragraph", progressbar: "progress-indicator", radio: "radio",
    radiogroup: "radio-group", region: "region", row: "row", rowgroup: "row-group", rowheader: "row-header",
    scrollbar: "scroll-bar", search: "search", searchbox: "search-input", separator: "separator",
    slider: "slider", spinbutton: "spin-button", status: "status", strong: "strong",
    subscript: "subscript", superscript: "superscript", suggestion: "suggestion", switch: "switch",
    tab: "tab", table: "table", tablist: "tab-list", tabpanel: "tab-panel", term: "term",
    textbox: "textfield", time: "time", timer: "timer", toolbar: "toolbar", tooltip: "tooltip",
    tree: "tree", treegrid: "tree-grid", treeitem: "tree-item", none: "", presentation: "",
  }
  const TAGS = {
    ADDRESS: "group", ARTICLE: "section", ASIDE: "complementary", AUDIO: "audio", BLOCKQUOTE: "blockquote",
    BUTTON: "button", CANVAS: "canvas", CAPTION: "caption", CODE: "code", DATALIST: "skip",
    DD: "description-list-detail", DEL: "content-deletion", DETAILS: "group", DFN: "term",
    DIALOG: "dialog", DL: "description-list", DT: "description-list-term", EM: "emphasis",
    EMBED: "plugin-object", FIELDSET: "group", FIGCAPTION: "caption", FIGURE: "figure", FORM: "form",
    FRAME: "iframe", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
    HEAD: "skip", HR: "separator", IFRAME: "iframe", INS: "content-insertion", LABEL: "label-text",
    LEGEND: "legend", LI: "list-item", LINK: "skip", MAIN: "main", MARK: "mark", MATH: "math",
    MENU: "list", META: "skip", METER: "meter", NAV: "navigation", NOSCRIPT: "skip", OBJECT: "plugin-object",
    OL: "list", OPTGROUP: "skip", OPTION: "skip", OUTPUT: "status", P: "paragraph", PRE: "paragraph",
    PROGRESS: "progress-indicator", SCRIPT: "skip", SEARCH: "search", SELECT: "combo-box", STRONG: "strong",
    STYLE: "skip", SUB: "subscript", SUMMARY: "disclosure-triangle", SUP: "superscript", TABLE: "table",
    TBODY: "row-group", TD: "cell", TEMPLATE: "skip", TEXTAREA: "editable-text", TFOOT: "row-group",
    TH: "column-header", THEAD: "row-group", TIME: "time", TITLE: "skip", TR: "row", UL: "list",
    VIDEO: "video",
  }
  const INPUTS = {
    button: "button", submit: "button", reset: "button", image: "button", file: "button",
    checkbox: "checkbox", radio: "radio", range: "slider", number: "spin-button", search: "search-input",
    color: "color-well", date: "date-picker", "datetime-local": "date-picker", month: "date-picker",
    week: "date-picker", time: "input-time",
  }
  // Inline parts of a text, which are elements of their own only if something says so.
  const INLINE = new Set(["emphasis", "strong", "mark", "code", "subscript", "superscript", "time", "content-deletion",
    "content-insertion", "term"])
  // What is called by what is in it.
  const FROM_CONTENT = new Set([
    "button", "toggle-button", "checkbox", "radio", "switch", "link", "heading", "tab", "menu-item",
    "menu-item-checkbox", "menu-item-radio", "list-item", "tree-item", "cell", "grid-cell", "column-header",
    "row-header", "tooltip", "disclosure-triangle", "paragraph", "text", "label-text", "legend", "caption",
    "description-list-term", "description-list-detail", "blockquote", "status", "alert", "term", "time",
    ...INLINE,
  ])
  // In them, text is a part of the name and no element.
  const FOLDING = FROM_CONTENT
  const NESTED = new Set(["group", "list", "tree", "menu", "table", "list-box", "grid"])
  const COMPOSITE = {
    "list-box": ["list-item"], list: ["list-item"], "tab-list": ["tab"], tree: ["tree-item"],
    "radio-group": ["radio"], menu: ["menu-item", "menu-item-checkbox", "menu-item-radio"],
    "menu-bar": ["menu-item", "menu-item-checkbox", "menu-item-radio"],
  }

  const attribute = (element, name) => element.getAttribute(name)
  const is = (element, name) => element.getAttribute(name) === "true"

  const roleOf = element => {
    const explicit = attribute(element, "role")
    if (explicit) {
      for (const token of explicit.toLowerCase().split(/\s+/)) {
        if (!(token in ROLES)) continue
        if (token === "button" && element.hasAttribute("aria-pressed")) return "toggle-button"
        if (token === "textbox" && is(element, "aria-multiline")) return "editable-text"
        if (!ROLES[token] && (element.tabIndex >= 0 || element.hasAttribute("aria-label"))) break
        return ROLES[token]
      }
    }
    const tag = element.tagName
    switch (tag) {
      case "INPUT":
        if (element.type === "hidden") return "skip"
        if (element.list && ["text", "search", "email", "tel", "url"].includes(element.type)) return "combo-box"
        return INPUTS[element.type] || "textfield"
      case "SELECT": return element.multiple || element.size > 1 ? "list-box" : "combo-box"
      case "A": case "AREA": return element.hasAttribute("href") ? "link" : ""
      case "BUTTON": return element.hasAttribute("aria-pressed") ? "toggle-button" : "button"
      case "IMG": return attribute(element, "alt") === "" && !element.title ? "" : "img"
      case "SECTION": return nameFrom(element, "region", false) ? "region" : ""
      case "HEADER": return element.closest("article,aside,main,nav,section") ? "" : "banner"
      case "FOOTER": return element.closest("article,aside,main,nav,section") ? "" : "content-info"
      case "TH": return attribute(element, "scope") === "row" ? "row-header" : "column-header"
      case "TD": return element.closest("table,[role]")?.getAttribute("role")?.includes("grid") ? "grid-cell" : "cell"
      case "svg": return element.querySelector(":scope > title") || element.hasAttribute("aria-label") ? "img" : ""
      case "LABEL": return element.control && element.querySelector("input,select,textarea,button") ? "" : "label-text"
    }
    if (element.namespaceURI?.endsWith("/svg")) return element.hasAttribute("id") ? "graphics-object" : "skip"
    if (isEditor(element) && !(tag in TAGS)) return "editable-text"
    return TAGS[tag] || ""
  }

  const TEXTS = new Set(["text", "search", "email", "tel", "url", "password", "number"])
  const isEditor = element => element.hasAttribute("contenteditable") && element.isContentEditable
  const takesText = element =>
    (element.tagName === "INPUT" && TEXTS.has(element.type)) || element.tagName === "TEXTAREA" || isEditor(element)
  const FORM = new Set(["BUTTON", "INPUT", "SELECT", "TEXTAREA", "FIELDSET"])
  const isOff = element => (FORM.has(element.tagName) && element.matches(":disabled")) ||
    is(element, "aria-disabled") || element.hasAttribute("inert")
  const isDisabled = element => isOff(element) || Boolean(element.closest("[inert],[aria-disabled=true]"))

  // -- names, by the rules of accname ------------------------------------------------------------

  const clean = text => {
    const line = text.replace(/[\s\u00a0\u200b]+/g, " ").trim()
    return line.length > LONGEST ? line.slice(0, LONGEST) + "…" : line
  }
  const BLOCK = /^(block|flex|grid|table|list-item|flow-root)/

  const childrenOf = node => {
    if (node.shadowRoot) return node.shadowRoot.childNodes
    if (node.tagName === "SLOT") {
      const assigned = node.assignedNodes()
      if (assigned.length) return assigned
    }
    return node.childNodes
  }
  const parentOf = node =>
    node.assignedSlot || node.parentElement || (node.parentNode instanceof ShadowRoot ? node.parentNode.host : null)

  // Whether a rule makes text before or after elements; most pages have none that counts.
  let generates = true
  const lookForGenerated = () => {
    const has = rules => {
      for (const rule of rules) {
        if (rule.cssRules?.length && has(rule.cssRules)) return true
        if (rule.selectorText && /:(before|after)/.test(rule.selectorText) && rule.style.content) return true
      }
      return false
    }
    try {
      generates = [...document.styleSheets, ...document.adoptedStyleSheets].some(sheet => has(sheet.cssRules))
    } catch {
      generates = true // the rules of other sites cannot be read
    }
  }

  const generated = (element, which) => {
    if (!generates && element.getRootNode() === document) return ""
    const content = getComputedStyle(element, which).content
    return content && content[0] === '"' ? content.slice(1, -1).replace(/\\(.)/g, "$1") : ""
  }

  // What the content of an element says; `hidden` for what is referred to although it is not shown.
  const contentOf = (element, hidden = false, seen = new Set()) => {
    if (!element.firstElementChild && !element.shadowRoot && element.tagName !== "SLOT" && !seen.size) {
      const plain = element.textContent
      return generates ? generated(element, "::before") + plain + generated(element, "::after") : plain
    }
    let said = generated(element, "::before")
    for (const child of childrenOf(element)) {
      if (child.nodeType === 3) said += child.data
      else if (child.nodeType === 1) said += partOf(child, hidden, seen)
    }
    return said + generated(element, "::after")
  }

  const partOf = (element, hidden, seen) => {
    const tag = element.tagName
    if (TAGS[tag] === "skip" || seen.has(element)) return ""
    if (tag === "BR") return " "
    if (is(element, "aria-hidden")) return ""
    const style = getComputedStyle(element)
    if (!hidden && (style.display === "none" || style.visibility !== "visible")) return ""
    seen.add(element)
    let said = attribute(element, "aria-label")
    if (!said) {
      if (tag === "IMG" || tag === "AREA") said = element.alt
      else if (tag === "svg") said = element.querySelector("title")?.textContent || ""
      else if (tag === "INPUT" && ["button", "submit", "reset"].includes(element.type)) said = element.value
      else if (tag === "INPUT" && ["checkbox", "radio", "password", "hidden", "file"].includes(element.type)) said = ""
      else if (tag === "INPUT" || tag === "TEXTAREA") said = element.value
      else if (tag === "SELECT") said = [...element.selectedOptions].map(option => option.label).join(" ")
      else if (NESTED.has(roleOf(element))) return ""
      else said = contentOf(element, hidden, seen) || element.title || ""
    }
    return BLOCK.test(style.display) ? ` ${said} ` : said
  }

  const referred = (element, name) => {
    const ids = attribute(element, name)
    if (!ids) return ""
    const root = element.getRootNode()
    const said = []
    for (const id of ids.split(/\s+/)) {
      const other = id && root.getElementById?.(id)
      if (other) said.push(attribute(other, "aria-label") || partOf(other, true, new Set()))
    }
    return clean(said.join(" "))
  }

  // The name, and whether it is a text that the element itself shows.
  const nameOf = (element, role) => {
    const label = referred(element, "aria-labelledby") || clean(attribute(element, "aria-label") || "")
    if (label) return [label, false]
    return [nameFrom(element, role, true) || "", FROM_CONTENT.has(role) || element.tagName === "INPUT" && role === "button"]
  }

  const nameFrom = (element, role, content) => {
    const tag = element.tagName
    if (!content) return referred(element, "aria-labelledby") || attribute(element, "aria-label") || element.title
    if (element.labels?.length) {
      const said = clean([...element.labels].map(label => labelText(label, element)).join(" "))
      if (said) return said
    }
    if (tag === "INPUT") {
      if (["button", "submit", "reset"].includes(element.type)) {
        return clean(element.value || { submit: "Submit", reset: "Reset" }[element.type] || element.title)
      }
      if (element.type === "image") return clean(element.alt || element.value || element.title || "Submit")
      return clean(element.title || element.placeholder || "")
    }
    if (tag === "TEXTAREA") return clean(element.title || element.placeholder || "")
    if (tag === "IMG" || tag === "AREA") return clean(element.alt || element.title)
    if (tag === "svg") return clean(element.querySelector("title")?.textContent || "")
    const inner = { FIELDSET: "legend", TABLE: "caption", FIGURE: "figcaption" }[tag]
    if (inner) {
      const found = element.querySelector(`:scope > ${inner}`)
      if (found) return clean(contentOf(found))
    }
    if (tag === "IFRAME") return clean(element.title)
    if (FROM_CONTENT.has(role)) {
      const said = clean(contentOf(element))
      if (said) return said
    }
    return clean(element.title || attribute(element, "aria-placeholder") || "")
  }

  // A label around a field says what is around the field, and not what is in it.
  const labelText = (label, field) => attribute(label, "aria-label") || contentOf(label, false, new Set([field]))

  // -- states ------------------------------------------------------------------------------------

  const stateOf = (element, role, node, enabled) => {
    const tag = element.tagName, type = tag === "INPUT" ? element.type : ""
    if (!enabled || isOff(element)) node.enabled = false
    else if (element.tabIndex >= 0 || element.hasAttribute("tabindex")) node.focusable = true
    if (type === "checkbox" || type === "radio") {
      node.checked = element.checked
      if (element.indeterminate) node.mixed = true
    } else if (element.hasAttribute("aria-checked")) {
      node.checked = is(element, "aria-checked")
      if (attribute(element, "aria-checked") === "mixed") node.mixed = true
    } else if (role === "checkbox" || role === "radio" || role === "switch" || role === "menu-item-checkbox") {
      node.checked = false
    } else if (role === "toggle-button") {
      node.checked = is(element, "aria-pressed")
      if (node.checked) node.pressed = true
    }
    if (element.hasAttribute("aria-selected")) node.selected = is(element, "aria-selected")
    else if (role === "tab") node.selected = false
    if (element.hasAttribute("aria-expanded")) node.expanded = is(element, "aria-expanded")
    else if (tag === "DETAILS") node.expanded = element.open
    else if (tag === "SUMMARY" && element.parentElement?.tagName === "DETAILS") node.expanded = element.parentElement.open
    else if (tag === "SELECT" && role === "combo-box") node.expanded = element.matches(":open")
    valueOf(element, role, type, node)
  }

  const numberOr = text => {
    const number = text === null || text === "" ? NaN : Number(text)
    return Number.isFinite(number) ? number : undefined
  }

  const valueOf = (element, role, type, node) => {
    const tag = element.tagName
    if (type === "password") {
      node.password = true
      if (element.value) node.value = MASK
      else node.value = ""
    } else if (type === "file") {
      node.value = [...element.files].map(file => file.name).join(", ")
      if (node.enabled !== false) node.editable = true
    } else if (tag === "TEXTAREA" || (tag === "INPUT" && !["checkbox", "radio", "button", "submit", "reset", "image"].includes(type))) {
      node.value = element.value
    } else if (tag === "SELECT") {
      node.value = [...element.selectedOptions].map(option => clean(option.label)).join(", ")
      optionsOf(element.options, option => ({
        text: clean(option.label), value: option.value, selected: option.selected, enabled: !option.disabled,
      }), node)
    } else if (tag === "PROGRESS" || tag === "METER") {
      if (element.position !== -1) node.value = String(element.value), node.number = element.value
      node.maximum = element.max
      node.minimum = element.min ?? 0
    } else if (isEditor(element)) {
      node.value = element.innerText.replace(/\n$/, "")
    } else if (element.hasAttribute("aria-valuenow") || element.hasAttribute("aria-valuetext")) {
      node.value = attribute(element, "aria-valuetext") || attribute(element, "aria-valuenow")
      node.number = numberOr(attribute(element, "aria-valuenow"))
      node.minimum = numberOr(attribute(element, "aria-valuemin"))
      node.maximum = numberOr(attribute(element, "aria-valuemax"))
    }
    if (type === "range" || type === "number") {
      node.number = numberOr(element.value)
      node.minimum = numberOr(element.min) ?? (type === "range" ? 0 : undefined)
      node.maximum = numberOr(element.max) ?? (type === "range" ? 100 : undefined)
    }
    const settable = takesText(element) || ["range", "date", "time", "month", "week", "datetime-local", "color"].includes(type)
    if (settable && !element.readOnly && !is(element, "aria-readonly") && node.enabled !== false) node.editable = true
    const hint = element.placeholder || attribute(element, "aria-placeholder")
    if (hint) node.placeholder = hint
    if (role in COMPOSITE && tag !== "SELECT" && role !== "menu" && role !== "menu-bar" && role !== "list" && role !== "tree") {
      const items = itemsOf(element, role)
      optionsOf(items, item => {
        const itemRole = roleOf(item)
        const chosen = itemRole === "radio" ? Boolean(item.checked) || is(item, "aria-checked") : is(item, "aria-selected")
        return { text: nameOf(item, itemRole)[0], selected: chosen, enabled: !isDisabled(item) }
      }, node)
      const chosen = (node.options || []).filter(option => option.selected).map(option => option.text)
      if (chosen.length) node.value = chosen.join(", ")
    }
  }

  const optionsOf = (items, made, node) => {
    const listed = [...items].slice(0, OPTIONS).map((item, index) => ({ index, ...made(item) }))
    if (listed.length) node.options = listed
    if (items.length > OPTIONS) node.options_count = items.length
  }

  // The items of a list, tab bar or tree that are its own.
  const itemsOf = (element, role) => {
    const wanted = COMPOSITE[role] || []
    const found = []
    const seek = above => {
      for (const child of childrenOf(above)) {
        if (child.nodeType !== 1) continue
        const its = roleOf(child)
        if (wanted.includes(its)) found.push(child)
        if (role === "tree" || !NESTED.has(its) || its === "group") {
          if (its !== "skip") seek(child)
        }
      }
    }
    seek(element)
    return found
  }

  // -- tables ------------------------------------------------------------------------------------

  const ROWED = new Set(["table", "grid", "tree-grid"])
  const rowsOf = element => {
    if (element.tagName === "TABLE") {
      return [...element.rows].filter(row => row.closest("table") === element && row.parentElement.tagName !== "THEAD")
    }
    return [...element.querySelectorAll("[role=row]")].filter(row => !row.querySelector("[role=columnheader]"))
  }
  const cellsOf = row => row.cells ? [...row.cells] : [...row.querySelectorAll("[role=cell],[role=gridcell],[role=rowheader]")]
  const headsOf = element => element.tagName === "TABLE" && element.tHead?.rows.length
    ? [...element.tHead.rows[element.tHead.rows.length - 1].cells]
    : [...element.querySelectorAll("[role=columnheader]")]

  const tableOf = (element, role, clip, shown) => {
    const rows = rowsOf(element)
    const declared = Number(attribute(element, "aria-rowcount"))
    const inSight = []
    if (shown) rows.forEach((row, index) => { if (meets(row.getBoundingClientRect(), clip)) inSight.push(index) })
    const columns = headsOf(element).map((head, index) => ({ id: String(index), text: clean(head.textContent) }))
    const selected = []
    rows.forEach((row, index) => { if (is(row, "aria-selected")) selected.push(index) })
    return [rows, new Set(inSight.map(index => rows[index])), {
      kind: role === "tree-grid" ? "tree" : "table",
      items_count: declared > 0 ? declared : rows.length,
      visible_range: inSight.length ? [inSight[0], inSight[inSight.length - 1]] : null,
      selected_indices: selected.slice(0, OPTIONS),
      columns,
      visible_cells: inSight.slice(0, OPTIONS).map(index => [
        index, rows[index], cellsOf(rows[index]).map((cell, at) => [String(at), clean(cell.textContent)]),
      ]),
    }]
  }

  const meets = (box, clip) =>
    box.right > clip[0] && box.left < clip[2] && box.bottom > clip[1] && box.top < clip[3]

  const scrollsByItself = element => {
    for (let above = element; above && above !== document.body && above !== document.documentElement; above = parentOf(above)) {
      const style = getComputedStyle(above)
      if (/auto|scroll/.test(style.overflowY) && above.scrollHeight > above.clientHeight) return true
    }
    return false
  }

  // -- geometry ----------------------------------------------------------------------------------

  const viewport = () => [0, 0, innerWidth, innerHeight]

  const meet = (clip, box) => [
    Math.max(clip[0], box[0]), Math.max(clip[1], box[1]), Math.min(clip[2], box[2]), Math.min(clip[3], box[3]),
  ]

  let scrolling = [] // what clips its content, as found by the current read
  let shadows = false
  const CLIPS = /hidden|auto|scroll|clip/
  // How an element limits what is in it: the clip for its children, and that for absolutely placed ones.
  const within = (element, style, clips) => {
    let [clip, placed] = clips
    if (CLIPS.test(style.overflow)) {
      if (element !== document.body && element !== document.documentElement) {
        scrolling.push(new WeakRef(element))
        const box = element.getBoundingClientRect()
        const x = box.left + element.clientLeft, y = box.top + element.clientTop
        clip = meet(clip, [x, y, x + element.clientWidth, y + element.clientHeight])
      }
    }
    if (clip === clips[0] && clip === placed) return clips
    if (style.position !== "static" || style.transform !== "none") placed = clip
    return [clip, placed]
  }
  const clipOf = (style, clips, whole) => {
    if (clips[0] === whole && clips[1] === whole) return whole
    const position = style.position
    return position === "fixed" ? whole : position === "absolute" ? clips[1] : clips[0]
  }

  // The part of the viewport that an element may be seen in.
  const clipAround = element => {
    const above = []
    for (let each = parentOf(element); each; each = parentOf(each)) above.unshift(each)
    const whole = viewport()
    let clips = [whole, whole]
    for (const each of above) {
      const style = getComputedStyle(each)
      const own = clipOf(style, clips, whole)
      clips = within(each, style, [own, clips[1]])
    }
    return clipOf(getComputedStyle(element), clips, whole)
  }

  // -- reading -----------------------------------------------------------------------------------

  const isModal = element => element.tagName === "DIALOG" ? element.matches(":modal")
    : is(element, "aria-modal") && /dialog/.test(attribute(element, "role") || "") && element.checkVisibility()

  class Reader {
    constructor(how) {
      this.how = how
      this.nodes = []
      this.windows = []
      this.frames = []
      this.focused = activeElement()
      this.whole = how.clip ? meet(viewport(), how.clip) : viewport()
      this.roots = 0
      this.rich = []
      lookForGenerated()
    }

    uid(element) { return this.how.prefix + numberOf(element) }

    rect(box) {
      const { dx, dy, scale } = this.how
      return [dx + box.left * scale, dy + box.top * scale, box.width * scale, box.height * scale]
    }

    // Reads an element and what is in it; gives how many nodes it added directly below `parent`.
    walk(element, parent, level, clips, folding, enabled) {
      if (element.shadowRoot) {
        shadows = true
        if (watching) observe(element.shadowRoot)
      }
      let role = roleOf(element)
      if (role === "skip") return 0
      const plain = !role || (INLINE.has(role) && folding)
      if (!role) role = this.plainRole(element, folding)
      else if (plain && !this.marked(element)) role = ""
      if (!role) {
        if (!element.firstElementChild && !element.shadowRoot && element.tagName !== "SLOT") return 0
        const style = getComputedStyle(element)
        const clip = clipOf(style, clips, this.whole)
        const inner = within(element, style, clip === clips[0] ? clips : [clip, clips[1]])
        return this.below(element, parent, level, inner, folding, enabled && !isOff(element))
      }
      const modal = isModal(element)
      if (modal && this.roots > 0 && parent !== null) {
        this.windows.push(element)
        return 0
      }
      if (this.how.depth !== null && level > this.how.depth) return 1
      this.add(element, role, parent, level, clips, folding, enabled, modal)
      return 1
    }

    marked(element) {
      return element.id || element.hasAttribute("aria-label") || element.hasAttribute("data-testid") ||
        element.hasAttribute("tabindex")
    }

    plainRole(element, folding) {
      if (this.hasText(element) && !folding) return "text"
      if (element === document.body) return ""
      if (this.marked(element)) return this.hasText(element) ? "text" : "group"
      return ""
    }

    hasText(element) {
      for (let child = element.firstChild; child; child = child.nextSibling) {
        if (child.nodeType === 3 && /\S/.test(child.data)) return true
      }
      return false
    }

    add(element, role, parent, level, clips, folding, enabled, modal) {
      const style = getComputedStyle(element)
      const clip = clipOf(style, clips, this.whole)
      const node = { uid: this.uid(element), parent, role, native_class: element.tagName.toLowerCase() }
      this.nodes.push(node)
      const at = this.nodes.length - 1
      this.looks(element, role, node, clip)
      const [name, shown] = nameOf(element, role)
      if (name) {
        node.name = name
        if (!shown) node.labelled_by = name
      }
      if (FROM_CONTENT.has(role) && element.tagName !== "INPUT") {
        const text = shown ? name : clean(contentOf(element))
        if (text) node.text = text
      }
      stateOf(element, role, node, enabled)
      if (modal) node.modal = true
      this.says(element, node, name)
      if (element === this.focused) node.focused = true
      if (element.tagName === "IFRAME" || element.tagName === "FRAME") {
        this.frame(element, node, clip)
        return node
      }
      let only = null
      if (ROWED.has(role)) {
        const [rows, inSight, view] = tableOf(element, role, within(element, style, [clip, clips[1]])[0], node.visible !== false)
        view.visible_cells = view.visible_cells.map(([index, row, cells]) => [index, this.uid(row), cells])
        node.virtualization = view
        if (rows.length > MANY && (node.visible === false || scrollsByItself(element))) {
          only = [new Set(rows), inSight]
        }
      }
      if (element.firstElementChild || element.shadowRoot || element.tagName === "SLOT") {
        const before = this.only
        if (only) this.only = only
        const inner = within(element, style, clip === clips[0] ? clips : [clip, clips[1]])
        const off = node.enabled === false && !FORM.has(element.tagName)
        const count = this.below(element, node.uid, level + 1, inner, folding || FOLDING.has(role), !off && enabled)
        this.only = before
        if (count) node.child_count = count
      }
      if (this.how.details) this.detail(element, style, node)
      if (node.options || node.virtualization || node.style_classes || node.font) this.rich.push(at)
      return node
    }

    looks(element, role, node, clip) {
      const box = element.getBoundingClientRect()
      if (!element.checkVisibility({ visibilityProperty: true })) {
        node.visible = false
        return
      }
      node.bounds = this.rect(box)
      if (box.width === 0 || box.height === 0 || !meets(box, clip)) node.offscreen = true
    }

    says(element, node, name) {
      const id = element.id || attribute(element, "data-testid")
      if (id) node.automation_id = id
      const description = referred(element, "aria-describedby") || attribute(element, "aria-description")
      const title = attribute(element, "title")
      if (description) node.description = description
      else if (title && clean(title) !== name) node.description = clean(title)
      if (title) node.tooltip = title
      if (attribute(element, "class")) node.style_classes = [...element.classList]
      const platform = attribute(element, "role")
      if (platform) node.platform_role = platform
    }

    detail(element, style, node) {
      const properties = {}
      for (const { name, value } of element.attributes) {
        if (name === "value" && element.type === "password") continue
        properties[name] = value.length > LONGEST ? value.slice(0, LONGEST) + "…" : value
      }
      node.properties = properties
      node.font = {
        family: style.fontFamily, size: parseFloat(style.fontSize), weight: style.fontWeight, color: style.color,
      }
    }

    frame(element, node, clip) {
      const box = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      const left = box.left + element.clientLeft + parseFloat(style.paddingLeft)
      const top = box.top + element.clientTop + parseFloat(style.paddingTop)
      this.frames.push({
        uid: node.uid, left, top, shown: node.visible !== false,
        clip: [clip[0] - left, clip[1] - top, clip[2] - left, clip[3] - top],
      })
    }

    below(element, parent, level, clips, folding, enabled) {
      if (element.tagName === "SELECT" || element.tagName === "IFRAME") return 0
      let count = 0
      const inner = element.shadowRoot || element.tagName === "SLOT" ? childrenOf(element) : element.children
      for (const child of inner) {
        if (child.nodeType !== 1) continue
        if (this.only && this.only[0].has(child) && !this.only[1].has(child)) { count++; continue }
        count += this.walk(child, parent, level, clips, folding, enabled)
      }
      return count
    }

    document() {
      const root = document.documentElement
      const clips = [this.whole, this.whole]
      this.roots = 1
      const node = {
        uid: this.uid(root), parent: this.how.parent, role: this.how.parent === null ? "window" : "document",
        native_class: "html", name: document.title || undefined,
        bounds: this.rect({ left: 0, top: 0, width: innerWidth, height: innerHeight }),
      }
      if (root.id) node.automation_id = root.id
      if (document.visibilityState === "hidden" && this.how.parent === null) node.visible = false
      this.nodes.push(node)
      const count = this.how.depth === 0 && this.how.brief ? 0
        : document.body ? this.walk(document.body, node.uid, 1, clips, false, true) : 0
      if (count) node.child_count = count
      for (let at = 0; at < this.windows.length; at++) this.dialog(this.windows[at], clips)
    }

    dialog(element, clips) {
      const role = roleOf(element) || "dialog"
      if (this.how.parent === null) {
        this.add(element, role, null, 0, [this.whole, this.whole], false, true, true)
      } else {
        this.add(element, role, this.how.prefix + numberOf(document.documentElement), 1, clips, false, true, true)
      }
    }
  }

  const activeElement = () => {
    let active = document.activeElement
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
    return active === document.body || active === document.documentElement ? null : active
  }

  const about = () => ({
    title: document.title, url: location.href, hasFocus: document.hasFocus(),
    visible: document.visibilityState === "visible", ready: document.readyState, ratio: devicePixelRatio,
    inner: [innerWidth, innerHeight], outer: [outerWidth, outerHeight], at: [screenX, screenY],
  })

  // -- what shows that nothing has changed -------------------------------------------------------

  let kept = null
  let tokens = 0
  let mutated = false

  const stateNow = element => element.tagName === "SELECT"
    ? [...element.selectedOptions].map(option => option.index).join()
    : `${element.checked}|${element.indeterminate}|${element.value}`

  const keep = () => {
    observe(document)
    observer.takeRecords()
    mutated = false
    const controls = [...document.querySelectorAll("input,select,textarea,progress,meter")]
    const scrollers = []
    for (const element of scrolling) {
      const there = element.deref()
      if (there) scrollers.push([there, there.scrollLeft, there.scrollTop])
    }
    // Controls and scrollers in shadow roots are not looked for.
    kept = shadows ? null : { token: ++tokens, controls, states: controls.map(stateNow), scrollers, at: [scrollX, scrollY] }
    return tokens
  }

  // What can differ although nothing has changed in the document; null if anything may have.
  const same = (token, prefix) => {
    told = false
    document.documentElement.getBoundingClientRect()
    if (observer.takeRecords().length) mutated = true
    if (!kept || kept.token !== token || mutated || document.getAnimations().length) return null
    if (kept.at[0] !== scrollX || kept.at[1] !== scrollY) return null
    if (kept.scrollers.some(([element, left, top]) => element.scrollLeft !== left || element.scrollTop !== top)) return null
    if (kept.controls.some((element, at) => stateNow(element) !== kept.states[at])) return null
    const focused = activeElement()
    const its = focused && document.hasFocus() ? prefix + numberOf(focused) : null
    if (focused !== kept.focused) return null
    return { focused: its, about: about() }
  }

  const read = how => {
    told = false
    scrolling = []
    shadows = false
    const reader = new Reader(how)
    if (how.root === null) {
      reader.document()
    } else {
      const element = known(how.root)
      if (!element) return JSON.stringify({ gone: true })
      if (element === document.documentElement) {
        reader.document()
      } else {
        const clip = clipAround(element)
        const role = roleOf(element)
        const folded = foldedIn(element)
        reader.roots = 1
        const above = isModal(element) && how.parent === null ? null : listedAbove(element, how.prefix)
        const its = role && role !== "skip" ? role : reader.plainRole(element, folded) || "group"
        const off = parentOf(element)?.closest?.("[inert],[aria-disabled=true]")
        reader.add(element, its, above, 0, [clip, clip], folded, !off, isModal(element))
      }
    }
    const focused = reader.focused
    const token = how.keep ? keep() : 0
    if (kept && how.keep) kept.focused = focused
    return JSON.stringify({
      nodes: reader.nodes, rich: reader.rich, frames: reader.frames, about: about(), token,
      focused: focused && document.hasFocus() ? how.prefix + numberOf(focused) : null,
    })
  }

  const foldedIn = element => {
    for (let above = parentOf(element); above; above = parentOf(above)) {
      const role = roleOf(above)
      if (FOLDING.has(role)) return true
      if (role) return false
    }
    return false
  }

  const listedAbove = (element, prefix) => {
    const reader = new Reader({ prefix })
    for (let above = parentOf(element); above; above = parentOf(above)) {
      const role = roleOf(above)
      if ((role && role !== "skip") || reader.plainRole(above, foldedIn(above))) return prefix + numberOf(above)
    }
    return prefix + numberOf(document.documentElement)
  }

  // -- changes -----------------------------------------------------------------------------------

  let watching = false
  let told = false
  let stirred = 0
  const observed = new WeakSet()
  const changed = () => {
    if (watching && !told && globalThis.deskhandChanged) {
      told = true
      globalThis.deskhandChanged("")
    }
  }
  const observer = new MutationObserver(() => { mutated = true; changed() })
  const observe = root => {
    if (observed.has(root)) return
    observed.add(root)
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true })
  }
  const QUIET = ["input", "change", "toggle", "transitionend", "animationend", "load", "close", "cancel"]
  const STIRRING = ["scroll", "focusin", "focusout", "resize", "visibilitychange"]
  const options = { capture: true, passive: true }
  for (const kind of QUIET) addEventListener(kind, changed, options)
  for (const kind of STIRRING) addEventListener(kind, () => { stirred++; changed() }, options)

  const watch = on => {
    watching = on
    told = false
    if (on) observe(document)
  }

  // Two frames later, everything that was due has been done.
  const settle = () => new Promise(done => {
    const finish = () => done(JSON.stringify({ stirred, ready: document.readyState }))
    if (document.visibilityState !== "visible") return setTimeout(finish, 0)
    const late = setTimeout(finish, 250)
    requestAnimationFrame(() => requestAnimationFrame(() => { clearTimeout(late); finish() }))
  })

  // -- single elements ---------------------------------------------------------------------------

  const describe = element => {
    const role = roleOf(element)
    const its = role && role !== "skip" ? role : "element"
    const name = nameOf(element, its)[0] || element.id
    return `${its} ${name ? JSON.stringify(name) : element.tagName.toLowerCase()}`
  }

  const holds = (element, inner) => {
    for (let each = inner; each; each = parentOf(each)) if (each === element) return true
    return false
  }

  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y)
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y)
      if (!inner || inner === hit) break
      hit = inner
    }
    return hit
  }

  // A point of an element, in its frame: at an offset, or in the middle of what can be seen of it.
  const point = (number, x, y, outside) => {
    const element = known(number)
    if (!element) return { gone: true }
    if (!element.checkVisibility({ visibilityProperty: true })) return { hidden: true, what: describe(element) }
    const box = element.getBoundingClientRect()
    let clip = meet(clipAround(element), outside)
    let [left, top] = [box.left + (x ?? 0), box.top + (y ?? 0)]
    if (x === null || y === null) {
      const lines = [...element.getClientRects()].filter(each => meets(each, clip) && each.width && each.height)
      const line = lines[0] ?? box
      clip = meet(clip, [line.left, line.top, line.right, line.bottom])
      if (clip[2] <= clip[0] || clip[3] <= clip[1]) return { clipped: true, what: describe(element) }
      if (x === null) left = (clip[0] + clip[2]) / 2
      if (y === null) top = (clip[1] + clip[3]) / 2
    }
    const hit = hitAt(left, top)
    const label = hit?.closest?.("label")
    const free = hit && (holds(element, hit) || (label && label.control === element))
    return { x: left, y: top, covered: free ? null : hit ? describe(hit) : "what is in front of the page", what: describe(element) }
  }

  const intoView = number => {
    const element = known(number)
    element?.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" })
    return Boolean(element)
  }

  const focus = number => {
    const element = known(number)
    if (!element) return false
    element.focus({ preventScroll: false })
    return activeElement() === element || holds(element, activeElement())
  }

  const selectAll = element => {
    if (element.select && element.tagName !== "SELECT") element.select()
    else getSelection().selectAllChildren(element)
  }

  // Puts the caret behind the text, or selects the text so that what comes replaces it.
  const caret = (number, all) => {
    const element = known(number)
    if (!element) return false
    if (all) selectAll(element)
    else if (element.isContentEditable) {
      selectAll(element)
      getSelection().collapseToEnd()
    } else if (element.setSelectionRange && TEXTS.has(element.type ?? "text") && !["email", "number"].includes(element.type)) {
      element.setSelectionRange(element.value.length, element.value.length)
    } else if (element.tagName === "TEXTAREA") element.setSelectionRange(element.value.length, element.value.length)
    return true
  }

  const textIn = number => {
    const element = known(number)
    if (!element) return null
    return element.isContentEditable ? element.innerText.replace(/\n$/, "") : element.value
  }

  const announce = element => {
    element.dispatchEvent(new Event("input", { bubbles: true, composed: true }))
    element.dispatchEvent(new Event("change", { bubbles: true }))
  }

  // Sets the value of a field that is not typed into, such as a date; gives the value that it then has.
  const setValue = (number, value) => {
    const element = known(number)
    if (!element) return null
    const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")?.set
    if (element.value !== value) {
      const before = element.value
      setter ? setter.call(element, value) : element.value = value
      if (element.value !== value && element.type !== "range") {
        setter ? setter.call(element, before) : element.value = before
        return { refused: true }
      }
      announce(element)
    }
    return { value: element.value }
  }

  const press = number => {
    const element = known(number)
    if (!element) return false
    element.click()
    return true
  }

  const pressSummary = number => {
    const element = known(number)
    const summary = element?.querySelector(":scope > summary")
    if (summary) summary.click()
    else if (element) element.open = !element.open
    return Boolean(element)
  }

  const choices = number => {
    const element = known(number)
    if (!element) return null
    const role = roleOf(element)
    if (element.tagName === "SELECT") {
      return [...element.options].map((option, index) => ({ index, text: clean(option.label), value: option.value, enabled: !option.disabled }))
    }
    if (ROWED.has(role)) {
      return rowsOf(element).map((row, index) => ({ index, text: clean(cellsOf(row)[0]?.textContent ?? row.textContent), enabled: true, columns: cellsOf(row).length }))
    }
    const items = itemsOf(element, role)
    return items.length ? items.map((item, index) => ({ index, text: nameOf(item, roleOf(item))[0], value: item.dataset?.value, enabled: !isDisabled(item) })) : null
  }

  // The number of an option that is an element of its own: an item, a row, or a cell.
  const choiceAt = (number, index, column) => {
    const element = known(number)
    const role = element && roleOf(element)
    if (!element) return null
    const rows = ROWED.has(role) ? rowsOf(element) : itemsOf(element, role)
    const row = rows[index]
    if (!row) return null
    if (!ROWED.has(role)) return { number: numberOf(row) }
    const cells = cellsOf(row)
    if (column !== null && !cells[column]) return { columns: cells.length }
    return { number: numberOf(column === null ? cells[0] ?? row : cells[column]) }
  }

  const chooseOption = (number, index, extend) => {
    const element = known(number)
    if (!element) return false
    const option = element.options[index]
    if (element.multiple && extend) option.selected = true
    else if (element.selectedIndex !== index || element.selectedOptions.length !== 1) element.selectedIndex = index
    else return true
    announce(element)
    return option.selected
  }

  const owner = element => numberOf(element)
  const elementOf = number => known(number)
  const kindOf = number => {
    const element = known(number)
    if (!element) return null
    return { tag: element.tagName, type: element.type ?? "", role: roleOf(element), multiple: Boolean(element.multiple), takesText: takesText(element), readOnly: Boolean(element.readOnly) || isDisabled(element) }
  }
  const lookup = (css, limit) => {
    const found = []
    const seek = root => {
      for (const element of root.querySelectorAll(css)) if (found.length < limit) found.push(numberOf(element))
      for (const element of root.querySelectorAll("*")) if (element.shadowRoot) seek(element.shadowRoot)
    }
    seek(document)
    return found
  }

  globalThis.deskhand = {
    read, same, watch, settle, point, intoView, focus, caret, textIn, setValue, press, pressSummary, choices, choiceAt, chooseOption,
    owner, elementOf, kindOf, lookup, hitAt: (x, y) => { const hit = hitAt(x, y); return hit ? numberOf(hit) : null },
    frameAt: (x, y) => /^I?FRAME$/.test(hitAt(x, y)?.tagName ?? ""),
    describe: number => { const element = known(number); return element ? describe(element) : null },
    about,
  }
})()

"""The unified roles: one closed vocabulary for every toolkit."""

from __future__ import annotations

INTERACTIVE = (
    "button", "checkbox", "color-well", "combo-box", "date-picker", "disclosure-triangle", "editable-text",
    "grid", "grid-cell", "group", "image", "inline-text-box", "input-time", "link", "list-box",
    "list-box-option", "list-grid", "list-marker", "meter", "progress-indicator", "radio", "radio-group",
    "scroll-bar", "search", "search-input", "slider", "spin-button", "splitter", "switch", "tab", "tab-list",
    "tab-panel", "textfield", "toggle-button", "tree", "tree-item", "tree-grid", "split-button",
)  # fmt: skip
MENUS = (
    "menu", "menu-bar", "menu-item", "menu-item-checkbox", "menu-item-radio", "menu-list-option",
    "menu-list-popup",
)  # fmt: skip
CONTAINERS = (
    "alert", "alert-dialog", "application", "banner", "blockquote", "cell", "code", "column", "column-header",
    "complementary", "content-deletion", "content-insertion", "content-info", "definition",
    "description-list", "description-list-detail", "description-list-term", "dialog", "directory", "document",
    "feed", "figure", "footer", "footer-as-non-landmark", "form", "generic", "header-as-non-landmark", "main",
    "mark", "math", "math-expression", "navigation", "none", "note", "paragraph", "plugin-object", "region",
    "row", "row-group", "row-header", "ruby", "ruby-annotation", "scroll-area", "section", "separator",
    "status", "strong", "subscript", "suggestion", "superscript", "table", "term", "time", "timer", "toolbar",
    "tooltip", "window",
)  # fmt: skip
CONTENT = (
    "abbreviation", "audio", "canvas", "caption", "emphasis", "graphics-document", "graphics-object",
    "graphics-symbol", "heading", "iframe", "iframe-presentational", "img", "label-text", "legend",
    "line-break", "list", "list-item", "log", "marquee", "pdf-actionable-highlight", "pdf-root",
    "presentation", "text", "text-run", "video", "web-area", "word-break",
)  # fmt: skip
TRANSIENT = ("popover", "notification", "toast")
UNKNOWN = "unknown"

ROLES = frozenset((*INTERACTIVE, *MENUS, *CONTAINERS, *CONTENT, *TRANSIENT, UNKNOWN))

WINDOW_ROLES = frozenset(("window", "dialog", "alert", "alert-dialog", "popover", "tooltip"))
"""Roles that a top-level window may have."""

CONTROL_ROLES = frozenset((
    "button", "checkbox", "radio", "textfield", "editable-text", "slider", "combo-box", "switch", "link",
    "menu-item", "menu-item-checkbox", "menu-item-radio", "tab", "disclosure-triangle", "color-well",
    "date-picker", "input-time", "spin-button", "toggle-button", "split-button", "search-input",
    "list-item", "tree-item", "cell", "grid-cell", "list-box-option", "menu-list-option",
))  # fmt: skip
"""Roles a person operates, used wherever a tree is reduced to what can be interacted with."""

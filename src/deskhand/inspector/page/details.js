// The selected element: selectors for it, each with how many elements it finds, what it is in, and its properties.
const { $, label, list, make } = deskhand;

export function showDetails(tree, { uid, node, selectors }, { onSelector, onChoose }) {
  const rows = selectors.map(({ text, count }) => make("li", {},
    make("button", { type: "button", class: "link mono", text, onclick: () => onSelector(text) }),
    make("span", { class: `count ${count === 1 ? "one" : ""}`, text: count === 1 ? "1 match" : `${count} matches` })));
  const around = [];
  for (let up = tree && tree.byUid.get(uid); up; up = tree.byUid.get(up.parent)) if (up.uid !== uid) around.unshift(up);
  const { properties, ...own } = node;
  $("details").replaceChildren(
    make("h2", { text: "Selectors" }), make("ul", { class: "plain selectors", "data-testid": "selectors" }, ...rows),
    make("h2", { text: "Is in" }), make("ul", { class: "plain" }, ...(around.length ? around.map((one) => make("li", {},
      make("button", { type: "button", class: "link", text: label(one), onclick: () => onChoose(one.uid) }))) : [make("li", { class: "quiet", text: "it is a window" })])),
    make("h2", { text: "Properties" }), properties_of(own),
    ...(properties && Object.keys(properties).length ? [make("h2", { text: "Native properties" }), list(Object.entries(properties))] : []));
}

function properties_of(node) {
  const rows = list(Object.entries(node));
  rows.dataset.testid = "properties";
  return rows;
}

export function showFailure(error) {
  $("details").replaceChildren(make("p", { class: "error", text: error.message }));
}

// The moves of a study, with its variations.

import { button, el, t } from "./dom.js";

const MOST_SHOWN = 500;
// Of a review, what the list marks.
const MARKED = ["inaccuracy", "mistake", "blunder"];

// `nodes`: Map by id; `line`: ids of the line that is looked at; `shown`: the board that is shown; goto(id).
export function drawTree(nodes, line, shown, goto) {
  const all = [...nodes.values()];
  // Of very many only those around the one that is shown.
  const near = all.length <= MOST_SHOWN ? all : all.filter(({ id, ply }) => line.has(id) && Math.abs(ply - (shown?.ply ?? 0)) < MOST_SHOWN / 4);
  const kept = new Set(near.map(({ id }) => id));
  const draw = (start) => {
    const parts = [];
    let others = [];
    for (let node = start; node; node = nodes.get(node.children[0])) {
      if (kept.has(node.id)) parts.push(moveButton(node, node.id === (shown?.node ?? 0), goto));
      parts.push(...others.map((id) => el("div", { class: "variation" }, draw(nodes.get(id)))));
      others = node.children.slice(1).filter((id) => kept.has(id));
    }
    return parts;
  };
  return draw(nodes.get(0));
}

function moveButton({ id, ply, name, comment, verdict }, isShown, goto) {
  const text = id ? `${ply}. ${name}${comment ? " *" : ""}` : t("start");
  const made = button(text, () => goto(id), { "aria-current": isShown ? "true" : null, title: comment ?? "" });
  if (MARKED.includes(verdict)) made.append(el("span", { class: `dot ${verdict}` }, el("span", { class: "visually-hidden", text: ` ${t(`verdict_${verdict}`)}` })));
  return made;
}

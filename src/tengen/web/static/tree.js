// The moves of a study, with its variations.

import { button, el, t } from "./dom.js";

const MOST_SHOWN = 500;
// Of a review, what the list marks.
const MARKED = ["inaccuracy", "mistake", "blunder"];

export class MoveTree {
  #goto;
  // What is drawn, by node: what did not change stays as it is.
  #buttons = new Map();
  #variations = new Map();

  // goto(id) is called for the node of a move that is clicked.
  constructor(goto) {
    this.#goto = goto;
    this.element = el("div", { class: "tree", role: "group", "aria-label": t("variations") });
  }

  // `nodes`: Map by id; `line`: ids of the line that is looked at; `shown`: the board that is shown.
  draw(nodes, line, shown) {
    const [buttons, variations] = [this.#buttons, this.#variations];
    this.#buttons = new Map();
    this.#variations = new Map();
    const at = shown?.node ?? 0;
    // Of very many only those around the one that is shown.
    const isNear = ({ id, ply }) => line.has(id) && Math.abs(ply - (shown?.ply ?? 0)) < MOST_SHOWN / 4;
    const isKept = nodes.size <= MOST_SHOWN ? () => true : (id) => isNear(nodes.get(id));
    const moves = (start) => {
      const parts = [];
      let others = [];
      for (let node = start; node; node = nodes.get(node.children[0])) {
        if (isKept(node.id)) parts.push(this.#move(node, node.id === at, buttons.get(node.id)));
        parts.push(...others.map((id) => variation(nodes.get(id))));
        others = node.children.slice(1).filter(isKept);
      }
      return parts;
    };
    const variation = (start) => {
      const element = variations.get(start.id) ?? el("div", { class: "variation" });
      this.#variations.set(start.id, element);
      place(element, moves(start));
      return element;
    };
    place(this.element, nodes.has(0) ? moves(nodes.get(0)) : []);
    this.#showCurrent();
  }

  #move(node, isShown, drawn) {
    const element = drawn?.node === node ? drawn.element : moveButton(node, this.#goto);
    if (isShown) element.setAttribute("aria-current", "true");
    else if (element.hasAttribute("aria-current")) element.removeAttribute("aria-current");
    this.#buttons.set(node.id, { node, element });
    return element;
  }

  // Scrolls the list, and not the page, which may be read elsewhere.
  #showCurrent() {
    const at = this.element.querySelector("[aria-current]");
    if (!at) return;
    const { offsetTop: top, offsetHeight: height } = at;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop || top + height > scrollTop + clientHeight) this.element.scrollTop = top - clientHeight / 2;
  }
}

// Makes these the children of an element; those that it has already are not touched.
function place(element, children) {
  const wanted = new Set(children);
  [...element.childNodes].filter((child) => !wanted.has(child)).forEach((child) => child.remove());
  let next = element.firstChild;
  for (const child of children) {
    if (child === next) next = next.nextSibling;
    else element.insertBefore(child, next);
  }
}

function moveButton({ id, ply, name, comment, verdict }, goto) {
  const text = id ? `${ply}. ${name}${comment ? " *" : ""}` : t("start");
  const made = button(text, () => goto(id), { title: comment ?? "" });
  if (MARKED.includes(verdict)) made.append(el("span", { class: `dot ${verdict}` }, el("span", { class: "visually-hidden", text: ` ${t(`verdict_${verdict}`)}` })));
  return made;
}

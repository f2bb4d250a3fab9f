// A game's drawing, changed by the lines that go and come.

import { svg } from "./dom.js";

// How far lines are looked for that come or go: few do with a move.
const FAR = 40;
const KEPT = ["fill", "font-family", "font-size", "stroke", "stroke-width"];

export class Picture {
  constructor() {
    this.group = svg("g", { class: "picture", "aria-hidden": "true", id: "picture" });
    this.box = [0, 0, 100, 100];
    this.title = "";
    this.lines = [];
  }

  // The same, of a drawing in lines; only those that differ from the ones before are changed.
  showLines(lines) {
    const before = this.lines;
    this.lines = lines;
    // Where each shape is a line.
    const isPlain = before.length === this.group.children.length + 2 && before[0] === lines[0];
    if (!isPlain) {
      this.show(lines.join("\n"));
      return;
    }
    // The last line ends the <svg …>.
    this.patch(changes(before.slice(0, -1), lines.slice(0, -1)));
  }

  // The only markup that is read as such; what it may do is limited by the policy of the page.
  show(text) {
    const holder = document.createElement("div");
    holder.innerHTML = text;
    const root = holder.querySelector("svg");
    if (!root) return;
    this.box = (root.getAttribute("viewBox") ?? "0 0 100 100").split(/[\s,]+/).map(Number);
    for (const name of KEPT) {
      if (root.hasAttribute(name)) this.group.setAttribute(name, root.getAttribute(name));
      else this.group.removeAttribute(name);
    }
    this.group.replaceChildren(...root.children);
    this.#readTitle();
  }

  // [[line, how many go, lines that come], …] of the drawing before; its first line is the <svg …> itself.
  patch(changes) {
    for (const [line, count, coming] of [...changes].reverse()) {
      const children = this.group.children;
      for (let i = 0; i < count; i++) children[line - 1].remove();
      const holder = svg("svg");
      holder.innerHTML = coming.join("");
      const before = children[line - 1] ?? null;
      for (const shape of [...holder.children]) this.group.insertBefore(shape, before);
    }
    this.#readTitle();
  }

  // Said, but no tooltip over the whole board.
  #readTitle() {
    const title = this.group.querySelector(":scope > title");
    if (title?.textContent) {
      this.title = title.textContent;
      title.textContent = "";
    }
  }
}

// A patch, of lines that a drawing had and those that it has.
function changes(before, lines) {
  const found = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < lines.length) {
    if (before[i] === lines[j]) {
      [i, j] = [i + 1, j + 1];
      continue;
    }
    const [gone, coming] = nearest(before, lines, i, j);
    found.push([i, gone, lines.slice(j, j + coming)]);
    [i, j] = [i + gone, j + coming];
  }
  return found;
}

// How many lines go, and come, until both are alike again.
function nearest(before, lines, i, j) {
  for (let far = 1; far <= FAR; far++) {
    if (i + far <= before.length && before[i + far] === lines[j]) return [far, 0];
    if (j + far <= lines.length && before[i] === lines[j + far]) return [0, far];
    if (before[i + far] === lines[j + far]) return [Math.min(far, before.length - i), Math.min(far, lines.length - j)];
  }
  return [before.length - i, lines.length - j];
}

// A game's drawing, changed by the lines that go and come.

import { svg } from "./dom.js";

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
    let same = 0;
    while (same < Math.min(before.length, lines.length) && before[same] === lines[same]) same += 1;
    let end = 0;
    while (end < Math.min(before.length, lines.length) - same && before.at(-1 - end) === lines.at(-1 - end)) end += 1;
    if (same < lines.length || lines.length !== before.length) {
      this.patch([[same, before.length - end - same, lines.slice(same, lines.length - end)]]);
    }
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

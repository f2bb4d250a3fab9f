// Parts of a document, and curves over the turns of a game.

const data = JSON.parse(document.getElementById("review").textContent);
const at = id => document.getElementById(id);
const last = data.moves.length;
// A text in the reader's language, with the values in its braces.
const say = (text, values = {}) => (data.texts[text] || text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
const NAMES = ["Black", "White"].map(name => say(name));

function shape(name, attributes, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function element(name, attributes, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

// Calls onHover(index) while the mouse points at a part or when the part is touched, and onHover(-1) when the mouse leaves.
function hoverable(part, index, onHover) {
  part.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") onHover(index); });
  part.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") onHover(-1); });
  part.addEventListener("click", () => onHover(index));
  return part;
}

// A curve over the turns. value(t) is null where there is none.
class Graph {
  constructor(place, {value, text, low, high, ticks, title}) {
    Object.assign(this, {place, value, text, low, high, ticks, title});
    this.svg = shape("svg", {role: "img", "aria-label": title});
    place.append(this.svg);
    const pick = event => {
      const box = this.svg.getBoundingClientRect();
      const share = (event.clientX - box.left - this.left) / Math.max(1, this.wide - this.left - 8);
      return Math.min(Math.max(Math.round(share * last), 0), last);
    };
    this.svg.addEventListener("pointermove", event => {
      if (event.buttons & 1) show(pick(event));
      else this.hover(pick(event));
    });
    this.svg.addEventListener("pointerdown", event => { if (event.button === 0) show(pick(event)); });
    this.svg.addEventListener("pointerleave", () => this.hover(-1));
    this.draw();
    if (window.ResizeObserver) new ResizeObserver(() => this.draw()).observe(place);
  }

  x(t) { return this.left + t / Math.max(1, last) * (this.wide - this.left - 8); }
  y(v) { return 8 + (this.high - v) / (this.high - this.low) * (this.tall - 26); }

  draw() {
    const wide = Math.max(200, this.place.clientWidth), tall = 132;
    if (wide === this.wide) return;
    Object.assign(this, {wide, tall, left: 52});
    this.svg.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
    this.svg.replaceChildren();
    for (const [tick, label] of this.ticks) {
      this.svg.append(shape("line", {class: "grid", x1: this.left, x2: wide - 8, y1: this.y(tick), y2: this.y(tick)}),
        shape("text", {class: "tick", x: this.left - 6, y: this.y(tick), dy: ".35em"}, label));
    }
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200].find(s => last / s <= wide / 60) || 500;
    for (let t = 0; t <= last; t += step) {
      this.svg.append(shape("text", {class: "tick under", x: this.x(t), y: tall - 4}, t));
    }
    this.svg.append(...this.curves(), ...this.dots());
    this.now = shape("line", {class: "now", y1: 4, y2: tall - 16});
    this.spot = shape("circle", {class: "spot", r: 4});
    this.hair = shape("line", {class: "hair", y1: 4, y2: tall - 16, visibility: "hidden"});
    this.said = shape("text", {class: "said", y: 18, visibility: "hidden"});
    this.svg.append(this.now, this.spot, this.hair, this.said);
    this.point(turn);
  }

  curves() {
    const parts = [];
    let run = [];
    const middle = this.y((this.low + this.high) / 2);
    const close = () => {
      if (run.length > 1) {
        const path = run.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
        const ends = [run[0][0], run[run.length - 1][0]].map(x => x.toFixed(1));
        parts.push(shape("polygon", {class: "area", points: `${ends[0]},${middle} ${path} ${ends[1]},${middle}`}),
          shape("polyline", {class: "curve", points: path}));
      } else if (run.length) parts.push(shape("circle", {class: "lone", cx: run[0][0], cy: run[0][1], r: 2.5}));
      run = [];
    };
    for (let t = 0; t <= last; t++) {
      const v = this.value(t);
      if (v === null) close();
      else run.push([this.x(t), this.y(v)]);
    }
    close();
    return parts;
  }

  dots() {
    const found = [];
    for (let t = 0; t < last; t++) {
      const v = this.value(t + 1);
      if (!isBad(t) || v === null) continue;
      found.push(shape("circle", {class: `bad ${data.verdicts[verdictOf(t)[2]]}`, cx: this.x(t + 1), cy: this.y(v), r: 3.6}));
    }
    return found;
  }

  point(t) {
    const v = this.value(t);
    this.now.setAttribute("x1", this.x(t));
    this.now.setAttribute("x2", this.x(t));
    this.spot.setAttribute("visibility", v === null ? "hidden" : "visible");
    if (v === null) return;
    this.spot.setAttribute("cx", this.x(t));
    this.spot.setAttribute("cy", this.y(v));
  }

  hover(t) {
    const v = t < 0 ? null : this.value(t);
    for (const part of [this.hair, this.said]) part.setAttribute("visibility", t < 0 ? "hidden" : "visible");
    if (t < 0) return;
    const isLeft = this.x(t) > this.wide / 2;
    this.hair.setAttribute("x1", this.x(t));
    this.hair.setAttribute("x2", this.x(t));
    this.said.setAttribute("x", this.x(t) + (isLeft ? -6 : 6));
    this.said.setAttribute("text-anchor", isLeft ? "end" : "start");
    this.said.textContent = `${t ? `${t}. ${game.moveText(t - 1)}` : say("start")}: ${
      v === null ? say("not analyzed") : this.text(v)}`;
  }
}

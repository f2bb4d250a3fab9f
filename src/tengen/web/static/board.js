// The board: one <svg> with the game's drawing, marks over it, and spots over those. It knows no game.

import { Choosing, markedSpots } from "./choosing.js";
import { button, el, settings, svg, t } from "./dom.js";
import { drawHeat, drawMark } from "./marks.js";
import { Picture } from "./picture.js";

const SMALL_PX = 28;
export const HOLD_MS = 450;
const MOVES = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Board {
  #picture = new Picture();
  #marks = svg("g", { class: "marks", "aria-hidden": "true" });
  #cells = svg("g", { class: "spots", role: "grid" });
  #root = svg("svg", { class: "board" }, this.#picture.group, this.#marks, this.#cells);
  #menu = el("div", { class: "menu", hidden: true });
  #loose = el("div", { class: "loose" });
  #frame = el("div", { class: "frame" });
  #lens = svg("svg", { class: "lens", hidden: "" }, svg("use", { href: "#picture" }));
  #confirm = button("", () => this.#confirmPending(), { class: "main confirm", hidden: true });
  #spots = new Map();
  #supply = new Map();
  #given = null;
  #corner = null;
  #labels = new Map();
  #actions = new Map();
  #choosing = new Choosing(new Map(), new Map());
  #pending = null;
  #focus = null;
  #layers = {};
  // A choice is made, while others still choose.
  #isDecided = false;
  // Something may be chosen: nothing is decided, and no move waits for its answer.
  #isFree = true;

  // onPlay(action); onHover(spot id or null); onHold(the same): a finger stays there, instead of a touch.
  constructor({ onPlay, onHover = () => {}, onHold = null }) {
    this.onPlay = onPlay;
    this.onHover = onHover;
    this.onHold = onHold;
    this.onRegion = null;
    this.element = el(
      "div",
      { class: "table" },
      this.#frame,
      this.#confirm,
      this.#loose,
    );
    this.#frame.append(this.#root, this.#menu, this.#lens);
    this.#cells.addEventListener("keydown", (event) => this.#onKey(event));
    this.#root.addEventListener("pointerdown", (event) => this.#onPointer(event));
    this.#root.addEventListener("pointermove", (event) => this.onHover(this.#idsAt(event)[0] ?? null));
    this.#root.addEventListener("pointerleave", () => this.onHover(null));
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.release());
  }

  // A board message; what it leaves out is as before.
  show(message) {
    const hadFocus = this.#cells.contains(document.activeElement);
    if (message.svg !== undefined) this.#picture.show(message.svg);
    if (message.patch) this.#picture.patch(message.patch);
    if (message.lines) this.#picture.showLines(message.lines);
    if (message.svg !== undefined || message.lines) this.#fit();
    if (message.spots && message.spots !== this.#given) this.#setSpots(message.spots);
    if (message.labels) this.#setLabels(message.labels, Boolean(message.spots));
    if (message.actions || message.gone) this.#setActions(message.actions ?? [], message.gone);
    this.#isDecided = message.chosen !== undefined && message.chosen !== null;
    this.#isFree = !this.#isDecided;
    this.#root.setAttribute("aria-label", this.#picture.title || t("board"));
    this.#cells.setAttribute("aria-label", this.#picture.title || t("board"));
    this.#restart();
    this.setLayer("last", [{ touches: message.last ?? [], kind: "last" }]);
    this.setLayer(
      "chosen",
      !this.#isDecided ? [] : [{ touches: this.#actions.get(message.chosen)?.[2] ?? [], kind: "chosen" }],
    );
    this.element.dataset.ply = message.ply;
    // Who has it still keeps it: asking again would lay out the page before it is painted.
    if (hadFocus && !this.#cells.contains(document.activeElement)) this.focus();
  }

  get actions() {
    return this.#actions;
  }

  get focused() {
    return this.#focus;
  }

  nameOf(action) {
    return this.#actions.get(action)?.[1] ?? String(action);
  }

  actionsOn(id) {
    return [...this.#actions.values()]
      .filter(([, , touches]) => markedSpots(touches, this.#supply).at(-1) === id)
      .map(([action]) => action);
  }

  // Actions with a mark inside a rectangle of the drawing.
  actionsInside([left, top, right, bottom]) {
    const isInside = ({ x, y }) => x >= left && x <= right && y >= top && y <= bottom;
    return [...this.#actions.values()]
      .filter(([, , touches]) => {
        const id = markedSpots(touches, this.#supply).at(-1);
        return id && isInside(this.#spots.get(id));
      })
      .map(([action]) => action);
  }

  focus() {
    this.#spots.get(this.#focus)?.cell.focus();
  }

  // The last action was not played.
  free() {
    this.#isDecided = false;
    this.#isFree = true;
    this.release();
  }

  release() {
    if (this.onRegion) this.#leaveRegion();
    this.#pending = null;
    this.#restart();
  }

  // Layers of marks: [{touches, kind, text}]; each replaces what it held.
  setLayer(name, marks) {
    this.#layer(name).marks = marks;
    this.#drawLayer(this.#layers[name]);
  }

  // How much of a spot is whose: {spot id: share}, from -1, the second player's, to 1.
  setHeat(shares) {
    this.#layer("heat").shares = shares;
    this.#drawLayer(this.#layers.heat);
  }

  #layer(name) {
    this.#layers[name] ??= { group: this.#marks.appendChild(svg("g")), marks: [], shares: null };
    return this.#layers[name];
  }

  // While a line is looked at, other marks step back.
  dim(isDim) {
    this.#marks.classList.toggle("dim", isDim);
  }

  #fit() {
    const [x, y, width, height] = this.#picture.box;
    const box = `${x} ${y} ${width} ${height}`;
    if (this.#root.getAttribute("viewBox") === box) return;
    this.#root.setAttribute("viewBox", box);
    this.#root.style.aspectRatio = `${width} / ${height}`;
    // As wide as it may be for all of it to be seen.
    this.#frame.style.setProperty("--shape", String(width / height));
  }

  // Spots.

  #setSpots(spots) {
    const rows = new Map();
    this.#given = spots;
    this.#spots.clear();
    for (const [id, x, y, width, height, isSupply] of spots) {
      const cell = svg("rect", {
        x: x - width / 2,
        y: y - height / 2,
        width,
        height,
        rx: Math.min(width, height) / 8,
        role: "gridcell",
        tabindex: -1,
      });
      cell.dataset.spot = id;
      cell.addEventListener("focus", () => this.#setFocus(id));
      this.#spots.set(id, { id, x, y, width, height, isSupply: Boolean(isSupply), cell });
      const key = Math.round(y);
      if (!rows.has(key)) rows.set(key, []);
      rows.get(key).push(this.#spots.get(id));
    }
    const groups = [...rows].sort(([a], [b]) => a - b).map(([, row]) => {
      const cells = row.sort((a, b) => a.x - b.x).map((spot) => spot.cell);
      return svg("g", { role: "row" }, ...cells);
    });
    this.#supply = new Map([...this.#spots].map(([id, spot]) => [id, spot.isSupply]));
    Object.values(this.#layers).forEach((layer) => this.#drawLayer(layer));
    this.#cells.replaceChildren(...groups);
    if (groups.length) this.#cells.setAttribute("role", "grid");
    else this.#cells.removeAttribute("role");
    if (!this.#spots.has(this.#focus)) this.#focus = this.#spots.keys().next().value ?? null;
    this.#setFocus(this.#focus);
  }

  #setLabels(labels, isWhole) {
    if (isWhole) this.#labels.clear();
    for (const [id, label] of Object.entries(labels)) this.#labels.set(id, label);
    for (const [id, spot] of this.#spots) {
      const label = this.#labels.get(id);
      const text = label ? `${id}: ${label}` : id;
      if (spot.cell.getAttribute("aria-label") !== text) spot.cell.setAttribute("aria-label", text);
    }
  }

  #setActions(rows, gone) {
    if (gone) gone.forEach((action) => this.#actions.delete(action));
    else this.#actions.clear();
    for (const row of rows) this.#actions.set(row[0], row);
  }

  #setFocus(id) {
    this.#spots.get(this.#focus)?.cell.setAttribute("tabindex", "-1");
    this.#focus = id;
    this.#spots.get(id)?.cell.setAttribute("tabindex", "0");
  }

  // Choosing.

  #restart() {
    const touches = new Map([...this.#actions.values()].map(([action, , parts]) => [action, parts]));
    this.#choosing = new Choosing(touches, this.#supply);
    this.#afterTouch();
  }

  #afterTouch() {
    const { chosen, lit, touched, places } = this.#choosing;
    if (chosen !== null) {
      this.#play(chosen);
      return;
    }
    // Of the group alone: hundreds of spots that changed, and changed back with the answer, would delay it.
    this.#cells.classList.toggle("waiting", !this.#isFree);
    for (const [id, { cell }] of this.#spots) {
      cell.classList.toggle("open", !this.#isDecided && lit.has(id));
      cell.classList.toggle("lit", places.length > 0 && lit.has(id));
      cell.classList.toggle("touched", touched.has(id));
      if (touched.has(id)) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
    }
    this.#showPending();
    this.#showMenu();
    this.#showLoose();
  }

  #play(action) {
    this.#choosing = this.#choosing.release();
    this.#pending = null;
    // Until the answer comes nothing else can be played.
    this.#isFree = false;
    this.#afterTouch();
    this.onPlay(action);
  }

  #touch(ids, { isSure = true } = {}) {
    if (!this.#isFree || !this.#actions.size) return;
    const further = this.#choosing.touch(ids);
    if (further.chosen !== null && !isSure && !sameIds(this.#pending, ids)) {
      this.#pending = ids;
      this.#showPending();
      return;
    }
    this.#pending = null;
    this.#choosing = further;
    this.#afterTouch();
  }

  #confirmPending() {
    if (this.#pending) this.#touch(this.#pending);
  }

  #idsAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.#root.getScreenCTM().inverse());
    const found = [...this.#spots.values()].filter(
      ({ x, y, width, height }) => Math.abs(point.x - x) <= width / 2 && Math.abs(point.y - y) <= height / 2,
    );
    return found.map(({ id }) => id);
  }

  #onPointer(event) {
    if (event.button) return;
    if (this.onRegion) {
      this.#dragRegion(event);
      return;
    }
    const ids = this.#idsAt(event);
    if (ids.length) this.#setFocus(ids[0]);
    const touch = () => this.#touch(ids, { isSure: !this.#mustConfirm(event) });
    if (this.onHold && event.pointerType === "touch") this.#touchOrHold(ids, touch);
    else touch();
  }

  #touchOrHold(ids, touch) {
    let isHeld = false;
    const timer = setTimeout(() => {
      isHeld = true;
      this.onHold(ids[0] ?? null);
    }, HOLD_MS);
    const ended = new AbortController();
    const end = (isTouch) => () => {
      ended.abort();
      clearTimeout(timer);
      if (isHeld) this.onHold(null);
      else if (isTouch) touch();
    };
    this.#root.addEventListener("pointerup", end(true), { signal: ended.signal });
    this.#root.addEventListener("pointercancel", end(false), { signal: ended.signal });
    this.#root.addEventListener("contextmenu", (event) => event.preventDefault(), { signal: ended.signal });
  }

  // Points that are too small for a finger are shown before they are played.
  #mustConfirm(event) {
    const told = settings.get("confirm");
    if (told !== "auto") return told === "on";
    const scale = this.#root.getScreenCTM().a;
    const sizes = [...this.#spots.values()].map(({ width, height }) => Math.min(width, height) * scale);
    return event.pointerType === "touch" && Math.min(...sizes) < SMALL_PX;
  }

  #showPending() {
    const id = this.#pending?.[0];
    const spot = this.#spots.get(id);
    this.#confirm.hidden = !spot;
    this.#lens.toggleAttribute("hidden", !spot);
    if (spot) {
      this.#confirm.textContent = t("play_here", { spot: id });
      const size = 5 * Math.max(spot.width, spot.height);
      this.#lens.setAttribute("viewBox", `${spot.x - size / 2} ${spot.y - size / 2} ${size} ${size}`);
      this.#lens.classList.toggle("right", spot.x < this.#picture.box[2] / 2);
    }
    this.setLayer("pending", spot ? [{ touches: [id], kind: "ghost" }] : []);
  }

  #showMenu() {
    const entries = this.#choosing.menu;
    this.#menu.hidden = !entries.length;
    if (!entries.length) return;
    const pick = ({ text, action }) => (action === undefined ? this.#touch([text]) : this.#play(action));
    this.#menu.replaceChildren(
      ...entries.map((entry) =>
        button(entry.text, () => pick(entry), {
          "aria-label": entry.action === undefined ? entry.text : this.nameOf(entry.action),
        }),
      ),
      button("×", () => this.release(), { "aria-label": t("close"), class: "close" }),
    );
    this.#menu.setAttribute("role", "group");
    this.#menu.setAttribute("aria-label", t("choose"));
    this.#placeMenu();
    this.#menu.querySelector("button").focus();
  }

  // Beside the spot, inside the board.
  #placeMenu() {
    const spot = this.#spots.get([...this.#choosing.touched].at(-1));
    const frame = this.#root.getBoundingClientRect();
    const scale = frame.width / this.#picture.box[2];
    const { offsetWidth: width, offsetHeight: height } = this.#menu;
    const x = spot ? (spot.x + spot.width / 2) * scale + 4 : 0;
    const y = spot ? spot.y * scale - height / 2 : 0;
    const isBeyond = x + width > frame.width;
    const left = isBeyond && spot ? (spot.x - spot.width / 2) * scale - width - 4 : x;
    this.#menu.style.left = `${Math.max(0, Math.min(left, frame.width - width))}px`;
    this.#menu.style.top = `${Math.max(0, Math.min(y, frame.height - height))}px`;
  }

  // Actions without a spot, grouped by their first word.
  #showLoose() {
    const actions = this.#isFree ? this.#choosing.loose : [];
    const shown = new Set([...this.#loose.querySelectorAll("button")].map(({ dataset }) => dataset.action));
    const isSame = shown.size === actions.length && actions.every((action) => shown.has(String(action)));
    if (isSame && actions.length) {
      // Nobody's button moves while it is pressed.
      return;
    }
    const groups = Map.groupBy(actions, (action) => this.nameOf(action).split(" ")[0]);
    this.#loose.replaceChildren(
      ...[...groups.values()].map((group) =>
        el(
          "div",
          { class: "row" },
          group.map((action) => button(this.nameOf(action), () => this.#play(action), { "data-action": String(action) })),
        ),
      ),
    );
  }

  // Keys.

  #onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (this.onRegion) {
        this.#markCorner(this.#spots.get(this.#focus));
        return;
      }
      const { x, y } = this.#spots.get(this.#focus);
      const isHere = (spot) => Math.abs(spot.x - x) <= spot.width / 2 && Math.abs(spot.y - y) <= spot.height / 2;
      this.#touch([...this.#spots.values()].filter(isHere).map(({ id }) => id));
    } else if (event.key in MOVES) {
      event.preventDefault();
      this.#step(...MOVES[event.key]);
    }
  }

  // To the nearest spot in a direction; what lies aside counts for more.
  #step(dx, dy) {
    const from = this.#spots.get(this.#focus);
    let best = null;
    let least = Infinity;
    for (const spot of this.#spots.values()) {
      const ahead = (spot.x - from.x) * dx + (spot.y - from.y) * dy;
      const aside = Math.abs((spot.x - from.x) * dy) + Math.abs((spot.y - from.y) * dx);
      const distance = ahead + 2 * aside;
      if (ahead > 0.5 && distance < least) [best, least] = [spot, distance];
    }
    if (best) {
      this.#setFocus(best.id);
      best.cell.focus();
    }
  }

  // Regions: a rectangle is dragged, or two of its corners are entered; onRegion([left, top, right, bottom]).

  askRegion(done) {
    this.release();
    this.onRegion = done;
    this.#root.classList.add("region-asked");
  }

  #endRegion(box) {
    const done = this.onRegion;
    this.#leaveRegion();
    done(box);
  }

  #leaveRegion() {
    this.onRegion = this.#corner = null;
    this.#root.classList.remove("region-asked");
    this.setLayer("corner", []);
  }

  #markCorner(spot) {
    const first = this.#corner;
    this.#corner = spot;
    this.setLayer("corner", [{ spots: [spot.id], touches: [], kind: "chosen" }]);
    if (first) this.#endRegion([Math.min(first.x, spot.x), Math.min(first.y, spot.y), Math.max(first.x, spot.x), Math.max(first.y, spot.y)]);
  }

  #dragRegion(event) {
    const toPoint = ({ clientX, clientY }) =>
      new DOMPoint(clientX, clientY).matrixTransform(this.#root.getScreenCTM().inverse());
    const start = toPoint(event);
    const shape = svg("rect", { class: "region" });
    this.#marks.append(shape);
    let box = [start.x, start.y, start.x, start.y];
    const move = (moved) => {
      const { x, y } = toPoint(moved);
      box = [Math.min(start.x, x), Math.min(start.y, y), Math.max(start.x, x), Math.max(start.y, y)];
      const [left, top, right, bottom] = box;
      Object.entries({ x: left, y: top, width: right - left, height: bottom - top }).forEach(([name, value]) =>
        shape.setAttribute(name, value),
      );
    };
    const end = () => {
      this.#root.removeEventListener("pointermove", move);
      this.#root.removeEventListener("pointerup", end);
      shape.remove();
      this.#endRegion(box);
    };
    this.#root.setPointerCapture(event.pointerId);
    this.#root.addEventListener("pointermove", move);
    this.#root.addEventListener("pointerup", end);
  }

  // Marks.

  #drawLayer({ group, marks, shares }) {
    const shapes = shares ? drawHeat(shares, this.#spots) : [];
    const taken = new Set();
    for (const mark of marks) {
      const ids = markedSpots(mark.touches, this.#supply);
      const spots = ids.map((id) => this.#spots.get(id)).filter(Boolean);
      // Of several actions on one spot the best, which comes first, is shown.
      if (!spots.length || taken.has(ids.at(-1))) continue;
      taken.add(ids.at(-1));
      const drawn = drawMark(mark, spots, this.#labels.get(ids.at(-1)));
      drawn.forEach((shape) => (shape.dataset.on ??= ids.at(-1)));
      shapes.push(...drawn);
    }
    group.replaceChildren(...shapes);
  }
}

function sameIds(a, b) {
  return Boolean(a) && a.length === b.length && a.every((id) => b.includes(id));
}

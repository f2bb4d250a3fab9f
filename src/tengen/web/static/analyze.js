// A study: a record with its variations, and what the engine says of the position that is shown.

import { Board, HOLD_MS } from "./board.js";
import { button, el, language, offerFile, say, settings, t } from "./dom.js";
import { drawGraphs } from "./graphs.js";
import { fromBase64 } from "./records.js";
import { BoardStream } from "./stream.js";
import { showStudies } from "./studies.js";
import { MoveTree } from "./tree.js";
import { get, wire } from "./wire.js";
import { kindOf, lossText, worth } from "./worths.js";

const BUDGETS = ["400", "2000", "10000", "50000"];
// Positions that are asked for at once, and how many are left when the next are.
const AHEAD = 20;
const FEW_AHEAD = 8;
// Who shows a position so soon after another holds a key: the engine is asked about the last one.
const HELD_MS = 250;
const ASK_AFTER_MS = 60;
const PATIENCE_MS = 3000;
const STEPS = { first: "«", back: "‹", next: "›", last: "»" };

export async function show(main, [study]) {
  if (!study) {
    await showStudies(main);
    return null;
  }
  const page = new AnalyzePage(main, study);
  return () => page.leave();
}

function afterPaint(work) {
  requestAnimationFrame(() => setTimeout(work));
}

class AnalyzePage {
  #node = 0;
  #last = null;
  #nodes = new Map();
  #analysis = null;
  #isOn = true;
  #pins = new Map();
  #region = null;
  #boards = new BoardStream();
  #coming = new Set();
  #askedAt = 0;
  #wanted = 0;
  #lineOf = null;
  #isTreeDue = false;
  #shownAt = -Infinity;
  #isLeft = false;
  #pressedAt = 0;
  // Where all choose at once: whose choices are shown, and what was chosen for each.
  #players = 2;
  #seat = 0;
  #choices = [];

  constructor(main, study) {
    this.study = study;
    this.board = new Board({ onPlay: (action) => this.#playAction(action), onHover: (id) => this.#hover(id), onHold: (id) => this.#hover(id) });
    this.seats = el("div", { class: "row steps", role: "group", "aria-label": t("whose_choice") });
    this.heading = el("h1", { text: t("page_analyze") });
    this.lost = el("p", { class: "lost", role: "alert", hidden: true, text: t("lost") });
    this.where = el("span", { class: "faint" });
    this.engine = button("", () => this.#toggle(), { "aria-pressed": "true" });
    this.budget = el("select", { id: "budget" }, BUDGETS.map((value) => el("option", { value, text: Number(value).toLocaleString() })));
    this.budget.value = "2000";
    this.budget.addEventListener("change", () => this.#ask());
    this.pinVisits = el("input", { id: "pin-visits", type: "range", min: "10", max: "500", step: "10", value: "100" });
    this.pinVisits.addEventListener("change", () => this.#ask());
    this.root = el("p", { class: "standing" });
    this.list = el("tbody");
    // Rows come and go under the pointer, and those that are gone hear nothing.
    this.list.addEventListener("pointerover", ({ target }) => this.#showLine(this.#analysis?.moves?.find(({ name }) => name === target.closest("tr")?.dataset.move)));
    this.list.addEventListener("pointerleave", () => this.#showLine(null));
    this.graph = el("div", { class: "graphs" });
    this.tree = new MoveTree((id) => this.#goto(id));
    this.comment = el("textarea", { id: "comment" });
    this.comment.addEventListener("change", () => this.#edit("comment", this.comment.value));
    this.typed = el("input", { id: "typed", autocomplete: "off", "aria-label": t("typed_move"), placeholder: t("typed_move") });
    this.depth = el("input", { id: "depth", type: "number", min: "1", max: "20", value: "1" });
    this.regionText = el("span", { class: "faint" });
    main.append(this.lost, this.heading, el("div", { class: "desk study" }, el("div", {}, this.board.element, this.seats, this.#steps(), this.graph), this.#side()));
    this.onKey = (event) => this.#onKey(event);
    document.addEventListener("keydown", this.onKey);
    // A hidden tab's engine stops; who comes back sees it go on.
    this.onLook = () => document.visibilityState === "visible" && this.#ask();
    document.addEventListener("visibilitychange", this.onLook);
    this.#drawEngine();
    wire.follow(
      () => [this.#opening(this.#node)],
      (message) => this.#receive(message),
    );
  }

  leave() {
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("visibilitychange", this.onLook);
    clearTimeout(this.timer);
    this.#isLeft = true;
  }

  #steps() {
    const go = { first: () => this.#goto(0), back: () => this.#step(-1), next: () => this.#step(1), last: () => this.#goto(this.#line().at(-1)) };
    return el(
      "div",
      { class: "row steps" },
      Object.entries(STEPS).map(([name, sign]) => button(sign, go[name], { "aria-label": t(`step_${name}`) })),
      this.where,
    );
  }

  #side() {
    const head = ["move", "worth", "loss", "visits", "pin"].map((name) => el("th", { scope: "col", text: t(name) }));
    const form = el("form", { class: "row" }, this.typed, button(t("play"), null, { type: "submit" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.typed.value.trim()) this.#playText(this.typed.value.trim());
      this.typed.value = "";
    });
    return el(
      "div",
      {},
      el(
        "section",
        { class: "panel", "aria-label": t("engine") },
        el("div", { class: "row" }, this.engine, el("label", { for: "budget", text: t("visits") }), this.budget, button(t("review"), () => this.#review())),
        this.root,
        el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": t("candidates") }, el("table", { class: "moves" }, el("thead", {}, el("tr", {}, head)), this.list)),
        el("div", { class: "row" }, el("label", { for: "pin-visits", text: t("pin_visits") }), this.pinVisits),
        el(
          "div",
          { class: "row" },
          button(t("only_here"), () => this.#markRegion("allow")),
          button(t("not_here"), () => this.#markRegion("avoid")),
          button(t("everywhere"), () => this.#setRegion(null)),
          el("label", { for: "depth", text: t("depth") }),
          this.depth,
          this.regionText,
        ),
        form,
      ),
      el(
        "section",
        { class: "panel" },
        el("h2", { text: t("variations") }),
        this.tree.element,
        el("div", { class: "row" }, button(t("promote"), () => this.#edit("promote")), button(t("delete"), () => this.#edit("delete")), button(t("save"), () => this.#save())),
        el("label", { for: "comment", text: t("comment") }),
        this.comment,
      ),
    );
  }

  #receive(message) {
    const handlers = {
      board: () => this.#takeBoard(message),
      tree: () => this.#showTree(message),
      analysis: () => this.#showAnalysis(message),
      problem: () => {
        if (message.about === "play") {
          this.#choices = [];
          this.#wanted ??= this.#node;
        }
        this.#coming.clear();
        this.board.free();
        say(message.text);
      },
      lost: () => {
        this.#coming.clear();
        this.#wanted ??= this.#node;
        this.board.free();
        this.lost.hidden = false;
      },
      connected: () => (this.lost.hidden = true),
    };
    handlers[message.t]?.();
  }

  #takeBoard(message) {
    const whole = this.#boards.take(message);
    this.#coming.delete(message.node);
    // After a move, what it led to; boards that were asked for before may come still.
    if (this.#wanted === null && !message.is_ahead && this.#nodes.get(message.node)?.parent === this.#node) this.#wanted = message.node;
    if (message.node === this.#wanted) this.#showBoard(whole);
    else if (!this.#coming.size && this.#wanted !== null && this.#wanted !== this.#node) this.#goto(this.#wanted);
  }

  #showBoard(whole) {
    const isOther = whole.node !== this.#last?.node || whole.seat !== this.#last?.seat;
    if (whole.node !== this.#node) this.#choices = [];
    this.#last = whole;
    this.#node = this.#wanted = whole.node;
    this.board.show(whole);
    if (isOther) {
      this.#analysis = null;
      this.#drawAnalysis();
      this.comment.value = this.#nodes.get(this.#node)?.comment ?? "";
    }
    this.where.textContent = whole.ply ? t("ply_of", { ply: whole.ply, name: whole.last_text }) : t("start");
    say(this.where.textContent);
    this.#drawSeats();
    this.#drawTreeSoon();
    if (isOther) this.#askSoon();
  }

  // All nodes, or those that changed and those that are gone.
  #showTree({ nodes, gone, title, players }) {
    this.#players = players;
    if (!gone) this.#nodes.clear();
    gone?.forEach((id) => this.#nodes.delete(id));
    nodes.forEach((node) => this.#nodes.set(node.id, node));
    this.heading.textContent = title || t("page_analyze");
    document.title = `${title || t("page_analyze")} – Tengen`;
    this.#drawTreeSoon();
  }

  // Where one is.

  #line() {
    const line = [];
    for (let at = this.#node; at !== undefined; at = this.#nodes.get(at)?.parent) line.unshift(at);
    for (let next = this.#nodes.get(this.#node)?.children[0]; next !== undefined; next = this.#nodes.get(next)?.children[0]) line.push(next);
    return line;
  }

  #step(by) {
    const line = this.#line();
    const at = line.indexOf(this.#wanted ?? this.#node) + by;
    if (at >= 0 && at < line.length) this.#goto(line[at]);
  }

  #opening(node) {
    return { t: "open", study: this.study, node, ahead: AHEAD, seat: this.#seat, lang: language() };
  }

  #goto(node) {
    this.#wanted = node;
    const known = this.#boards.find(node, this.#seat);
    if (known) this.#showBoard(known);
    // A held key finds them here; the next twenty are asked for in time.
    const isMissing = (id) => !this.#boards.find(id, this.#seat);
    const isComing = this.#coming.size && performance.now() - this.#askedAt < PATIENCE_MS;
    if (!isComing && (!known || this.#ahead(node, FEW_AHEAD).some(isMissing))) this.#fetch(known ? node : this.#firstOf(node));
  }

  #fetch(from) {
    if (!wire.send(this.#opening(from))) return;
    this.#askedAt = performance.now();
    this.#coming = new Set([from, ...this.#ahead(from, AHEAD)]);
  }

  #ahead(node, count) {
    const found = [];
    for (let next = this.#nodes.get(node)?.children[0]; next !== undefined && found.length < count; next = this.#nodes.get(next)?.children[0]) found.push(next);
    return found;
  }

  // Who goes back gets those before, too.
  #firstOf(node) {
    let first = node;
    for (let i = 0; i < AHEAD; i++) {
      const parent = this.#nodes.get(first)?.parent;
      if (parent === undefined || this.#nodes.get(parent)?.children[0] !== first || this.#boards.find(parent, this.#seat)) break;
      first = parent;
    }
    return first;
  }

  // What is tried.

  #playAction(action) {
    if (this.#last?.actor === "all") this.#choose(action);
    else this.#play({ action });
  }

  #playText(text) {
    const wanted = text.toLowerCase();
    const known = [...this.board.actions.values()].find(([, name]) => name.toLowerCase() === wanted);
    if (this.#last?.actor === "all" && known) this.#choose(known[0]);
    else this.#play({ text });
  }

  #choose(action) {
    const { seat } = this.#last;
    this.#choices[seat] = { action, name: this.board.nameOf(action) };
    const open = this.#everySeat().find((other) => !this.#choices[other]);
    if (open === undefined) {
      this.#seat = 0;
      this.#play({ joint: this.#choices.map((choice) => choice.action) });
      return;
    }
    say(t("chosen_for", { number: seat + 1, move: this.#choices[seat].name }));
    this.#lookAs(open);
  }

  #lookAs(seat) {
    this.#seat = seat;
    this.#fetch(this.#node);
  }

  // Where all choose at once: whose choices are looked at, and what was chosen for others.
  #drawSeats() {
    const { actor, seat } = this.#last;
    this.seats.hidden = actor !== "all";
    if (this.seats.hidden) return;
    const look = (number) => () => {
      this.#choices = [];
      this.#lookAs(number);
    };
    const text = (number) => [t("seat_number", { number: number + 1 }), this.#choices[number]?.name].filter(Boolean).join(": ");
    this.seats.replaceChildren(...this.#everySeat().map((number) => button(text(number), look(number), { "aria-pressed": String(number === seat), "data-seat": String(number) })));
  }

  #everySeat() {
    return [...Array(this.#players).keys()];
  }

  #play(what) {
    if (!this.#last || !wire.send({ t: "play", ply: this.#node, ...what })) this.board.free();
    else this.#wanted = null;
  }

  async #save() {
    try {
      const { name, data } = await get(`/api/studies/${this.study}/record`);
      offerFile(new Blob([fromBase64(data)]), name);
    } catch (error) {
      say(error.message);
    }
  }

  #edit(what, text = "") {
    if (what === "delete") this.#wanted = this.#nodes.get(this.#node)?.parent ?? this.#node;
    wire.send({ t: "edit", node: this.#node, what, text });
  }

  #review() {
    wire.send({ t: "review", visits: 100 });
    say(t("reviewing"));
  }

  // The engine.

  #toggle() {
    this.#isOn = !this.#isOn;
    this.#drawEngine();
    this.#ask();
  }

  #drawEngine() {
    this.engine.textContent = t(this.#isOn ? "engine_on" : "engine_off");
    this.engine.setAttribute("aria-pressed", String(this.#isOn));
  }

  #pinned() {
    return this.#pins.get(this.#node) ?? new Set();
  }

  #askSoon() {
    const isHeld = performance.now() - this.#shownAt < HELD_MS;
    this.#shownAt = performance.now();
    clearTimeout(this.timer);
    if (isHeld) this.timer = setTimeout(() => this.#ask(), ASK_AFTER_MS);
    else afterPaint(() => this.#isLeft || this.#ask());
  }

  #ask() {
    if (!this.#last || this.#last.result || this.#last.actor === "chance") return;
    const message = { t: "ask", node: this.#node, seat: this.#last.seat ?? null };
    if (this.#isOn) {
      Object.assign(message, { visits: Number(this.budget.value), pins: [...this.#pinned()], pin_visits: Number(this.pinVisits.value) });
      if (this.#region) Object.assign(message, { [this.#region.kind]: this.board.actionsInside(this.#region.box), depth: Number(this.depth.value) || 1 });
    }
    wire.send(message);
  }

  #pin(action) {
    const pins = new Set(this.#pinned());
    if (!pins.delete(action)) pins.add(action);
    this.#pins.set(this.#node, pins);
    this.#ask();
  }

  #markRegion(kind) {
    say(t("drag_region"));
    this.board.askRegion((box) => this.#setRegion({ kind, box }));
    this.board.focus();
  }

  #setRegion(region) {
    this.#region = region;
    this.regionText.textContent = region ? t(`region_${region.kind}`, { count: this.board.actionsInside(region.box).length }) : "";
    this.#ask();
  }

  #showAnalysis(message) {
    if (message.node !== this.#node || (message.seat ?? this.#last?.seat) !== this.#last?.seat) return;
    this.#analysis = message;
    this.#drawAnalysis();
  }

  #drawAnalysis() {
    const { root, moves = [], heat } = this.#analysis ?? {};
    this.root.textContent = root ? t("standing", { worth: worth(root), visits: root.visits.toLocaleString() }) : "";
    const shown = Number(settings.get("marks"));
    this.board.setHeat(heat ?? {});
    this.board.setLayer(
      "moves",
      moves
        .map((move, i) => ({ touches: move.touches, kind: kindOf(move, i), text: i ? lossText(move) : "1", isPinned: move.pinned, order: i }))
        .filter((mark) => mark.order < shown || mark.isPinned),
    );
    const focused = document.activeElement?.dataset?.row;
    this.list.replaceChildren(...moves.slice(0, Math.max(shown, 9)).concat(moves.slice(Math.max(shown, 9)).filter(({ pinned }) => pinned)).map((move, i) => this.#row(move, i)));
    if (focused) this.list.querySelector(`[data-row="${focused}"]`)?.focus();
  }

  #row(move, i) {
    const line = move.line.map(([name]) => name).join(" ");
    const play = (event) => {
      // A finger that stayed looked at the line.
      if (event.pointerType !== "touch" || event.timeStamp - this.#pressedAt < HOLD_MS) this.#playAction(move.action);
    };
    const name = button(`${i + 1}.\u00a0${move.name}`, play, { title: line, "data-row": `m${move.action}` });
    name.addEventListener("pointerdown", (event) => (this.#pressedAt = event.timeStamp));
    name.addEventListener("contextmenu", (event) => event.preventDefault());
    name.addEventListener("focus", () => this.#showLine(move));
    name.addEventListener("blur", () => this.#showLine(null));
    const pin = button(move.pinned ? "●" : "○", () => this.#pin(move.action), {
      "aria-pressed": String(move.pinned),
      "aria-label": t("pin_move", { move: move.name }),
      "data-row": `p${move.action}`,
      "data-pin": move.name,
    });
    const cells = [worth(move), i ? lossText(move) : "", move.visits.toLocaleString()].map((text) => el("td", { text }));
    return el("tr", { class: i ? "" : "best", "data-visits": String(move.visits), "data-move": move.name }, el("td", {}, name), cells, el("td", {}, pin));
  }

  // A line as numbered ghosts.
  #showLine(move) {
    if (this.#lineOf === (move?.action ?? null)) return;
    this.#lineOf = move?.action ?? null;
    this.board.dim(Boolean(move?.line?.length));
    this.board.setLayer("line", (move?.line ?? []).map(([, touches], i) => ({ touches, kind: "line", text: String(i + 1) })).reverse());
  }

  #hover(id) {
    const moves = id === null ? [] : this.board.actionsOn(id);
    this.#showLine(this.#analysis?.moves?.find(({ action }) => moves.includes(action)) ?? null);
  }

  // Tree and graph, once the board is painted; while a move is under way its board comes first.
  #drawTreeSoon() {
    if (this.#isTreeDue || this.#wanted === null) return;
    this.#isTreeDue = true;
    afterPaint(() => {
      this.#isTreeDue = false;
      this.tree.draw(this.#nodes, new Set(this.#line()), this.#last);
      this.#drawGraph();
    });
  }

  #drawGraph() {
    const line = this.#line().map((id) => this.#nodes.get(id)).filter(Boolean);
    this.graph.replaceChildren(...drawGraphs(line, this.#node, (id) => this.#goto(id)));
  }

  #onKey(event) {
    const isTyping = event.target.matches?.("input:not([type=range]), textarea, select");
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    const onBoard = event.target.closest?.(".spots");
    const keys = {
      "[": () => this.#step(-1),
      "]": () => this.#step(1),
      " ": () => this.#toggle(),
      "/": () => this.typed.focus(),
      "?": () => (location.hash = "#/settings"),
      p: () => this.board.actionsOn(this.board.focused).slice(0, 1).forEach((action) => this.#pin(action)),
      u: () => this.#step(-1),
    };
    if (!onBoard) Object.assign(keys, { ArrowLeft: keys["["], ArrowRight: keys["]"] });
    if (event.target.matches?.("button") && event.key === " ") return;
    if (/^[1-9]$/.test(event.key)) {
      const move = this.#analysis?.moves?.[Number(event.key) - 1];
      if (move) this.#playAction(move.action);
    } else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  }
}

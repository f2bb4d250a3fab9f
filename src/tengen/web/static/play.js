// A table: the board, who sits there, what can be done.

import { Board } from "./board.js";
import { ask, button, click, el, language, offerFile, say, settings, t } from "./dom.js";
import { openFile } from "./records.js";
import { keyList } from "./settings.js";
import { download, get, post, wire } from "./wire.js";

// Sentences that are read out with a move; the log has all.
const SAID = 2;
const HINT_KINDS = ["best", "good", "fair"];

export async function show(main, [table, key]) {
  const page = new PlayPage(main, table, key);
  return () => page.leave();
}

class PlayPage {
  #last = null;
  #people = null;
  #moves = 0;

  constructor(main, table, key) {
    this.table = table;
    this.key = key;
    this.board = new Board({ onPlay: (action) => this.#play({ action }) });
    this.seats = el("div", { class: "seats" });
    this.turn = el("p", { class: "turn" });
    this.log = el("div", { class: "log", role: "log", "aria-label": t("log"), tabindex: 0 });
    this.hints = el("div", { class: "hints" });
    this.lost = el("p", { class: "lost", role: "alert", hidden: true, text: t("lost") });
    this.offer = el("div", { class: "row", role: "alert" });
    this.heading = el("h1", { text: t("game") });
    this.typed = el("input", { id: "typed", autocomplete: "off", "aria-label": t("typed_move"), placeholder: t("typed_move"), list: "moves" });
    this.moves = el("datalist", { id: "moves" });
    this.buttons = {
      hint: button(t("hint"), () => this.#send("hint")),
      undo: button(t("undo"), () => this.#send("undo")),
      save: button(t("save"), () => this.#save()),
      resign: button(t("resign"), () => this.#resign()),
      rematch: button(t("rematch"), () => wire.send({ t: "rematch" })),
      analyze: button(t("analyze"), () => this.#analyze()),
    };
    this.guide = el("pre");
    this.invite = el("div");
    main.append(this.lost, this.heading, el("div", { class: "desk" }, this.board.element, this.#side()));
    this.onKey = (event) => this.#onKey(event);
    document.addEventListener("keydown", this.onKey);
    this.timer = setInterval(() => this.#drawClocks(), 250);
    wire.follow(
      () => [{ t: "open", table, key, lang: language() }],
      (message) => this.#receive(message),
    );
  }

  leave() {
    document.removeEventListener("keydown", this.onKey);
    clearInterval(this.timer);
  }

  #side() {
    const form = el("form", { class: "row" }, this.typed, this.moves, button(t("play"), null, { type: "submit" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.typed.value.trim()) this.#play({ text: this.typed.value.trim() });
      this.typed.value = "";
    });
    this.controls = el("section", { class: "panel", "aria-label": t("actions") }, el("div", { class: "row" }, Object.values(this.buttons)), this.hints, form);
    return el(
      "div",
      {},
      el("section", { class: "panel", "aria-label": t("players") }, this.seats, this.turn, this.offer),
      this.controls,
      el("section", { class: "panel" }, el("h2", { text: t("log") }), this.log),
      el("details", { class: "panel" }, el("summary", { text: t("rules") }), this.guide),
      el("details", { class: "panel" }, el("summary", { text: t("invite") }), this.invite),
      el("details", { class: "panel" }, el("summary", { text: t("keys") }), keyList()),
    );
  }

  #receive(message) {
    const handlers = {
      board: () => this.#showBoard(message),
      table: () => this.#showPeople(message),
      hints: () => this.#showHints(message),
      offered: () => this.#showOffer(message),
      problem: () => {
        if (message.about === "play") this.board.free();
        say(message.text);
      },
      lost: () => (this.lost.hidden = false),
      connected: () => (this.lost.hidden = true),
    };
    handlers[message.t]?.();
  }

  #showBoard(message) {
    const isNew = !this.#last || message.ply !== this.#last.ply;
    this.#last = message;
    this.at = performance.now();
    this.board.show(message);
    if (isNew) {
      this.hints.replaceChildren();
      this.board.setLayer("hints", []);
      this.offer.replaceChildren();
    }
    const told = this.#describe(message);
    for (const line of told) this.log.append(el("p", { text: line }));
    if (told.length && message.result) this.log.append(el("p", { text: this.#resultText(message) }), this.#whatNext(message));
    this.log.scrollTop = this.log.scrollHeight;
    for (const [name, control] of Object.entries(this.buttons)) control.disabled = !message.can.includes(name === "analyze" ? "save" : name);
    this.typed.disabled = !message.is_turn;
    // Who watches has nothing to do.
    this.controls.hidden = message.seat === undefined;
    this.moves.replaceChildren(...[...this.board.actions.values()].map(([, name]) => el("option", { value: name })));
    this.board.element.dataset.over = Boolean(message.result);
    this.turn.textContent = this.#turnText(message);
    if (told.length || message.is_turn) say([...told.slice(0, SAID), this.#turnText(message)].join(" "));
    if (isNew && this.#moves++) click();
    this.#drawSeats();
  }

  #describe(message) {
    const key = `${message.ply} ${message.last_text} ${message.result?.how}`;
    if (key === this.lastTold) return [];
    this.lastTold = key;
    const told = [];
    if (message.last_text) {
      const who = message.by === message.seat ? t("you") : this.#seatName(message.by);
      told.push(
        message.by === "all" || message.by === "chance"
          ? t(`log_${message.by}`, { move: message.last_text })
          : t("log_move", { who, move: message.last_text }),
      );
    }
    told.push(...message.log.map((text) => (/[.!?。]$/.test(text) ? text : t("sentence", { text }))));
    return told;
  }

  // Rounds that hang together tell of the next one.
  #whatNext({ can }) {
    return this.#people?.is_series && can.includes("rematch") ? el("p", { text: t("next_round_more", { button: t("next_round") }) }) : "";
  }

  #turnText(message) {
    if (message.result) return this.#resultText(message);
    if (message.is_turn) return t("your_move");
    if (message.chosen !== undefined && message.actor === "all") return t("waits_for_others");
    return t("waits_for", { who: this.#seatName(message.actor) });
  }

  #resultText({ result, seat }) {
    const { payoffs, how, who, unit } = result;
    const best = Math.max(...payoffs);
    const winners = payoffs.filter((payoff) => payoff === best).length;
    const amount = unit ? t("amount", { amount: Math.abs(best).toLocaleString(), unit }) : "";
    const why = how ? ` ${t(`how_${how}`, { who: this.#seatName(who) })}` : "";
    if (winners === payoffs.length) return t("result_draw");
    if (seat === undefined) return t("result_other", { who: this.#seatName(payoffs.indexOf(best)), amount }).trim() + why;
    return t(payoffs[seat] === best ? "result_won" : "result_lost", { amount }).replace(/ +([.。])/, "$1") + why;
  }

  #seatName(seat) {
    if (seat === "chance" || seat === "all" || seat === null || seat === undefined) return t(`who_${seat ?? "nobody"}`);
    const level = this.#people?.seats[seat]?.level;
    if (level) return t("computer", { level: t(`level_${level}`) });
    return seat === this.#last?.seat ? t("you") : t("seat_number", { number: seat + 1 });
  }

  #showPeople(message) {
    if (message.next) {
      location.hash = `#/play/${message.next}/${message.next_key}`;
      return;
    }
    this.#people = message;
    document.title = `${message.title} – Tengen`;
    this.heading.textContent = message.title;
    if (message.is_series) this.buttons.rematch.textContent = t("next_round");
    this.#drawSeats();
    if (message.is_owner) {
      this.#showInvitations();
      if (!this.guide.textContent) this.#loadGuide(message.game);
    }
  }

  async #loadGuide(game) {
    const home = await get(`/api/home?lang=${language()}`).catch(() => null);
    this.guide.textContent = home?.games.find(({ id }) => id === game)?.guide ?? "";
  }

  #drawSeats() {
    if (!this.#people || !this.#last) return;
    const { actor } = this.#last;
    this.seats.replaceChildren(
      ...this.#people.seats.map((seat, number) =>
        el(
          "div",
          { class: actor === number || actor === "all" ? "seat turn" : "seat" },
          el("span", { text: `${number + 1} · ${this.#seatName(number)}${seat.here ? "" : ` (${t("away")})`}` }),
          el("span", { class: "clock", "data-seat": String(number) }),
        ),
      ),
    );
    this.#drawClocks();
  }

  #drawClocks() {
    this.#last?.clocks?.forEach((clock, seat) => {
      const face = this.seats.querySelector(`[data-seat="${seat}"]`);
      if (!face) return;
      const left = Math.max(0, clock.left_s - (clock.is_running ? (performance.now() - this.at) / 1000 : 0));
      const periods = clock.byoyomi_s ? ` + ${clock.periods} × ${t("seconds", { count: clock.byoyomi_s })}` : "";
      face.textContent = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}${periods}`;
      face.classList.toggle("low", left < 10);
    });
  }

  // What a person does.

  #play(what) {
    if (!this.#last) return;
    const isSent = wire.send({ t: "play", ply: this.#last.ply, ...what, warn: settings.get("warn") === "on" });
    if (isSent) return;
    this.board.free();
    say(t("lost"));
  }

  #send(kind) {
    if (this.#last) wire.send({ t: kind, ply: this.#last.ply });
    if (kind === "hint") say(t("thinking"));
  }

  async #resign() {
    if (await ask(t("resign_really"), t("resign"), t("go_on"))) wire.send({ t: "resign" });
  }

  #record() {
    return download(`/api/tables/${this.table}/record?key=${encodeURIComponent(this.key)}`);
  }

  async #analyze() {
    try {
      await openFile(new File([await this.#record()], "game"), this.#people?.game ?? "");
    } catch (error) {
      say(error.message);
    }
  }

  async #save() {
    try {
      const blob = await this.#record();
      const home = await get("/api/home").catch(() => ({ games: [] }));
      const suffix = home.games.find(({ id }) => id === this.#people?.game)?.suffix ?? ".json";
      offerFile(blob, `${this.#people?.game ?? "game"}${suffix}`);
    } catch (error) {
      say(error.message);
    }
  }

  #showHints({ moves, note, warning, ply }) {
    if (warning) {
      const [played, better] = moves;
      const text = t("mistake", { played: played.name, better: better.name, cost: warning });
      this.hints.replaceChildren(el("p", { text }), button(t("take_back"), () => this.#send("undo"), { class: "main" }));
      say(text);
      return;
    }
    if (ply !== this.#last.ply) return;
    const rows = moves.map((move, i) =>
      el("tr", { class: i ? "" : "best" }, el("td", {}, button(`${i + 1}. ${move.name}`, () => this.#play({ action: move.action }))), el("td", { text: hintWorth(move) })),
    );
    const head = el("tr", {}, el("th", { scope: "col", text: t("move") }), el("th", { scope: "col", text: t("worth") }));
    this.hints.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, rows)), el("p", { class: "faint", text: note }));
    this.board.setLayer("hints", moves.map((move, i) => ({ touches: move.touches, kind: HINT_KINDS[i] ?? "fair", text: String(i + 1) })));
    say(moves.map((move, i) => `${i + 1}: ${move.name}, ${hintWorth(move)}`).join("; "));
  }

  #showOffer({ what, seat }) {
    if (what.startsWith("no ")) {
      say(t("refused"));
      return;
    }
    const answer = (accept) => () => {
      wire.send({ t: "offer", accept });
      this.offer.replaceChildren();
    };
    const text = t(`asks_${what}`, { who: this.#seatName(seat) });
    this.offer.replaceChildren(el("span", { text }), button(t("no"), answer(false)), button(t("yes"), answer(true), { class: "main" }));
    say(text);
  }

  async #showInvitations() {
    const keys = await get(`/api/tables/${this.table}/keys`).catch(() => null);
    if (!keys) return;
    const link = (key) => `${location.origin}/#/play/${this.table}/${key}`;
    const row = (name, key, seat) =>
      el(
        "div",
        { class: "row" },
        el("a", { href: link(key), text: name }),
        button(t("copy"), () => copy(link(key))),
        button(t("revoke"), async () => {
          await post(`/api/tables/${this.table}/keys`, { seat });
          this.#showInvitations();
        }),
      );
    const seats = keys.seats
      .map((key, seat) => [key, seat])
      .filter(([key]) => key && key !== this.key)
      .map(([key, seat]) => row(t("link_seat", { number: seat + 1 }), key, seat));
    const hints = el("input", { type: "checkbox", id: "guest-hints", checked: keys.hints });
    hints.addEventListener("change", () => post(`/api/tables/${this.table}/keys`, { hints: hints.checked }).catch((error) => say(error.message)));
    const allow = seats.length ? el("div", { class: "row" }, hints, el("label", { for: "guest-hints", text: t("guest_hints") })) : null;
    this.invite.replaceChildren(...[...seats, row(t("link_watch"), keys.watch, null), allow].filter(Boolean));
  }

  #onKey(event) {
    const isTyping = event.target.matches?.("input, textarea, select");
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    const keys = {
      u: () => !this.buttons.undo.disabled && this.#send("undo"),
      h: () => !this.buttons.hint.disabled && this.#send("hint"),
      "/": () => this.typed.focus(),
      "?": () => (location.hash = "#/settings"),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  }
}

// The server has put amounts into words.
function hintWorth({ winrate, value, score, error }) {
  const main = winrate === undefined ? value : `${Math.round(100 * winrate)} %`;
  const more = [error && `± ${error}`, score !== undefined && t("points", { points: (score > 0 ? "+" : "") + score })];
  return [main, ...more.filter(Boolean)].join(", ");
}

// Where there is no clipboard, as on other machines without https, the link is shown.
async function copy(link) {
  try {
    await navigator.clipboard.writeText(link);
    say(t("copied"));
  } catch {
    say(link);
  }
}

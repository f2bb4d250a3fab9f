// A run, or a match, as it goes. It is redrawn when a step lands; what is under the pointer stays where it is.

import { el, say, t } from "./dom.js";
import { wire } from "./wire.js";

export function showWatched(main, kind, id) {
  const title = el("h1", { text: "" });
  const now = el("section", { class: "panel", id: "now", "aria-live": "off" });
  const parts = el("div", { id: "facts" });
  const problems = el("section", { id: "problems" });
  main.append(title, now, parts, problems);
  let facts = {};
  const hear = (message) => {
    if (message.t === "problem" && message.about === "watch") {
      now.replaceChildren(el("p", { class: "bad", role: "alert", text: message.text }));
    }
    if (message.t !== kind || message[kind] !== id) return;
    const landed = "name" in message.facts;
    // More games of a match are no step.
    const isStep = kind === "run" || facts.matches?.length !== message.facts.matches?.length;
    facts = { ...facts, ...message.facts };
    title.textContent = facts.name ?? "";
    drawNow(now, facts.progress);
    if (!landed) return;
    if (isStep && parts.childElementCount) say(t("step_landed"));
    keepingPlace(() => {
      replaceParts(parts, kind === "run" ? runParts(id, facts) : matchParts(id, facts));
      const told = (facts.problems ?? []).map((text) => el("li", { text }));
      problems.replaceChildren(...(told.length ? [el("h2", { class: "bad", text: t("problems") }), el("ul", {}, told)] : []));
    });
  };
  wire.follow(() => [{ t: "watch", [kind]: id }], hear);
}

export const show = (main, [id]) => showWatched(main, "run", id);

// A part that says the same stays the element it was: nothing jumps, and an open table stays open.
function replaceParts(holder, parts) {
  const before = new Map([...holder.children].map((child) => [child.id, child]));
  holder.replaceChildren(
    ...parts.map((part) => {
      const old = before.get(part.id);
      if (!old) return part;
      const open = [...old.querySelectorAll("details")].map((details) => details.open);
      if (old.isEqualNode(part)) return old;
      part.querySelectorAll("details").forEach((details, i) => (details.open = open[i] ?? false));
      return old.isEqualNode(part) ? old : part;
    }),
  );
}

function keepingPlace(change) {
  const anchor = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("#facts > *");
  const [id, top] = anchor ? [anchor.id, anchor.getBoundingClientRect().top] : ["", 0];
  change();
  const after = id && document.getElementById(id);
  if (after) scrollBy(0, after.getBoundingClientRect().top - top);
}

function drawNow(panel, progress) {
  if (!progress) {
    panel.replaceChildren(el("p", { class: "faint", text: t("nothing_under_way") }));
    return;
  }
  const step = progress.title || t("step_of", { step: stepName(progress.step), iteration: progress.iteration });
  const counts = t("done_of", { done: progress.done, total: progress.total });
  const state = progress.active ? (progress.over ? t("between_steps") : "") : t(progress.over ? "finished" : "stopped");
  const bar = el("progress", { max: String(Math.max(1, progress.total)), value: String(progress.done), "aria-label": step });
  const lines = [el("p", {}, el("strong", { text: step }), el("span", { text: ` ${counts} ${state}` })), bar];
  if (progress.active && progress.left_s !== null) lines.push(el("p", { text: t("left", { time: duration(progress.left_s) }) }));
  if (progress.active && progress.run_left_s !== null) lines.push(el("p", { text: t("run_left", { time: duration(progress.run_left_s) }) }));
  if (progress.score) lines.push(el("p", { text: scoreText([progress.wins, progress.draws, progress.losses], progress.score) }));
  const figures = Object.entries(progress.figures ?? {}).filter(([name]) => !["plies", "visits"].includes(name));
  if (figures.length) lines.push(el("p", { class: "faint", text: figures.map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`).join(", ") }));
  panel.replaceChildren(...lines);
}

const stepName = (step) => {
  const name = t(`step_${step.replaceAll("-", "_")}`);
  return name.startsWith("step_") ? step : name;
};

function runParts(id, facts) {
  const tiles = [
    [facts.game, "game"],
    [facts.iterations, "iterations"],
    [facts.champion, "champion_now"],
    [facts.elo, "elo"],
  ].filter(([value]) => value !== undefined && value !== null && value !== "");
  const parts = [
    el("dl", { class: "tiles", id: "tiles" }, tiles.map(([value, name]) => el("div", {}, el("dt", { text: t(name) }), el("dd", { text: String(value) })))),
    el("div", { class: "charts", id: "charts" }, (facts.charts ?? []).map(chartFigure)),
  ];
  if (facts.gates?.length) parts.push(gateTable(facts.gates));
  if (facts.games?.length) parts.push(gameList(id, facts.games));
  return parts;
}

function matchParts(id, facts) {
  const matches = (facts.matches ?? []).map((match) =>
    el(
      "section",
      { class: "panel", id: `part-${match.file}` },
      el("h2", { text: t("match_of", { first: match.first, second: match.second }) }),
      el("p", { text: `${match.game}: ${scoreText(match.tally, match.score)}` }),
      el("details", {}, el("summary", { text: t("details") }), el("pre", { text: match.summary })),
      el("div", { class: "row" }, [0, 1].map((number) => gameLink(id, match.first_game + number, t("game_number", { number: number + 1 })))),
    ),
  );
  return facts.games?.length ? [gameList(id, facts.games), ...matches] : matches;
}

export function chartFigure(chart) {
  const picture = el("div", { class: "chart-box" });
  // A drawing of the server's own.
  picture.innerHTML = chart.svg;
  const known = t(`chart_${chart.name}`);
  const name = known.startsWith("chart_") ? chart.name : known;
  const head = ["iteration", "value", "low", "high"].map((key) => el("th", { scope: "col", text: t(key) }));
  const rows = chart.rows.map((row) => el("tr", {}, row.map((value) => el("td", { text: value === null ? "" : String(value) }))));
  const numbers = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
  return el(
    "figure",
    { id: `chart-${chart.name}` },
    el("figcaption", { text: name }),
    picture,
    el("details", {}, el("summary", { text: t("numbers") }), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${name}: ${t("numbers")}` }, numbers)),
  );
}

function gateTable(gates) {
  const head = ["iteration", "against", "score", "tally", "verdict"].map((key) => el("th", { scope: "col", text: t(key) }));
  const rows = gates.map((gate) =>
    el(
      "tr",
      {},
      el("td", { text: String(gate.iteration ?? "") }),
      el("td", { text: gate.against }),
      el("td", { text: gate.score === null ? "" : percent(gate.score) }),
      el("td", { text: `+${gate.tally[0]} =${gate.tally[1]} −${gate.tally[2]}` }),
      el("td", { text: `${t(gate.passed ? "accepted" : "not_accepted")}: ${gate.reason}` }),
    ),
  );
  const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
  return el("section", { class: "panel", id: "gates" }, el("h2", { text: t("gates") }), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("gates") }, table));
}

function gameList(id, games) {
  const items = games.map((game) => {
    const title = game.title || t("game_number", { number: game.place });
    const text = [title, ...game.seats, game.result, t("plies", { plies: game.plies })].filter(Boolean).join(" · ");
    return el("li", {}, gameLink(id, game.number, text));
  });
  return el("section", { class: "panel", id: "games" }, el("h2", { text: t("newest_games") }), el("ul", { class: "plain" }, items));
}

const gameLink = (id, number, text) => el("a", { href: `#/replay/${id}/${number}`, text });

const percent = (share) => `${(100 * share).toFixed(1)} %`;

const scoreText = ([wins, draws, losses], [score, low, high]) =>
  `${percent(score)} (${percent(low)} … ${percent(high)}), +${wins} =${draws} −${losses}`;

export function duration(seconds) {
  if (seconds < 90) return t("seconds", { count: Math.ceil(seconds) });
  if (seconds < 5400) return t("minutes", { count: Math.round(seconds / 60) });
  return t("hours", { count: (seconds / 3600).toFixed(1) });
}

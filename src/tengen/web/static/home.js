// Home: a click on a game starts it.

import { el, every, language, say, t } from "./dom.js";
import { recordPanel } from "./records.js";
import { get, post } from "./wire.js";

const FRIENDLY = "easy";
const REFRESH_MS = 5000;

export async function show(main) {
  const home = await get(`/api/home?lang=${language()}`);
  const runs = el("section", { class: "panel", id: "runs", hidden: true });
  const damaged = el("p", { class: "bad", role: "alert", id: "damaged", text: t("damaged_files", { names: home.damaged.join(", ") }) });
  main.append(
    ...(home.damaged.length ? [damaged] : []),
    el("h1", { text: t("choose_game") }),
    el("p", { class: "faint", text: t("choose_game_more") }),
    el("ul", { class: "games" }, home.games.map(gameCard)),
    recordPanel(home.games),
    runs,
    el("section", { class: "panel" }, el("h2", { text: t("continue") }), tableList(home.tables)),
  );
  const draw = async () => showRuns(runs, (await get("/api/library/active")).entries);
  draw().catch(() => {});
  return every(REFRESH_MS, draw);
}

// The active runs and matches, with their curves.
function showRuns(panel, entries) {
  const items = entries.map(({ id, kind, name, progress, svg }) => {
    const curve = el("div", { class: "chart-box" });
    curve.innerHTML = svg;
    const text = t("done_of", { done: progress?.done ?? 0, total: progress?.total ?? 0 });
    return el("li", {}, el("a", { href: `#/${kind}/${id}`, text: name }), el("span", { class: "faint", text: ` ${text}` }), curve);
  });
  panel.hidden = !items.length;
  panel.replaceChildren(el("h2", { text: t("runs_under_way") }), el("ul", { class: "plain charts" }, items));
}

function gameCard(game) {
  const picture = el("img", { src: `/api/picture/${encodeURIComponent(game.id)}.svg?lang=${language()}`, alt: "", loading: "lazy" });
  return el(
    "li",
    {},
    el(
      "button",
      { class: "start", type: "button", "data-game": game.id, onclick: () => start(game) },
      picture,
      el("span", { class: "title", text: game.title }),
    ),
    el("a", { href: `#/new/${encodeURIComponent(game.id)}`, text: t("options_of", { game: game.title }) }),
  );
}

async function start(game) {
  const seats = [null, ...Array(game.players - 1).fill(FRIENDLY)];
  try {
    const { table, key } = await post("/api/tables", { game: game.id, seats });
    location.hash = `#/play/${table}/${key}`;
  } catch (error) {
    say(error.message);
  }
}

function tableList(tables) {
  if (!tables.length) return el("p", { class: "faint", text: t("no_tables") });
  return el(
    "ul",
    { class: "plain" },
    tables.map(({ table, key, title, plies, seats }) => {
      const against = seats.filter(Boolean).map((level) => t(`level_${level}`)).join(", ") || t("a_person");
      const text = t("table_row", { game: title, against, plies });
      return el("li", {}, el("a", { href: `#/play/${table}/${key}`, text }));
    }),
  );
}


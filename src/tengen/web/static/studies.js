// Where an analysis begins: a record, an empty board, or a study that was made before.

import { button, el, language, say, t } from "./dom.js";
import { recordPanel } from "./records.js";
import { get, post } from "./wire.js";

export async function showStudies(main) {
  const [home, { studies }] = await Promise.all([get(`/api/home?lang=${language()}`), get("/api/studies")]);
  const open = async (game) => {
    const made = await post("/api/studies", { data: "", game }).catch((error) => say(error.message));
    if (made) location.hash = `#/analyze/${made.study}`;
  };
  main.append(
    el("h1", { text: t("page_analyze") }),
    recordPanel(home.games),
    el("section", { class: "panel" }, el("h2", { text: t("empty_board") }), el("div", { class: "row" }, home.games.map(({ id, title }) => button(title, () => open(id))))),
    studies.length ? el("section", { class: "panel" }, el("h2", { text: t("recent_studies") }), el("ul", { class: "plain", id: "studies" }, studies.map(studyRow))) : "",
  );
}

function studyRow({ study, title, changed }) {
  const when = new Date(1000 * changed).toLocaleString(language());
  return el("li", {}, el("a", { href: `#/analyze/${study}`, text: title || study }), el("span", { class: "faint", text: ` ${when}` }));
}

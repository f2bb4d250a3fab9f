// The library: runs, matches, networks and records below the roots of the command line; two runs side by side.

import { button, el, every, say, t } from "./dom.js";
import { chartFigure } from "./run.js";
import { get } from "./wire.js";

const REFRESH_MS = 3000;
const KINDS = ["run", "match", "record", "network"];

export async function show(main) {
  const search = el("input", { type: "search", id: "search", spellcheck: false });
  const list = el("div", { id: "entries" });
  const compared = el("section", { id: "compared", "aria-live": "polite" });
  const chosen = new Set();
  main.append(
    el("h1", { text: t("page_library") }),
    el("div", { class: "row" }, el("label", { for: "search", text: t("search") }), search),
    list,
    compared,
  );
  const compare = async () => {
    const [a, b] = chosen;
    try {
      const found = await get(`/api/library/compare?first=${a}&second=${b}`);
      compared.replaceChildren(
        el("h2", { text: t("compare_names", { first: found.names[0], second: found.names[1] }) }),
        legend(found.names),
        el("div", { class: "charts" }, found.charts.map(chartFigure)),
      );
      compared.scrollIntoView({ block: "nearest" });
    } catch (error) {
      say(error.message);
    }
  };
  let shown = "";
  const draw = async () => {
    const { entries } = await get(`/api/library?search=${encodeURIComponent(search.value)}`);
    // What is looked at stays as it is while nothing has come or gone.
    const now = JSON.stringify(entries.map(({ id, active }) => [id, active]));
    if (now === shown) return;
    shown = now;
    const sections = KINDS.map((kind) => section(kind, entries.filter((entry) => entry.kind === kind), chosen, compare));
    list.replaceChildren(...sections.filter(Boolean));
    if (!entries.length) list.append(el("p", { class: "faint", text: `${t("nothing_found")} ${t("library_more")}` }));
  };
  let timer = null;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => draw().catch((error) => say(error.message)), 200);
  });
  await draw();
  const again = every(REFRESH_MS, draw);
  return () => {
    clearTimeout(timer);
    again();
  };
}

function legend(names) {
  return el("p", { class: "legend" }, names.map((name, i) => el("span", { class: `key-${"ab"[i]}`, text: name })));
}

function section(kind, entries, chosen, compare) {
  if (!entries.length) return null;
  const side = button(t("compare"), compare, { disabled: chosen.size !== 2 });
  const items = entries.map((entry) => el("li", { class: "row" }, pick(entry, kind, chosen, side), link(entry, kind), when(entry)));
  return el(
    "section",
    { class: "panel", "data-kind": kind },
    el("h2", { text: t(`kind_${kind}`) }),
    el("ul", { class: "plain" }, items),
    kind === "run" && entries.length > 1 ? el("div", { class: "row" }, side) : null,
  );
}

function pick(entry, kind, chosen, side) {
  if (kind !== "run") return null;
  return el("input", {
    type: "checkbox",
    "aria-label": t("compare_this", { name: entry.name }),
    checked: chosen.has(entry.id),
    onchange: (event) => {
      if (event.target.checked) chosen.add(entry.id);
      else chosen.delete(entry.id);
      side.disabled = chosen.size !== 2;
    },
  });
}

function link(entry, kind) {
  if (kind === "run" || kind === "match") return el("a", { href: `#/${kind}/${entry.id}`, text: entry.name });
  if (kind === "network") return el("span", { text: entry.name });
  return el("a", { href: `#/replay/${entry.id}/0`, text: entry.name });
}

function when(entry) {
  const at = entry.active ? t("under_way") : new Date(1000 * entry.changed).toLocaleString(document.documentElement.lang);
  return el("span", { class: "faint", text: at });
}

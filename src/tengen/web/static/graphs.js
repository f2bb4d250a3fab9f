// Graphs of a line of a study, and their numbers as a table.

import { el, svg, t } from "./dom.js";

const KINDS = ["winrate", "score", "value"];
const [WIDTH, HEIGHT] = [600, 110];
const MISTAKES = ["mistake", "blunder"];

// `line`: nodes; `shown`: the id of the one that is shown; goto(id).
export function drawGraphs(line, shown, goto) {
  const kinds = KINDS.filter((name) => line.some((node) => node[name] !== undefined));
  return kinds.length ? [...kinds.map((name) => graph(name, line, shown, goto)), table(kinds, line)] : [];
}

function graph(name, line, shown, goto) {
  const values = line.map((node) => node[name]);
  const most = name === "winrate" ? 0.5 : Math.max(1, ...values.filter((value) => value !== undefined).map(Math.abs));
  const middle = name === "winrate" ? 0.5 : 0;
  const across = (i) => (i / Math.max(1, line.length - 1)) * WIDTH;
  const at = (value, i) => [across(i), HEIGHT / 2 - ((value - middle) / most) * (HEIGHT / 2 - 4)];
  const points = values.map((value, i) => (value === undefined ? null : at(value, i))).filter(Boolean);
  const x = across(line.findIndex(({ id }) => id === shown));
  const dots = line.flatMap((node, i) => {
    if (!MISTAKES.includes(node.verdict) || values[i] === undefined) return [];
    const [cx, cy] = at(values[i], i);
    return [svg("circle", { cx, cy, r: 4, fill: "var(--bad)" })];
  });
  const shape = svg(
    "svg",
    { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": t(`graph_${name}`) },
    svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, stroke: "currentColor", "stroke-opacity": 0.4 }),
    svg("polyline", { points: points.map((point) => point.join(",")).join(" "), fill: "none", stroke: "var(--accent)", "stroke-width": 2 }),
    ...dots,
    svg("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, stroke: "var(--last)", "stroke-width": 2 }),
  );
  shape.addEventListener("click", (event) => {
    const box = shape.getBoundingClientRect();
    const index = Math.round(((event.clientX - box.left) / box.width) * (line.length - 1));
    goto(line[Math.max(0, Math.min(index, line.length - 1))].id);
  });
  return shape;
}

function table(kinds, line) {
  const names = { loss: t("loss"), verdict: t("verdict") };
  const columns = [...kinds, "loss", "verdict"];
  const head = [t("move"), ...columns.map((name) => names[name] ?? t(`graph_${name}`))].map((text) => el("th", { scope: "col", text }));
  const shown = (node, name) => (name === "verdict" ? (node.verdict ? t(`verdict_${node.verdict}`) : "") : String(node[name] ?? ""));
  const rows = line.map((node) => el("tr", {}, el("td", { text: `${node.ply}. ${node.name}` }), columns.map((name) => el("td", { text: shown(node, name) }))));
  return el("details", {}, el("summary", { text: t("numbers") }), el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

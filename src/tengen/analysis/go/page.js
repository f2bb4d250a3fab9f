// The page: a turn is shown on the board, in the graphs and in the table, whatever it was chosen by.

const data = JSON.parse(document.getElementById("review").textContent);
const at = id => document.getElementById(id);
const board = new BoardView(at("board"), data.width, data.height);
const last = data.moves.length;
const point = text => text === "" || text === "tt" ? -1 :
  (text.charCodeAt(1) - 97) * data.width + text.charCodeAt(0) - 97;
const moves = data.moves.map(text => [text[0] === "B" ? 0 : 1, point(text.slice(1))]);
const positions = [];
const boards = new Map(data.boards);
for (let t = 0; t <= last; t++) {
  const before = t ? positions[t - 1].play(...moves[t - 1]) : null;
  positions.push(boards.has(t) ? Position.of(data.width, data.height, boards.get(t)) : before);
  if (before && boards.has(t)) positions[t].captured = before.captured;
}

// Numbers arrive as whole tenths of percents and of points, in Black's view.
const seatAt = t => t < last ? moves[t][0] : data.end;
const percent = (tenths, seat = 0) => (seat ? 1000 - tenths : tenths) / 10;
const percentText = number => `${number.toFixed(1)} %`;
const leadText = tenths => tenths === 0 ? "even" : `${tenths > 0 ? "B" : "W"}+${(Math.abs(tenths) / 10).toFixed(1)}`;
const lostText = (points, win) => `${(points / 10).toFixed(1)} points, ${(win / 10).toFixed(1)} % win rate`;
const visitsText = count => count >= 10000 ? `${Math.round(count / 1000)}k` : count >= 1000 ?
  `${(count / 1000).toFixed(1)}k` : String(count);
const moveText = t => `${NAMES[moves[t][0]]} ${board.name(moves[t][1])}`;

// Of a turn: what the search found, or null where it was not analyzed.
function reading(t) {
  const row = data.turns[t];
  if (!row) return null;
  const [win, lead, visits, listed, verdict, owners] = row;
  const seat = seatAt(t), sign = seat ? -1 : 1;
  const candidates = listed.map(([line, candidateWin, candidateLead, count]) => {
    const points = [];
    for (let i = 0; i < line.length; i += 2) points.push(point(line.slice(i, i + 2)));
    return {points, win: candidateWin, lead: candidateLead, visits: count};
  });
  const [best] = candidates, most = Math.max(1, ...candidates.map(candidate => candidate.visits));
  for (const candidate of candidates) {
    candidate.lost = Math.max(0, sign * (best.lead - candidate.lead));
    candidate.lostWin = Math.max(0, sign * (best.win - candidate.win));
    candidate.isJudged = candidate === best || Math.min(best.visits, candidate.visits) >= data.leastVisits;
    candidate.kind = candidate.isJudged ? kindOf(candidate.lost / 10, candidate.lostWin / 1000) : "unjudged";
    candidate.share = candidate.visits / most;
    candidate.isPlayed = t < last && candidate.points[0] === moves[t][1];
    if (candidate.isPlayed && verdict) {
      [candidate.lost, candidate.lostWin] = verdict;
      candidate.isJudged = true;
      candidate.kind = data.verdicts[verdict[2]];
    }
  }
  return {win, lead, visits, seat, candidates, verdict, owners};
}

function kindOf(points, win) {
  const level = (limits, lost) => limits.filter(limit => lost >= limit).length;
  return data.verdicts[Math.max(level(data.pointLimits, points), level(data.winrateLimits, win))];
}

const verdictOf = t => data.turns[t] && data.turns[t][4] ? data.turns[t][4] : null;
const isBad = t => t < last && verdictOf(t) !== null && verdictOf(t)[2] >= 3;

let turn = 0, chosen = -1, timer = 0, shown = null;

const badge = kind => element("span", {class: `badge ${kind}`}, kind);

// What is written on a candidate.
function labelOf(candidate, rank, choice) {
  const wins = percent(candidate.win, shown.seat), win = wins < 100 ? wins.toFixed(1) : "100";
  const lead = (shown.seat ? -candidate.lead : candidate.lead) / 10;
  const points = `${lead > 0 ? "+" : lead < 0 ? "−" : ""}${Math.abs(lead).toFixed(1)}`;
  const visits = visitsText(candidate.visits);
  return {all: [win, points, visits], win: [win], points: [points], visits: [visits], rank: [String(rank + 1)],
    none: []}[choice];
}

// The most that can be read on every candidate, unless something was chosen.
function labelsOf(candidates) {
  const chosen = at("labels").value;
  for (const choice of chosen === "auto" ? ["all", "win", "rank"] : [chosen]) {
    const labels = candidates.map((candidate, i) => labelOf(candidate, i, choice));
    const pixels = board.cellPixels / CELL * Math.min(...labels.map(labelSize));
    if (pixels >= 9 || choice === "rank" || choice === chosen) return labels;
  }
}

function drawMarks() {
  if (!shown || !at("candidates-on").checked) {
    board.showMarks(turn < last && moves[turn][1] >= 0 ?
      [{point: moves[turn][1], kind: "", lines: [], weight: 1, seat: moves[turn][0]}] : [], () => {});
    return;
  }
  const labels = labelsOf(shown.candidates);
  const marks = shown.candidates.map((candidate, i) => ({candidate, index: i, point: candidate.points[0],
    kind: candidate.kind, weight: Math.sqrt(candidate.share), lines: labels[i], best: i === 0,
    seat: candidate.isPlayed ? shown.seat : undefined})).filter(mark => mark.point >= 0);
  if (turn < last && moves[turn][1] >= 0 && !marks.some(mark => mark.seat !== undefined)) {
    marks.push({point: moves[turn][1], kind: "", lines: [], weight: 1, seat: moves[turn][0], index: -1});
  }
  board.showMarks(marks, i => preview(i < 0 ? -1 : marks[i].index));
}

// Shows a candidate's variation on the board; -1 shows the game again.
function preview(index) {
  chosen = index;
  const candidate = index < 0 || !shown ? null : shown.candidates[index];
  const line = candidate ? candidate.points.map((p, i) => [i % 2 ? 1 - shown.seat : shown.seat, p]) : [];
  if (!candidate) board.showStones(positions[turn], turn ? moves[turn - 1][1] : -1);
  board.showLine(positions[turn], line);
  [...at("candidates").tBodies[0].rows].forEach((row, i) => row.classList.toggle("chosen", i === index));
  at("said").textContent = candidate ?
    `Variation: ${candidate.points.map((p, i) => `${i + 1} ${board.name(p)}`).join("  ")}` : boardText();
}

function boardText() {
  const {captured} = positions[turn];
  return `Captured: ${captured[0]} black, ${captured[1]} white`;
}

function listCandidates() {
  const body = at("candidates").tBodies[0];
  at("candidates").hidden = !shown || !shown.candidates.length;
  if (!shown) return body.replaceChildren();
  at("whose").textContent = `${NAMES[shown.seat]} wins`;
  body.replaceChildren(...shown.candidates.map((candidate, i) => {
    const name = element("button", {type: "button", class: "plain"}, board.name(candidate.points[0]));
    name.setAttribute("aria-label", `Show the variation of ${board.name(candidate.points[0])}`);
    const row = element("tr", {}, element("td", {}, element("i", {class: `dot ${candidate.kind}`}), name,
      candidate.isPlayed ? element("span", {class: "tag"}, "played") : ""));
    for (const text of [percentText(percent(candidate.win, shown.seat)), leadText(candidate.lead),
      candidate.isJudged ? (candidate.lost / 10).toFixed(1) : "–", visitsText(candidate.visits)]) row.append(element("td", {class: "n"}, text));
    row.append(element("td", {class: "line"}, candidate.points.slice(1, 9).map(p => board.name(p)).join(" ")));
    row.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") preview(i); });
    row.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") preview(-1); });
    name.addEventListener("focus", () => preview(i));
    name.addEventListener("blur", () => preview(-1));
    row.addEventListener("click", () => preview(i));
    return row;
  }));
}

function tellMove(place, label, t) {
  const verdict = t >= 0 && t < last ? verdictOf(t) : null;
  place.hidden = t < 0 || t >= last;
  if (place.hidden) return;
  place.replaceChildren(element("span", {class: "what"}, label), ` ${t + 1}. ${moveText(t)} `);
  if (verdict) {
    place.append(badge(data.verdicts[verdict[2]]));
    if (verdict[2] > 0) place.append(` lost ${lostText(verdict[0], verdict[1])}`);
  }
}

function tell() {
  at("where").textContent = `After ${turn} of ${last} moves, ${NAMES[seatAt(turn)]} to play`;
  at("value").textContent = shown ? `Black wins ${percentText(shown.win / 10)} · ${shown.lead === 0 ? "even" :
    `${NAMES[shown.lead > 0 ? 0 : 1]} leads by ${(Math.abs(shown.lead) / 10).toFixed(1)} points`} · ${
    shown.visits.toLocaleString("en")} visits` : "This position was not analyzed.";
  tellMove(at("next-move"), "Played next:", turn);
  tellMove(at("last-move"), "Last:", turn - 1);
  const better = shown && shown.candidates.length && turn < last && !shown.candidates[0].isPlayed;
  at("better").hidden = !better;
  if (better) at("better").replaceChildren(element("span", {class: "what"}, "Better:"),
    ` ${NAMES[shown.seat]} ${board.name(shown.candidates[0].points[0])}`);
  const comment = data.comments[turn] || "";
  at("comment").hidden = !comment;
  at("comment-text").textContent = comment;
}

function show(wanted) {
  turn = Math.min(Math.max(wanted, 0), last);
  shown = reading(turn);
  at("slider").value = turn;
  at("slider").setAttribute("aria-valuetext", turn ? `after move ${turn}, ${moveText(turn - 1)}` : "the start");
  at("count").textContent = `${turn} / ${last}`;
  at("first").disabled = at("back").disabled = turn === 0;
  at("next").disabled = at("end").disabled = turn === last;
  listCandidates();
  preview(-1);
  board.showOwners(at("owners-on").checked && shown && shown.owners ? ownersOf(shown.owners) : null,
    positions[turn].stones);
  drawMarks();
  tell();
  board.svg.setAttribute("aria-label", `Go board of ${data.width} by ${data.height}. ${at("where").textContent}. ${
    turn ? `The last move was ${moveText(turn - 1)}.` : ""}`);
  for (const graph of graphs) graph.point(turn);
  for (const button of document.querySelectorAll("[data-turn]")) {
    button.setAttribute("aria-current", Number(button.dataset.turn) === turn);
  }
  clearTimeout(timer);
  timer = setTimeout(() => location.replace(`#${turn}`), 300);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ownersOf = text => Array.from(text, digit => DIGITS.indexOf(digit) / 31 - 1);

const winAt = t => data.turns[t] ? data.turns[t][0] / 10 : null;
const leadAt = t => data.turns[t] ? data.turns[t][1] : null;
const reach = Math.max(50, ...data.turns.map(row => row ? Math.abs(row[1]) : 0));
const most = 10 * [5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 800].find(limit => limit * 10 >= reach);
const graphs = [];
graphs.push(new Graph(at("win-graph"), {value: winAt, low: 0, high: 100, title: "Black's win rate over the game",
  text: v => `Black ${percentText(v)}`, ticks: [[0, "0 %"], [50, "50 %"], [100, "100 %"]]}));
graphs.push(new Graph(at("lead-graph"), {value: leadAt, low: -most, high: most, title: "Black's lead over the game",
  text: leadText, ticks: [[most, `B+${most / 10}`], [0, "0"], [-most, `W+${most / 10}`]]}));

for (const id of ["owners-on", "candidates-on", "labels"]) at(id).addEventListener("change", () => show(turn));
addEventListener("resize", () => drawMarks());
steer();

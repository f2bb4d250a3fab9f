// The page: a turn is shown on the board, in the graphs and in the table, whatever it was chosen by.

const data = JSON.parse(document.getElementById("review").textContent);
const at = id => document.getElementById(id);
const board = new BoardView(at("board"), data);
const last = data.moves.length;
const positions = data.sfens.map(Position.of);

// Numbers arrive as whole tenths of percents, and in centipawns, in Black's view.
const percent = (tenths, seat = 0) => (seat ? 1000 - tenths : tenths) / 10;
const percentText = number => `${number.toFixed(1)} %`;
const scoreText = cp => `${cp > 0 ? "+" : cp < 0 ? "−" : "±"}${Math.abs(cp)}`;
const visitsText = count => count >= 10000 ? `${Math.round(count / 1000)}k` : count >= 1000 ?
  `${(count / 1000).toFixed(1)}k` : String(count);
const moveText = t => `${MARKS[positions[t].side]}${data.moves[t][1]} (${data.moves[t][0]})`;

// Of a turn: what the search found, or null where it was not analyzed.
function reading(t) {
  const row = data.turns[t];
  if (!row) return null;
  const [win, score, visits, listed, verdict] = row;
  const seat = positions[t].side, sign = seat ? -1 : 1;
  const candidates = listed.map(([line, texts, candidateWin, candidateScore, count]) =>
    ({line: line.split(" "), texts, win: candidateWin, score: candidateScore, visits: count}));
  const [best] = candidates, most = Math.max(1, ...candidates.map(candidate => candidate.visits));
  for (const candidate of candidates) {
    candidate.lost = Math.max(0, sign * (best.win - candidate.win));
    candidate.isJudged = candidate === best || Math.min(best.visits, candidate.visits) >= data.leastVisits;
    candidate.isPlayed = t < last && candidate.line[0] === data.moves[t][0];
    if (candidate.isPlayed && verdict) [candidate.lost, candidate.isJudged] = [verdict[0], true];
    candidate.kind = candidate.isPlayed && verdict ? data.verdicts[verdict[1]] :
      candidate.isJudged ? data.verdicts[data.winrateLimits.filter(limit => candidate.lost / 1000 >= limit).length] :
      "unjudged";
    candidate.share = candidate.visits / most;
  }
  return {win, score, visits, seat, candidates, verdict};
}

const verdictOf = t => data.turns[t] && data.turns[t][4] ? [0, ...data.turns[t][4]] : null;
const isBad = t => t < last && verdictOf(t) !== null && verdictOf(t)[2] >= 3;

let turn = 0, timer = 0, shown = null;

const badge = kind => element("span", {class: `badge ${kind}`}, kind);

function drawMarks() {
  const played = turn < last ? data.moves[turn][0] : "";
  const seat = positions[turn].side;
  const marks = shown && at("candidates-on").checked ? shown.candidates.map((candidate, i) => ({
    move: candidate.line[0], seat, kind: candidate.kind, weight: candidate.share, best: i === 0,
    label: at("labels").value === "rank" ? String(i + 1) : percent(candidate.win, seat).toFixed(0),
    played: candidate.isPlayed, index: i})).slice(0, 6) : [];
  if (played && !marks.some(mark => mark.played)) {
    const index = shown ? shown.candidates.findIndex(candidate => candidate.isPlayed) : -1;
    const kind = index < 0 ? "" : shown.candidates[index].kind;
    marks.push({move: played, seat, kind, weight: 0, label: "", played: true, index});
  }
  const drawn = marks.filter(mark => mark.move !== "win");
  board.showMarks(drawn, i => preview(i < 0 ? -1 : drawn[i].index));
}

// Shows a candidate's variation on the board; -1 shows the game again.
function preview(index) {
  const candidate = index < 0 || !shown ? null : shown.candidates[index];
  if (!candidate) board.showPieces(positions[turn], turn ? data.moves[turn - 1][0] : "");
  board.showLine(positions[turn], candidate ? candidate.line : []);
  [...at("candidates").tBodies[0].rows].forEach((row, i) => row.classList.toggle("chosen", i === index));
  at("said").textContent = candidate ? `Variation: ${candidate.texts.join(" ")}` : data.sfens[turn];
}

function listCandidates() {
  const body = at("candidates").tBodies[0];
  at("candidates").hidden = !shown || !shown.candidates.length;
  if (!shown) return body.replaceChildren();
  at("whose").textContent = `${NAMES[shown.seat]} wins`;
  body.replaceChildren(...shown.candidates.map((candidate, i) => {
    const name = element("button", {type: "button", class: "plain"}, `${candidate.texts[0]} ${candidate.line[0]}`);
    name.setAttribute("aria-label", `Show the variation of ${candidate.line[0]}`);
    const row = element("tr", {}, element("td", {}, element("i", {class: `dot ${candidate.kind}`}), name,
      candidate.isPlayed ? element("span", {class: "tag"}, "played") : ""));
    for (const text of [percentText(percent(candidate.win, shown.seat)),
      scoreText(shown.seat ? -candidate.score : candidate.score),
      candidate.isJudged ? percentText(candidate.lost / 10) : "–", visitsText(candidate.visits)]) {
      row.append(element("td", {class: "n"}, text));
    }
    row.append(element("td", {class: "line"}, candidate.texts.slice(1, 7).join(" ")));
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
    if (verdict[2] > 0) place.append(` lost ${(verdict[1] / 10).toFixed(1)} % win rate`);
  }
}

function tell() {
  at("where").textContent = `After ${turn} of ${last} moves, ${NAMES[positions[turn].side]} to move`;
  at("value").textContent = shown ? `Black wins ${percentText(shown.win / 10)} · ${scoreText(shown.score)} · ${
    shown.visits.toLocaleString("en")} visits` : "This position was not analyzed.";
  tellMove(at("next-move"), "Played next:", turn);
  tellMove(at("last-move"), "Last:", turn - 1);
  const better = shown && shown.candidates.length && turn < last && !shown.candidates[0].isPlayed;
  at("better").hidden = !better;
  if (better) at("better").replaceChildren(element("span", {class: "what"}, "Better:"),
    ` ${shown.candidates[0].texts[0]} (${shown.candidates[0].line[0]})`);
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
  drawMarks();
  tell();
  board.svg.setAttribute("aria-label", `Shogi board. ${at("where").textContent}. ${
    turn ? `The last move was ${moveText(turn - 1)}.` : ""}`);
  for (const graph of graphs) graph.point(turn);
  for (const button of document.querySelectorAll("[data-turn]")) {
    button.setAttribute("aria-current", Number(button.dataset.turn) === turn);
  }
  clearTimeout(timer);
  timer = setTimeout(() => location.replace(`#${turn}`), 300);
}

const winAt = t => data.turns[t] ? data.turns[t][0] / 10 : null;
const most = 3000;
const scoreAt = t => data.turns[t] ? Math.max(-most, Math.min(most, data.turns[t][1])) : null;
const graphs = [];
graphs.push(new Graph(at("win-graph"), {value: winAt, low: 0, high: 100, title: "Black's win rate over the game",
  text: v => `Black ${percentText(v)}`, ticks: [[0, "0 %"], [50, "50 %"], [100, "100 %"]]}));
graphs.push(new Graph(at("score-graph"), {value: scoreAt, low: -most, high: most, title: "Black's score over the game",
  text: scoreText, ticks: [[most, `+${most}`], [0, "0"], [-most, `−${most}`]]}));
for (const id of ["candidates-on", "labels"]) at(id).addEventListener("change", () => show(turn));
steer();

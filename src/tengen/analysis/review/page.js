// The page of every game: a turn is shown on the board, in the graphs and in the table, whatever it was chosen by.
//
// A game's own page.js, which comes before, has `board`, what it is drawn on, and `game`, an object with
//   seatAt(t), moveAt(t), moveText(t)   who moves, the move that was played, and its text;
//   parseLine(text), texts(line)        the moves of a candidate's line, and their texts unless they come with it;
//   candidateText(c), betterText(c, seat), lineText(c), scoreText(score, seat), lossText(c), lostText(verdict), valueText(score);
//   boardText(), positionText(t), toMove, in words;
//   showPosition(t), showLine(t, c), showMarks(t, shown, preview) on the board;
//   scoreGraph                          the options of the second graph.

// Numbers arrive as whole tenths of percents, and scores in the game's own units, in Black's view.
const percent = (tenths, seat = 0) => (seat ? 1000 - tenths : tenths) / 10;
const percentText = number => `${number.toFixed(1)} %`;
const visitsText = count => count >= 10000 ? `${Math.round(count / 1000)}k` : count >= 1000 ?
  `${(count / 1000).toFixed(1)}k` : String(count);

// Return what the search found at a turn, or null if the turn was not analyzed.
function reading(t) {
  const row = data.turns[t];
  if (!row) return null;
  const [win, score, visits, listed, verdict, owners] = row;
  const seat = game.seatAt(t), sign = seat ? -1 : 1;
  const candidates = listed.map(([text, candidateWin, candidateScore, count, texts]) => {
    const line = game.parseLine(text);
    return {line, texts: texts || game.texts(line), win: candidateWin, score: candidateScore, visits: count};
  });
  const [best] = candidates, most = Math.max(1, ...candidates.map(candidate => candidate.visits));
  for (const candidate of candidates) {
    candidate.lost = Math.max(0, sign * (best.score - candidate.score));
    candidate.lostWin = Math.max(0, sign * (best.win - candidate.win));
    candidate.isJudged = candidate === best || Math.min(best.visits, candidate.visits) >= data.leastVisits;
    candidate.kind = candidate.isJudged ? kindOf(candidate.lost / 10, candidate.lostWin / 1000) : "unjudged";
    candidate.share = candidate.visits / most;
    candidate.isPlayed = t < last && candidate.line[0] === game.moveAt(t);
    if (candidate.isPlayed && verdict) {
      [candidate.lost, candidate.lostWin] = verdict;
      candidate.isJudged = true;
      candidate.kind = data.verdicts[verdict[2]];
    }
  }
  return {win, score, visits, seat, candidates, owners};
}

function kindOf(points, win) {
  const level = (limits, lost) => limits.filter(limit => lost >= limit).length;
  return data.verdicts[Math.max(level(data.pointLimits, points), level(data.winrateLimits, win))];
}

// Return the score and win rate that the played move lost, and the number of its verdict.
const verdictOf = t => data.turns[t] && data.turns[t][4] ? data.turns[t][4] : null;
const isBad = t => t < last && verdictOf(t) !== null && verdictOf(t)[2] >= 3;

let turn = 0, timer = 0, shown = null;

// Shows a candidate's variation on the board; -1 shows the game again.
function preview(index) {
  const candidate = index < 0 || !shown ? null : shown.candidates[index];
  if (!candidate) game.showPosition(turn);
  game.showLine(turn, candidate);
  [...at("candidates").tBodies[0].rows].forEach((row, i) => row.classList.toggle("chosen", i === index));
  at("said").textContent = candidate ? say("Variation: {line}", {line: game.lineText(candidate)}) : game.positionText(turn);
}

function listCandidates() {
  const body = at("candidates").tBodies[0];
  at("candidates").hidden = !shown || !shown.candidates.length;
  if (!shown) return body.replaceChildren();
  at("whose").textContent = say("{name} wins", {name: NAMES[shown.seat]});
  body.replaceChildren(...shown.candidates.map((candidate, i) => {
    const text = game.candidateText(candidate);
    const name = element("button", {type: "button", class: "plain", "aria-label": say("Show the variation of {move}", {move: text})},
      text);
    const row = element("tr", {}, element("td", {}, element("i", {class: `dot ${candidate.kind}`}), name,
      candidate.isPlayed ? element("span", {class: "tag"}, say("played")) : ""));
    for (const number of [percentText(percent(candidate.win, shown.seat)), game.scoreText(candidate.score, shown.seat),
      candidate.isJudged ? game.lossText(candidate) : "–", visitsText(candidate.visits)]) {
      row.append(element("td", {class: "n"}, number));
    }
    row.append(element("td", {class: "line"}, candidate.texts.slice(1, 9).join(" ")));
    name.addEventListener("focus", () => preview(i));
    name.addEventListener("blur", () => preview(-1));
    return hoverable(row, i, preview);
  }));
}

function tellMove(place, label, t) {
  const verdict = t >= 0 && t < last ? verdictOf(t) : null;
  place.hidden = t < 0 || t >= last;
  if (place.hidden) return;
  place.replaceChildren(element("span", {class: "what"}, label), ` ${t + 1}. ${game.moveText(t)} `);
  if (verdict) {
    const kind = data.verdicts[verdict[2]];
    place.append(element("span", {class: `badge ${kind}`}, say(kind)));
    if (verdict[2] > 0) place.append(` ${say("lost {amount}", {amount: game.lostText(verdict)})}`);
  }
}

function tell() {
  at("where").textContent = say(`After {turn} of {last} moves, {name} ${game.toMove}`,
    {turn, last, name: NAMES[game.seatAt(turn)]});
  at("value").textContent = shown ? say("Black wins {percent} · {value} · {visits} visits", {
    percent: percentText(shown.win / 10), value: game.valueText(shown.score), visits: shown.visits.toLocaleString("en")}) :
    say("This position was not analyzed.");
  tellMove(at("next-move"), say("Played next:"), turn);
  tellMove(at("last-move"), say("Last:"), turn - 1);
  const better = shown && shown.candidates.length && turn < last && !shown.candidates[0].isPlayed;
  at("better").hidden = !better;
  if (better) at("better").replaceChildren(element("span", {class: "what"}, say("Better:")),
    ` ${game.betterText(shown.candidates[0], shown.seat)}`);
  const comment = data.comments[turn] || "";
  at("comment").hidden = !comment;
  at("comment-text").textContent = comment;
}

function showMarks() {
  game.showMarks(turn, shown, preview);
}

function show(wanted) {
  turn = Math.min(Math.max(wanted, 0), last);
  shown = reading(turn);
  at("slider").value = turn;
  at("slider").setAttribute("aria-valuetext", turn ?
    say("after move {turn}, {move}", {turn, move: game.moveText(turn - 1)}) : say("the start"));
  at("count").textContent = `${turn} / ${last}`;
  at("first").disabled = at("back").disabled = turn === 0;
  at("next").disabled = at("end").disabled = turn === last;
  listCandidates();
  preview(-1);
  showMarks();
  tell();
  board.svg.setAttribute("aria-label", `${game.boardText()}. ${at("where").textContent}. ${
    turn ? say("The last move was {move}.", {move: game.moveText(turn - 1)}) : ""}`);
  for (const graph of graphs) graph.point(turn);
  for (const button of document.querySelectorAll("[data-turn]")) {
    button.setAttribute("aria-current", Number(button.dataset.turn) === turn);
  }
  clearTimeout(timer);
  timer = setTimeout(() => location.replace(`#${turn}`), 300);
}

// Buttons, slider, keys, lists and the address lead through the game.
function steer() {
  const asked = () => Math.min(Math.max(Math.trunc(Number(location.hash.slice(1))) || 0, 0), last);
  const seek = step => {
    for (let t = turn + step; t >= 0 && t < last; t += step) if (isBad(t)) return show(t);
  };
  const turns = Array.from({length: last}, (_, t) => t);
  at("slider").max = last;
  at("slider").addEventListener("input", event => show(Number(event.target.value)));
  for (const [id, to] of [["first", () => 0], ["back", () => turn - 1], ["next", () => turn + 1], ["end", () => last]]) {
    at(id).addEventListener("click", () => show(to()));
  }
  at("bad-back").addEventListener("click", () => seek(-1));
  at("bad-next").addEventListener("click", () => seek(1));
  at("bad-back").disabled = at("bad-next").disabled = !turns.some(isBad);
  for (const button of document.querySelectorAll("[data-turn]")) {
    button.addEventListener("click", () => {
      show(Number(button.dataset.turn));
      at("viewer").scrollIntoView({block: "start"});
    });
  }
  document.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    const to = {ArrowLeft: turn - 1, ArrowRight: turn + 1, PageUp: turn - 10, PageDown: turn + 10, Home: 0,
      End: last}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
  addEventListener("hashchange", () => { if (asked() !== turn) show(asked()); });
  show(asked());
  if (!location.hash) clearTimeout(timer);
}

const graphs = [
  new Graph(at("win-graph"), {value: t => data.turns[t] ? data.turns[t][0] / 10 : null, low: 0, high: 100,
    title: say("Black's win rate over the game"), text: v => `${NAMES[0]} ${percentText(v)}`,
    ticks: [[0, "0 %"], [50, "50 %"], [100, "100 %"]]}),
  new Graph(at("score-graph"), {value: t => data.turns[t] ? data.turns[t][1] : null, ...game.scoreGraph}),
];
for (const choice of document.querySelectorAll(".choices input, .choices select")) {
  choice.addEventListener("change", () => show(turn));
}
addEventListener("resize", showMarks);
steer();

// What a game of Go adds to the page.

const board = new BoardView(at("board"), data.width, data.height);
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

// Leads arrive as whole tenths of points.
const leadText = tenths => tenths === 0 ? "even" : `${tenths > 0 ? "B" : "W"}+${(Math.abs(tenths) / 10).toFixed(1)}`;
const reach = Math.max(50, ...data.turns.map(row => row ? Math.abs(row[1]) : 0));
const high = 10 * [5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 800].find(limit => limit * 10 >= reach);

// What is written on a candidate.
function labelOf(candidate, rank, seat, choice) {
  const wins = percent(candidate.win, seat), win = wins < 100 ? wins.toFixed(1) : "100";
  const lead = (seat ? -candidate.score : candidate.score) / 10;
  const points = `${lead > 0 ? "+" : lead < 0 ? "−" : ""}${Math.abs(lead).toFixed(1)}`;
  const visits = visitsText(candidate.visits);
  return {all: [win, points, visits], win: [win], points: [points], visits: [visits], rank: [String(rank + 1)],
    none: []}[choice];
}

// The most that can be read on every candidate, unless something was chosen.
function labelsOf({candidates, seat}) {
  const chosen = at("labels").value;
  for (const choice of chosen === "auto" ? ["all", "win", "rank"] : [chosen]) {
    const labels = candidates.map((candidate, i) => labelOf(candidate, i, seat, choice));
    const pixels = board.cellPixels / CELL * Math.min(...labels.map(labelSize));
    if (pixels >= 9 || choice === "rank" || choice === chosen) return labels;
  }
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ownersOf = text => Array.from(text, digit => DIGITS.indexOf(digit) / 31 - 1);

const game = {
  toMove: "to play",
  seatAt: t => t < last ? moves[t][0] : data.end,
  moveAt: t => moves[t][1],
  moveText: t => `${NAMES[moves[t][0]]} ${board.name(moves[t][1])}`,
  parseLine: text => (text.match(/../g) || []).map(point),
  texts: line => line.map(p => board.name(p)),
  candidateText: candidate => candidate.texts[0],
  betterText: (candidate, seat) => `${NAMES[seat]} ${candidate.texts[0]}`,
  lineText: candidate => candidate.texts.map((text, i) => `${i + 1} ${text}`).join("  "),
  scoreText: leadText,
  lossText: candidate => (candidate.lost / 10).toFixed(1),
  lostText: ([points, win]) => `${(points / 10).toFixed(1)} points, ${(win / 10).toFixed(1)} % win rate`,
  valueText: lead => lead === 0 ? "even" :
    `${NAMES[lead > 0 ? 0 : 1]} leads by ${(Math.abs(lead) / 10).toFixed(1)} points`,
  boardText: () => `Go board of ${data.width} by ${data.height}`,
  positionText: t => `Captured: ${positions[t].captured[0]} black, ${positions[t].captured[1]} white`,
  scoreGraph: {low: -high, high, title: "Black's lead over the game", text: leadText,
    ticks: [[high, `B+${high / 10}`], [0, "0"], [-high, `W+${high / 10}`]]},

  showPosition(t) {
    board.showStones(positions[t], t ? moves[t - 1][1] : -1);
  },

  showLine(t, candidate) {
    const seat = game.seatAt(t);
    board.showLine(positions[t], candidate ? candidate.line.map((p, i) => [i % 2 ? 1 - seat : seat, p]) : []);
  },

  showMarks(t, found, preview) {
    board.showOwners(at("owners-on").checked && found && found.owners ? ownersOf(found.owners) : null,
      positions[t].stones);
    const [seat, played] = t < last ? moves[t] : [0, -1];
    const next = played >= 0 ? [{point: played, kind: "", lines: [], weight: 1, seat, index: -1}] : [];
    if (!found || !at("candidates-on").checked) return board.showMarks(next, () => {});
    const labels = labelsOf(found);
    const marks = found.candidates.map((candidate, i) => ({index: i, point: candidate.line[0], kind: candidate.kind,
      weight: Math.sqrt(candidate.share), lines: labels[i], best: i === 0,
      seat: candidate.isPlayed ? found.seat : undefined})).filter(mark => mark.point >= 0);
    if (!marks.some(mark => mark.seat !== undefined)) marks.push(...next);
    board.showMarks(marks, i => preview(i < 0 ? -1 : marks[i].index));
  },
};

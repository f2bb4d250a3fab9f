// Parts of the review page that only games of shogi have.

const board = new BoardView(at("board"), data);
const positions = data.sfens.map(Position.of);
// Readers of Japanese need no USI after a move.
const withUsi = (text, usi) => data.ranks ? text : `${text} ${usi}`;
// Scores arrive in centipawns.
const scoreText = cp => `${cp > 0 ? "+" : cp < 0 ? "−" : "±"}${Math.abs(cp)}`;
const high = 3000;

const game = {
  toMove: "to move",
  seatAt: t => positions[t].side,
  moveAt: t => data.moves[t][0],
  moveText: t => withUsi(`${MARKS[positions[t].side]}${data.moves[t][1]}`, `(${data.moves[t][0]})`),
  parseLine: text => text.split(" "),
  candidateText: candidate => withUsi(candidate.texts[0], candidate.line[0]),
  betterText: candidate => withUsi(candidate.texts[0], `(${candidate.line[0]})`),
  lineText: candidate => candidate.texts.join(" "),
  scoreText: (cp, seat) => scoreText(seat ? -cp : cp),
  lossText: candidate => percentText(candidate.lostWin / 10),
  lostText: ([, win]) => say("{percent} win rate", {percent: percentText(win / 10)}),
  valueText: scoreText,
  boardText: () => say("Shogi board"),
  positionText: t => data.sfens[t],
  scoreGraph: {value: t => data.turns[t] ? Math.max(-high, Math.min(high, data.turns[t][1])) : null, low: -high, high,
    title: say("Black's score over the game"), text: scoreText, ticks: [[high, `+${high}`], [0, "0"], [-high, `−${high}`]]},

  showPosition(t) {
    board.showPieces(positions[t], t ? data.moves[t - 1][0] : "");
  },

  showLine(t, candidate) {
    board.showLine(positions[t], candidate ? candidate.line : []);
  },

  showMarks(t, found, preview) {
    const played = t < last ? data.moves[t][0] : "", seat = positions[t].side;
    const marks = found && at("candidates-on").checked ? found.candidates.map((candidate, i) => ({
      move: candidate.line[0], seat, kind: candidate.kind, weight: candidate.share, best: i === 0,
      label: at("labels").value === "rank" ? String(i + 1) : percent(candidate.win, seat).toFixed(0),
      played: candidate.isPlayed, index: i})).slice(0, 6) : [];
    if (played && !marks.some(mark => mark.played)) {
      const index = found ? found.candidates.findIndex(candidate => candidate.isPlayed) : -1;
      const kind = index < 0 ? "" : found.candidates[index].kind;
      marks.push({move: played, seat, kind, weight: 0, label: "", played: true, index});
    }
    const drawn = marks.filter(mark => mark.move !== "win");
    board.showMarks(drawn, i => preview(i < 0 ? -1 : drawn[i].index));
  },
};

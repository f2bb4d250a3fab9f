// A shogi board: what stands on it, and how it is drawn. Squares are (file - 1) * 9 + rank - 1.

const CELL = 46, LEFT = 92, RIGHT = 104, TOP = 34, STAND = 62;
const WIDE = 9 * CELL + LEFT + RIGHT, HIGH = 9 * CELL + TOP + 22;
const MARKS = ["▲", "△"];
const RANKS = "abcdefghi", HELD = "RBGSNLP";

const squareOf = text => (Number(text[0]) - 1) * 9 + RANKS.indexOf(text[1]);
const ownerOf = piece => piece === piece.toUpperCase() ? 0 : 1;

class Position {
  // squares: pieces as SFEN spells them, or nothing; hands: by seat, how many of each kind.
  constructor(squares, hands, side) {
    Object.assign(this, {squares, hands, side});
  }

  static of(sfen) {
    const [board, side, held] = sfen.split(" "), squares = Array(81).fill(""), hands = [{}, {}];
    board.split("/").forEach((row, rank) => {
      let file = 8;
      for (const [part] of row.matchAll(/\d|\+?[A-Za-z]/g)) {
        if (part > "0" && part <= "9") file -= Number(part);
        else squares[file-- * 9 + rank] = part;
      }
    });
    for (const [, count, piece] of held.matchAll(/(\d*)([A-Za-z])/g)) {
      hands[ownerOf(piece)][piece.toUpperCase()] = Number(count || 1);
    }
    return new Position(squares, hands, side === "b" ? 0 : 1);
  }

  // The position after a move of USI.
  play(move) {
    const next = new Position(this.squares.slice(), this.hands.map(hand => ({...hand})), 1 - this.side);
    if (move === "win") return next;
    const to = squareOf(move.slice(2, 4)), hand = next.hands[this.side];
    if (move[1] === "*") {
      hand[move[0]]--;
      next.squares[to] = this.side ? move[0].toLowerCase() : move[0];
      return next;
    }
    const from = squareOf(move), taken = this.squares[to].replace("+", "").toUpperCase();
    if (taken && taken !== "K") hand[taken] = (hand[taken] || 0) + 1;
    next.squares[to] = (move[4] ? "+" : "") + this.squares[from];
    next.squares[from] = "";
    return next;
  }
}

class BoardView {
  // glyphs: outlines of kanji by piece; units: their size; look: shapes and colors of shogi's own drawings.
  // ranks: how the ranks are marked, letters by default.
  constructor(place, {glyphs, units, look, ranks}) {
    Object.assign(this, {glyphs, units, look, ranks: ranks || RANKS});
    this.layers = ["pieces", "marks", "line"].map(name => shape("g", {class: name}));
    this.svg = shape("svg", {viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", class: "shogiban"},
      ...this.frame(), ...this.layers);
    this.svg.style.maxWidth = `${1.8 * WIDE}px`;
    place.replaceChildren(this.svg);
  }

  x(square) { return LEFT + (8.5 - Math.floor(square / 9)) * CELL; }
  y(square) { return TOP + (square % 9 + .5) * CELL; }

  frame() {
    const {wood, line, stand} = this.look, side = 9 * CELL, parts = [];
    parts.push(shape("rect", {x: LEFT - 8, y: TOP - 8, width: side + 16, height: side + 16, rx: 5, fill: wood}));
    for (let i = 0; i < 10; i++) {
      const at = i * CELL, width = i % 9 ? 1 : 1.8;
      parts.push(
        shape("line", {x1: LEFT + at, x2: LEFT + at, y1: TOP, y2: TOP + side, stroke: line, "stroke-width": width}),
        shape("line", {x1: LEFT, x2: LEFT + side, y1: TOP + at, y2: TOP + at, stroke: line, "stroke-width": width}));
    }
    for (const x of [3, 6]) for (const y of [3, 6]) {
      parts.push(shape("circle", {cx: LEFT + x * CELL, cy: TOP + y * CELL, r: 3.2, fill: line}));
    }
    for (let i = 0; i < 9; i++) {
      parts.push(shape("text", {class: "edge", x: this.x(i * 9), y: TOP - 16}, i + 1),
        shape("text", {class: "edge", x: LEFT + side + 21, y: this.y(i), dy: ".35em"}, this.ranks[i]));
    }
    for (const seat of [0, 1]) {
      parts.push(shape("rect", {x: this.stand(seat), y: this.standTop(seat), width: STAND, height: 7.5 * CELL, rx: 4,
        fill: stand}));
    }
    return parts;
  }

  stand(seat) { return seat ? 8 : WIDE - 8 - STAND; }
  standTop(seat) { return seat ? TOP : TOP + 1.5 * CELL; }

  // Return the place of a kind of piece in a hand.
  held(seat, kind) {
    const step = (HELD.indexOf(kind) + .55) * 7.5 * CELL / 7;
    return [this.stand(seat) + STAND / 2, seat ? TOP + 7.5 * CELL - step : TOP + 1.5 * CELL + step];
  }

  piece(piece, x, y, size = CELL) {
    const {outline, face, edge, ink, red} = this.look, seat = ownerOf(piece), sign = seat ? -1 : 1;
    const points = outline.map(([dx, dy]) => `${x + sign * dx * size},${y + sign * dy * size}`).join(" ");
    const scale = sign * .6 * size / this.units, middle = y + sign * .06 * size;
    const place = `translate(${x - sign * .3 * size} ${middle + sign * .228 * size}) scale(${scale} ${-scale})`;
    return shape("g", {class: "piece", "data-piece": piece},
      shape("polygon", {points, fill: face, stroke: edge, "stroke-linejoin": "round"}),
      shape("path", {d: this.glyphs[piece === "k" ? "k" : piece.toUpperCase()], transform: place,
        fill: piece[0] === "+" ? red : ink}));
  }

  // The pieces, with the square of the last move.
  showPieces(position, lastMove) {
    const [layer] = this.layers;
    layer.replaceChildren();
    const light = (square, opacity) => layer.append(shape("rect", {x: this.x(square) - CELL / 2,
      y: this.y(square) - CELL / 2, width: CELL, height: CELL, fill: this.look.last, "fill-opacity": opacity}));
    if (lastMove && lastMove !== "win") {
      light(squareOf(lastMove.slice(2, 4)), 1);
      if (lastMove[1] !== "*") light(squareOf(lastMove), .55);
    }
    position.squares.forEach((piece, square) => {
      if (piece) layer.append(this.piece(piece, this.x(square), this.y(square)));
    });
    position.hands.forEach((hand, seat) => Object.entries(hand).forEach(([kind, count]) => {
      if (!count) return;
      const [x, y] = this.held(seat, kind), piece = seat ? kind.toLowerCase() : kind;
      layer.append(this.piece(piece, x - (count > 1 ? 9 : 0), y, .9 * CELL));
      if (count > 1) layer.append(shape("text", {class: "count", x: x + 17, y, dy: ".35em"}, count));
    }));
    const seat = position.side;
    layer.append(shape("text", {class: "turn", x: this.stand(seat) + STAND / 2,
      y: seat ? this.standTop(1) + 7.5 * CELL + 20 : this.standTop(0) - 12}, MARKS[seat]));
  }

  // marks: [{move, seat, kind, label, weight, best, played}], the most important first.
  showMarks(marks, onHover) {
    const seen = new Map();
    const groups = marks.filter(mark => mark.move !== "win").map((mark, i) => {
      const to = squareOf(mark.move.slice(2, 4)), same = seen.get(to) || 0;
      seen.set(to, same + 1);
      const x2 = this.x(to) + 15 * same - (same ? 8 : 0), y2 = this.y(to) + (same ? 14 : 0);
      const [x1, y1] = mark.move[1] === "*" ? this.held(mark.seat, mark.move[0]) :
        [this.x(squareOf(mark.move)), this.y(squareOf(mark.move))];
      const group = shape("g", {class: `mark ${mark.kind}`, "data-mark": i});
      group.append(shape("line", {class: "arrow", x1, y1, x2, y2, "stroke-width": (2.5 + 5 * mark.weight).toFixed(1)}));
      const r = same ? 9 : 14;
      if (mark.kind) group.append(shape("circle", {cx: x2, cy: y2, r, class: `disc ${mark.kind}`}));
      if (mark.best) group.append(shape("circle", {cx: x2, cy: y2, r: r - 1.5, class: "best"}));
      if (mark.played) group.append(shape("circle", {cx: x2, cy: y2, r: r + 2, class: `played s${mark.seat}`}));
      if (mark.label) group.append(shape("text", {class: `label ${mark.kind}`, x: x2, y: y2, dy: ".35em",
        "font-size": same ? 10 : Math.min(13, 40 / mark.label.length)}, mark.label));
      return hoverable(group, i, onHover);
    });
    // The most important mark is drawn last, over the others.
    this.layers[1].replaceChildren(...groups.reverse());
  }

  // A variation: the position after it, with numbers where its moves went; or nothing.
  showLine(position, moves) {
    const layer = this.layers[2];
    this.svg.classList.toggle("previewing", moves.length > 0);
    layer.replaceChildren();
    if (!moves.length) return;
    let after = position;
    const numbers = new Map();
    moves.forEach((move, i) => {
      after = after.play(move);
      if (move !== "win") numbers.set(squareOf(move.slice(2, 4)), i + 1);
    });
    this.showPieces(after, moves[moves.length - 1]);
    for (const [square, number] of numbers) {
      const x = this.x(square) + CELL * .3, y = this.y(square) - CELL * .3;
      layer.append(shape("circle", {class: "numbered", cx: x, cy: y, r: 8}),
        shape("text", {class: "number", x, y, dy: ".35em"}, number));
    }
  }
}

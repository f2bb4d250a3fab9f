// A Go board: what stands on it, and how it is drawn. Points are numbered row by row from the top left; -1 is a pass.

const CELL = 32, MARGIN = 38;
const LETTERS = "ABCDEFGHJKLMNOPQRST";

// The size of letters at which lines of text fit into a disc on the board.
function labelSize(lines) {
  const longest = Math.max(1, ...lines.map(line => line.length));
  return CELL * Math.min([.42, .42, .34, .265][lines.length], 1.24 / longest);
}

class Position {
  // stones: 0 empty, 1 Black, 2 White; captured: taken from Black, from White.
  constructor(width, height, stones, captured = [0, 0]) {
    Object.assign(this, {width, height, stones, captured});
  }

  static of(width, height, text) {
    return new Position(width, height, Uint8Array.from(text, sign => ".XO".indexOf(sign)));
  }

  near(point) {
    const x = point % this.width, found = [];
    if (x > 0) found.push(point - 1);
    if (x < this.width - 1) found.push(point + 1);
    if (point >= this.width) found.push(point - this.width);
    if (point < this.width * (this.height - 1)) found.push(point + this.width);
    return found;
  }

  // The chain at a point if it has no liberty, else nothing.
  stuck(point) {
    const color = this.stones[point], chain = new Set([point]);
    for (const stone of chain) {
      for (const next of this.near(stone)) {
        if (this.stones[next] === 0) return [];
        if (this.stones[next] === color) chain.add(next);
      }
    }
    return [...chain];
  }

  // The position after a move; seat 0 is Black.
  play(seat, point) {
    const next = new Position(this.width, this.height, this.stones.slice(), this.captured.slice());
    if (point < 0) return next;
    next.stones[point] = seat + 1;
    const take = at => next.stuck(at).forEach(stone => {
      next.captured[next.stones[stone] - 1]++;
      next.stones[stone] = 0;
    });
    for (const other of next.near(point)) if (next.stones[other] === 2 - seat) take(other);
    if (next.stones[point]) take(point);
    return next;
  }
}

class BoardView {
  constructor(place, width, height) {
    Object.assign(this, {width, height});
    const wide = (width - 1) * CELL + 2 * MARGIN, high = (height - 1) * CELL + 2 * MARGIN;
    this.layers = ["stones", "owners", "marks", "line"].map(name => shape("g", {class: name}));
    this.svg = shape("svg", {viewBox: `0 0 ${wide} ${high}`, role: "img", class: "goban"},
      this.gradients(), ...this.wood(wide, high), ...this.lines(), ...this.layers);
    this.svg.style.maxWidth = `${2 * wide}px`;
    place.replaceChildren(this.svg);
  }

  // Pixels between two lines as it is shown now.
  get cellPixels() {
    const box = this.svg.getBoundingClientRect(), own = this.svg.viewBox.baseVal;
    return Math.min(box.width / own.width, box.height / own.height) * CELL;
  }

  x(point) { return MARGIN + point % this.width * CELL; }
  y(point) { return MARGIN + Math.floor(point / this.width) * CELL; }
  name(point) {
    return point < 0 ? "pass" : LETTERS[point % this.width] + (this.height - Math.floor(point / this.width));
  }

  gradients() {
    const ball = (id, ...stops) => shape("radialGradient", {id, cx: ".36", cy: ".32", r: ".75"},
      ...stops.map(([offset, color]) => shape("stop", {offset, "stop-color": color})));
    return shape("defs", {}, ball("ball1", [0, "#6a6d72"], [.35, "#2b2d31"], [1, "#0b0b0d"]),
      ball("ball2", [0, "#ffffff"], [.55, "#f1efea"], [1, "#bdb8ab"]));
  }

  wood(wide, high) {
    const grain = [];
    for (let i = 1; i < wide / 18; i++) {
      const x = i * 18 + (i * 7) % 11, sway = (i * 13) % 9 - 4;
      const d = `M${x},2 C${x + sway},${high / 3} ${x - sway},${2 * high / 3} ${x + sway / 2},${high - 2}`;
      grain.push(shape("path", {d, class: "grain", "stroke-width": 1 + i % 3}));
    }
    return [shape("rect", {width: wide, height: high, rx: 6, class: "wood"}), ...grain];
  }

  lines() {
    const {width, height} = this, parts = [];
    const right = MARGIN + (width - 1) * CELL, bottom = MARGIN + (height - 1) * CELL;
    const text = (x, y, content) => shape("text", {x, y, dy: ".35em", class: "edge"}, content);
    for (let i = 0; i < width; i++) {
      const x = MARGIN + i * CELL;
      parts.push(shape("line", {x1: x, x2: x, y1: MARGIN, y2: bottom, class: "rule"}));
      parts.push(text(x, 13, LETTERS[i]), text(x, bottom + 25, LETTERS[i]));
    }
    for (let i = 0; i < height; i++) {
      const y = MARGIN + i * CELL;
      parts.push(shape("line", {x1: MARGIN, x2: right, y1: y, y2: y, class: "rule"}));
      parts.push(text(13, y, height - i), text(right + 25, y, height - i));
    }
    const stars = side => side < 7 ? [] : [side < 13 ? 2 : 3, side - (side < 13 ? 3 : 4)]
      .concat(side >= 15 && side % 2 ? [(side - 1) / 2] : []);
    const dots = new Set(stars(height).flatMap(y => stars(width).map(x => y * width + x)));
    if (width % 2 && height % 2 && Math.min(width, height) >= 5) dots.add((width * height - 1) / 2);
    for (const point of dots) parts.push(shape("circle", {cx: this.x(point), cy: this.y(point), r: 3.4, class: "star"}));
    return parts;
  }

  stone(seat, point, attributes = {}) {
    const cx = this.x(point), cy = this.y(point), r = CELL * .478;
    return shape("g", attributes, shape("circle", {cx: cx + 1, cy: cy + 1.6, r, class: "shadow"}),
      shape("circle", {cx, cy, r, fill: `url(#ball${seat + 1})`}));
  }

  // The stones, with a ring on the last one.
  showStones(position, last) {
    const [layer] = this.layers;
    layer.replaceChildren();
    position.stones.forEach((stone, point) => { if (stone) layer.append(this.stone(stone - 1, point)); });
    if (last >= 0 && position.stones[last]) {
      const tone = position.stones[last] === 1 ? "light" : "dark";
      layer.append(shape("circle", {cx: this.x(last), cy: this.y(last), r: CELL * .24, class: `last ${tone}`}));
    }
  }

  // owners: from -1, White's, to 1, Black's; null for none. A stone that its own color keeps needs no sign.
  showOwners(owners, stones) {
    const layer = this.layers[1];
    layer.replaceChildren();
    (owners || []).forEach((owner, point) => {
      if (Math.abs(owner) < .12 || stones[point] === (owner > 0 ? 1 : 2)) return;
      const side = CELL * (.16 + .34 * Math.abs(owner));
      layer.append(shape("rect", {x: this.x(point) - side / 2, y: this.y(point) - side / 2, width: side, height: side,
        class: owner > 0 ? "own0" : "own1"}));
    });
  }

  // marks: [{point, kind, weight, lines, best, seat}]; seat says whose move it was where it was played.
  showMarks(marks, onHover) {
    const layer = this.layers[2];
    layer.replaceChildren(...marks.map((mark, i) => {
      const cx = this.x(mark.point), cy = this.y(mark.point), group = shape("g", {class: "mark", "data-mark": i});
      if (mark.kind) {
        group.append(shape("circle", {cx, cy, r: CELL * .46, class: `disc ${mark.kind}`,
          "fill-opacity": (.62 + .38 * mark.weight).toFixed(2)}));
        if (mark.best) group.append(shape("circle", {cx, cy, r: CELL * .43, class: "best"}));
      }
      if (mark.seat !== undefined) {
        group.append(shape("circle", {cx, cy, r: CELL * .475, class: `played s${mark.seat}`}));
      }
      const size = labelSize(mark.lines);
      mark.lines.forEach((line, row) => group.append(shape("text", {x: cx, dy: ".35em", class: `label ${mark.kind}`,
        y: cy + (row - (mark.lines.length - 1) / 2) * size * .98, "font-size": size.toFixed(1)}, line)));
      return hoverable(group, i, onHover);
    }));
  }

  // A variation with numbers, or nothing. moves: [[seat, point]].
  showLine(position, moves) {
    const layer = this.layers[3], numbers = new Map();
    this.svg.classList.toggle("previewing", moves.length > 0);
    layer.replaceChildren();
    let after = position;
    moves.forEach(([seat, point], i) => {
      after = after.play(seat, point);
      if (point >= 0) numbers.set(point, [seat, i + 1]);
    });
    if (!moves.length) return;
    this.showStones(after, -1);
    for (const [point, [seat, number]] of numbers) {
      if (after.stones[point] !== seat + 1) continue;
      layer.append(shape("text", {x: this.x(point), y: this.y(point), dy: ".35em", class: `number s${seat}`}, number));
    }
  }
}

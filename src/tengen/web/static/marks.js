// Marks over a drawing: discs, badges, arrows, frames.

import { svg } from "./dom.js";

export function drawMark(mark, spots, label) {
  const end = spots.at(-1);
  const size = Math.min(end.width, end.height);
  const shapes = [];
  const frame = (spot) =>
    svg("rect", {
      class: `frame-${mark.kind}`,
      "data-on": spot.id,
      x: spot.x - spot.width / 2 + 1,
      y: spot.y - spot.height / 2 + 1,
      width: spot.width - 2,
      height: spot.height - 2,
      rx: size / 8,
    });
  if (mark.kind === "last" || mark.kind === "chosen") return spots.map(frame);
  if (spots.length === 2) shapes.push(arrow(spots[0], end, mark.kind));
  // What lies there stays to be seen: a badge at the edge.
  const isBadge = Boolean(label) || end.width > 1.3 * end.height || end.height > 1.3 * end.width;
  const radius = isBadge ? Math.min(size * 0.3, 16) : size * 0.46;
  const [x, y] = isBadge ? [end.x + end.width / 2 - radius, end.y - end.height / 2 + radius] : [end.x, end.y];
  shapes.push(svg("circle", { class: `disc-${mark.kind}`, cx: x, cy: y, r: radius }));
  if (mark.isPinned) shapes.push(svg("circle", { class: "pinned", cx: x, cy: y, r: radius + 1.5 }));
  if (mark.text) {
    const text = svg("text", { class: `text-${mark.kind}`, x, y, "font-size": radius * (mark.text.length > 2 ? 0.72 : 1.1) });
    text.textContent = mark.text;
    shapes.push(text);
  }
  return shapes;
}

// Squares, as large as a share: {spot id: share}, of the second player where it is negative. A shape for each player, as
// hundreds of them, ten times a second, would keep the page from answering.
export function drawHeat(shares, spots) {
  const draw = (kind, found) => {
    const squares = found.map(([id, share]) => {
      const { x, y, width, height } = spots.get(id);
      const side = 0.45 * Math.min(width, height) * Math.sqrt(Math.abs(share));
      return `M${x - side / 2} ${y - side / 2}h${side}v${side}h${-side}z`;
    });
    return svg("path", { class: kind, d: squares.join(""), "data-on": JSON.stringify(found.map(([id]) => id)) });
  };
  const known = Object.entries(shares).filter(([id]) => spots.has(id));
  const [first, second] = [known.filter(([, share]) => share > 0), known.filter(([, share]) => share < 0)];
  return [draw("heat-first", first), draw("heat-second", second)];
}

function arrow(from, to, kind) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const head = Math.min(to.width, to.height) * 0.22;
  const [x, y] = [to.x - dx * head, to.y - dy * head];
  const path = `M${from.x} ${from.y}L${x} ${y}M${x - head * (dx - dy)} ${y - head * (dy + dx)}L${x} ${y}L${x - head * (dx + dy)} ${y - head * (dy - dx)}`;
  return svg("path", { class: `arrow-${kind}`, d: path });
}

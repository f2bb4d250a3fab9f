// Texts and colors for values and losses of moves.

// The color of a move by the server's verdict on it. A move with too few visits has none.
const KINDS = { excellent: "good", good: "fair", inaccuracy: "fair", mistake: "bad", blunder: "bad" };

export function kindOf(move, i) {
  return i ? (KINDS[move.verdict] ?? "unjudged") : "best";
}

export function lossText({ loss, score, winrate }) {
  if (loss === undefined) return "";
  // Five letters would not fit into a mark.
  const text = score !== undefined ? loss.toFixed(loss < 9.95 ? 1 : 0) : winrate === undefined ? amount(loss) : String(Math.round(100 * loss));
  return Number(text.replace(/\D/g, "")) ? `−${text}` : "0";
}

export function worth({ winrate, score, value }) {
  const parts = [];
  if (winrate !== undefined) parts.push(`${(100 * winrate).toFixed(1)}\u00a0%`);
  if (score !== undefined) parts.push((score > 0 ? "+" : "") + score.toFixed(1));
  if (value !== undefined) parts.push(amount(value));
  return parts.join(", ");
}

function amount(value) {
  return Math.abs(value) >= 10 ? Math.round(value).toLocaleString() : String(Math.round(value * 100) / 100);
}

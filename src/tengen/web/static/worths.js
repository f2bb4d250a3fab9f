// What moves are worth, and lose, in words.

export function kindOf(move, i) {
  if (!i) return "best";
  const limits = move.score === undefined ? [0.03, 0.12] : [0.5, 3];
  const scale = move.winrate === undefined ? Math.max(1, Math.abs(move.value ?? 1) + move.loss) : 1;
  const loss = move.loss / scale;
  return loss < limits[0] ? "good" : loss < limits[1] ? "fair" : "bad";
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

// A game that was played, position by position.

import { button, el, say, t } from "./dom.js";
import { fromBase64, openBytes } from "./records.js";
import { get } from "./wire.js";

export async function show(main, [id, number]) {
  const { pieces, games } = await get(`/api/library/${encodeURIComponent(id)}/games/${Number(number)}`);
  const [{ title, moves, frames }] = games;
  const picture = el("img", { class: "replayed", alt: "" });
  const place = el("input", { type: "range", min: "0", max: String(frames.length - 1), value: "0", "aria-label": t("position") });
  const said = el("p", { "aria-live": "polite" });
  const go = (ply) => {
    const at = Math.min(Math.max(ply, 0), frames.length - 1);
    place.value = String(at);
    const svg = frames[at].map((piece) => pieces[piece]).join("");
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    said.textContent = at ? t("after_move", { number: at, move: moves[at - 1] }) : t("at_start");
    picture.alt = said.textContent;
  };
  const analyze = async () => {
    try {
      const { name, game, data } = await get(`/api/library/${encodeURIComponent(id)}/files/${Number(number)}`);
      await openBytes(fromBase64(data), name, game);
    } catch (error) {
      say(error.message);
    }
  };
  const step = (by) => () => go(Number(place.value) + by);
  const keys = (event) => {
    if (["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName)) return;
    if (event.key === "[" || event.key === "ArrowLeft") step(-1)();
    if (event.key === "]" || event.key === "ArrowRight") step(1)();
  };
  place.addEventListener("input", () => go(Number(place.value)));
  addEventListener("keydown", keys);
  main.append(
    el("h1", { text: title }),
    picture,
    el("div", { class: "row steps" }, button(t("back"), step(-1)), place, button(t("forth"), step(1)), button(t("analyze"), analyze, { id: "analyze" })),
    said,
  );
  go(0);
  return () => removeEventListener("keydown", keys);
}

// A new game: settings, seat, opponent, clock.

import { button, el, language, say, t } from "./dom.js";
import { toBase64 } from "./records.js";
import { get, post } from "./wire.js";

const CLOCKS = {
  none: null,
  blitz: { main_s: 300, increment_s: 3 },
  rapid: { main_s: 900, increment_s: 10 },
  byoyomi: { main_s: 600, byoyomi_s: 30, periods: 3 },
};

export async function show(main, [id]) {
  const home = await get(`/api/home?lang=${language()}`);
  const game = home.games.find((one) => one.id === id) ?? home.games[0];
  const select = (name, options) =>
    el("select", { id: name }, options.map(([value, text]) => el("option", { value, text })));
  const seats = [...Array(game.players).keys()].map((seat) => [String(seat), t("seat_number", { number: seat + 1 })]);
  const opponent = select("opponent", [...home.levels.map((level) => [level, levelText(level, game.elo[level])]), ["", t("a_person")]]);
  opponent.value = "easy";
  const seat = select("seat", [...seats, ["random", t("random")]]);
  const clock = select("clock", Object.keys(CLOCKS).map((name) => [name, t(`clock_${name}`)]));
  const fields = game.settings.map((setting) => [setting.name, settingField(setting)]);
  const saved = el("input", { type: "file", id: "saved" });
  const row = (name, field) => [el("label", { for: field.id, text: name }), field];
  const begin = async () => {
    const at = seat.value === "random" ? Math.floor(Math.random() * game.players) : Number(seat.value);
    const chosen = Object.fromEntries(
      fields.map(([name, field]) => [name, field.value]).filter(([, value]) => value !== ""),
    );
    const places = [...Array(game.players).keys()].map((number) => (number === at ? null : opponent.value || null));
    try {
      const body = { game: game.id, seats: places, settings: chosen, clock: CLOCKS[clock.value] };
      if (saved.files[0]) body.record = await toBase64(saved.files[0]);
      const { table, key } = await post("/api/tables", body);
      const own = opponent.value ? key : (await get(`/api/tables/${table}/keys`)).seats[at];
      location.hash = `#/play/${table}/${own}`;
    } catch (error) {
      say(error.message);
    }
  };
  main.append(
    el("h1", { text: game.title }),
    el("p", { text: game.about }),
    el(
      "div",
      { class: "form panel" },
      row(t("opponent"), opponent),
      Object.keys(game.elo).length ? [el("span"), el("p", { class: "faint", text: t("elo_more") })] : null,
      row(t("seat"), seat),
      row(t("clock"), clock),
      game.settings.map(({ title }, i) => row(title, fields[i][1])),
      row(t("saved_game"), saved),
      el("span"),
      button(t("begin"), begin, { class: "main" }),
    ),
    el("details", { class: "panel" }, el("summary", { text: t("rules") }), el("pre", { text: game.guide })),
  );
}

// Where the level was measured.
function levelText(level, elo) {
  const signed = (number) => `${number > 0 ? "+" : "−"}${Math.abs(number)}`;
  const name = t(`level_${level}`);
  return elo ? `${name}: ${t("elo")} ${signed(elo[0])} (${signed(elo[1])} … ${signed(elo[2])})` : name;
}

function settingField({ name, choices, is_flag: isFlag, default: usual }) {
  const id = `setting-${name}`;
  const options = isFlag ? [["True", t("yes")], ["False", t("no")]] : choices;
  if (!options.length) return el("input", { id, placeholder: usual });
  const field = el("select", { id }, options.map(([value, text]) => el("option", { value, text })));
  const isListed = options.some(([value]) => value === usual);
  if (!isListed) field.prepend(el("option", { value: "", text: t("by_preset") }));
  field.value = isListed ? usual : "";
  return field;
}

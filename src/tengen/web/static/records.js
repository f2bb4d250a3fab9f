// A record that is pasted, chosen or dropped opens analyzed.

import { button, el, say, t } from "./dom.js";
import { post } from "./wire.js";

const MAX_BYTES = 4 << 20;

export function recordPanel(games) {
  const text = el("textarea", { id: "record", spellcheck: false, placeholder: t("record_placeholder") });
  const file = el("input", { type: "file", id: "record-file" });
  const game = el("select", { id: "record-game" }, el("option", { value: "", text: t("by_itself") }));
  game.append(...games.map(({ id, title }) => el("option", { value: id, text: title })));
  file.addEventListener("change", () => file.files[0] && openFile(file.files[0], game.value));
  const panel = el(
    "section",
    { class: "panel drop" },
    el("h2", { text: t("open_record") }),
    el("label", { class: "faint", for: "record", text: t("open_record_more") }),
    text,
    el(
      "div",
      { class: "row" },
      button(t("analyze"), () => openBytes(new TextEncoder().encode(text.value), "", game.value), { class: "main" }),
      el("label", { for: "record-file", text: t("or_file") }),
      file,
      el("label", { for: "record-game", text: t("game") }),
      game,
    ),
  );
  return panel;
}

export async function openFile(file, game = "") {
  if (file.size > MAX_BYTES) say(t("too_large"));
  else await openBytes(new Uint8Array(await file.arrayBuffer()), file.name, game);
}

function encode(bytes) {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

export const toBase64 = async (file) => encode(new Uint8Array(await file.arrayBuffer()));

export async function openBytes(bytes, name, game) {
  try {
    const { study } = await post("/api/studies", { data: encode(bytes), name, game });
    location.hash = `#/analyze/${study}`;
  } catch (error) {
    say(error.message);
  }
}

// Anywhere on the page.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) openFile(file);
});

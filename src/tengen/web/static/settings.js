// Settings, kept in this browser.

import { applyTheme, el, languages, loadTexts, language, say, settings, t } from "./dom.js";

const CHOICES = {
  lang: ["", ...languages],
  theme: ["auto", "light", "dark"],
  marks: ["3", "6", "12", "24"],
  confirm: ["auto", "on", "off"],
  warn: ["off", "on"],
  sound: ["off", "on"],
};
const KEYS = ["arrows", "enter", "escape", "steps", "numbers", "space", "p", "u", "h", "slash", "help"];
const NAMES = { en: "English", ko: "한국어", ja: "日本語" };

export async function show(main) {
  const change = async (name, value) => {
    settings.set(name, value);
    applyTheme();
    if (name === "lang") {
      await loadTexts(language());
      dispatchEvent(new HashChangeEvent("hashchange"));
    }
    say(t("kept"));
  };
  const row = ([name, values]) => {
    const text = (value) => (name === "lang" ? (NAMES[value] ?? t("by_browser")) : /\d/.test(value) ? value : t(`set_${value}`));
    const field = el("select", { id: `set-${name}` }, values.map((value) => el("option", { value, text: text(value) })));
    field.value = settings.get(name);
    field.addEventListener("change", () => change(name, field.value));
    return [el("label", { for: field.id, text: t(`setting_${name}`) }), field];
  };
  main.append(
    el("h1", { text: t("page_settings") }),
    el("div", { class: "form panel" }, Object.entries(CHOICES).map(row)),
    el("section", { class: "panel" }, el("h2", { text: t("keys") }), keyList()),
  );
}

export const keyList = () =>
  el("ul", { class: "plain" }, KEYS.map((name) => el("li", { text: t(`key_${name}`) })));

// Elements, texts in the reader's language, and what is kept in the browser.

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  setProps(element, props);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function setProps(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

export const button = (text, onclick, props = {}) => el("button", { type: "button", onclick, text, ...props });

// Texts.

export const languages = ["en", "ko", "ja"];
let texts = {};
let english = {};

export async function loadTexts(lang) {
  const read = async (name) => (await fetch(new URL(`${name}.json`, import.meta.url))).json();
  [english, texts] = await Promise.all([read("en"), read(lang)]);
  document.documentElement.lang = lang;
}

export function t(key, values = {}) {
  const text = texts[key] ?? english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// Settings.

const DEFAULTS = { lang: "", theme: "auto", marks: "6", confirm: "auto", sound: "off", warn: "off" };

export const settings = {
  get(name) {
    try {
      return localStorage.getItem(`tengen.${name}`) ?? DEFAULTS[name];
    } catch {
      return DEFAULTS[name];
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`tengen.${name}`, value);
    } catch {
      // Private windows may keep nothing: the setting lasts as long as the page.
      DEFAULTS[name] = value;
    }
  },
};

export function language() {
  const told = settings.get("lang");
  if (languages.includes(told)) return told;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => languages.includes(tag)) ?? "en";
}

export function applyTheme() {
  document.documentElement.dataset.theme = settings.get("theme");
}

// What is said to who listens, and shown at the foot.

export function say(text) {
  const status = document.getElementById("status");
  // The same sentence twice is said twice.
  status.textContent = "";
  status.textContent = text;
}

export function ask(text, yes, no) {
  const dialog = document.getElementById("dialog");
  return new Promise((resolve) => {
    const answer = (value) => () => {
      dialog.close();
      resolve(value);
    };
    dialog.replaceChildren(
      el("p", { text }),
      el("div", { class: "row" }, button(no, answer(false)), button(yes, answer(true), { class: "main" })),
    );
    dialog.oncancel = () => resolve(false);
    dialog.setAttribute("aria-label", text);
    dialog.showModal();
  });
}

// Again and again while the tab is looked at; answers how to end it. What fails is tried again.
export function every(ms, work) {
  const timer = setInterval(() => document.visibilityState === "visible" && work().catch(() => {}), ms);
  return () => clearInterval(timer);
}

export function offerFile(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

let audio = null;
export function click() {
  if (settings.get("sound") !== "on") return;
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 440;
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.08);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.08);
}

// The router: shows the page that the fragment of the address names.

import { applyTheme, el, language, loadTexts, say, t } from "./dom.js";
import "./records.js";
import { tradeToken, wire } from "./wire.js";

// Each module exports show(main, parts), which may answer a function to call when the page is left.
const PAGES = {
  "": () => import("./home.js"),
  new: () => import("./new.js"),
  play: () => import("./play.js"),
  analyze: () => import("./analyze.js"),
  library: () => import("./library.js"),
  run: () => import("./run.js"),
  match: () => import("./match.js"),
  replay: () => import("./replay.js"),
  settings: () => import("./settings.js"),
};
const LINKS = ["", "analyze", "library", "settings"];

let leave = null;
let routes = 0;

function drawHeader(page) {
  const link = (name) =>
    el("a", { href: `#/${name}`, text: t(`page_${name || "home"}`), "aria-current": name === page ? "page" : null });
  document.getElementById("skip").textContent = t("skip");
  document
    .getElementById("top")
    .replaceChildren(
      el("a", { class: "name", href: "#/", text: "Tengen" }),
      el("nav", { "aria-label": t("pages") }, LINKS.map(link)),
    );
}

// Addresses that are not well-formed are taken as they are, and lead nowhere.
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function route() {
  const mine = ++routes;
  const [, page = "", ...parts] = location.hash.split("/").map(decode);
  const main = document.getElementById("main");
  leave?.();
  leave = null;
  wire.leave();
  drawHeader(page);
  try {
    const module = await PAGES[Object.hasOwn(PAGES, page) ? page : ""]();
    if (mine !== routes) return;
    // A later navigation must not be overwritten by this one.
    const holder = el("div");
    main.replaceChildren(holder);
    // Not as far down as the page before was.
    scrollTo(0, 0);
    const left = (await module.show(holder, parts)) ?? null;
    if (mine === routes) leave = left;
    else left?.();
  } catch (error) {
    main.replaceChildren(el("p", { class: "bad", role: "alert", text: error.message }));
  }
}

async function begin() {
  applyTheme();
  await loadTexts(language());
  const token = location.hash.match(/^#token=(.+)$/)?.[1];
  if (token) {
    history.replaceState(null, "", "/");
    await tradeToken(decode(token)).catch((error) => say(error.message));
  }
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (document.querySelector(".spots [tabindex='0']") ?? document.getElementById("main")).focus();
  });
  addEventListener("hashchange", () => {
    say("");
    route();
  });
  await route();
}

begin().catch((error) => document.getElementById("main").replaceChildren(el("p", { class: "bad", role: "alert", text: error.message })));

// The socket of this tab, which comes back by itself; and requests.

import { language } from "./dom.js";

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 4000;
// The server closes the socket of a page that may not have one.
const POLICY_VIOLATION = 1008;

const session = {
  get: () => {
    try {
      return sessionStorage.getItem("tengen.session");
    } catch {
      return null;
    }
  },
  set: (key) => {
    try {
      sessionStorage.setItem("tengen.session", key);
    } catch {
      // The tab then asks for the token again.
    }
  },
};

export async function tradeToken(token) {
  session.set((await post("/api/session", { token })).session);
}

async function request(path, options) {
  const headers = { ...options.headers, "Accept-Language": language() };
  if (session.get()) headers.Authorization = `Bearer ${session.get()}`;
  const response = await fetch(path, { ...options, headers, credentials: "omit" });
  if (!response.ok) {
    const told = await response.json().catch(() => ({}));
    throw new Error(told.problem ?? `${response.status} ${response.statusText}`);
  }
  return response;
}

export const get = async (path) => (await request(path, {})).json();
export const download = async (path) => (await request(path, {})).blob();
export const post = async (path, body) =>
  (
    await request(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    })
  ).json();

class Wire {
  #socket = null;
  #waitMs = FIRST_WAIT_MS;
  #timer = 0;
  #listener = null;
  #opening = null;

  // `opening` makes the messages that are sent first, and again after every loss.
  follow(opening, listener) {
    this.#listener = listener;
    this.#opening = opening;
    if (this.isOpen) opening().forEach((message) => this.send(message));
    else this.#connect();
  }

  leave() {
    this.#listener = this.#opening = null;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = null;
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  send(message) {
    if (this.isOpen) this.#socket.send(JSON.stringify(message));
    return this.isOpen;
  }

  #connect() {
    clearTimeout(this.#timer);
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const protocols = ["tengen"];
    if (session.get()) protocols.push(`session.${session.get()}`);
    const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/socket`, protocols);
    this.#socket = socket;
    socket.onopen = () => {
      this.#waitMs = FIRST_WAIT_MS;
      this.#tell({ t: "connected" });
      this.#opening?.().forEach((message) => this.send(message));
      // The server takes a tab to be looked at.
      if (document.visibilityState !== "visible") tellVisibility();
    };
    socket.onmessage = (event) => this.#tell(JSON.parse(event.data));
    socket.onclose = ({ code }) => {
      if (socket !== this.#socket || !this.#opening) return;
      this.#tell({ t: "lost" });
      if (code === POLICY_VIOLATION) return;
      this.#timer = setTimeout(() => this.#connect(), this.#waitMs);
      this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
    };
  }

  #tell(message) {
    this.#listener?.(message);
  }
}

export const wire = new Wire();

function tellVisibility() {
  wire.send({ t: "look", visible: document.visibilityState === "visible" });
}

document.addEventListener("visibilitychange", tellVisibility);

// Boards of a study as they come: each tells what changed since the one before. All are kept whole, so that who goes
// back and forth need not ask again.

const MOST_KEPT = 400;

export class BoardStream {
  #lines = [];
  #spots = [];
  #labels = {};
  #actions = new Map();
  #kept = new Map();

  // The whole of it.
  take({ svg, patch, spots, labels, actions, gone, ...rest }) {
    if (svg !== undefined) this.#lines = svg.trimEnd().split("\n");
    else if (patch) this.#patch(patch);
    if (spots) [this.#spots, this.#labels] = [spots, {}];
    if (labels) this.#labels = { ...this.#labels, ...labels };
    if (actions || gone) {
      this.#actions = new Map(gone ? this.#actions : []);
      gone?.forEach((action) => this.#actions.delete(action));
      actions?.forEach((row) => this.#actions.set(row[0], row));
    }
    const whole = { ...rest, lines: this.#lines, spots: this.#spots, labels: this.#labels, actions: [...this.#actions.values()] };
    this.#kept.delete(whole.node);
    this.#kept.set(whole.node, whole);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value);
    return whole;
  }

  #patch(changes) {
    this.#lines = [...this.#lines];
    for (const [line, count, coming] of [...changes].reverse()) this.#lines.splice(line, count, ...coming);
  }

  // Where all choose at once, as that seat sees it.
  find(node, seat) {
    const whole = this.#kept.get(node);
    return whole && (whole.actor !== "all" || whole.seat === seat) ? whole : undefined;
  }
}

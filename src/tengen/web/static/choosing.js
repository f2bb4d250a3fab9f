// How an action is chosen by touching spots and entries of menus, in any game.
//
// An action is a set of touches. A touch leaves the actions that have it; one is chosen when it alone is left and all
// its spots are touched. tengen.games.choosing says the same in Python.

const MENU_SIZE = 12;

export class Choosing {
  // touches: Map of action to ids; spots: Map of id to whether it is a supply; places: arrays of ids touched so far.
  constructor(touches, spots, places = []) {
    this.touches = touches;
    this.spots = spots;
    this.places = places;
    this.left = [...touches.keys()].filter((action) => this.#fits(action));
  }

  #fits(action) {
    const parts = this.touches.get(action);
    return this.places.every((place) => place.some((id) => parts.includes(id)));
  }

  #isTouched(part) {
    return this.places.some((place) => place.includes(part));
  }

  #openSpots(action) {
    return this.touches.get(action).filter((part) => this.spots.has(part) && !this.#isTouched(part));
  }

  // Spots that a touch would fit.
  get lit() {
    return new Set(this.left.flatMap((action) => this.#openSpots(action)));
  }

  get touched() {
    const parts = new Set(this.left.flatMap((action) => this.touches.get(action)));
    return new Set(this.places.flat().filter((id) => parts.has(id)));
  }

  // The action that is played now, or null.
  get chosen() {
    const isClear = this.places.length && this.left.length === 1 && !this.#openSpots(this.left[0]).length;
    return isClear ? this.left[0] : null;
  }

  // [{text, action}], without an action: a touch.
  get menu() {
    if (!this.places.length) return [];
    const isOpen = (action) => this.#openSpots(action).some((spot) => !this.spots.get(spot));
    if (this.chosen !== null || this.left.some(isOpen)) return [];
    const parts = this.left.map((action) => this.touches.get(action).filter((part) => !this.#isTouched(part)));
    if (this.left.length <= MENU_SIZE) {
      return this.left.map((action, i) => ({
        text: (parts[i].length ? parts[i] : this.touches.get(action)).join(" "),
        action,
      }));
    }
    return [...new Set(parts.flat())].map((text) => ({ text }));
  }

  // Actions that have no spot: named below the board.
  get loose() {
    return [...this.touches.keys()].filter((action) => !this.touches.get(action).some((part) => this.spots.has(part)));
  }

  touch(ids) {
    const isSame = (place) => place.length === ids.length && place.every((id) => ids.includes(id));
    if (!ids.length || this.places.some(isSame)) return this.release();
    for (const places of [[...this.places, ids], [ids]]) {
      const further = new Choosing(this.touches, this.spots, places);
      if (further.left.length) return further;
    }
    return this.release();
  }

  release() {
    return new Choosing(this.touches, this.spots);
  }
}

// Where an action is marked: the last spot that is no supply; two make an arrow.
export function markedSpots(touches, spots) {
  return touches.filter((part) => spots.has(part) && !spots.get(part)).slice(-2);
}

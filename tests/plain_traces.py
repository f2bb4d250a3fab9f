"""Traces of Matgo once more, from the plain rules and after the written specification, with no regard for speed."""

import math
from dataclasses import dataclass

import plain_matgo as plain

CODES = {"gwang": "g", "yeol": "y", "ribbon": "r"}
TRIOS = {
    "hong": {(1, "ribbon"), (2, "ribbon"), (3, "ribbon")},
    "cheong": {(6, "ribbon"), (9, "ribbon"), (10, "ribbon")},
    "cho": {(4, "ribbon"), (5, "ribbon"), (7, "ribbon")},
    "godori": {(2, "yeol"), (4, "yeol"), (8, "yeol")},
}
LIGHTS = {(month, "gwang") for month in (1, 3, 8, 11, 12)}
EVENTS = ("ppuk", "jjok", "ddadak", "eat", "pansseul", "bomb")
OPTIONS = {161: "go", 162: "stop", 163: "president_stop", 164: "president_hold", 165: "five", 166: "junk"}
PHASES = ("play", "match_hand", "match_flip", "go_stop", "president", "gukjin", "shake")
RANGES = {  # cause: bit, back, forward
    "early": (0, 0, 0),
    "go_stop": (1, 1, 1),
    "go_plus2": (1, 1, 2),
    "shaking_yes": (2, 0, 1),
    "other_option": (3, 0, 1),
    "deck_empty": (4, 1, 0),
    "ppuk": (5, 1, 1),
    "core_event": (5, 1, 0),
    "bomb": (6, 1, 1),
    "bomb_count": (6, 0, 1),
    "risk_up": (7, 1, 0),
    "risk_down": (7, 0, 1),
    "risk_mixed": (7, 0, 0),
    "combo": (8, 0, 0),
    "terminal": (9, 0, 0),
}


def code(card):
    if card >= 48:
        return ("b2", "b3", "b2b")[card - 48]
    month = card // 4 + 1
    if plain.kind(card) in CODES:
        return f"{month}{CODES[plain.kind(card)]}"
    if plain.value(card) == 2:
        return f"{month}d"
    singles = [c for c in range(4 * month - 4, 4 * month) if plain.kind(c) == "pi" and plain.value(c) == 1]
    return f"{month}p{'ab'[singles.index(card)]}"


def names(cards):
    """Sorted, as a log lists captured cards."""
    return [code(card) for card in sorted(cards)]


def sorts(cards):
    """Month and kind of cards that have a month."""
    return {(card // 4 + 1, plain.kind(card)) for card in cards if card < 48}


class Noted(plain.Round):
    """A round that notes what an action did."""

    def __init__(self, *arguments, **settings):
        self.forget()
        super().__init__(*arguments, **settings)

    def forget(self):
        self.happened, self.by_hand, self.by_flip, self.stolen = set(), [], [], 0

    def take_turn(self, action):
        self.is_flipping = False
        super().take_turn(action)

    def play_bonus(self, card):
        self.by_hand.append(card)
        super().play_bonus(card)

    def flip(self):
        self.is_flipping = True
        super().flip()

    def capture(self, cards, from_floor):
        is_pair = self.paired is not None and set(cards) == {self.played, self.paired}
        (self.by_flip if self.is_flipping and not is_pair else self.by_hand).extend(cards)
        super().capture(cards, from_floor)

    def bomb(self, m):
        self.happened.add("bomb")
        super().bomb(m)

    def eat(self, m, by_hand):
        if not self.is_last:
            self.happened.add("eat")
        super().eat(m, by_hand)

    def flip_takes(self, card):
        if self.played is not None and plain.month(self.played) == plain.month(card) and not self.is_last:
            self.happened.add("ddadak" if self.matches == 2 else "jjok")
        super().flip_takes(card)

    def ppuk(self):
        self.happened.add("ppuk")
        super().ppuk()

    def end_turn(self):
        if not self.floor and self.has_captured and not self.is_last:
            self.happened.add("pansseul")
        super().end_turn()

    def steal(self, count):
        before = len(self.me.captured)
        super().steal(count)
        self.stolen += len(self.me.captured) - before


def look(round_, seat):
    """Return the seat's view as plain numbers."""
    own, other = round_.seats[seat], round_.seats[1 - seat]
    unseen = [*other.hand, *round_.stock]
    bak = round_.doublings(1 - seat, True)
    return {
        "stock": len(round_.stock),
        "hands": (own.size, other.size),
        "gos": (own.gos, other.gos),
        "shakes": (len(own.shaken), len(other.shaken)),
        "bombs": own.bombs + other.bombs,
        "risks": tuple(int(bak[name]) for name in ("pi_bak", "gwang_bak", "mong_bak")),
        "progress": tuple(progress(cards) for cards in (own.captured, other.captured)),
        "threats": tuple(threats(cards, unseen) for cards in (own.captured, other.captured)),
        "bases": (round_.base(seat), round_.base(1 - seat)),
        "enters": near_sets(own, other),
        "gold": own.won,
        "first": round_.starter == seat,
    }


def progress(captured):
    there = sorts(captured)
    return [len(there & trio) for trio in TRIOS.values()] + [len(there & LIGHTS)]


def threats(captured, unseen):
    """All, one away, gwang."""
    there, hidden = sorts(captured), [(c // 4 + 1, plain.kind(c)) for c in unseen if c < 48]

    def any_of(wanted):
        chances = [min(1, hidden.count(one) / len(unseen)) if unseen else 0 for one in wanted - there]
        return 1 - math.prod(1 - chance for chance in chances)

    total, nearest = 0, 0
    for trio in TRIOS.values():
        count = len(trio & there)
        total += {0: 0, 1: 0.24 * any_of(trio), 2: 0.72 * any_of(trio), 3: 0.9}[count]
        nearest = max(nearest, {2: any_of(trio), 3: 1}.get(count, 0))
    lights = len(LIGHTS & there)
    gwang = 0 if lights == 0 else any_of(LIGHTS) * (0.3 if lights == 1 else 1)
    return min(1, total + 0.6 * gwang), nearest, gwang


def near_sets(own, other):
    mine, theirs = sorts([*own.hand, *own.captured]), sorts(other.captured)
    found = {(name, 1) for name, trio in TRIOS.items() if len(theirs & trio) >= 2 and not mine & trio}
    lights, own_lights = len(theirs & LIGHTS), len(mine & LIGHTS)
    if lights >= 3 and own_lights <= 1:
        return found | {("gwang", 1), ("gwang", 2)}
    return found | {("gwang", 1)} if lights == 2 and own_lights <= 2 else found


def proxy(seen, carry):
    (own, own_near, own_gwang), (other, near, gwang) = seen["threats"]
    diff = seen["bases"][0] - seen["bases"][1]
    go = 0.75 * own + 0.7 * own_near + 0.55 * own_gwang + 0.07 * max(0, diff) + 0.14 * max(0, carry - 1)
    stop = 0.95 * other + 0.75 * near + 0.6 * gwang + 0.32 * sum(seen["risks"])
    return min(3, max(-3, go - stop))


def context(seen, phase, carry):
    own, other = seen["progress"]
    total, near, gwang = seen["threats"][1]
    return {
        "phase": PHASES.index(phase),
        "deckCount": seen["stock"],
        "handCountSelf": seen["hands"][0],
        "handCountDiff": seen["hands"][0] - seen["hands"][1],
        "goCountSelf": seen["gos"][0],
        "goCountOpp": seen["gos"][1],
        "piBakRisk": seen["risks"][0],
        "gwangBakRisk": seen["risks"][1],
        "mongBakRisk": seen["risks"][2],
        "jokboProgressOppSum": sum(other),
        "jokboOneAwaySelfCount": len([count for count in own if count >= 2]),
        "jokboOneAwayOppCount": len([count for count in other if count >= 2]),
        "oppJokboThreatProb": total,
        "oppJokboOneAwayProb": near,
        "oppGwangThreatProb": gwang,
        "goStopDeltaProxy": proxy(seen, carry) if phase == "go_stop" else 0,
        "scoreDiff": seen["bases"][0] - seen["bases"][1],
    }


def reward(before, after, done):
    own, then = before["progress"][0], after["progress"][0]
    worth = min(0.2, 0.1 * done["piSteal"]) + min(0.1, done["goldSteal"] / 1000)
    for card in done["cards"]:
        kind = plain.kind(card)
        worth += {1: 0.05, 2: 0.08, 3: 0.1}[plain.value(card)] if kind == "pi" else 0
        worth += {"gwang": 0.12, "yeol": 0.08, "ribbon": 0.05}.get(kind, 0)
    worth += min(0.14, 0.05 * max(0, sum(then) - sum(own)))
    worth += 0.2 * len([i for i in range(4) if then[i] == 3 and own[i] < 3])
    worth += min(0.15, max(0, 0.25 * (before["threats"][1][0] - after["threats"][1][0])))
    for weight, old, new in zip((0.10, 0.12, 0.11), before["risks"], after["risks"], strict=True):
        worth += weight if old > new else -weight if new > old else 0
    return worth - (0.22 if "ppuk" in done["events"] else 0)


@dataclass
class Written:
    """A decision before it is decided which are kept."""

    turn: int
    seat: int
    dt: str
    phase: str
    choices: list
    choice: str
    reward: float
    seen: dict
    causes: set
    delta: dict


def watch(round_, actions, plus2=False):
    """Play the actions and return all decisions of the round."""
    written, own_turns = [], {0: set(), 1: set()}
    last = {0: None, 1: None}
    turn, in_turn, in_game = 1, 0.0, [0.0, 0.0]
    for action in actions:
        seat = round_.mover
        own_turns[seat].add(turn)
        legal, phase = round_.legal(), PHASES[round_.phase]
        before = look(round_, seat)
        round_.forget()
        round_.play(action)
        after = look(round_, seat)
        is_over = round_.phase == plain.OVER
        done = {
            "deck": after["stock"] - before["stock"],
            "handSelf": after["hands"][0] - before["hands"][0],
            "handOpp": after["hands"][1] - before["hands"][1],
            "piSteal": round_.stolen,
            "goldSteal": 0 if is_over else after["gold"] - before["gold"],
            "capHand": names(round_.by_hand),
            "capFlip": names(round_.by_flip),
            "events": [event for event in EVENTS if event in round_.happened],
        }
        raw = reward(before, after, done | {"cards": [*round_.by_hand, *round_.by_flip]})
        turn_sum = min(0.3, max(-0.3, in_turn + raw))
        game_sum = min(1, max(-1, in_game[seat] + turn_sum - in_turn))
        given = game_sum - in_game[seat]
        in_turn, in_game[seat] = turn_sum, game_sum
        causes = effects(last[seat], before, after, round_.happened)
        last[seat] = after
        common = {"early"} if len(own_turns[seat]) == 1 else set()
        common |= {"deck_empty"} if before["stock"] <= 0 else set()
        for place, (dt, asked, choices, choice) in enumerate(asked_of(phase, legal, action)):
            own = common | option_cause(choice, plus2) | (causes if place == 0 else set())
            none = {name: [] if isinstance(value, list) else 0 for name, value in done.items()}
            delta = done if place == 0 else none
            worth = given if place == 0 else 0.0
            written.append(Written(turn, seat, dt, asked, choices, choice, worth, before, own, delta))
        if not is_over and round_.mover != seat:
            turn, in_turn = turn + 1, 0.0
    return written


def asked_of(phase, legal, action):
    if phase in ("match_hand", "match_flip"):
        yield "match", phase, [code(a - 111) for a in legal], code(action - 111)
    elif phase != "play":
        yield "option", phase, [OPTIONS[a] for a in legal], OPTIONS[action]
    else:
        plain_actions = [a for a in legal if not 63 <= a < 111]
        card = action - 63 if 63 <= action < 111 else action
        yield "play", phase, [play_name(a) for a in plain_actions], play_name(card)
        if card < 48 and card + 63 in legal:
            yield "option", "shake", ["shake", "no_shake"], "shake" if action >= 63 else "no_shake"


def play_name(action):
    if action == 167:
        return "b2b"
    if action == 50:
        return "dummy"
    return code(action) if action < 50 else f"bomb {action - 50}"


def option_cause(choice, plus2):
    if choice == "go" and plus2:
        return {"go_plus2"}
    if choice in ("go", "stop"):
        return {"go_stop"}
    if choice == "shake":
        return {"shaking_yes"}
    others = ("no_shake", "president_stop", "president_hold", "five", "junk")
    return {"other_option"} if choice in others else set()


def effects(last, before, after, happened):
    causes = {"ppuk"} & happened
    causes |= {"core_event"} if happened & {"jjok", "ddadak", "eat", "pansseul"} else set()
    causes |= {"bomb"} & happened
    causes |= {"bomb_count"} if after["bombs"] != before["bombs"] else set()
    looks = [last or {"risks": (0, 0, 0), "enters": set()}, before, after]
    ups = downs = 0
    for one, two in ((looks[0], looks[1]), (looks[1], looks[2])):
        ups += sum(new > old for old, new in zip(one["risks"], two["risks"], strict=True))
        downs += sum(new < old for old, new in zip(one["risks"], two["risks"], strict=True))
        causes |= {"combo"} if two["enters"] - one["enters"] else set()
    if ups or downs:
        causes.add("risk_mixed" if ups and downs else "risk_up" if ups else "risk_down")
    return causes


def trace(written, mode, my_seat, carry, *, my_turn_only=False, important=True, radius=0, policy="greedy"):
    """The records that are kept, as dictionaries."""
    fewest = 1 if mode == "train" else 2
    mine = [one for one in written if len(one.choices) >= fewest and (one.seat == my_seat or not my_turn_only)]
    causes = [set(one.causes) for one in mine]
    if mine:
        causes[max(0, len(mine) - 2)].add("terminal")
    has_any = any(causes)
    records = []
    for one, own in zip(mine, causes, strict=True):
        is_kept = not important or not has_any
        for other, reasons in zip(mine, causes, strict=True):
            for _, back, forward in (RANGES[reason] for reason in reasons):
                is_kept |= other.turn - back - radius <= one.turn <= other.turn + forward + radius
        if is_kept:
            records.append((train if mode == "train" else delta)(one, own, my_seat, carry, policy))
    return records


def train(one, causes, my_seat, carry, _policy):
    seen = one.seen
    order = "first" if seen["first"] else "second"
    key = (
        f"dt={one.dt}|ph={one.phase}|o={order}|db={seen['stock'] // 3}|hs={seen['hands'][0]}"
        f"|hd={seen['hands'][0] - seen['hands'][1]}|gs={seen['gos'][0]}|go={seen['gos'][1]}"
        f"|ss={seen['shakes'][0]}|so={seen['shakes'][1]}|cc={len(one.choices)}"
    )
    record = {
        "t": one.turn,
        "a": "mySide" if one.seat == my_seat else "yourSide",
        "dt": one.dt,
        "cc": len(one.choices),
        "ch": one.choice,
        "cl": one.choices,
        "ir": one.reward,
        "dc": context(seen, one.phase, carry),
        "ck": key,
    }
    mask = sum(1 << bit for bit in {RANGES[cause][0] for cause in causes})
    return record | {"tm": mask} if mask else record


def delta(one, _causes, my_seat, _carry, policy):
    return {
        "t": one.turn,
        "a": "mySide" if one.seat == my_seat else "yourSide",
        "ch": one.choice,
        "delta": one.delta,
        "reasoning": {"policy": policy, "candidatesCount": len(one.choices), "evaluation": one.reward},
    }

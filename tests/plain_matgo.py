"""The rules of Matgo once more, written to be plain instead of fast, after the written rules and not after the core."""

from dataclasses import dataclass, field

GWANG = {0, 8, 28, 40, 44}
YEOL = {4, 12, 16, 20, 24, 29, 32, 36, 45}
RIBBONS = {1, 5, 9, 13, 17, 21, 25, 33, 37, 46}
TRIOS = ({1, 5, 9}, {21, 33, 37}, {13, 17, 25})
GODORI = {4, 12, 29}
RAIN = 44
GUKJIN = 32
DOUBLE = {41, 47, 48, 50}
TRIPLE = {49}

PLAY, MATCH_HAND, MATCH_FLIP, GO_STOP, PRESIDENT, ASK_GUKJIN, OVER = range(7)


def month(card):
    """Bonus cards have none."""
    return None if card >= 48 else card // 4


def kind(card):
    for name, cards in (("gwang", GWANG), ("yeol", YEOL), ("ribbon", RIBBONS)):
        if card in cards:
            return name
    return "pi"


def value(card):
    return 2 if card in DOUBLE or card == GUKJIN else 3 if card in TRIPLE else 1


def of_month(cards, wanted):
    return [card for card in cards if month(card) == wanted]


def fours(hand):
    return [m for m in range(12) if len(of_month(hand, m)) == 4]


@dataclass
class Seat:
    hand: list
    gold: int | None = None  # None: without limit
    won: int = 0
    captured: list = field(default_factory=list)
    dummies: int = 0
    turns: int = 0
    gos: int = 0
    last_go_base: int = 0
    ppuks: int = 0
    streak: int = 0
    shaken: set = field(default_factory=set)
    bombs: int = 0
    held: bool = False
    asked: bool = False
    unpaid_ppuk: bool = False

    @property
    def size(self):
        return len(self.hand) + self.dummies


class Round:
    """One round; `rules` are the settings of tengen.game("matgo")."""

    def __init__(self, rules, deck, starter=0, carry=1, gold=(None, None)):
        self.rules = rules
        self.seats = [Seat(list(deck[:10]), gold[0]), Seat(list(deck[10:20]), gold[1])]
        self.floor = list(deck[20:28])
        self.stock = list(deck[28:])
        self.mover = self.starter = starter
        self.carry = carry
        self.gukjin = None  # "yeol" or "pi" once it is decided
        self.winner = None
        self.owner_of_pile = {}
        self.bonus_with_pile = {}
        self.phase = PLAY
        self.open()

    @property
    def me(self):
        return self.seats[self.mover]

    @property
    def other(self):
        return self.seats[1 - self.mover]

    # The deal.

    def open(self):
        while bonus := [card for card in self.floor if card >= 48]:
            for card in bonus:
                self.floor.remove(card)
                self.me.captured.append(card)
            self.floor += [self.stock.pop(0) for _ in bonus]
        if fours(self.floor):
            if self.rules["floor_four"] == "nagari":
                return self.end(2)
            return self.win(self.rules["president_points"] * (self.carry if self.rules["floor_four_carry"] else 1))
        if not self.rules["president_choice"]:
            for seat in (self.starter, 1 - self.starter):
                self.seats[seat].asked = True
                if fours(self.seats[seat].hand):
                    self.mover = seat
                    return self.win(self.rules["president_points"] * self.carry)
        return self.begin()

    def begin(self):
        me = self.me
        me.dummies += max(0, 10 - me.turns - me.size)
        self.phase = PLAY
        if not me.asked:
            me.asked = True
            if fours(me.hand):
                self.phase = PRESIDENT

    # What may be done.

    def legal(self):
        if self.phase == PLAY:
            return sorted(self.plays())
        if self.phase in (MATCH_HAND, MATCH_FLIP):
            return sorted(111 + card for card in self.offered)
        return {GO_STOP: [161, 162], PRESIDENT: [163, 164], ASK_GUKJIN: [165, 166]}[self.phase]

    def plays(self):
        for card in self.me.hand:
            yield 167 if card == 50 else card
        if self.me.dummies:
            yield 50
        for m in range(12):
            own, there = of_month(self.me.hand, m), of_month(self.floor, m)
            if (len(own), len(there)) == (3, 1):
                yield 51 + m
            if self.rules["two_card_bomb"] and (len(own), len(there)) == (2, 2):
                yield 51 + m
            if len(own) >= 3 and not there and m not in self.me.shaken:
                yield from (63 + card for card in own)

    # What happens.

    def play(self, action):
        if self.phase == PLAY:
            self.take_turn(action)
        elif self.phase == MATCH_HAND:
            self.capture([action - 111, self.played], from_floor=[action - 111])
            self.flip()
        elif self.phase == MATCH_FLIP:
            if not self.rules["flip_choice_keeps_hand_event"]:
                self.steals -= self.hand_eat
            self.flip_takes(action - 111)
        elif self.phase == GO_STOP:
            self.go() if action == 161 else self.stop()
        elif self.phase == PRESIDENT:
            if action == 163:
                return self.win(self.rules["president_points"] * self.carry)
            self.me.held = True
            self.phase = PLAY
        else:
            self.gukjin = "yeol" if action == 165 else "pi"
            self.settle(asked=True)
        return None

    def take_turn(self, action):
        self.is_last = self.me.size == 1
        self.played = self.paired = None
        self.matches = self.steals = self.hand_eat = 0
        self.has_captured = self.was_ppuk_paid = False
        if action == 50:
            self.me.dummies -= 1
            return self.flip()
        if action in (48, 49, 167):
            return self.play_bonus(50 if action == 167 else action)
        if 51 <= action < 63:
            return self.bomb(action - 51)
        if 63 <= action < 111:
            action -= 63
            self.me.shaken.add(month(action))
        return self.play_card(action)

    def play_bonus(self, card):
        self.me.hand.remove(card)
        self.me.captured.append(card)
        if not self.is_last:
            self.steal(self.rules["bonus_steal"])
        if self.stock:
            self.me.hand.append(self.stock.pop(0))
            if fours(self.me.hand):
                self.phase = PRESIDENT

    def bomb(self, m):
        own, there = of_month(self.me.hand, m), of_month(self.floor, m)
        for card in own:
            self.me.hand.remove(card)
        self.me.bombs += len(own) == 3
        self.is_last = self.rules["bomb_last_hand"] and self.me.size == 0
        self.capture(own + there, from_floor=there)
        self.steals += 1
        self.flip()

    def play_card(self, card):
        self.me.hand.remove(card)
        self.played = card
        there = of_month(self.floor, month(card))
        self.matches = len(there)
        if not there:
            self.floor.append(card)
        elif len(there) == 1:
            self.paired = there[0]
            self.floor.remove(there[0])
        elif len(there) == 2:
            if self.must_ask(there):
                self.offered = there
                self.phase = MATCH_HAND
                return
            self.capture([card, self.better(there)], from_floor=[self.better(there)])
        else:
            self.capture([card, *there], from_floor=there)
            self.eat(month(card), by_hand=True)
        self.flip()

    def must_ask(self, two):
        return self.rules["ask_same_kind"] or kind(two[0]) != kind(two[1])

    @staticmethod
    def better(two):
        return min(two, key=lambda card: (-value(card), card))

    def eat(self, m, by_hand):
        gain = self.rules["eat_pile"]
        if self.rules["eat_trigger"] == "next_capture":
            gain = gain if by_hand and not self.was_ppuk_paid else 0
        elif self.owner_of_pile.get(m) == self.mover:
            gain = self.rules["self_ppuk_eat"]
        self.steals += gain
        self.hand_eat = gain if by_hand else self.hand_eat
        self.owner_of_pile.pop(m, None)
        for card in self.bonus_with_pile.pop(m, []):
            self.capture([card], from_floor=[card])
            self.steals += self.rules["bonus_steal"]

    def flip(self):
        self.turned = []
        card = None
        while self.stock:
            card = self.stock.pop(0)
            if card < 48:
                break
            self.turned.append(card)
            card = None
        self.flipped = card
        if self.paired is not None:
            if card is not None and month(card) == month(self.played) and not self.is_last:
                return self.ppuk()
            self.capture([self.played, self.paired], from_floor=[])
        there = [] if card is None else of_month(self.floor, month(card))
        if card is None:
            return self.end_flip()
        if not there:
            self.floor.append(card)
            return self.end_flip()
        if len(there) == 3:
            self.capture([card, *there], from_floor=there)
            self.eat(month(card), by_hand=False)
            return self.end_flip()
        if len(there) == 2 and self.must_ask(there):
            self.offered = there
            self.phase = MATCH_FLIP
            return None
        return self.flip_takes(self.better(there))

    def flip_takes(self, card):
        if self.played is not None and month(self.played) == month(card) and not self.is_last:
            self.steals += 1
            if self.matches == 2 and self.me.turns == 0:
                self.pay(self.rules["first_ddadak_points"])
        self.capture([self.flipped, card], from_floor=[card])
        self.end_flip()

    def ppuk(self):
        m = month(self.flipped)
        self.floor += [self.played, self.paired, self.flipped, *self.turned]
        self.owner_of_pile[m] = self.mover
        if self.rules["bonus_with_ppuk"] == "taken":
            self.bonus_with_pile[m] = self.turned
        self.me.unpaid_ppuk = True
        self.me.ppuks += 1
        if self.me.streak == self.me.turns:
            self.me.streak += 1
            self.pay(self.rules["first_ppuk_points"] * self.me.streak)
        if self.me.ppuks == 3:
            return self.win(self.rules["three_ppuk_points"] * self.carry)
        return self.end_turn()

    def end_flip(self):
        for card in self.turned:
            self.capture([card], from_floor=[])
            self.steals += self.rules["bonus_steal"]
        self.end_turn()

    def capture(self, cards, from_floor):
        for card in from_floor:
            self.floor.remove(card)
        self.me.captured += cards
        self.has_captured = True
        if self.rules["eat_trigger"] == "next_capture":
            for seat in self.seats:
                self.steals += seat.unpaid_ppuk
                self.was_ppuk_paid |= seat.unpaid_ppuk
                seat.streak = 0 if seat.unpaid_ppuk else seat.streak
                seat.unpaid_ppuk = False

    def steal(self, count):
        for _ in range(count):
            pi = [card for card in self.other.captured if kind(card) == "pi"]
            if self.gukjin == "pi" and GUKJIN in self.other.captured:
                pi.append(GUKJIN)
            if not pi:
                return
            card = min(pi, key=lambda card: (value(card), card == GUKJIN))
            self.other.captured.remove(card)
            self.me.captured.append(card)

    def end_turn(self):
        if not self.floor and self.has_captured:
            self.steals += 1
        if not self.is_last:
            self.steal(self.steals)
        self.me.turns += 1
        self.settle()

    # Points.

    def counts(self, seat, gukjin=None):
        gukjin = gukjin or self.gukjin
        groups = {"gwang": set(), "yeol": set(), "ribbon": set(), "pi": set()}
        for card in self.seats[seat].captured:
            groups["pi" if card == GUKJIN and gukjin == "pi" else kind(card)].add(card)
        return groups, sum(map(value, groups["pi"]))

    def points(self, seat, gukjin=None):
        groups, pi = self.counts(seat, gukjin)
        gwang = len(groups["gwang"])
        points = {3: 2 if RAIN in groups["gwang"] else 3, 4: 4, 5: 15}.get(gwang, 0)
        points += 5 * (groups["yeol"] >= GODORI)
        points += 3 * sum(groups["ribbon"] >= trio for trio in TRIOS)
        return points + sum(max(0, len(groups[name]) - 4) for name in ("yeol", "ribbon")) + max(0, pi - 9)

    def base(self, seat):
        return max(self.points(seat, reading) for reading in self.readings(seat))

    def readings(self, seat):
        is_free = self.rules["gukjin_mode"] == "best_for_winner_auto" and self.gukjin is None
        return ("yeol", "pi") if is_free and GUKJIN in self.seats[seat].captured else (None,)

    def doublings(self, seat, stopped, gukjin=None):
        winner, loser = self.seats[seat], self.seats[1 - seat]
        own, own_pi = self.counts(seat, gukjin)
        their, their_pi = self.counts(1 - seat)
        least = 1 if self.rules["pi_bak_zero_exempt"] else 0
        return {
            "go": max(0, winner.gos - 2),
            "shake": len(winner.shaken),
            "bomb": winner.bombs,
            "gwang_bak": len(own["gwang"]) >= 3 and not their["gwang"],
            "pi_bak": own_pi >= 10 and least <= their_pi <= self.rules["pi_bak_max"],
            "mong_bak": len(own["yeol"]) >= 7 and (not their["yeol"] or not self.rules["mong_needs_zero"]),
            "go_bak": stopped and loser.gos > 0,
        }

    def payout(self, seat, stopped):
        winner = self.seats[seat]
        held = self.rules["president_hold_mult"] if winner.held and (winner.shaken or winner.bombs) else 1
        return max(
            (self.points(seat, reading) + winner.gos)
            * 2 ** sum(self.doublings(seat, stopped, reading).values())
            * held
            * self.carry
            for reading in self.readings(seat)
        )

    # The end of a turn, the end of the round.

    def can_go(self, points):
        return points >= self.rules["go_min"] and points > self.me.last_go_base

    def gukjin_matters(self):
        mode = self.rules["gukjin_mode"]
        is_open = mode == "free_toggle" or (mode == "ask_when_matters" and self.gukjin is None)
        if GUKJIN not in self.me.captured or not is_open:
            return False
        yeol, pi = (
            (self.points(self.mover, reading), self.doublings(self.mover, True, reading)) for reading in ("yeol", "pi")
        )
        if self.me.size or self.me.gos:
            if self.can_go(yeol[0]) != self.can_go(pi[0]):
                return True
            if self.can_go(yeol[0]) and yeol != pi:
                return True
        return self.me.size == self.other.size == 0 and yeol != pi

    def settle(self, asked=False):
        if not asked and self.gukjin_matters():
            self.phase = ASK_GUKJIN
        elif self.can_go(self.base(self.mover)):
            if self.me.size:
                self.phase = GO_STOP
            else:
                self.stop()
        elif self.me.size == self.other.size == 0:
            self.exhaust()
        else:
            self.mover = 1 - self.mover
            self.begin()

    def go(self):
        self.me.gos += 1
        self.me.last_go_base = self.base(self.mover)
        self.mover = 1 - self.mover
        self.begin()

    def stop(self):
        is_free = (
            self.gukjin is None or self.rules["gukjin_rescue"] == "always" or self.rules["gukjin_mode"] == "free_toggle"
        )
        owns = GUKJIN in self.other.captured and self.gukjin != "pi"
        if owns and is_free and self.doublings(self.mover, True)["pi_bak"]:
            self.gukjin = "pi"
        self.win(self.payout(self.mover, True))

    def exhaust(self):
        bases = [self.base(seat) for seat in (0, 1)]
        totals = [bases[seat] + self.seats[seat].gos for seat in (0, 1)]
        failed = [self.seats[seat].gos > 0 and bases[seat] <= self.seats[seat].last_go_base for seat in (0, 1)]
        if all(failed) or (not any(failed) and totals[0] == totals[1]):
            return self.end(2)
        if any(failed):
            winner, least = failed.index(False), self.rules["go_min"]
        else:
            winner, least = totals.index(max(totals)), self.rules["exhaustion_min"]
        if bases[winner] < least:
            return self.end(2)
        self.mover = winner
        return self.win(self.payout(winner, False))

    def pay(self, points):
        due = points * self.rules["gold_per_point"]
        if self.other.gold is not None:
            due = min(due, self.other.gold + self.other.won)
        self.me.won += due
        self.other.won -= due

    def win(self, points):
        self.pay(points)
        self.end(self.mover)

    def end(self, winner):
        self.phase = OVER
        self.winner = winner

"""Lines of the protocol that no server should send."""

import random
import string

from pokemon_logs import read_logs

NOISE = string.ascii_letters + string.digits + "|[]:,/ -{}\"'é\0\\"


class Fuzz:
    """Lines of recorded battles with parts cut, doubled, exchanged, or made up; in their order, or in none."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.views = [log[side] for log in read_logs() for side in ("p1", "p2")]
        lines = [line for view in self.views for line in view if not line.startswith("|request|")]
        self.words = sorted({part for line in lines for part in line.split("|")})
        self.kinds = sorted({line.split("|")[1] for line in lines})

    def battle(self, length):
        """So many lines in a row for one tracker."""
        view = self.rng.choice(self.views)
        start = self.rng.randrange(max(1, len(view) - length))
        for i in range(length):
            line = (
                view[(start + i) % len(view)]
                if self.rng.random() < 0.8
                else self.rng.choice(self.rng.choice(self.views))
            )
            yield self.spoil(line) if self.rng.random() < 0.5 else line

    def spoil(self, line):
        rng = self.rng
        way = rng.randrange(7)
        at = rng.randrange(len(line) + 1)
        if way == 0:
            return line[:at]
        if way == 1:
            return line[:at] + "".join(rng.choice(NOISE) for _ in range(rng.randrange(1, 6))) + line[at + 1 :]
        parts = line.split("|")
        if way == 2:
            parts[rng.randrange(len(parts))] = rng.choice(self.words)
        elif way == 3:
            rng.shuffle(parts)
        elif way == 4:
            del parts[rng.randrange(len(parts))]
        elif way == 5:
            return "|" + "|".join([rng.choice(self.kinds), *rng.choices(self.words, k=rng.randrange(6))])
        else:
            parts.insert(
                rng.randrange(len(parts)),
                f"[{rng.choice(['from', 'of', 'silent', 'upkeep'])}] {rng.choice(self.words)}",
            )
        return "|".join(parts)

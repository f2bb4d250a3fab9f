"""Games of a user's own for the page: of level 0, which writes nothing; 1, spots; 2, touches."""

import tengen
from tengen.games.drawing import Canvas
from tengen.games.spots import Spot


class Level0(tengen.Game):
    """Take 1, 2 or 3 of ten stones; who takes the last one wins."""

    id = "level0"
    action_count = 3

    def initial(self, rng):
        return (10, 0)

    def actor(self, position):
        return None if position[0] == 0 else position[1]

    def legal(self, position, player):
        return list(range(min(3, position[0])))

    def apply(self, position, action):
        return (position[0] - action - 1, 1 - position[1])

    def payoff(self, position):
        return (-1.0, 1.0) if position[1] == 0 else (1.0, -1.0)

    def format_action(self, action):
        return f"take {action + 1}"


class Level1(tengen.Game):
    """Three in a row of three by three."""

    id = "level1"
    action_count = 9
    LINES = ("012", "345", "678", "036", "147", "258", "048", "246")

    def initial(self, rng):
        return "." * 9

    def _has_won(self, position):
        return any(len({position[int(i)] for i in line} | {"."}) == 2 and position[int(line[0])] != "." and
                   len({position[int(i)] for i in line}) == 1 for line in self.LINES)  # fmt: skip

    def actor(self, position):
        if self._has_won(position) or "." not in position:
            return None
        return (9 - position.count(".")) % 2

    def legal(self, position, player):
        return [i for i, stone in enumerate(position) if stone == "."]

    def apply(self, position, action):
        return position[:action] + "xo"[self.actor(position)] + position[action + 1 :]

    def payoff(self, position):
        if not self._has_won(position):
            return (0.0, 0.0)
        return (1.0, -1.0) if position.count(".") % 2 == 0 else (-1.0, 1.0)

    def format_action(self, action):
        return f"{'abc'[action % 3]}{action // 3 + 1}"

    def draw_svg(self, position, viewer=None):
        canvas = Canvas(300, 300, "Three in a row")
        for i, stone in enumerate(position):
            canvas.rect(i % 3 * 100 + 5, i // 3 * 100 + 5, 90, 90, fill="#ffffff", stroke="#888888")
            canvas.text(i % 3 * 100 + 50, i // 3 * 100 + 50, stone.strip("."), 48)
        return canvas.svg()

    def spots(self, position, viewer=None):
        return [Spot(self.format_action(i), i % 3 * 100 + 50, i // 3 * 100 + 50, 90, 90, stone.strip("."))
                for i, stone in enumerate(position)]  # fmt: skip


class Level2(tengen.Game):
    """From, to and promote: a piece goes one or two up a file; who reaches the end with a promoted one wins."""

    id = "level2"
    action_count = 40

    def initial(self, rng):
        # Square and whether it is promoted, of each player; who moves.
        return ((0, False), (0, False), 0)

    def _steps(self):
        ways = [(start, end) for start in range(4) for end in (start + 1, start + 2) if end <= 4]
        return [(file, *way, promotes) for file in range(2) for way in ways for promotes in (False, True)]

    def actor(self, position):
        return None if any(square == 4 for square, _ in position[:2]) else position[2]

    def legal(self, position, player):
        square, is_promoted = position[player]
        # Two squares at once promote by force, as does the last step; who is promoted has no choice.
        return [
            i
            for i, (file, start, end, promotes) in enumerate(self._steps())
            if file == player and start == square
            and (promotes if end - start == 2 or end == 4 or is_promoted else True)
        ]  # fmt: skip

    def apply(self, position, action):
        file, _, end, promotes = self._steps()[action]
        pieces = list(position[:2])
        pieces[file] = (end, pieces[file][1] or promotes)
        return (*pieces, 1 - position[2])

    def payoff(self, position):
        return (1.0, -1.0) if position[0][0] == 4 else (-1.0, 1.0)

    def format_action(self, action):
        if action >= len(self._steps()):
            return f"nothing {action}"
        file, start, end, promotes = self._steps()[action]
        return f"{'ab'[file]}{start + 1} {'ab'[file]}{end + 1} {'promote' if promotes else 'stay'}"

    def draw_svg(self, position, viewer=None):
        canvas = Canvas(120, 300, "A race")
        for file in range(2):
            for square in range(5):
                canvas.rect(file * 60 + 2, 240 - square * 60 + 2, 56, 56, fill="#ffffff", stroke="#888888")
            square, is_promoted = position[file]
            canvas.text(file * 60 + 30, 270 - square * 60, "+" if is_promoted else "o", 30)
        return canvas.svg()

    def spots(self, position, viewer=None):
        return [Spot(f"{'ab'[file]}{square + 1}", file * 60 + 30, 270 - square * 60, 56, 56)
                for file in range(2) for square in range(5)]  # fmt: skip

    def touches(self, action, position):
        return tuple(self.format_action(action).split())

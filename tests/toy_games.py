"""Small Python games of every nature, for tests."""

from __future__ import annotations

import numpy as np

from tengen import Game

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe(Game):
    """With nothing but the five hooks."""

    action_count = 9

    def initial(self, rng):
        return (None,) * 9

    def winner(self, board):
        return next((board[a] for a, b, c in LINES if board[a] is not None and board[a] == board[b] == board[c]), None)

    def actor(self, board):
        is_over = self.winner(board) is not None or None not in board
        return None if is_over else (9 - board.count(None)) % 2

    def legal(self, board, player):
        return [cell for cell in range(9) if board[cell] is None]

    def apply(self, board, cell):
        return (*board[:cell], self.actor(board), *board[cell + 1 :])

    def payoff(self, board):
        return {None: (0, 0), 0: (1, -1), 1: (-1, 1)}[self.winner(board)]


class FullTicTacToe(TicTacToe):
    """With an encoding, symmetries, names, drawing and a heuristic."""

    shape = (2, 3, 3)
    symmetry_count = 4

    def encode(self, board, viewer):
        cells = [[[float(cell == player)] for cell in board] for player in (viewer, 1 - viewer)]
        return np.array(cells, np.float32).reshape(2, 3, 3)

    def transform(self, board, symmetry):
        transformed = [None] * 9
        for cell in range(9):
            transformed[self.transform_action(cell, symmetry)] = board[cell]
        return tuple(transformed)

    def transform_action(self, cell, symmetry):
        row, column = divmod(cell, 3)
        for _ in range(symmetry):
            row, column = column, 2 - row
        return 3 * row + column

    def transform_feature(self, feature, symmetry):
        return feature // 9 * 9 + self.transform_action(feature % 9, symmetry)

    def heuristic(self, board):
        return (0.0, 0.0)

    def format_action(self, cell):
        return "abc"[cell % 3] + str(3 - cell // 3)

    def draw_text(self, board, viewer=None, color=False):
        signs = ["·" if owner is None else "XO"[owner] for owner in board]
        return "\n".join(" ".join(signs[row : row + 3]) for row in (0, 3, 6))


class HighCard(Game):
    """Each of three players holds a card; the first says stay or double, and the highest card wins the stake."""

    players = 3
    action_count = 2
    hidden = True
    shape = (6, 1, 1)
    payoff_scale = 4.0
    names = ("stay", "double")

    def initial(self, rng, *, first: int = 0):
        return (first, tuple(rng.sample(range(6), 3)), None)

    def actor(self, position):
        return position[0] if position[2] is None else None

    def legal(self, position, player):
        return [0, 1]

    def apply(self, position, action):
        return (*position[:2], action)

    def payoff(self, position):
        _, cards, action = position
        stake = 1 + action
        return [2 * stake if card == max(cards) else -stake for card in cards]

    def seen(self, position, viewer):
        first, cards, action = position
        return (first, cards if action is not None else cards[viewer], action)

    def view_key(self, position, viewer):
        return self.key(self.seen(position, viewer))

    def encode(self, position, viewer):
        planes = np.zeros((6, 1, 1), np.float32)
        planes[position[1][viewer]] = 1
        return planes

    def redeal(self, position, viewer, rng):
        first, cards, action = position
        if action is not None:
            return position
        others = rng.sample([card for card in range(6) if card != cards[viewer]], 2)
        others.insert(viewer, cards[viewer])
        return (first, tuple(others), action)

    def format_action(self, action):
        return self.names[action]

    def draw_text(self, position, viewer=None, color=False):
        return str(position if viewer is None else self.seen(position, viewer))


class Duel(Game):
    """Both choose a number at once, then a coin decides whose sum counts double. Chance and simultaneous."""

    action_count = 3
    chance = True
    simultaneous = True
    zero_sum = False
    payoff_unit = "points"

    def __init__(self, rounds: int = 2, prize: float = 1.0) -> None:
        self.rounds = rounds
        self.prize = prize

    def initial(self, rng):
        return ((), None)

    def actor(self, position):
        numbers, coin = position
        if coin is not None:
            return None
        return "all" if len(numbers) < self.rounds else "chance"

    def legal(self, position, player):
        return [0, 1] if player == "chance" else [0, 1, 2][: 3 - player]

    def apply(self, position, action):
        numbers, _ = position
        return ((*numbers, action), None) if isinstance(action, tuple) else (numbers, action)

    def payoff(self, position):
        numbers, coin = position
        return [self.prize * sum(joint[p] for joint in numbers) * (2 if p == coin else 1) for p in (0, 1)]

    def format_outcome(self, outcome):
        return ("heads", "tails")[outcome]

"""Gomoku on a small board, written as a newcomer would: for what a game of one's own in Python must be able to do."""

from __future__ import annotations

import numpy as np

from tengen import Game

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Gomoku(Game):
    title = "Gomoku"
    guide = "Five in a row win, up, down, across or aslant. A move is a point, such as d4."

    def __init__(self, size: int = 7, row: int = 5):
        self.size = size
        self.row = row
        self.action_count = size * size
        self.shape = (2, size, size)

    def initial(self, rng):
        return "." * (self.size * self.size)

    def winner(self, board):
        for y in range(self.size):
            for x in range(self.size):
                sign = board[y * self.size + x]
                if sign != "." and any(self.is_row(board, y, x, step) for step in STEPS):
                    return "XO".index(sign)
        return None

    def is_row(self, board, y, x, step):
        down, right = step
        last = self.row - 1
        if not (y + last * down < self.size and 0 <= x + last * right < self.size):
            return False
        cells = [board[(y + i * down) * self.size + x + i * right] for i in range(self.row)]
        return len(set(cells)) == 1

    def actor(self, board):
        if self.winner(board) is not None or "." not in board:
            return None
        return (len(board) - board.count(".")) % 2

    def legal(self, board, player):
        return [cell for cell in range(len(board)) if board[cell] == "."]

    def apply(self, board, cell):
        return board[:cell] + "XO"[(len(board) - board.count(".")) % 2] + board[cell + 1 :]

    def payoff(self, board):
        return {None: (0, 0), 0: (1, -1), 1: (-1, 1)}[self.winner(board)]

    def encode(self, board, viewer):
        signs = "XO"[viewer] + "XO"[1 - viewer]
        return np.array([[cell == sign for cell in board] for sign in signs], np.float32).reshape(self.shape)

    def format_action(self, cell):
        return chr(ord("a") + cell % self.size) + str(self.size - cell // self.size)

    def draw_text(self, board, viewer=None, color=False):
        rows = [" ".join(board[y * self.size : (y + 1) * self.size]) for y in range(self.size)]
        letters = " ".join(chr(ord("a") + x) for x in range(self.size))
        return "\n".join([*(f"{self.size - y} {row}" for y, row in enumerate(rows)), f"  {letters}"])

"""An evaluator of Go that says what it is told to, fast."""

import numpy as np

from tengen.evaluators import Evaluation, Evaluator


class Told(Evaluator):
    """`win` and `lead` are Black's; `own` maps cells to Black's ownership; `likes` are actions, the best one first."""

    def __init__(self, win=0.0, lead=0.0, own=None, likes=()):
        self.win, self.lead, self.own, self.likes = win, lead, own or {}, likes
        self.asked = 0

    def check(self, game):
        assert game.id == "go"

    def evaluate(self, leaves):
        game = leaves.game
        area = game.action_count - 1
        self.asked += len(leaves)
        logits = np.zeros((len(leaves), game.action_count), np.float32)
        for place, action in enumerate(self.likes):
            logits[:, action] = 8.0 - place
        values = np.tile(np.array([self.win, -self.win], np.float32), (len(leaves), 1))
        aux = np.zeros((len(leaves), game.aux_count), np.float32)
        aux[:, 0] = self.win
        aux[:, 2] = aux[:, 4] = self.lead / area
        aux[:, 3] = (self.lead / area) ** 2
        for cell, owner in self.own.items():
            aux[:, 5 + cell] = owner
        return Evaluation(logits, values, aux)

"""Random games of shogi in step with cshogi and rsshogi: moves, checks, declarations and results at every ply.

Uniformly random games hardly ever repeat or declare, so most styles of play look for something.
"""

from __future__ import annotations

import random
from collections import Counter

import cshogi
import rsshogi.core

import tengen
from tengen.games.shogi.notation import WIN, move_of

STYLES = ("uniform", "checks", "shuffle", "captures", "camp")
PLIES = 160
"""Longer games are cut."""

_CAMPS = (
    "4K2+B1/PP1PP1P1P/+R+P2+P3+B/9/9/9/1p1pp1p2/2p2p1p1/2+r1k2g1 b 2GSPgs2p 1",
    "3+RK4/P1PP+P1PP1/1+B2+P3P/9/9/9/3pp2pp/p+r1p1p1+b1/2g1k4 w G2SP2gs2p 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
)
_BARE = (
    "4k4/9/9/9/9/9/9/9/4K3R b P 1",
    "9/3k5/9/6b2/9/2R6/9/5K3/9 w Gg 1",
    "4k4/4g4/9/9/9/9/9/4G4/4K4 b RBrb 1",
)


def _bits_of_theirs(action: int) -> int:
    """cshogi's 16 bits: to, from or 81 + kind of a drop, promotes. Its kinds are P L N S B R G, as ours."""
    move = move_of(action)
    origin = move.origin if move.dropped is None else 81 + (move.dropped or 0)
    assert origin is not None
    return move.to | origin << 7 | move.promotes << 14


BITS = [_bits_of_theirs(action) for action in range(WIN)]


class Disagreement(AssertionError):  # noqa: N818
    """Names the oracle, the question and the game up to there."""


def _verdict(checks: list[bool]) -> str:
    """For who is to move, by which moves since the first occurrence gave check; the last one is the opponent's."""
    if all(checks[-1::-2]):
        return "rep_win"
    return "rep_lose" if all(checks[-2::-2]) else "rep_draw"


class Oracles:
    """Plays games and compares. `counts` tells what came up."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.game = tengen.game("shogi")
        self.counts: Counter[str] = Counter()
        self.by_rsshogi = self._bits_of_rsshogi()

    def _bits_of_rsshogi(self) -> dict[int, int]:
        """rsshogi's numbers of moves, by how it writes them."""
        names = {self.game.name(action): BITS[action] for action in range(WIN)}
        return {int(rsshogi.core.Move.from_usi(name)): bits for name, bits in names.items()}

    def play(self, style: str) -> None:
        """One game."""
        starts = {"camp": _CAMPS, "shuffle": (*_BARE, _CAMPS[2]), "checks": (*_BARE, _CAMPS[2])}
        sfen = self.rng.choice(starts.get(style, _CAMPS[2:]))
        state = self.game.start(sfen=sfen)
        board, other = cshogi.Board(sfen), rsshogi.core.Board(sfen)
        keys, checks = [board.zobrist_hash()], [board.is_check()]
        moves: list[str] = []

        def check(ours: object, theirs: object, question: str) -> None:
            if ours != theirs:
                raise Disagreement(f"{question}: {ours!r} here, {theirs!r} there, after {sfen} moves {' '.join(moves)}")

        while True:
            legal = self._compare(state, board, keys, checks, other, check)
            self.counts["positions"] += 1
            if state.is_over or len(moves) == PLIES:
                break
            action = self._choose(style, state, legal)
            moves.append(self.game.name(action))
            state = state.play(action)
            board.push_move16(BITS[action])
            other.push_usi(moves[-1])
            keys.append(board.zobrist_hash())
            checks.append(board.is_check())
        self.counts["games"] += 1
        self.counts[self.game.end(state) or "cut"] += 1

    def _compare(self, state, board, keys, checks, other, check) -> list[int]:
        core, position = self.game.shogi, state.position
        end = self.game.end(state)
        theirs = {move & 0x7FFF for move in board.legal_moves}
        by_rsshogi = {self.by_rsshogi[move.value] for move in other.legal_moves()}
        check(by_rsshogi, theirs, "moves by rsshogi and cshogi")
        check(core.is_check(position), board.is_check(), "check")
        check(end == "no moves", not theirs, "no moves")
        times = keys.count(keys[-1])
        counted = core.occurrences(position)  # by half of a key: in some 100,000 games it is one too many once
        check(counted >= min(times, 4), True, "occurrences")
        self.counts["occurrences too many"] += counted > times
        check(end in ("repetition", "perpetual check"), times == 4 and bool(theirs), "fourfold repetition")
        if times == 4 and theirs:
            ours = {0: "rep_draw", 1: "rep_win", -1: "rep_lose"}[int(state.payoffs[core.side(position)])]
            check(ours, _verdict(checks[keys.index(keys[-1]) + 1 :]), "result of the repetition by the checks given")
            verdict = str(other.repetition_state()).rpartition(".")[2].lower()
            if verdict == "rep_none":  # it looks no further back than to the same board with other hands
                self.counts["repetitions unseen by rsshogi"] += 1
            else:
                check(ours, verdict, "result of the repetition")
        if state.is_over:
            return []
        legal = state.legal()
        declares = legal[-1] == WIN
        check(declares, board.is_nyugyoku(), "declaration")
        self.counts["declarations"] += declares
        self.counts["checks"] += core.is_check(position)
        if declares:
            legal.pop()
        check({BITS[action] for action in legal}, theirs, "moves")
        return legal

    def _choose(self, style: str, state, legal: list[int]) -> int:
        rng = self.rng
        if style == "uniform" or rng.random() < 0.15:
            return rng.choice(legal)
        wanted: list[int] = []
        if style == "checks":
            wanted = [a for a in legal if self.game.shogi.gives_check(state.position, a)]
            back = self._back(state, legal)
            wanted += [back] * 3 if back in wanted or (back is not None and not wanted) else []
        elif style == "shuffle":
            back = self._back(state, legal)
            wanted = [] if back is None else [back]
        elif style == "captures":
            board = self.game.shogi.board(state.position)
            wanted = [a for a in legal if board[move_of(a).to]]
        elif style == "camp":
            wanted = [a for a in legal if move_of(a).to % 9 in ((0, 1, 2), (6, 7, 8))[state.actor]]
        return rng.choice(wanted or legal)

    @staticmethod
    def _back(state, legal: list[int]) -> int | None:
        """The move that takes back one's own last one."""
        if len(state.history) < 2:
            return None
        move = move_of(state.history[-2])
        return next((a for a in legal if (m := move_of(a)).to == move.origin and m.origin == move.to), None)

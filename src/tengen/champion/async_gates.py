"""Gates and ratings of a run whose workers play to learn at the same time."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Any

from tengen.arena import Sprt, find_player
from tengen.arena.seeds import derive
from tengen.champion.async_chunks import CHUNKS
from tengen.champion.async_matches import Match
from tengen.champion.gates import make_gate
from tengen.champion.loop import MATCH, network_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.arena import MatchResult
    from tengen.champion.async_progress import Activity
    from tengen.champion.settings import LearnSettings
    from tengen.cluster import Workers
    from tengen.games import Game
    from tengen.runs import Run, Step

__all__ = ["Gates"]

_MATCHES = "matches"


class Gates:
    """The matches of one run, one after the other: the newest network against the champion, and now and then the
    champion against the fixed player. A network that is replaced by a newer one before its gate begins plays none."""

    def __init__(
        self,
        run: Run,
        game: Game,
        settings: LearnSettings,
        workers: Workers,
        activity: Activity,
        evaluator_of: Callable[[Step], str],
    ) -> None:
        """`evaluator_of` returns the name of the evaluator that plays with a step's network in gates."""
        self._run = run
        self._evaluator_of = evaluator_of
        self._game = game
        self._settings = settings
        self._workers = workers
        self._activity = activity
        self._journal = run.path / CHUNKS / _MATCHES
        self._gated = _last(run, "arena")
        self._rated = _last(run, "rate")
        self._match: Match | None = None
        self._seconds = 0.0
        self.gate_s = 0.0
        """Time that the last gate took, in seconds."""

    @property
    def match(self) -> Match | None:
        """The match in progress."""
        return self._match

    @property
    def running(self) -> int:
        """Number of tasks."""
        return 0 if self._match is None else self._match.running

    def next_kind(self, newest: Step, *, is_late: bool) -> str:
        """Return the match that is due: a gate of the newest network (arena), a rating (rate), or none."""
        iteration = newest.iteration or 0
        if self._settings.has_gate and iteration > self._gated:
            return "arena"
        every = self._settings.anchor_every
        is_rated = not self._settings.anchor or is_late or iteration // every == self._rated // every
        return "" if is_rated else "rate"

    def begin(self, newest: Step, *, is_late: bool) -> None:
        """Begin the match that is due unless another one is in progress."""
        kind = self.next_kind(newest, is_late=is_late) if self._match is None else ""
        if not kind:
            return
        settings, champion = self._settings, self._run.champion
        assert champion is not None
        iteration = newest.iteration or 0
        seed = derive(settings.seed, kind, iteration)
        if kind == "arena":
            gate = make_gate(settings, self._game)
            stop = (lambda result: gate.judge(result).is_final) if isinstance(gate, Sprt) else None
            spec = settings.gate_player
            players = (
                network_player(spec, self._game, newest, "challenger", self._evaluator_of(newest)),
                network_player(spec, self._game, champion, "champion", self._evaluator_of(champion)),
            )
            self._match = Match(iteration, (newest, champion), self._game, players, settings.eval_games, seed, stop)
            return
        assert settings.anchor is not None
        player = network_player(settings.player, self._game, champion, "champion")
        anchor = find_player(settings.anchor, self._game)
        steps = (champion, None)
        self._match = Match(iteration, steps, self._game, (player, anchor), settings.anchor_games, seed)

    def submit(self, play_s: float, size: int, *, may_play: bool) -> bool:
        """Submit a part of the match, and return whether that was done.

        While games are played to learn from, matches take no more than their share of the time of `size` workers, of
        which `play_s` seconds went into those games.
        """
        match, share = self._match, self._settings.actors.gate_share
        if match is None:
            return False
        is_too_much = self._seconds >= share * (self._seconds + play_s) or match.running >= max(1, round(share * size))
        if may_play and is_too_much:
            return False
        return match.submit(self._workers, self._journal) is not None

    def receive(self, task: int, value: Any) -> bool:
        """Add the games of a task; return False if the task is another one's."""
        seconds = None if self._match is None else self._match.receive(task, value)
        self._seconds += seconds or 0.0
        return seconds is not None

    def finish(self) -> None:
        """Make a step of the match if it has ended, and promote the challenger if it has passed the gate."""
        match = self._match
        if match is None or match.result is None:
            return
        self._match = None
        if match.kind == "arena":
            self._finish_gate(match, match.result)
        else:
            self._finish_rating(match, match.result)
        shutil.rmtree(self._journal, ignore_errors=True)

    def _finish_gate(self, match: Match, result: MatchResult) -> None:
        trained, champion = match.steps
        assert champion is not None
        verdict = make_gate(self._settings, self._game).judge(result)
        is_passed = verdict.decision == "accept"
        self.gate_s = time.monotonic() - match.began
        metrics = {**verdict.figures, "passed": is_passed, "reason": verdict.reason}
        metrics |= {"first": trained.id, "second": champion.id}
        self._write(match, [trained, champion], str(self._settings.gate_player), result, metrics)
        if is_passed:
            self._run.set_champion(trained, verdict.reason)
        self._gated = match.iteration
        self._activity.end("arena", match.iteration, str(verdict), verdict.figures, len(result.games), self.gate_s)

    def _finish_rating(self, match: Match, result: MatchResult) -> None:
        champion, figures = match.steps[0], result.figures()
        metrics = {**figures, "first": champion.id, "second": str(self._settings.anchor)}
        self._write(match, [champion], str(self._settings.player), result, metrics)
        self._rated = match.iteration
        text, spent_s = result.summary().splitlines()[0], time.monotonic() - match.began
        self._activity.end("rate", match.iteration, text, figures, len(result.games), spent_s)

    def _write(
        self, match: Match, inputs: list[Step], player: str, result: MatchResult, metrics: dict[str, Any]
    ) -> None:
        with self._run.step(
            match.kind,
            iteration=match.iteration,
            inputs=inputs,
            settings={"player": player},
            seed=match.seed,
            spent_s=time.monotonic() - match.began,
        ) as draft:
            draft.write_text(MATCH, result.to_json())
            draft.metrics.update(metrics)


def _last(run: Run, name: str) -> int:
    return max((step.iteration or 0 for step in run.steps(name)), default=0)

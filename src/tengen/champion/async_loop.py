"""The loop in which self-play, training and matches take place at the same time."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import TYPE_CHECKING

import numpy as np

from tengen.arena.seeds import derive
from tengen.champion.async_actors import Actors
from tengen.champion.async_chunks import CHUNKS, ChunkStore, thinned
from tengen.champion.async_gates import Gates
from tengen.champion.async_progress import Activity
from tengen.champion.async_training import Trainer, TrainingJob, TrainingResult
from tengen.champion.loop import POLICY_TARGETS, RECORDS, Loop, policy_loss
from tengen.champion.packed_games import join_games
from tengen.champion.repair import quarantine_damage, set_initial_champion
from tengen.champion.resignation import checked_text
from tengen.champion.settings import format_settings
from tengen.champion.teacher_games import PACKED_SAMPLES
from tengen.champion.training_place import Place, place_training
from tengen.champion.value_check import VALUE_CHECK
from tengen.champion.watchers import Recorded
from tengen.champion.window import read_window
from tengen.cluster import LocalWorkers
from tengen.runs import RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.champion.async_chunks import Chunk
    from tengen.champion.settings import LearnSettings
    from tengen.champion.watchers import Watcher
    from tengen.cluster import Workers
    from tengen.evaluators import DeviceServers
    from tengen.games import Game
    from tengen.runs import Run, Step

__all__ = ["AsyncLoop", "Clock"]

_WAIT_S = 0.2
_SHOWN = ("policy", "value", "loss")


class Clock:
    """The time that a run has, and what its last parts took."""

    def __init__(
        self, left_s: float = math.inf, train_s: float = 0.0, match_s: float = 0.0, used_s: float = 0.0
    ) -> None:
        """`left_s` are the seconds until the last gate should be decided, `used_s` those that the run has taken before;
        the others are estimates for the first training and gate."""
        self._began = time.monotonic() - used_s
        self._end = time.monotonic() + left_s
        self.is_limited = left_s < math.inf
        self.train_s = train_s
        self.match_s = match_s

    @property
    def left_s(self) -> float:
        return max(0.0, self._end - time.monotonic())

    @property
    def is_late(self) -> bool:
        """True if a training that began now would not end in time, with its gate."""
        return self.left_s <= self.train_s + self.match_s

    @property
    def share(self) -> float | None:
        """Share of the run's time for trainings that has passed when a training that starts now ends: 1 if no other one
        fits after it, and None if the time is not limited."""
        if not self.is_limited:
            return None
        if self.left_s <= 2 * self.train_s + self.match_s:
            return 1.0
        return (time.monotonic() + self.train_s - self._began) / (self._end - self.match_s - self._began)


class AsyncLoop(Loop):
    """The learning loop of one run, in which workers always have games to play. The caller holds the run's lock.

    An iteration consists of the games that have come in since the last one, the training on them, and a gate if no
    other one is in progress. Successive iterations overlap. Equal runs are not equal here, because the network of a
    game depends on when it was ready.
    """

    def __init__(
        self,
        run: Run,
        game: Game,
        settings: LearnSettings,
        workers: Workers,
        watcher: Watcher | None = None,
        clock: Clock | None = None,
        servers: DeviceServers | None = None,
    ) -> None:
        super().__init__(run, game, settings, workers, watcher, servers)
        self._clock = clock or Clock()
        self._is_inline = isinstance(workers, LocalWorkers) and workers.is_inline
        self._goal = 0
        self.find_place = lambda iteration, before: Place.of(iteration, self._goal, self._clock.share, before)
        self._fits: Callable[[int], bool] | None = None

    def run_until(self, iterations: int, fits: Callable[[int], bool] | None = None) -> Step:
        """Go on until that many iterations are complete, or until the clock's time is up, and return the champion.

        `fits` gets the number of the next iteration when its games are there, and ends the run if it returns false.
        Finished games that are left over stay in the run for the next call.
        """
        if not self.settings.asynchronous:
            raise RunError(f"{self.run.path} is a run without `asynchronous`, which Loop continues")
        self._goal, self._fits = iterations, fits
        self._open()
        with Trainer(inline=self._is_inline) as self._trainer:
            while not self._is_done():
                self._turn()
        champion = self.run.champion
        assert champion is not None
        return champion

    def iterate(self, iteration: int) -> None:
        """Complete the iterations up to this one."""
        self.run_until(iteration)

    @property
    def complete(self) -> int:
        """Number of iterations whose training has ended."""
        return max(self._last("train"), self._last("train-stopped"))

    def _open(self) -> None:
        """Find out where the run stopped."""
        quarantine_damage(self.run)
        initial = self._initial()
        set_initial_champion(self.run, initial, "the first network")
        assert isinstance(self.watcher, Recorded)
        self._activity = Activity(self.run, self.workers, self.watcher)
        self._gates = Gates(self.run, self.game, self.settings, self.workers, self._activity, self.evaluator_of)
        self._store = ChunkStore(self.run)
        self._actors = Actors(self.run, self._store, self.game, self.settings, self.workers, self.evaluator_of)
        self._played = self._last("self-play")
        """The last iteration whose games are a step."""
        self._trained = self.complete
        self._newest = self._latest_network(self._last("train") + 1)
        if self._newest == initial and self.settings.is_taught:
            self._actors.teach(is_first=not self._played)
        else:
            self._actors.use_network(self._newest)
        self._actors.begin_iteration(self._played + 1)
        self._collected_s = time.monotonic()

    def _last(self, name: str) -> int:
        return max((step.iteration or 0 for step in self.run.steps(name)), default=0)

    def _turn(self) -> None:
        """Look once at what has happened, and give everybody something to do."""
        is_late = self._clock.is_late
        if self._trainer.job is None and not is_late:
            self._begin_training()
        self._gates.begin(self._newest, is_late=is_late)
        self._hand_out()
        is_playing = self._running > 0
        for task, value in self.workers.poll(_WAIT_S if is_playing else 0.0, self._actors.listen):
            if not self._gates.receive(task, value):
                self._actors.receive(task, value, self._newest.iteration or 0)
        trained = self._trainer.poll(0.0 if is_playing else _WAIT_S)
        if trained is not None:
            self._finish_training(trained)
        self._gates.finish()
        self._clock.match_s = self._gates.gate_s or self._clock.match_s
        self._show()

    # Remaining work.

    @property
    def _running(self) -> int:
        return self._actors.running + self._gates.running

    def _is_done(self) -> bool:
        is_late = self._clock.is_late
        if self._running or self._trainer.job is not None or self._gates.match is not None:
            return False
        is_trained = self._played >= self._goal and self._trained >= self._played
        return (is_late or is_trained) and not self._gates.next_kind(self._newest, is_late=is_late)

    def _may_play(self) -> bool:
        """Return whether another chunk of games should be played to learn from."""
        if self._played >= self._goal or self._clock.is_late:
            return False
        begun = self._games() + self._actors.running_games
        left = self._actors.games_of(self._played + 1) + (self._goal - self._played - 1) * self.settings.games_per_iter
        backlog = self.settings.actors.backlog * self.settings.games_per_iter
        is_behind = self._trainer.job is not None and begun >= self._actors.games_of(self._played + 1) + backlog
        return begun < left and not is_behind

    def _games(self) -> float:
        """Return the number of games that wait for training; stale ones count by their weight."""
        return sum(self._share(chunk) * chunk.facts.games for chunk in self._store.waiting)

    def _share(self, chunk: Chunk) -> float:
        """Return the share of a chunk's samples that is trained on."""
        actors = self.settings.actors
        return actors.stale_weight if chunk.facts.lag > actors.stale_after else 1.0

    def _hand_out(self) -> None:
        """Give tasks to all workers, and have a few more ready for those that finish next."""
        size = self.workers.size
        most = 1 if self._is_inline else size + 1 + size // 8
        while self._running < most:
            may_play = self._may_play()
            if self._gates.submit(self._actors.seconds, size, may_play=may_play):
                continue
            if not may_play or self._actors.submit() is None:
                return

    # Games.

    def _collect(self) -> None:
        """Make the games that wait a step if they are enough for an iteration."""
        iteration = self._played + 1
        wanted = self._actors.games_of(iteration)
        if iteration == 1 and self.settings.is_taught:
            chunks = [chunk for chunk in self._store.waiting if chunk.facts.part]
            if self._actors.has_taught:
                self._end_iteration(iteration, chunks)
            return
        chunks, games = [], 0.0
        for chunk in self._store.waiting:
            chunks.append(chunk)
            games += self._share(chunk) * chunk.facts.games
            if games >= wanted:
                self._end_iteration(iteration, chunks)
                return

    def _end_iteration(self, iteration: int, chunks: list[Chunk]) -> None:
        if self._fits is None or self._fits(iteration):
            self._write_games(iteration, chunks)
        else:
            self._goal = self._played

    def _write_games(self, iteration: int, chunks: list[Chunk]) -> None:
        targets = {chunk.facts.targets for chunk in chunks}
        about = {
            "player": ", ".join(sorted({chunk.facts.player for chunk in chunks})),
            POLICY_TARGETS: targets.pop() if len(targets) == 1 else "visits",
            "play": format_settings(self._actors.laid_play),
            CHUNKS: [chunk.facts.number for chunk in chunks],
        }
        rng = np.random.default_rng(derive(self.settings.seed, "stale", iteration))
        games = join_games([thinned(chunk.read(), self._share(chunk), rng) for chunk in chunks])
        figures = dict(games.figures)
        figures["stale"] = sum(float(chunk.facts.games) for chunk in chunks if self._share(chunk) < 1)
        figures["lag"] = sum(chunk.facts.lag * chunk.facts.games for chunk in chunks) / max(1.0, figures["games"])
        spent_s = time.monotonic() - self._collected_s
        with self.run.step(
            "self-play",
            iteration=iteration,
            inputs=self._networks(chunks),
            settings=about,
            seed=self.settings.seed,
            spent_s=spent_s,
        ) as draft:
            draft.write_bytes(RECORDS, games.records)
            draft.write_bytes(PACKED_SAMPLES, games.samples)
            draft.metrics.update(figures)
        self._store.remove(chunks)
        self._collected_s, self._played = time.monotonic(), iteration
        self._actors.begin_iteration(iteration + 1)
        text = f"{figures['games']:.0f} games, {figures['plies']:.1f} plies each{checked_text(figures)}"
        self._activity.end("self-play", iteration, text, figures, int(figures["games"]), spent_s)

    def _networks(self, chunks: list[Chunk]) -> list[Step]:
        """Return the steps whose networks played the games of chunks."""
        own = str(self.settings.self_play_player)
        numbers = sorted({chunk.facts.network for chunk in chunks if chunk.facts.player == own})
        found = (self.run.find("train", k) if k else self.run.find("initial") for k in numbers)
        return [step for step in found if step is not None]

    # Training.

    def _begin_training(self) -> None:
        """Train on the last games that are a step, or make one of those that wait."""
        if self._trained >= self._played and self._played < self._goal:
            self._collect()
        iteration = self._played
        if self._trained >= iteration:
            return
        inputs, _ = read_window(self.run, self.settings, iteration)
        played = self.run.find("self-play", iteration)
        if played is None:  # its file was damaged, so that other games take its place
            self._played = iteration - 1
            return
        base = self._latest_network(iteration)
        steps = max(1, math.ceil(self.settings.reuse * played.metrics["samples"] / self.settings.train.batch_size))
        seed = derive(self.settings.seed, "train", iteration) % 2**31
        loss = self.settings.train.policy_loss or policy_loss(inputs)
        settings = dataclasses.replace(self.settings.train, steps=steps, seed=seed, policy_loss=loss)
        settings = place_training(self.run, iteration, settings, self.find_place)
        self._trainer.start(self.game, TrainingJob(iteration, base, tuple(inputs), settings, self.settings.seed))

    def _finish_training(self, result: TrainingResult) -> None:
        job = result.job
        self._clock.train_s = result.seconds
        about = {"iteration": job.iteration, "network": job.base.id, "phases": list(result.value_check)}
        self.run.log({"event": VALUE_CHECK, **about})
        name = "train-stopped" if result.stopped else "train"
        with self.run.step(
            name,
            iteration=job.iteration,
            inputs=job.made_from,
            settings=format_settings(job.settings),
            seed=job.settings.seed,
            spent_s=result.seconds,
        ) as draft:
            for file, data in result.files.items():
                draft.write_bytes(file, data)
            draft.metrics.update(result.metrics)
        losses = ", ".join(f"{key} {value:.3f}" for key, value in result.metrics.items() if key in _SHOWN)
        text, steps = result.stopped or losses, job.settings.steps
        self._trained = job.iteration
        step = self._activity.end(name, job.iteration, text, result.metrics, steps, result.seconds)
        if result.stopped:
            return
        self._newest = step
        self._actors.use_network(step)
        if not self.settings.has_gate:
            self.run.set_champion(step, f"iteration {job.iteration}: no gate")

    def _show(self) -> None:
        """Report the progress of self-play, or of what is left at the end."""
        match, job = self._gates.match, self._trainer.job
        if self._actors.running:
            iteration, waiting = self._played + 1, self._store.waiting
            games, visits = self._actors.news
            games += sum(chunk.facts.games for chunk in waiting)
            visits += int(sum(chunk.facts.figures.get("visits", 0) for chunk in waiting))
            wanted = self._actors.games_of(iteration)
            self._activity.show("self-play", iteration, wanted, min(games, wanted), {"visits": visits})
        elif job is not None:
            self._activity.show("train", job.iteration, job.settings.steps, self._trainer.done, self._trainer.figures)
        elif match is not None:
            self._activity.show(match.kind, match.iteration, match.games, match.played, match.score.figures)

"""The workflow in a run directory: pre-training, rounds of matches and training, and the final evaluation.

Every step is complete or absent, and depends only on the run's settings, its records and the steps before it. So a run
that was stopped anywhere can be continued, and ends like one that was not stopped.
"""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena import Openings, find_player
from tengen.arena.seeds import derive
from tengen.champion.jobs import collect, pairs_at_once
from tengen.champion.opening import open_or_create, run_settings
from tengen.champion.repair import intact, quarantine_damage
from tengen.champion.watchers import Recorded
from tengen.cluster import File
from tengen.games.shogi import Shogi
from tengen.labs.shogi.matches import format_game, moves_of, pair_spec, pairings, record_name
from tengen.labs.shogi.measures import MAIN_FIGURES, TOP1_MOVE, WIN_PREDICTION, main_figure
from tengen.labs.shogi.run_models import WORKFLOW
from tengen.labs.shogi.samples import find_records, read_games, samples_of, split_games
from tengen.labs.shogi.settings import PAIRS, WorkflowSettings
from tengen.runs import Run, RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tengen.arena import Player
    from tengen.champion import Watcher
    from tengen.cluster import Workers
    from tengen.labs.shogi.networks import Kind
    from tengen.labs.shogi.tasks import ModelFiles, TrainTask
    from tengen.runs import Draft, Step

__all__ = ["WORKFLOW", "Workflow", "open_workflow"]

TRAIN_SAMPLES, TEST_SAMPLES = "train.npz", "test.npz"


def open_workflow(path: Path, settings: WorkflowSettings | None, records: Sequence[Path]) -> Run:
    """Return a new run, or the existing one, which needs neither settings nor records. Raises RunError if the existing
    run has others."""
    run = Run.open(path) if (path / "run.toml").exists() else None
    if run is not None and not records:
        if WORKFLOW not in run.settings:
            raise RunError(f"{path} is no run of prophet and enforcer")
        if settings is None:
            return run
    elif not records:
        raise ValueError("a new run needs records to learn from: --records FILE")
    settings = settings or WorkflowSettings()
    stored = run.settings["records"] if run is not None and not records else _records_table(records)
    game = Shogi(max_plies=settings.max_plies)
    return open_or_create(path, game, WORKFLOW, settings, others={"records": stored})


def _records_table(records: Sequence[Path]) -> dict[str, Any]:
    files = find_records(records)
    return {"files": [str(file.absolute()) for file in files], "sha256": _digest(files)}


class Workflow:
    """The steps of one run. The caller holds the run's lock."""

    def __init__(self, run: Run, workers: Workers, watcher: Watcher) -> None:
        self.run = run
        self.workers = workers
        self.watcher = Recorded(run.path, watcher)
        self.settings: WorkflowSettings = run_settings(run, WorkflowSettings, WORKFLOW)
        self.game = Shogi(max_plies=self.settings.max_plies)

    def go(self) -> Step:
        """Make all steps that are missing. Return the last one, which holds the table of results."""
        from tengen.labs.shogi.final_evaluation import FinalEvaluation

        quarantine_damage(self.run)
        with self.workers.journal(self.run.parts):
            self.pre_train()
            for number in range(1, self.settings.rounds + 1):
                self.round(number)
            for number in range(1, self.settings.rounds_without_prophet + 1):
                self.round_without_prophet(number)
            return FinalEvaluation(self).run()

    # Parts of the workflow.

    def pre_train(self) -> None:
        s = self.settings
        self.records()
        self.initial()
        for epoch in range(1, s.prophet_epochs + 1):
            self._train("train-prophet-with-records", "prophet", epoch, [self.records()])
        self._train_on_random()
        for epoch in range(1, s.enforcer_epochs + 1):
            self._train("train-enforcer-with-records", "enforcer", epoch, [self.records()])

    def round(self, number: int) -> None:
        played = self.auto_match("auto-match", number, with_prophet=True)
        self._train("train-prophet-with-match-result", "prophet", number, [played])
        self._train("train-enforcer-with-match-result", "enforcer", number, [played])

    def round_without_prophet(self, number: int) -> None:
        played = self.auto_match("auto-match-without-prophet", number, with_prophet=False)
        self._train("train-enforcer-without-prophet", "enforcer", number, [played])

    # Steps. Each is made only if it is missing.

    def records(self) -> Step:
        """Turn the games into samples; those of some games are kept from training."""

        def make(draft: Draft) -> str:
            files = [Path(file) for file in self.run.settings["records"]["files"]]
            if _digest(files) != self.run.settings["records"]["sha256"]:
                raise RunError(f"the records of {self.run.path} are not what they were when it began")
            games = read_games(files)
            train, test = split_games(games, self.settings.held_out, derive(self.settings.seed, "held out"))
            if not train or not test:
                raise RunError(f"{len(games)} games with a result are too few to train on some and test on others")
            for name, part in ((TRAIN_SAMPLES, train), (TEST_SAMPLES, test)):
                samples = samples_of(self.game, part)
                draft.write_bytes(name, samples.to_bytes())
                draft.metrics[name.partition(".")[0]] = {"games": len(part), "positions": len(samples)}
            return f"{len(train)} games to learn from, {len(test)} to test on"

        return self.step("records", None, make, files=(TRAIN_SAMPLES, TEST_SAMPLES))

    def initial(self) -> Step:
        def make(draft: Draft) -> str:
            from tengen.labs.shogi.checkpoints import Checkpoint, save_checkpoint
            from tengen.labs.shogi.networks import build

            kinds: tuple[Kind, ...] = ("prophet", "enforcer")
            for pair in PAIRS:
                for kind in kinds:
                    seed = derive(self.settings.seed, "initial", pair, kind) % 2**31
                    network = build(kind, self.settings.size, seed)
                    draft.write_bytes(f"{pair}/{kind}.ckpt", save_checkpoint(Checkpoint(network)))
            return "three pairs"

        return self.step("initial", None, make)

    def auto_match(self, name: str, number: int, *, with_prophet: bool) -> Step:
        """Play a round, in which every pair meets the others from both sides, and make samples for each pair."""
        s = self.settings
        last = "with-match-result" if with_prophet else "without-prophet"
        prophet = self.model_before("prophet", f"train-prophet-{last}", number) if with_prophet else None
        enforcer = self.model_before("enforcer", f"train-enforcer-{last}", number)

        def make(draft: Draft) -> str:
            players = {pair: self.player(pair, prophet, enforcer, temperature=s.temperature) for pair in PAIRS}
            found = self.play(pairings(PAIRS), players, s.games_of_a_match, derive(s.seed, name, number))
            of_pair: dict[str, list[Any]] = {pair: [] for pair in PAIRS}
            results: dict[str, Any] = {}
            games = [(names, played) for names, result in found.items() for played in result.games]
            for place, (names, played) in enumerate(games):
                moves = moves_of(self.game, played)
                draft.write_text(f"records/{record_name(place)}", format_game(moves))
                for pair in names:
                    of_pair[pair].append(moves)
            for (one, other), result in found.items():
                results[f"{one}-{other}"] = {"wins": result.wins, "draws": result.draws, "losses": result.losses}
            for pair, own in of_pair.items():
                draft.write_bytes(f"{pair}.npz", samples_of(self.game, own).to_bytes())
            draft.metrics.update(games=len(games), results=results)
            return f"{len(games)} games, " + ", ".join(f"{names} {_tally(each)}" for names, each in results.items())

        inputs = [step for step in (prophet, enforcer) if step is not None]
        return self.step(name, number, make, inputs=inputs, total=3 * s.games_of_a_match)

    def _train(self, name: str, kind: Kind, number: int, inputs: list[Step]) -> Step:
        """Train the model of each pair in one pass."""
        from tengen.labs.shogi.tasks import TrainTask, steps_of, train_model

        s = self.settings
        records = self.records()
        is_records = inputs == [records]
        base = self.model_before(kind, name, number)

        def task(pair: str) -> TrainTask:
            seed = derive(s.seed, name, number, pair) % 2**31
            file = TRAIN_SAMPLES if is_records else f"{pair}.npz"
            return TrainTask(
                kind,
                File(base.file(f"{pair}/{kind}.ckpt")),
                tuple(File(step.file(file)) for step in inputs),
                File(records.file(TEST_SAMPLES)),
                dataclasses.replace(s.train, seed=seed),
                None if is_records else File(records.file(TRAIN_SAMPLES)),
                s.replay,
                s.test_positions,
            )

        def make(draft: Draft) -> str:
            return self._write_models(draft, kind, {pair: (train_model, task(pair)) for pair in PAIRS})

        def batches() -> int:
            return sum(steps_of(task(pair)) for pair in PAIRS)

        made_from = [base, *inputs, *([] if is_records else [records])]
        return self.step(name, number, make, inputs=made_from, total=batches)

    def _train_on_random(self) -> Step:
        from tengen.labs.shogi.tasks import train_on_random
        from tengen.labs.shogi.training import count_steps

        s = self.settings
        name = "train-enforcer-with-random"
        records, base = self.records(), self.initial()

        def task(pair: str) -> tuple[Any, ...]:
            settings = dataclasses.replace(s.train, seed=derive(s.seed, name, pair) % 2**31)
            place, test = File(base.file(f"{pair}/enforcer.ckpt")), File(records.file(TEST_SAMPLES))
            return train_on_random, self.game, place, s.random_num, test, settings, s.test_positions

        def make(draft: Draft) -> str:
            return self._write_models(draft, "enforcer", {pair: task(pair) for pair in PAIRS})

        total = len(PAIRS) * count_steps(s.random_num, s.train)
        return self.step(name, 1, make, inputs=[base, records], total=total)

    def _write_models(self, draft: Draft, kind: Kind, tasks: Mapping[str, tuple[Any, ...]]) -> str:
        """Train the models of the pairs, each by tasks of one part of the training after the other."""
        from tengen.labs.shogi.tasks import UnfinishedModel
        from tengen.labs.shogi.training import step_of

        pair_of = {self.workers.submit(*task): pair for pair, task in tasks.items()}
        steps: dict[str, int] = {}
        done: dict[str, ModelFiles] = {}

        def on_report(task: int, news: tuple[int, int, float]) -> None:
            steps[pair_of[task]] = news[0]
            self.watcher.advance(sum(steps.values()), {"loss": news[2]})

        for task, value in self.workers.results(on_report):
            pair = pair_of[task]
            if isinstance(value, UnfinishedModel):
                # The parts of a run that was stopped come from its journal, without reports.
                steps[pair] = step_of(value.state)
                pair_of[self.workers.submit(*tasks[pair], value.state)] = pair
            else:
                done[pair] = value
        shown = []
        for pair in PAIRS:
            made = done[pair]
            draft.write_bytes(f"{pair}/{kind}.ckpt", made.checkpoint)
            draft.write_bytes(f"{pair}/{kind}.onnx", made.onnx)
            draft.metrics[pair] = made.metrics
            test = made.metrics["test"].get("all", {})
            shown.append(f"{pair} {100 * (main_figure(test) or 0.0):.1f} %")
        name = MAIN_FIGURES[WIN_PREDICTION if kind == "prophet" else TOP1_MOVE]
        return f"{name} on held-out games: {', '.join(shown)}"

    # Inputs of steps.

    def model_before(self, kind: Kind, name: str, number: int) -> Step:
        """Return the step with the models that a pass of training begins with."""
        passes = self._passes(kind, "without-prophet" if name.endswith("without-prophet") else "with-match-result")
        return self._made(*passes[passes.index((name, number)) - 1])

    def final_model(self, kind: Kind, last: str = "with-match-result") -> Step:
        """Return the step with the models after all passes, or after all passes of one kind."""
        return self._made(*self._passes(kind, last)[-1])

    def _passes(self, kind: Kind, last: str) -> list[tuple[str, int | None]]:
        """Return names and numbers of the steps that make a model, in their order."""
        s = self.settings
        counts = {
            "with-random": 1 if kind == "enforcer" else 0,
            "with-records": s.prophet_epochs if kind == "prophet" else s.enforcer_epochs,
        }
        if last != "with-records":
            counts[last] = s.rounds if last == "with-match-result" else s.rounds_without_prophet
        found: list[tuple[str, int | None]] = [("initial", None)]
        for name, count in counts.items():
            found += [(f"train-{kind}-{name}", number) for number in range(1, count + 1)]
        return found

    def _made(self, name: str, number: int | None) -> Step:
        step = self.run.find(name, number)
        if step is None:
            raise RunError(f"{self.run.path} has lost {name} {number or ''}: run the workflow again")
        return step

    def player(
        self, pair: str, prophet: Step | None, enforcer: Step | None, *, temperature: float = 0.0, name: str = ""
    ) -> Player:
        """Return a pair, or one of the two networks without the other."""
        s = self.settings
        spec = pair_spec(
            None if prophet is None else prophet.file(f"{pair}/prophet.onnx"),
            None if enforcer is None else enforcer.file(f"{pair}/enforcer.onnx"),
            depth=s.prefetch_depth,
            width=s.prefetch_width,
            temperature=temperature,
        )
        player = find_player(spec, self.game)
        player.name = name or f"pair {pair}"  # names of files contain the time of the run, and results should not
        return player

    def play(
        self, who: Iterable[tuple[str, str]], players: Mapping[str, Player], games: int, seed: int
    ) -> dict[tuple[str, str], Any]:
        """Play matches of some players by name. All tasks are submitted before the first result is awaited."""
        from tengen.arena import chunks, merge, play_chunk
        from tengen.cluster import report

        openings = Openings(plies=(min(2, self.settings.opening_plies), self.settings.opening_plies))
        asked = list(who)
        parts = chunks(games, pairs_at_once(games))
        tasks = {
            names: [
                self.workers.submit(
                    play_chunk,
                    self.game,
                    players[names[0]],
                    players[names[1]],
                    list(part),
                    derive(seed, *names),
                    openings,
                    report,
                )
                for part in parts
            ]
            for names in asked
        }
        flat = [task for each in tasks.values() for task in each]
        done = iter(
            collect(
                self.workers,
                flat,
                lambda played: (len(played), sum(len(game.actions) for game in played)),
                lambda count, plies: self.watcher.advance(count, {"plies": plies}),
            )
        )
        return {
            names: merge(
                self.game,
                players[names[0]],
                players[names[1]],
                derive(seed, *names),
                [next(done) for _ in each],
                openings,
            )
            for names, each in tasks.items()
        }

    def step(
        self,
        name: str,
        iteration: int | None,
        make: Callable[[Draft], str],
        *,
        inputs: Sequence[Step] = (),
        files: Sequence[str] = (),
        total: int | Callable[[], int] = 1,
    ) -> Step:
        """Return the step, which is made if it is missing. `total` is what its progress counts up to."""
        found = intact(self.run, name, iteration, *files)
        if found is not None:
            return found
        self.watcher.begin(name, iteration or 0, total() if callable(total) else total)
        with self.run.step(name, iteration=iteration, inputs=inputs, seed=self.settings.seed) as draft:
            text = make(draft)
            metrics = dict(draft.metrics)
        step = draft.step
        assert step is not None
        self.run.log({"event": name, "iteration": iteration, "step": step.id, "text": text})
        self.watcher.end(name, iteration or 0, text, metrics)
        return step


def _digest(files: Sequence[Path]) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def _tally(result: Mapping[str, int]) -> str:
    return f"+{result['wins']} ={result['draws']} -{result['losses']}"

"""The loop: self-play, train, match, gate, promote. A step is complete or absent, and equal runs do the same."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tengen.arena import MatchResult, SearchPlayer, Sprt, find_player
from tengen.arena.seeds import derive
from tengen.champion import reanalysis
from tengen.champion.forks import fork_sources, part_of
from tengen.champion.gates import make_gate
from tengen.champion.jobs import ScoreSoFar, collect, play_match_with
from tengen.champion.opening import game_table, is_of_game, open_or_create, run_settings
from tengen.champion.packed_games import PackedGames, join_games, play_packed, total_figures
from tengen.champion.repair import intact, quarantine_damage, set_initial_champion
from tengen.champion.report_machines import WORKERS
from tengen.champion.resignation import adjust_resignation, checked_text
from tengen.champion.settings import RECORDS_TEACHER, LearnSettings, format_settings, settings_for
from tengen.champion.teacher_games import PACKED_SAMPLES, planned_games, taught_play, teach
from tengen.champion.training_place import Place, place_training
from tengen.champion.value_check import VALUE_CHECK, check_value
from tengen.champion.watchers import Recorded
from tengen.champion.window import read_window, samples_file
from tengen.nets.run_network import NETWORK
from tengen.runs import Run, RunError, Step
from tengen.selfplay import load_records, read_record_lines

if TYPE_CHECKING:
    from tengen.arena import Player, PlayerSpec
    from tengen.champion.training_place import FindPlace
    from tengen.champion.watchers import Watcher
    from tengen.cluster import Workers
    from tengen.evaluators import DeviceServers
    from tengen.games import Game, RecordedGame
    from tengen.selfplay import SelfPlaySettings

CHECKPOINT, TRAINER = "net.safetensors", "trainer.safetensors"
RECORDS, MATCH = "games.jsonl.gz", "match.json"
POLICY_TARGETS = "policy_targets"
LEARN = "learn"
"""The table of a run with its settings."""


def open_run(path: str | Path, game: Game, settings: LearnSettings | None) -> tuple[Run, LearnSettings]:
    """A new run, or the one that is there. Settings that differ from its own are an error that names them."""
    path = Path(path)
    if settings is None and (path / "run.toml").exists():
        run = Run.open(path)
        if LEARN not in run.settings or not is_of_game(run, game):
            raise RunError(f"{run.path} is a run of {run.settings.get('game')}, not of {game_table(game)}")
        return run, run_settings(run, LearnSettings, LEARN)
    settings = settings or settings_for(game)
    return open_or_create(path, game, LEARN, settings), settings


class Loop:
    """The learning loop of one run. The caller holds the run's lock."""

    def __init__(
        self,
        run: Run,
        game: Game,
        settings: LearnSettings,
        workers: Workers,
        watcher: Watcher | None = None,
        servers: DeviceServers | None = None,
    ) -> None:
        """With evaluation `servers`, self-play and gates evaluate networks there instead of in the workers."""
        self.run = run
        self.game = game
        self.settings = settings
        self.workers = workers
        self.watcher: Watcher = Recorded(run.path, watcher)
        self.servers = servers
        self.find_place: FindPlace = lambda iteration, _: Place.of(iteration, self._iterations)
        """Returns the place of a training in the run, which may depend on the time that is left."""
        self._iterations = 1

    def run_until(self, iterations: int, fits: Callable[[int], bool] | None = None) -> Step:
        """Complete the given number of iterations and return the champion.

        Damaged steps are moved aside and made again from their inputs. `fits` gets the number of the next iteration
        and ends the run if it returns false.
        """
        if self.settings.asynchronous:
            raise RunError(f"{self.run.path} is a run with `asynchronous`, which AsyncLoop continues")
        self._iterations = iterations
        quarantine_damage(self.run)
        set_initial_champion(self.run, self._initial(), "the first network")
        with self.workers.journal(self.run.parts):
            for iteration in range(1, iterations + 1):
                if fits is not None and not fits(iteration):
                    break
                self.iterate(iteration)
        champion = self.run.champion
        assert champion is not None
        return champion

    def iterate(self, iteration: int) -> None:
        played = self._self_play(iteration)
        self._reanalyze(iteration)
        self._check_value(iteration, played)
        trained = self._train(iteration, played)
        if trained is not None:
            self._gate(iteration, trained)
        if iteration % self.settings.anchor_every == 0:
            self._rate(iteration)

    # Steps. Each looks first whether it is there already.

    def _initial(self) -> Step:
        found = self._intact("initial", None, CHECKPOINT, NETWORK)
        if found is not None:
            return found
        from tengen.nets import Architecture, Checkpoint, build

        choices = self.settings.net_choices(self.game)
        network = build(Architecture.of(self.game, **choices), derive(self.settings.seed, "initial"))
        with self.run.step("initial", seed=self.settings.seed) as draft:
            _write_network(draft, Checkpoint(network, self.game.id, dict(self.game.settings), {"step": "initial"}))
        return self._found("initial", None)

    def _self_play(self, iteration: int) -> Step:
        is_taught = iteration == 1 and self.settings.is_taught
        if is_taught and self.settings.has_chunks:
            return self._teacher_games(iteration)
        samples = samples_file(self.run.find("self-play", iteration))
        found = self._intact("self-play", iteration, RECORDS, samples)
        if found is not None:
            return found
        champion = self._champion(iteration)
        games = self.settings.bootstrap_games if is_taught else self.settings.games_per_iter
        spec = self.settings.teacher if is_taught else self.settings.self_play_player
        player = find_player(spec, self.game, network=self.evaluator_of(champion))
        play = taught_play(player, self.settings) if is_taught else self.settings.selfplay.at_iteration(iteration)
        play = adjust_resignation(play, self.run.find("self-play", iteration - 1))
        forked, lines = fork_sources(self.run, play, iteration, RECORDS)
        seeds = [derive(self.settings.seed, "self-play", iteration, i) for i in range(games)]
        about: dict[str, Any] = {"player": str(spec), POLICY_TARGETS: player.policy_targets}
        if isinstance(player, SearchPlayer):
            about["play"] = format_settings(play.laid_over(player.settings))
        with self.run.step(
            "self-play", iteration=iteration, inputs=[champion, *forked], settings=about, seed=self.settings.seed
        ) as draft:
            self.watcher.begin("self-play", iteration, games)
            packed = self._play_games(player, play, seeds, lines)
            draft.write_bytes(RECORDS, packed.records)
            draft.write_bytes(PACKED_SAMPLES, packed.samples)
            draft.metrics.update(packed.figures)
            metrics = dict(draft.metrics)
        text = f"{games} games, {metrics['plies']:.1f} plies each{checked_text(metrics)}"
        return self._done("self-play", iteration, text, metrics)

    def _teacher_games(self, iteration: int) -> Step:
        """A step that stands for those of the chunks."""
        found = self._intact("self-play", iteration)
        if found is not None:
            return found
        self.watcher.begin("self-play", iteration, planned_games(self.settings))
        with self.workers.journal(None):  # each chunk is a step as soon as it is there
            chunks = teach(
                self.run,
                self.game,
                self.settings,
                self.workers,
                lambda games, n: self.watcher.advance(games, {"visits": n}),
            )
        teacher = self.settings.teacher
        targets = "visits" if teacher == RECORDS_TEACHER else find_player(teacher, self.game).policy_targets
        about = {"player": str(teacher), POLICY_TARGETS: targets}
        with self.run.step(
            "self-play", iteration=iteration, inputs=chunks, settings=about, seed=self.settings.seed
        ) as draft:
            draft.metrics.update(total_figures([step.metrics for step in chunks]))
            metrics = dict(draft.metrics)
        text = f"{metrics['games']:.0f} games in {len(chunks)} chunks, {metrics['plies']:.1f} plies each"
        return self._done("self-play", iteration, text, metrics)

    def _play_games(
        self, player: Player, play: SelfPlaySettings, seeds: Sequence[int], lines: Sequence[RecordedGame]
    ) -> PackedGames:
        size = play.parallel
        tasks = [
            self.workers.submit(play_packed, self.game, player, play, seeds[i : i + size], part_of(lines, i, size))
            for i in range(0, len(seeds), size)
        ]
        found = collect(
            self.workers, tasks, _count, lambda games, visits: self.watcher.advance(games, {"visits": visits})
        )
        return join_games(found)

    def _reanalyze(self, iteration: int) -> None:
        """Search positions of earlier games again with the player of this iteration's games."""
        source = reanalysis.find_source(self.run, self.settings, iteration, RECORDS)
        file = samples_file(self.run.find(reanalysis.STEP, iteration))
        if source is None or self._intact(reanalysis.STEP, iteration, RECORDS, file) is not None:
            return
        champion = self._champion(iteration)
        spec = self.settings.self_play_player
        player = find_player(spec, self.game, network=self.evaluator_of(champion))
        # Decisions that are not made again keep the targets of the player who made them.
        targets = {player.policy_targets, source.settings.get(POLICY_TARGETS)}
        about = {"player": str(spec), POLICY_TARGETS: player.policy_targets if len(targets) == 1 else "visits"}
        before = read_record_lines(source.file(RECORDS))
        with self.run.step(
            reanalysis.STEP, iteration=iteration, inputs=[champion, source], settings=about, seed=self.settings.seed
        ) as draft:
            self.watcher.begin(reanalysis.STEP, iteration, len(before))
            packed, figures = reanalysis.reanalyze(
                self.workers,
                self.game,
                player,
                self.settings,
                before,
                iteration,
                lambda games, visits: self.watcher.advance(games, {"visits": visits}),
            )
            draft.write_bytes(RECORDS, packed.records)
            draft.write_bytes(PACKED_SAMPLES, packed.samples)
            draft.metrics.update(figures)
        text = f"{figures['positions']:.0f} positions of {figures['games']:.0f} games of iteration {source.iteration}"
        text += f", policies changed by {100 * figures['policy_change']:.0f} %, values by {figures['value_change']:.2f}"
        self._done(reanalysis.STEP, iteration, text, figures)

    def _check_value(self, iteration: int, played: Step) -> None:
        """Log how well the newest network foresees the results of games that it was not trained on."""
        is_trained = any(self.run.find(name, iteration) is not None for name in ("train", "train-stopped"))
        if is_trained or RECORDS not in played.files:
            return
        network = self._latest_network(iteration)
        records = load_records(played.file(RECORDS).read_bytes())
        seed = derive(self.settings.seed, VALUE_CHECK, iteration)
        fits = check_value(self.game, records, network.file(NETWORK), seed)
        phases = [dataclasses.asdict(fit) for fit in fits]
        self.run.log({"event": VALUE_CHECK, "iteration": iteration, "network": network.id, "phases": phases})

    def _train(self, iteration: int, played: Step) -> Step | None:
        found = self._intact("train", iteration, CHECKPOINT, NETWORK) or self.run.find("train-stopped", iteration)
        if found is not None:
            return found if found.name == "train" else None
        from tengen.learning import TrainingStopped, train
        from tengen.nets import Checkpoint, load_checkpoint

        base = self._latest_network(iteration)
        inputs, samples = read_window(self.run, self.settings, iteration)
        steps = max(1, math.ceil(self.settings.reuse * played.metrics["samples"] / self.settings.train.batch_size))
        seed = derive(self.settings.seed, "train", iteration) % 2**31
        loss = self.settings.train.policy_loss or policy_loss(inputs)
        settings = dataclasses.replace(self.settings.train, steps=steps, seed=seed, policy_loss=loss)
        settings = place_training(self.run, iteration, settings, self.find_place)
        made_from = [base, *inputs]
        try:
            with self.run.step(
                "train", iteration=iteration, inputs=made_from, settings=format_settings(settings), seed=seed
            ) as draft:
                self.watcher.begin("train", iteration, steps)
                network = load_checkpoint(base.file(CHECKPOINT)).network
                trained = train(
                    self.game,
                    network,
                    samples,
                    settings,
                    lambda n, _, f: self.watcher.advance(n, f),
                    state=base.file(TRAINER).read_bytes() if TRAINER in base.files else None,
                    is_fresh=base.name == "initial",
                )
                lineage = {"iteration": iteration, "parent": base.sha256, "samples": len(samples)}
                _write_network(draft, Checkpoint(trained.network, self.game.id, dict(self.game.settings), lineage))
                draft.write_bytes(TRAINER, trained.state)
                draft.metrics.update(trained.metrics)
        except TrainingStopped as error:
            with self.run.step("train-stopped", iteration=iteration, inputs=made_from, seed=seed) as draft:
                draft.metrics.update(kind=error.kind, step=error.step, reason=str(error))
            self._done("train-stopped", iteration, str(error), {"kind": error.kind})
            return None
        losses = ", ".join(f"{name} {value:.3f}" for name, value in trained.metrics.items() if name in _SHOWN)
        return self._done("train", iteration, losses, trained.metrics)

    def _gate(self, iteration: int, trained: Step) -> None:
        if not self.settings.has_gate:
            if not self._is_succeeded(iteration):
                self.run.set_champion(trained, f"iteration {iteration}: no gate")
            return
        found = self._intact("arena", iteration, MATCH)
        if found is None:
            champion = self._champion(iteration)
            spec = self.settings.gate_player
            players = (
                network_player(spec, self.game, trained, "challenger", self.evaluator_of(trained)),
                network_player(spec, self.game, champion, "champion", self.evaluator_of(champion)),
            )
            seed = derive(self.settings.seed, "arena", iteration)
            with self.run.step(
                "arena", iteration=iteration, inputs=[trained, champion], settings={"player": str(spec)}, seed=seed
            ) as draft:
                self.watcher.begin("arena", iteration, self.settings.eval_games)
                gate = make_gate(self.settings, self.game)
                stop = (lambda result: gate.judge(result).is_final) if isinstance(gate, Sprt) else None
                result = self._match(*players, self.settings.eval_games, seed, stop)
                verdict = gate.judge(result)
                draft.write_text(MATCH, result.to_json())
                draft.metrics.update(
                    verdict.figures,
                    passed=verdict.decision == "accept",
                    reason=verdict.reason,
                    first=trained.id,
                    second=champion.id,
                )
            found = self._done("arena", iteration, str(verdict), verdict.figures)
        # A resumed run passes its earlier gates again; the champion is the last one's.
        if found.metrics["passed"] and not self._is_succeeded(iteration):
            self.run.set_champion(trained, str(found.metrics["reason"]))

    def _rate(self, iteration: int) -> None:
        anchor_spec = self.settings.anchor
        if anchor_spec is None or self._intact("rate", iteration, MATCH) is not None:
            return
        champion = self._champion(iteration + 1)
        spec = self.settings.player
        player = network_player(spec, self.game, champion, "champion")
        anchor = find_player(anchor_spec, self.game)
        seed = derive(self.settings.seed, "rate", iteration)
        with self.run.step(
            "rate", iteration=iteration, inputs=[champion], settings={"player": str(spec)}, seed=seed
        ) as draft:
            self.watcher.begin("rate", iteration, self.settings.anchor_games)
            result = self._match(player, anchor, self.settings.anchor_games, seed)
            draft.write_text(MATCH, result.to_json())
            draft.metrics.update(result.figures(), first=champion.id, second=str(anchor_spec))
        self._done("rate", iteration, result.summary().splitlines()[0], result.figures())

    # Parts of steps.

    def evaluator_of(self, step: Step) -> str:
        """Return the name of the evaluator that plays with a step's network while the run learns."""
        return str(step.file(NETWORK)) if self.servers is None else self.servers.name(step.file(CHECKPOINT))

    def _match(
        self,
        first: Player,
        second: Player,
        games: int,
        seed: int,
        stop: Callable[[MatchResult], bool] | None = None,
    ) -> MatchResult:
        score = ScoreSoFar()

        def tell(games: int, plies: int) -> None:
            self.watcher.advance(games, {"plies": plies, **score.figures})

        return play_match_with(self.workers, self.game, (first, second), games, seed, tell, score=score, stop=stop)

    def _latest_network(self, iteration: int) -> Step:
        for i in range(iteration - 1, 0, -1):
            found = self.run.find("train", i)
            # Trainings of earlier versions left no state; the next one starts with a new optimizer.
            has_state = found is not None and TRAINER in found.files
            step = self._intact("train", i, CHECKPOINT, *([TRAINER] if has_state else []))
            if step is not None:
                return step
        return self._initial()

    def _champion(self, iteration: int) -> Step:
        """The champion when an iteration begins, also one that is made again long after."""
        for i in range(iteration - 1, 0, -1):
            step = self._intact("train", i, NETWORK) if self._has_passed(i) else None
            if step is not None:
                return step
        return self._initial()

    def _has_passed(self, iteration: int) -> bool:
        if not self.settings.has_gate:
            return self.run.find("train", iteration) is not None
        arena = self.run.find("arena", iteration)
        return arena is not None and bool(arena.metrics["passed"])

    def _is_succeeded(self, iteration: int) -> bool:
        name = "arena" if self.settings.has_gate else "train"
        last = max((step.iteration or 0 for step in self.run.steps(name)), default=0)
        later = range(iteration + 1, last + 1)
        return any(self._has_passed(i) and self.run.find("train", i) is not None for i in later)

    def _intact(self, name: str, iteration: int | None, *files: str) -> Step | None:
        return intact(self.run, name, iteration, *files)

    def _found(self, name: str, iteration: int | None) -> Step:
        step = self.run.find(name, iteration)
        assert step is not None
        return step

    def _done(self, name: str, iteration: int, text: str, figures: Mapping[str, Any]) -> Step:
        step = self._found(name, iteration)
        self.run.log({"event": name, "iteration": iteration, "step": step.id, "text": text, **figures})
        nodes = self.workers.summary()
        if nodes:
            self.run.log({"event": WORKERS, "iteration": iteration, "step": step.id, "nodes": nodes})
        self.watcher.end(name, iteration, text, figures)
        return step


def network_player(spec: PlayerSpec, game: Game, step: Step, name: str, evaluator: str | None = None) -> Player:
    """Return the player that a specification makes of a step's network, which `evaluator` runs if it is given."""
    player = find_player(spec, game, network=evaluator or str(step.file(NETWORK)))
    player.name = name
    return player


def policy_loss(games: Sequence[Step]) -> Literal["cross_entropy", "regret"]:
    """Return the loss for the policies of these games. Steps without a policy source name the evaluator."""
    made_of = (step.settings.get(POLICY_TARGETS) or step.settings.get("evaluator") for step in games)
    return "regret" if all(what in ("payoffs", "pimc") for what in made_of) else "cross_entropy"


def _count(games: PackedGames) -> tuple[int, int]:
    return int(games.figures["games"]), int(games.figures["visits"])


_SHOWN = ("policy", "value", "extras", "moves_left", "kl", "loss")


def _write_network(draft: Any, checkpoint: Any) -> None:
    from tengen.nets import export_onnx, save_checkpoint

    draft.write_bytes(CHECKPOINT, save_checkpoint(checkpoint))
    draft.write_bytes(NETWORK, export_onnx(checkpoint.network))

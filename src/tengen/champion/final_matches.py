"""Matches at the end of a run: its champion against the first network, and against a player that never learns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.arena import MatchResult, find_player
from tengen.arena.seeds import derive
from tengen.champion.jobs import ScoreSoFar, play_match_with
from tengen.champion.loop import MATCH, network_player
from tengen.champion.ratings import FINAL_ANCHOR, FINAL_INITIAL
from tengen.champion.settings import anchor_of
from tengen.runs import DamagedStep, ProgressFile

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.champion.progress import Tracker
    from tengen.champion.settings import LearnSettings
    from tengen.cluster import Workers
    from tengen.games import Game
    from tengen.runs import Run, Step

__all__ = ["play_final_matches"]


def play_final_matches(
    run: Run, game: Game, settings: LearnSettings, iteration: int, games: int, workers: Workers, tracker: Tracker
) -> None:
    """Play the matches, each of which is a step of the run. A match that exists is only reported again."""
    champion, initial = run.champion, run.find("initial")
    assert champion is not None
    assert initial is not None
    player, first = (
        network_player(settings.player, game, step, str(settings.player.with_network(name)))
        for step, name in ((champion, "champion"), (initial, "first network"))
    )
    anchor = find_player(anchor_of(settings), game)
    others: list[tuple[str, Player, Step | None]] = [(FINAL_INITIAL, first, initial), (FINAL_ANCHOR, anchor, None)]
    for name, opponent, step in others:
        if step == champion:
            tracker.note("\nThe first network is still champion: no other has passed the gate yet.")
            continue
        result = _found(run, name, iteration, champion, opponent, games)
        if result is None:
            seed = derive(settings.seed, name, iteration)
            inputs = [champion] if step is None else [champion, step]
            about = {"player": str(settings.player)}
            with run.step(name, iteration=iteration, inputs=inputs, settings=about, seed=seed) as draft:
                title = f"{player.name} against {opponent.name}"
                tracker.begin(name, iteration, games, title)
                file, score = ProgressFile(run.path), ScoreSoFar()
                file.begin(name, iteration, games, title)

                def advance(played: int, plies: int, file: ProgressFile = file, score: ScoreSoFar = score) -> None:
                    file.advance(played, {"plies": plies, **score.figures})
                    tracker.advance(played, {"plies": plies})

                with workers.journal(run.parts):
                    result = play_match_with(workers, game, (player, opponent), games, seed, advance, score=score)
                file.end()
                tracker.end(name, iteration, result.summary().splitlines()[0], result.figures())
                draft.write_text(MATCH, result.to_json())
                second = opponent.name if step is None else step.id
                draft.metrics.update(result.figures(), first=champion.id, second=second)
        tracker.note(f"\n{result.summary()}")


def _found(run: Run, name: str, iteration: int, champion: Step, opponent: Player, games: int) -> MatchResult | None:
    step = run.find(name, iteration)
    if step is None or step.metrics.get("first") != champion.id:
        return None
    try:
        result = MatchResult.from_json(step.file(MATCH).read_text(encoding="utf-8"))
    except (DamagedStep, ValueError):
        run.quarantine(step)
        return None
    return result if len(result.games) == games and result.second == opponent.name else None

"""Small logs of Matgo for tests."""

from __future__ import annotations

import functools

import tengen
from tengen.arena import find_player
from tengen.games.matgo.traces import LogSettings, TraceSettings, sittings
from tengen.selfplay import Exploration, play_sittings


@functools.cache
def log_lines(games=40, seed=1, players=("greedy", "greedy"), explore=0.2, important_only=False):
    """Lines of a log, in the order of their games."""
    rules = tengen.game("matgo")
    settings = LogSettings(games, seed, labels=players, trace=TraceSettings(important_only=important_only))
    at_once = sittings(rules, settings, range(settings.pairs))
    play_sittings(at_once, [find_player(name, rules) for name in players], Exploration(rate=explore))
    logged = sorted((game for sitting in at_once for game in sitting.games), key=lambda game: game.game)
    return tuple(game.line for game in logged)


def write_log(path, **options):
    path.write_text("".join(f"{line}\n" for line in log_lines(**options)), encoding="utf-8")
    return path

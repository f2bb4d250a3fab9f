"""Small logs of Matgo for tests."""

from __future__ import annotations

import functools

import tengen
from tengen.arena import find_player
from tengen.labs.matgo.series_play import ComebackExploration, play_series
from tengen.labs.matgo.traces import LogSettings, TraceSettings, make_series


@functools.cache
def _logged(games, seed, players, explore, important_only):
    rules = tengen.game("matgo")
    settings = LogSettings(games, seed, labels=players, trace=TraceSettings(important_only=important_only))
    at_once = make_series(rules, settings, range(settings.pairs))
    play_series(at_once, [find_player(name, rules) for name in players], ComebackExploration(rate=explore))
    return sorted((game for one_series in at_once for game in one_series.games), key=lambda game: game.game)


def log_lines(games=40, seed=1, players=("greedy", "greedy"), explore=0.2, important_only=False, kind="line"):
    """Lines of a log, in the order of their games; of kind `split`, those of a train split."""
    return [getattr(game, kind) for game in _logged(games, seed, players, explore, important_only)]


def write_log(path, **options):
    path.write_text("".join(f"{line}\n" for line in log_lines(**options)), encoding="utf-8")
    return path

"""Games as workers return them: records and packed samples in bytes, which the coordinator only stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.cluster import report
from tengen.learning import PackedSamples, SamplesError, load_packed, pack, save_packed
from tengen.selfplay import save_records, summarize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tengen.arena import Player
    from tengen.games import Game, RecordedGame
    from tengen.selfplay import GameRecord, SelfPlaySettings

__all__ = ["PackedGames", "join_games", "join_samples", "pack_games", "play_packed", "total_figures"]

_MEANS = ("plies", "first_player", "draws", "resigned")


@dataclass(frozen=True)
class PackedGames:
    """Some games: what a step stores of them."""

    records: bytes
    """The output of save_records()."""
    samples: bytes
    """The output of save_packed(); empty if no game has a decision, or if the game has no planes."""
    figures: dict[str, float]
    """The figures of summarize() and the number of samples."""
    digests: tuple[int, ...] = ()
    """A number for each game, equal for equal games."""


def play_packed(
    game: Game, player: Player, play: SelfPlaySettings, seeds: Sequence[int], lines: Sequence[RecordedGame] = ()
) -> PackedGames:
    """Play games in a worker."""
    return pack_games(game, player.self_play(game, play, seeds, report, lines))


def pack_games(game: Game, records: Sequence[GameRecord]) -> PackedGames:
    """Turn finished games into samples, one game after the other."""
    figures = dict(summarize(records)) | {"samples": 0.0}
    samples = b""
    if any(game.shape) and any(record.decisions for record in records):
        packed = pack(game, records)
        samples, figures["samples"] = save_packed(packed), float(len(packed))
    return PackedGames(save_records(records), samples, figures, tuple(hash(record.actions) for record in records))


def join_games(parts: Sequence[PackedGames]) -> PackedGames:
    """Return all games as one. Records stay compressed as they are."""
    samples = join_samples(parts)
    if not samples:
        raise SamplesError("the games hold no decision")
    digests = tuple(digest for part in parts for digest in part.digests)
    figures = total_figures([part.figures for part in parts]) | {"distinct": float(len(set(digests)))}
    records = b"".join(part.records for part in parts)
    return PackedGames(records, samples, figures, digests)


def join_samples(parts: Iterable[PackedGames]) -> bytes:
    """Return the samples of all games as one file; empty if there are none."""
    packed = [load_packed(part.samples) for part in parts if part.samples]
    return save_packed(PackedSamples.join(packed)) if packed else b""


def total_figures(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the figures of all parts: means weighted by the number of games, and sums of counts."""
    every = list(parts)
    games = sum(figures["games"] for figures in every)
    found = {}
    for name in every[0]:
        total = sum(figures[name] * (figures["games"] if name in _MEANS else 1) for figures in every)
        found[name] = total / max(1.0, games) if name in _MEANS else total
    return found

"""Samples: positions, and the labels that a network learns for them."""

from __future__ import annotations

import io
import lzma
import struct
import tokenize
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from tengen._decompress import check_archive
from tengen._files import read_source
from tengen.games import PlayedGame
from tengen.learning.columns import MAX_SHARE, columns_of
from tengen.selfplay import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.selfplay import GameRecord


_KEYS = {
    "features": "s",
    "policy": "p",
    "result": "z",
    "search_value": "q",
    "moves_left": "m",
    "aux": "x",
    "hidden_labels": "h",
    "seat_results": "zs",
    "seat_values": "qs",
}
"""The name of each array in a file."""
_MATRICES = ("features", "policy", "aux", "hidden_labels", "seat_results", "seat_values")
"""Those with more than one number a sample."""
NO_SEATS = np.zeros((0, 0), np.float32)
"""Stands for arrays of seats that samples of two-player zero-sum games and of earlier versions lack."""
_FURTHER = "t_"
"""Prefix of the names of further arrays in a file."""
NOT_OURS = (
    *(OSError, ValueError, LookupError, EOFError, ArithmeticError, MemoryError, SyntaxError, TypeError, AttributeError),
    *(RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError),
)
"""Errors that zipfile and NumPy raise for a file that is damaged or of another kind."""


class SamplesError(ValueError):
    """Raised for a file that holds no samples, and for samples that do not fit."""


@dataclass(frozen=True)
class Samples:
    """Arrays over n positions, each seen by the player who decides there."""

    features: NDArray[np.float32]
    """[n, planes, height, width]."""
    policy: NDArray[np.float32]
    """[n, labels]: the search's policy, by the game's policy_index; all 0 where it is no target."""
    result: NDArray[np.float32]
    """[n]: the result for the viewer, as a share of a full win; it may be several."""
    search_value: NDArray[np.float32]
    """[n]: the search's value for the viewer, likewise."""
    moves_left: NDArray[np.float32]
    """[n]: plies to the end; -1 unknown."""
    aux: NDArray[np.float32]
    """[n, aux]: the final auxiliary values, in the viewer's view; NaN unknown."""
    hidden_labels: NDArray[np.float32]
    """[n, hidden]: the truth about what the viewer does not see."""
    seat_results: NDArray[np.float32] = field(default_factory=lambda: NO_SEATS)
    """[n, players]: the results of all seats, the viewer's first, then those who follow it; [n, 0] in zero-sum games of
    two players, whose second result is known from the first."""
    seat_values: NDArray[np.float32] = field(default_factory=lambda: NO_SEATS)
    """[n, players] or [n, 0]: the search's values of all seats in the same order."""
    further: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """The labels of further targets by their names, [n] or [n, numbers]; those of a policy have its length."""

    def __post_init__(self) -> None:
        for name in ("seat_results", "seat_values"):
            if getattr(self, name) is NO_SEATS:
                object.__setattr__(self, name, np.zeros((len(self.features), 0), np.float32))

    def __len__(self) -> int:
        return len(self.features)

    @property
    def plane_count(self) -> int:
        return int(self.features.shape[1])

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """All arrays by name."""
        return {name: getattr(self, name) for name in _KEYS} | dict(self.further)

    def column(self, name: str) -> NDArray[np.float32]:
        """Return one of the arrays; NaN for each sample if it is missing."""
        found = self.arrays.get(name)
        return np.full(len(self), np.nan, np.float32) if found is None else found

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[np.float32]]) -> Samples:
        """Return the samples that have these arrays."""
        own = {name: array for name, array in arrays.items() if name in _KEYS}
        return Samples(**own, further={name: array for name, array in arrays.items() if name not in _KEYS})

    def take(self, rows: NDArray[np.integer]) -> Samples:
        return Samples.of_arrays({name: array[rows] for name, array in self.arrays.items()})

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Samples:
        """Return the samples of all parts. Further arrays that some parts lack are left out."""
        if not parts:
            raise SamplesError("there are no samples")
        arrays = [part.arrays for part in parts]
        names = [name for name in arrays[0] if all(name in each for each in arrays)]
        if len({tuple(each[name].shape[1:] for name in names) for each in arrays}) > 1:
            raise SamplesError("samples of different games can't be joined")
        return Samples.of_arrays({name: np.concatenate([each[name] for each in arrays]) for name in names})

    def check(self, game: Game) -> None:
        """Raises a SamplesError if the samples are not of this game, or none."""
        if len(self) == 0:
            raise SamplesError("there are no samples")
        if self.features.shape[1:] != tuple(game.shape) or self.policy.shape[1] != game.policy_count:
            raise SamplesError(
                f"the samples have planes {self.features.shape[1:]} and {self.policy.shape[1]} labels; {game.id} has "
                f"{tuple(game.shape)} and {game.policy_count}"
            )
        if self.aux.shape[1] not in (0, game.aux_count):
            raise SamplesError(f"the samples have {self.aux.shape[1]} auxiliary values; {game.id} has {game.aux_count}")
        for each in (self.seat_results, self.seat_values):
            if each.shape[1] not in (0, game.players):
                raise SamplesError(f"the samples have results of {each.shape[1]} seats; {game.id} has {game.players}")
        if self.hidden_labels.shape[1] not in (0, game.hidden_label_count):
            raise SamplesError(
                f"the samples have {self.hidden_labels.shape[1]} hidden labels; {game.id} has {game.hidden_label_count}"
            )


def samples_of(game: Game, records: Iterable[GameRecord]) -> Samples:
    """Return a sample for every decision, by replaying the games. A RecordError names a record of another game."""
    columns = columns_of(game)
    parts: dict[str, list[NDArray[np.float32]]] = {name: [] for name in ("features", *(each.name for each in columns))}
    for record in records:
        played = _replayed(game, record)
        if not played.decisions:
            continue
        parts["features"].append(np.stack([played.states[d.ply].encode(d.player) for d in played.decisions]))
        made: dict[str, NDArray[np.float32]] = {}
        for column in columns:
            made[column.name] = column.of(played, made)
            parts[column.name].append(made[column.name])
    if not parts["features"]:
        raise SamplesError("the records hold no decision")
    joined = {name: np.concatenate(part).astype(np.float32, copy=False) for name, part in parts.items()}
    return Samples.of_arrays(joined)


def _replayed(game: Game, record: GameRecord) -> PlayedGame:
    if (record.game, dict(record.settings)) != (game.id, dict(game.settings)):
        raise RecordError(f"a record of {record.game} {record.settings} is none of {game!r}")
    states = list(record.replay(game))
    is_finished = states[-1].is_over
    if is_finished and states[-1].payoffs != record.payoffs:
        raise RecordError(f"a {record.game} record says {record.payoffs}, and the game {states[-1].payoffs}")
    for decision in record.decisions:
        fits = states[decision.ply].actor in (decision.player, "all")
        if not fits or max(decision.policy, default=0) >= game.action_count:
            raise RecordError(f"ply {decision.ply} of a {record.game} record has a decision that does not fit")
    return PlayedGame(game, states, record.decisions, record.payoffs, is_finished)


def save_samples(samples: Samples) -> bytes:
    """Return an NPZ file with `s`, `p`, `z` and the other arrays. Equal samples give equal bytes."""
    buffer = io.BytesIO()
    arrays = {_KEYS.get(name, _FURTHER + name): array for name, array in samples.arrays.items()}
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def load_samples(source: bytes | str | Path, *, is_own: bool = False) -> Samples:
    """Read an NPZ file, by its path or its content; `s`, `p` and `z` are enough.

    A file that a run wrote itself, `is_own`, may be of any size.
    """
    data = read_source(source)
    try:
        if not is_own:
            check_archive(data)
        _check_archive(data)
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            # Read unknown arrays, too: a damaged name would otherwise look like a missing array.
            found = {name: file[name] for name in file.files}
    except SamplesError:
        raise
    except NOT_OURS as error:
        raise SamplesError(f"not a file of samples: {error}") from error
    arrays = {name: _float32(key, found[key]) for name, key in _KEYS.items() if key in found}
    missing = [key for key in "spz" if key not in found]
    if missing:
        raise SamplesError(f"a file of samples needs the arrays s, p and z; {', '.join(missing)} is not there")
    features, policy, result = arrays["features"], arrays["policy"], arrays["result"]
    n = len(features) if features.ndim else 0
    arrays.setdefault("search_value", result)
    arrays.setdefault("moves_left", np.full(n, -1, np.float32))
    arrays.setdefault("aux", np.zeros((n, 0), np.float32))
    for name in ("hidden_labels", "seat_results", "seat_values"):
        arrays.setdefault(name, np.zeros((n, 0), np.float32))
    _check_arrays(arrays)
    further = {
        key.removeprefix(_FURTHER): _float32(key, array) for key, array in found.items() if key.startswith(_FURTHER)
    }
    if any(array.shape[:1] != (n,) or array.ndim > 2 or np.isinf(array).any() for array in further.values()):
        raise SamplesError(f"a file of samples whose arrays {', '.join(further)} do not fit together")
    results = np.concatenate([result, arrays["seat_results"].reshape(-1), arrays["seat_values"].reshape(-1)])
    if (policy < 0).any() or (np.abs(results) > MAX_SHARE).any():
        raise SamplesError(f"a file of samples with a negative policy or a result beyond {MAX_SHARE:g} full wins")
    return Samples(**arrays, further=further)


def _check_arrays(arrays: Mapping[str, NDArray[np.float32]]) -> None:
    """Their shapes fit together, and they hold numbers."""
    shapes = {_KEYS[name]: array.shape for name, array in arrays.items()}
    rows = arrays["features"].shape[:1]
    wanted = {name: 4 if name == "features" else 2 if name in _MATRICES else 1 for name in _KEYS}
    fits = all(arrays[name].ndim == rank for name, rank in wanted.items())
    if not fits or any(shape[:1] != rows for shape in shapes.values()):
        raise SamplesError(f"a file of samples whose arrays do not fit together: {shapes}")
    if np.isinf(arrays["aux"]).any():
        raise SamplesError("a file of samples with an x that is infinite")
    for name, key in _KEYS.items():
        # Unknown auxiliary values are NaN.
        if name != "aux" and not np.isfinite(arrays[name]).all():
            raise SamplesError(f"a file of samples with a {key} that is no number")


def _check_archive(data: bytes) -> None:
    """Before NumPy evaluates what the arrays say of themselves."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        damaged = archive.testzip()
        if damaged is not None:
            raise SamplesError(f"a damaged file of samples: the checksum of {damaged} does not fit")
        # zipfile passes over entries that a damaged one seems to contain.
        end = len(data) - len(archive.comment)
        count = int.from_bytes(data[end - 12 : end - 10], "little")
        if count != len(archive.infolist()):
            raise SamplesError(f"a damaged file of samples: {len(archive.infolist())} of {count} arrays are there")


def _float32(name: str, array: object) -> NDArray[np.float32]:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise SamplesError(f"a file of samples whose {name} holds no numbers")
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, and that is refused
        return array.astype(np.float32, copy=False)

"""Samples made once and read many times: a cache that is used again only for exactly what it was made from.

A cache is a folder: `cache.json` says what the samples were made from, and names the file that holds them. That file is
complete before `cache.json` names it: whenever the process stops, the folder holds the old cache, the new one or none.
"""

from __future__ import annotations

import json
import os
import random
import re
import secrets
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar, get_args

from tengen._install import how_to_install
from tengen.runs import DiskError, atomic_write, replacing, sha256_file
from tengen.runs.disk import QUARANTINE, TEMPORARY, keep
from tengen.runs.errors import explained
from tengen.runs.lock import LOCK, locked
from tengen.runs.sealed import plain, seal, unseal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

__all__ = ["Backend", "CacheError", "CacheManifest", "InputFile", "SampleCache", "open_cache", "shuffled"]

T = TypeVar("T")
Backend: TypeAlias = Literal["jsonl", "lmdb", "none"]
Maker: TypeAlias = "Callable[[Counter[str]], Iterable[Any]]"
"""Makes the samples, each of which JSON can hold, and counts on the way what is worth telling."""

CARD = "cache.json"
FORMAT = 1
_DATA = re.compile(r"samples-[0-9a-f]{16}\.(jsonl|lmdb)")
_BLOCK = 1 << 20
_WRITES_AT_ONCE = 5000
_GB = 1024**3


class CacheError(ValueError):
    """A cache that cannot be made here, or inputs that do not stay as they are."""


@dataclass(frozen=True)
class InputFile:
    """What samples are made from. The folder that it lies in does not matter."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> InputFile:
        digest = sha256_file(path)
        return cls(path.name, path.stat().st_size, digest)


@dataclass(frozen=True)
class CacheManifest:
    """All that the samples depend on. Equal manifests, equal samples."""

    inputs: tuple[InputFile, ...]
    settings: Mapping[str, Any]
    """Of the making: filters, dimensions, targets."""
    encoder: str
    """Which version of the code that makes samples of inputs."""

    def differs(self, other: CacheManifest) -> str:
        """In words, what is not the same in the other one; empty when nothing is."""
        found = []
        if self.encoder != other.encoder:
            found.append(f"the encoder is {other.encoder}, was {self.encoder}")
        for name in sorted({*self.settings, *other.settings}):
            mine, theirs = (_shown(of.settings, name) for of in (self, other))
            if mine != theirs:
                found.append(f"{name} is {theirs}, was {mine}")
        if len(self.inputs) != len(other.inputs):
            found.append(f"the number of inputs is {len(other.inputs)}, was {len(self.inputs)}")
        for old, new in zip(self.inputs, other.inputs, strict=False):
            if old.name != new.name:
                found.append(f"input {new.name} is in the place of {old.name}")
            elif old.size != new.size:
                found.append(f"input {new.name} has {new.size:,} bytes, had {old.size:,}")
            elif old != new:
                found.append(f"input {new.name} has another content")
        return "; ".join(found)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> CacheManifest:
        inputs = tuple(InputFile(**part) for part in record["inputs"])
        return cls(inputs, record["settings"], record["encoder"])


def _shown(settings: Mapping[str, Any], name: str) -> str:
    return json.dumps(plain(settings[name]), sort_keys=True) if name in settings else "not there"


@dataclass
class SampleCache:
    """Samples in the order in which they were made; iterating again reads them again, never all at once."""

    reused: bool
    note: str
    """Why it was made anew, or that it was not."""
    tally: dict[str, int]
    """What the maker counted. Without a back end it is complete after the first pass."""
    count: int | None
    """None until samples that are not kept have been passed through once."""
    _read: Callable[[], Iterator[Any]] = field(repr=False)
    _close: Callable[[], None] = field(repr=False, default=lambda: None)

    def __iter__(self) -> Iterator[Any]:
        return self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._close()


def open_cache(
    folder: Path | None,
    backend: Backend,
    inputs: Sequence[Path],
    settings: Mapping[str, Any],
    encoder: str,
    make: Maker,
    *,
    rebuild: bool = False,
    largest_gb: float = 8.0,
) -> SampleCache:
    """The samples that `make` makes of the inputs: from the cache in `folder` if it was made from just these inputs,
    settings and encoder, else made anew. With back end `none`, or no folder, they are made anew for each pass.

    Other files than a cache's are never touched: a folder that has some is refused. `largest_gb` limits LMDB.
    """
    if backend not in get_args(Backend):
        raise CacheError(f"the cache's back end is {backend!r} and must be {', '.join(get_args(Backend))}")
    before = [_stamp(path) for path in inputs]
    if folder is None or backend == "none":
        return _uncached(make, inputs, before)
    if backend == "lmdb":
        _lmdb()
    _check_folder(folder)
    manifest = CacheManifest(tuple(InputFile.of(path) for path in inputs), plain(dict(settings)), encoder)
    try:
        reason = "it was asked for anew" if rebuild else ""
        card = None if rebuild else _read_card(folder, backend, manifest)
    except _Unfit as unfit:
        reason, card = str(unfit), None
    if card is None:
        with explained("create", folder):
            folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            card = _build(folder, backend, manifest, make, int(largest_gb * _GB))
            if before != [_stamp(path) for path in inputs]:
                (folder / CARD).unlink()
                raise CacheError(f"inputs changed while samples were made of them: {_changed(inputs, before)}")
    note = f"made anew: {reason}" if reason else f"{folder} is used again"
    read, close = _open_data(folder / card["data"], backend)
    return SampleCache(not reason, note, dict(card["tally"]), card["count"], read, close)


def _stamp(path: Path) -> tuple[int, int]:
    with explained("read", path):
        found = path.stat()
        return found.st_size, found.st_mtime_ns


def _changed(inputs: Sequence[Path], before: list[tuple[int, int]]) -> str:
    return ", ".join(str(path) for path, old in zip(inputs, before, strict=True) if _stamp(path) != old)


def _uncached(make: Maker, inputs: Sequence[Path], before: list[tuple[int, int]]) -> SampleCache:
    def read() -> Iterator[Any]:
        tally: Counter[str] = Counter()
        count = 0
        for sample in make(tally):
            count += 1
            yield sample
        if before != [_stamp(path) for path in inputs]:
            raise CacheError(f"inputs changed between passes: {_changed(inputs, before)}")
        samples.count, samples.tally = count, dict(tally)

    samples = SampleCache(False, "samples are not kept", {}, None, read)
    return samples


# Whether what is there can be used.


class _Unfit(Exception):  # noqa: N818 - says what a cache is
    """Why a cache can't be used again."""


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise CacheError(f"{folder} is a file, and a cache of samples is a folder: name another one")
    if not folder.exists():
        return
    with explained("list", folder):
        others = [entry.name for entry in folder.iterdir() if not _is_ours(entry)]
    if others:
        raise CacheError(f"{folder} holds other files than a cache's ({min(others)}): name another folder")


def _is_ours(entry: Path) -> bool:
    name = entry.name
    return name in (CARD, LOCK, QUARANTINE) or name.startswith(TEMPORARY) or _DATA.fullmatch(name) is not None


def _read_card(folder: Path, backend: Backend, manifest: CacheManifest) -> dict[str, Any]:
    """What cache.json says, if the cache is whole and was made from the same."""
    path = folder / CARD
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise _Unfit(f"{folder} holds none yet") from None
    except OSError as error:
        raise DiskError("read", path, error) from error
    try:
        card = unseal(data, spread=True)
        if card["format"] != FORMAT:
            raise _Unfit(f"{path} is of format {card['format']}, not {FORMAT}")
        made_from = CacheManifest.read(card)
    except (ValueError, LookupError, TypeError):
        raise _Unfit(f"{path} is damaged") from None
    if card["backend"] != backend:
        raise _Unfit(f"the back end is {backend}, was {card['backend']}")
    difference = made_from.differs(manifest)
    if difference:
        raise _Unfit(difference)
    stored = folder / card["data"]
    if not stored.is_file():
        raise _Unfit(f"{stored} is not there")
    if stored.stat().st_size != card["size"] or sha256_file(stored) != card["sha256"]:
        raise _Unfit(f"{stored} is damaged: its checksum does not fit")
    return card


# Making one.


def _build(folder: Path, backend: Backend, manifest: CacheManifest, make: Maker, largest: int) -> dict[str, Any]:
    _sweep(folder)
    name = f"samples-{secrets.token_hex(8)}.{backend}"
    tally: Counter[str] = Counter()
    with replacing(folder / name) as new:
        write = _write_lmdb if backend == "lmdb" else _write_jsonl
        count = write(new, (json.dumps(sample, separators=(",", ":")).encode() for sample in make(tally)), largest)
        digest, size = sha256_file(new), new.stat().st_size
    card = {
        "format": FORMAT,
        "backend": backend,
        "encoder": manifest.encoder,
        "settings": manifest.settings,
        "inputs": [asdict(part) for part in manifest.inputs],
        "data": name,
        "count": count,
        "size": size,
        "sha256": digest,
        "tally": dict(tally),
    }
    _keep_foreign_card(folder)
    atomic_write(folder / CARD, seal(plain(card), spread=True))
    for entry in folder.iterdir():
        if _DATA.fullmatch(entry.name) and entry.name != name:
            entry.unlink()
    return card


def _sweep(folder: Path) -> None:
    """Takes away what an interrupted making left. The lock is held."""
    for entry in folder.iterdir():
        if entry.name.startswith(TEMPORARY) and entry.is_file():
            with suppress(OSError):
                entry.unlink()


def _keep_foreign_card(folder: Path) -> None:
    """What has no seal of ours may be somebody's own file."""
    path = folder / CARD
    try:
        data = path.read_bytes()
        unseal(data, spread=True)
    except FileNotFoundError:
        return
    except ValueError:
        keep(data, folder / QUARANTINE / CARD)


def _write_jsonl(path: Path, samples: Iterable[bytes], _: int) -> int:
    count = 0
    with explained("write", path), path.open("wb") as file:
        for sample in samples:
            file.write(sample + b"\n")
            count += 1
    return count


def _write_lmdb(path: Path, samples: Iterable[bytes], largest: int) -> int:
    lmdb = _lmdb()
    count = 0
    try:
        with lmdb.open(str(path), subdir=False, lock=False, map_size=largest, sync=False) as environment:
            batch = []
            for sample in samples:
                batch.append((count.to_bytes(8, "big"), sample))
                count += 1
                if len(batch) == _WRITES_AT_ONCE:
                    _put(environment, batch)
                    batch = []
            _put(environment, batch)
            environment.sync(True)
    except lmdb.MapFullError:
        raise CacheError(f"{path.parent} has no room after {count:,} samples: allow LMDB more than its size") from None
    except lmdb.Error as error:
        raise CacheError(f"LMDB could not write {path.parent}: {error}") from error
    return count


def _put(environment: Any, batch: list[tuple[bytes, bytes]]) -> None:
    with environment.begin(write=True) as transaction:
        for key, value in batch:
            transaction.put(key, value, append=True)


def _lmdb() -> Any:
    try:
        import lmdb
    except ImportError:
        raise CacheError(
            f"the back end lmdb needs LMDB: {how_to_install('lmdb')}, or take the back end jsonl or none"
        ) from None
    return lmdb


# Reading. The file stays open, so that another process may replace the cache meanwhile.


def _open_data(path: Path, backend: Backend) -> tuple[Callable[[], Iterator[Any]], Callable[[], None]]:
    if backend == "lmdb":
        environment = _lmdb().open(str(path), subdir=False, lock=False, readonly=True, readahead=True)
        return lambda: _read_lmdb(environment), environment.close
    with explained("read", path):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return lambda: _read_jsonl(descriptor), lambda: os.close(descriptor)


def _read_lmdb(environment: Any) -> Iterator[Any]:
    with environment.begin(buffers=True) as transaction:
        for value in transaction.cursor().iternext(keys=False):
            yield json.loads(bytes(value))


def _read_jsonl(descriptor: int) -> Iterator[Any]:
    """At positions of its own, so that two passes do not meet."""
    at, rest = 0, b""
    while block := os.pread(descriptor, _BLOCK, at):
        at += len(block)
        *lines, rest = (rest + block).split(b"\n")
        yield from map(json.loads, lines)


def shuffled(samples: Iterable[T], buffer: int, seed: int) -> Iterator[T]:
    """The same samples in another order, of which `buffer` are in memory at a time; below 2 the order stays."""
    if buffer < 2:
        yield from samples
        return
    rng = random.Random(seed)
    held: list[T] = []
    for sample in samples:
        if len(held) < buffer:
            held.append(sample)
        else:
            place = rng.randrange(buffer)
            yield held[place]
            held[place] = sample
    rng.shuffle(held)
    yield from held

"""Inputs, caches and progress of the training commands."""

from __future__ import annotations

import glob
import time
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import typer

from tengen.champion.league import LOG
from tengen.console.files import ForceOption, check_target
from tengen.console.options import JsonOption
from tengen.console.output import UsageError, usage_errors
from tengen.console.progress import Bar, rate_text
from tengen.labs.matgo.cache import CacheError, open_cache
from tengen.labs.matgo.models import SAMPLES_VERSION, FilterRules
from tengen.labs.matgo.traces.log_files import read_lines
from tengen.labs.matgo.traces.log_reader import read_log

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tengen.labs.matgo.cache import SampleCache
    from tengen.labs.matgo.traces.log_reader import GameLog

__all__ = [
    "CacheOption",
    "InputOption",
    "RulesOption",
    "SampleOptions",
    "cached",
    "counted",
    "find_inputs",
    "how_made",
    "limited",
    "log_games",
    "read_rules",
    "tally_text",
]

T = TypeVar("T")

InputOption: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--input",
        metavar="FILE",
        help="Logs of `tengen matgo log`, or the folder of a league with logs; may be repeated, * is allowed.",
        show_default=False,
    ),
]
CacheOption: TypeAlias = Annotated[
    str,
    typer.Option(metavar="FOLDER", help="Where samples are cached: auto is beside the model, none is nowhere."),
]
RulesOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE.json", help="Which decisions count; see the documentation.", show_default="built in"),
]


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """Options for the samples that a model learns from, their cache, and the model's file."""

    inputs: InputOption
    output: Annotated[Path, typer.Option("--output", metavar="FILE.json", help="The model.", show_default=False)]
    valid_ratio: Annotated[
        float, typer.Option(min=0, max=1, metavar="X", help="Share of the deals kept from training, to measure by.")
    ] = 0.1
    max_samples: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Take the first N samples.", show_default="all")
    ] = None
    sample_cache: CacheOption = "auto"
    cache_backend: Annotated[
        Literal["jsonl", "lmdb", "none"], typer.Option(help="How samples are cached; lmdb needs the extra lmdb.")
    ] = "jsonl"
    rebuild_cache: Annotated[bool, typer.Option("--rebuild-cache", help="Make the cache anew in any case.")] = False
    lmdb_map_size_gb: Annotated[float, typer.Option(metavar="GB", help="The largest LMDB cache.")] = 8.0
    filter_rules: RulesOption = None
    json: JsonOption = False
    force: ForceOption = False

    def find_logs(self) -> list[Path]:
        """Check the options that can be checked before the work, and return the logs."""
        if not self.lmdb_map_size_gb > 0:
            raise UsageError(f"--lmdb-map-size-gb is {self.lmdb_map_size_gb} and must be above 0")
        files = find_inputs(self.inputs)
        check_target(self.output, force=self.force)
        return files

    def cache_folder(self) -> Path | None:
        if "none" in (self.sample_cache, self.cache_backend):
            return None
        if self.sample_cache == "auto":
            return self.output.with_name(f"{self.output.stem}.samples")
        return Path(self.sample_cache)


def find_inputs(patterns: list[str]) -> list[Path]:
    """Return each file once, in the order of the patterns. A folder stands for the logs of the league in it."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        if Path(pattern).is_dir():
            found |= dict.fromkeys(_league_logs(Path(pattern)))
            continue
        matches = [Path(pattern)] if Path(pattern).is_file() else [Path(name) for name in sorted(glob.glob(pattern))]  # noqa: PTH207 - absolute patterns too
        files = [path for path in matches if path.is_file()]
        if not files:
            raise UsageError(f"--input: there is no file {pattern}")
        found |= dict.fromkeys(files)
    return list(found)


def _league_logs(folder: Path) -> list[Path]:
    logs = sorted(folder.glob(f"steps/*/{LOG}"))
    if not logs:
        raise UsageError(f"--input: {folder} holds no logs; a league writes them with --logs")
    return logs


def read_rules(path: Path | None, default: FilterRules) -> FilterRules:
    if path is None:
        return default
    with usage_errors(f"{path}: "):
        return FilterRules.parse(path.read_text(encoding="utf-8-sig"), default)


def log_games(inputs: list[Path], bar: Bar) -> Iterator[GameLog]:
    """Yield the games of the logs. A TraceError names the file and the line that is not a game."""
    total = sum(path.stat().st_size for path in inputs)
    began, done = time.monotonic(), 0
    bar.begin("reading logs (bytes)", total)

    def advance(read: int) -> None:
        bar.advance(done + read, rate_text((done + read) / 1e6, time.monotonic() - began, "MB"))

    for path in inputs:
        yield from read_log(read_lines(path, advance), str(path))
        done += path.stat().st_size
    bar.end()


def limited(samples: Iterator[T], limit: int | None) -> Iterator[T]:
    return samples if limit is None else islice(samples, limit)


def how_made(cache: SampleCache, backend: str) -> dict[str, Any]:
    """For a model's summary."""
    note = {"backend": backend, "reused": cache.reused, "note": cache.note}
    return {"samples": cache.count, "tally": cache.tally, "cache": note}


def tally_text(cache: SampleCache) -> str:
    """Such as: 1,000 decisions of 30 games (200 filtered)."""
    tally = dict(cache.tally)
    games, decisions = tally.pop("games", 0), tally.pop("decisions", 0)
    rest = ", ".join(f"{count:,} {name}" for name, count in tally.items())
    return f"{decisions:,} decisions of {games:,} games" + (f" ({rest})" if rest else "")


@contextmanager
def cached(
    options: SampleOptions,
    inputs: list[Path],
    settings: Mapping[str, Any],
    encoder: str,
    make: Callable[[Counter[str]], Iterable[Any]],
) -> Iterator[SampleCache]:
    try:
        with (
            usage_errors(),
            open_cache(
                options.cache_folder(),
                options.cache_backend,
                inputs,
                settings,
                f"{encoder}, {SAMPLES_VERSION}",
                make,
                rebuild=options.rebuild_cache,
                largest_gb=options.lmdb_map_size_gb,
            ) as cache,
        ):
            yield cache
    except CacheError as error:
        raise UsageError(str(error)) from error


def counted(samples: Iterable[Any], bar: Bar, text: str, total: int | None) -> Iterator[Any]:
    """Yield the samples and show their number in a bar."""
    began = time.monotonic()
    bar.begin(text, total or 1)
    for number, sample in enumerate(samples, start=1):
        if total:
            bar.advance(number, rate_text(number, time.monotonic() - began, "samples"))
        yield sample
    bar.end()

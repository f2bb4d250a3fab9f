"""Configurations: KataGo's files of `key = value`, what the command line changes in them, and what a query does."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tengen.analysis.keys import ConfigError, Key, keys_of, read_value
from tengen.analysis.params import Params, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Config", "load_config", "parse_overrides", "read_config_file"]

_WHITESPACE: Final = " \t\r\n\v\f"
_LINE: Final = re.compile(
    rf"(?P<key>[A-Za-z0-9_-]+)[{_WHITESPACE}]*=[{_WHITESPACE}]*"
    rf'(?:"(?P<quoted>(?:[^"\\]|\\.)+)"[{_WHITESPACE}]*|(?P<plain>[^"#{_WHITESPACE}][^#]*))(?:#.*)?',
    re.DOTALL,
)
_INCLUDE: Final = "@include"
_INCLUDE_GAP: Final = " \t\v\f="
# Keys of graphics cards and other hardware, numbered ones among them: accepted without effect.
_HARDWARE: Final = re.compile(
    r"(?:cuda|trt|metal|opencl|rocm|eigen|onnx|dummybackend|numNNServerThreadsPerModel|nnMaxBatchSize).*"
    r"|(?:device|gpu)ToUse(?:Model\d+)?(?:Thread\d+)?|useFP16(?:-\d+)?|inputsUseNHWC\d*"
    r"|maxBoard[XY]?SizeForNNBuffer0?|requireMaxBoardSize0?|nnRandSeed0"
)
# Keys about moves that KataGo is to avoid because of earlier games: accepted without effect.
_PATTERNS: Final = re.compile(
    r"avoidSgf\d*Pattern(?:Utility|Lambda|MinTurnNumber|MaxFiles|AllowedNames|Dirs)0?"
    r"|autoAvoidRepeat[A-Z][A-Za-z]*(?:\d+x\d+)?|avoidMYTDaggerHack"
)
_ALIAS: Final = ("numSearchThreadsPerAnalysisThread", "numSearchThreads")
Table = TypeVar("Table")
_OVERRIDDEN: Final = " and/or command-line and query overrides"


@dataclass(frozen=True)
class Config:
    """A configuration that was read. What does not fit its key is found when `params` or `settings` is asked for."""

    values: Mapping[str, str] = field(default_factory=dict)
    name: str = "default config"
    """For errors: a file's name without its folder."""
    has_overrides: bool = False

    @cached_property
    def params(self) -> Params:
        return self.read(Params)

    @cached_property
    def settings(self) -> Settings:
        return self.read(Settings)

    @property
    def source(self) -> str:
        return self.name + (_OVERRIDDEN if self.has_overrides else "")

    def read(self, table: type[Table]) -> Table:
        """A table of keys, also one that a program of its own has."""
        values = self.values_of(table)
        return table(**{part.name: values[part.name] for part in dataclasses.fields(table)})  # type: ignore[arg-type]

    def values_of(self, table: type) -> dict[str, Any]:
        """The values of all keys of a table, also of those that nothing reads, by their names in Python."""
        if table not in self._read:
            self._read[table] = _read_table(self, table)
        return self._read[table]

    @cached_property
    def _read(self) -> dict[type, dict[str, Any]]:
        return {}

    def check(self) -> None:
        """Raises a ConfigError when a value does not fit."""
        _ = self.params, self.settings

    def override(self, changes: Mapping[str, str]) -> Config:
        """Return a configuration with these keys changed; a key with an empty text is removed."""
        values = {**self.values, **changes}
        kept = {key: value for key, value in values.items() if value}
        return dataclasses.replace(self, values=kept, has_overrides=True)

    def override_for_query(self, changes: Mapping[str, str]) -> tuple[Params, list[str]]:
        """The parameters of one query, and those of its keys that mean nothing here."""
        changed = self.override(changes)
        before, after = self.values_of(Params), changed.values_of(Params)
        for name, key in keys_of(Params).items():
            if not key.is_changeable and after[name] != before[name]:
                raise ConfigError(f"Cannot change {key.name} after initialization")
        read = {key.name for key in _read_keys(Params, after).values()}
        return changed.params, sorted(set(changed.values) - set(self.values) - read)

    def notes(self, *more: type) -> list[str]:
        """Return warnings for the start: unknown keys, and keys that are accepted without effect.

        `more` are further tables of keys that a program for play reads.
        """
        tables: dict[str, Key] = {}
        for table in (Params, Settings, *more):
            tables |= {key.name: key for key in _read_keys(table, self.values_of(table)).values()}
        effects = ("used", "play") if more else ("used",)
        unknown, idle = [], []
        for name in sorted(self.values):
            key = tables.get(name)
            if key is None and not _HARDWARE.fullmatch(name) and not _PATTERNS.fullmatch(name):
                unknown.append(name)
            elif key is None or key.effect not in effects:
                idle.append(name)
        lines = [f"WARNING: Unused key '{name}' in {self.source}" for name in unknown]
        if lines:
            head = "WARNING: Config had unused keys! You may have a typo, an option you specified is being unused from "
            lines = ["--------------", head + self.source, *lines, "--------------"]
        if idle:
            lines.append(f"WARNING: these keys of {self.source} are accepted without effect: {', '.join(idle)}")
        return lines


def load_config(files: Sequence[Path | str] = (), overrides: Iterable[str] = ()) -> Config:
    """The configuration of a process: files, of which later ones win, then texts such as "maxVisits=100,maxTime=5"."""
    values: dict[str, str] = {}
    for file in files:
        values |= read_config_file(Path(file))
    name = Path(files[0]).name if files else Config.name
    config = Config(values, name)
    for text in overrides:
        if text:
            config = config.override(parse_overrides(text))
    config = dataclasses.replace(config, values=_without_alias(config.values))
    config.check()
    return config


def parse_overrides(text: str) -> dict[str, str]:
    """Parse the `key=value` pairs of a command line, which are separated by commas."""
    found = {}
    for part in text.split(","):
        plain = part.strip(_WHITESPACE)
        key, equals, value = plain.partition("=")
        if plain and not equals:
            raise ConfigError(f"Could not parse kv pair, could not find '=' in:{plain}")
        if plain:
            found[key.strip(_WHITESPACE)] = value.strip(_WHITESPACE)
    return found


def read_config_file(path: Path) -> dict[str, str]:
    """The keys of a file and of the files that it includes; what comes later wins over what was included."""
    return _read_file(path, [])


def _read_file(path: Path, seen: list[Path]) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise ConfigError(f"Could not open config file {path}: {error.strerror}") from error
    seen.append(path.resolve())
    values: dict[str, str] = {}
    own: set[str] = set()
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(_WHITESPACE)
        where = f", line {number} in '{path.name}'"
        if line.startswith("@"):
            other = path.parent / _parse_include(line, where)
            if other.resolve() in seen:
                raise ConfigError(f"Circular or multiple inclusion of the same file: '{other.name}'{where}")
            values |= _read_file(other, seen)
        elif line and not line.startswith("#"):
            key, value = _parse_line(line, where)
            if key in own:
                raise ConfigError(
                    f"Key '{key}' + was specified multiple times in {path.name}, you probably didn't mean to do this, "
                    "please delete one of them"
                )
            own.add(key)
            values[key] = value
    return values


def _parse_line(line: str, where: str) -> tuple[str, str]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ConfigError(f"Could not parse key value pair{where}")
    if found["quoted"] is not None:
        return found["key"], re.sub(r"\\(.)", r"\1", found["quoted"])
    return found["key"], found["plain"].strip(_WHITESPACE)


def _parse_include(line: str, where: str) -> str:
    line = line.partition("#")[0]
    if len(line) < 9:
        raise ConfigError(f"Unsupported @ directive{where}")
    gap = next((at for at, letter in enumerate(line) if letter in _INCLUDE_GAP), None)
    if gap is None:
        raise ConfigError(f"@ directive without value (key-val separator is not found){where}")
    directive = line[:gap]
    if directive != _INCLUDE:
        raise ConfigError(f"Unsupported @ directive '{directive}'{where}")
    value = line[gap:].lstrip(_INCLUDE_GAP).strip(_WHITESPACE).strip("'").strip('"')
    if not value:
        raise ConfigError(f"@ directive without value (value after key-val separator is not found){where}")
    if value.startswith(("/", "\\")):
        raise ConfigError("Absolute paths in the included files are not supported yet")
    return value


def _without_alias(values: Mapping[str, str]) -> dict[str, str]:
    alias, name = _ALIAS
    if alias in values and name in values:
        raise ConfigError(f"Cannot specify both {alias} and {name} in the same config")
    return {name if key == alias else key: value for key, value in values.items()}


def _read_keys(table: type, found: Mapping[str, Any]) -> dict[str, Key]:
    """The keys that are read, given what was read."""
    return {
        name: key for name, key in keys_of(table).items() if key.needs is None or found[key.needs[0]] == key.needs[1]
    }


def _read_table(config: Config, table: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, key in keys_of(table).items():
        text = config.values.get(key.name)
        if text is None or (key.needs is not None and found[key.needs[0]] != key.needs[1]):
            found[name] = _default(name, key, found, config.values)
            continue
        if key.is_human:
            raise ConfigError(
                f"Provided parameter {key.name} but no human model was specified "
                "(e.g -human-model b18c384nbt-humanv0.bin.gz)"
            )
        found[name] = read_value(key, text, config.source)
        if name == "num_bots" and found[name] != 1:
            raise ConfigError("The config for this command cannot have numBots > 0")
    return found


def _default(name: str, key: Key, found: Mapping[str, Any], given: Mapping[str, str]) -> Any:
    """Some follow from what was read before, or from what was given."""
    if name == "max_visits":
        return key.default if given.keys().isdisjoint(("maxPlayouts", "maxTime")) else key.high
    if name == "root_policy_temperature_early":
        return found["root_policy_temperature"]
    if name == "root_fpu_reduction_max":
        return 0.0 if found["root_noise_enabled"] else key.default
    if name == "root_fpu_loss_prop":
        return found["fpu_loss_prop"]
    if name == "root_policy_optimism":
        return min(found["policy_optimism"], key.default)
    return key.default

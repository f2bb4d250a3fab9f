"""The commands together. Each is imported when it is called: names and a line of help are all that is known before."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from tengen import __version__
from tengen.cli.commands import COMMANDS, Command, Group, game_examples

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["app", "main"]

_NAMES_WIDTH = 24


class _ShownCommand(TyperCommand):
    """A command whose help is for people: of an option the names they type, of an argument its name alone."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [re.sub(r"[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if hasattr(error, "possibilities"):
                _advise(error, self.params)
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        arguments, options = [], []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                arguments.append((record[0].partition(" <")[0], _plain_notes(record[1])))
            else:
                options.append((_plain_names(record[0]), _plain_notes(record[1])))
        for title, rows in (("Arguments", arguments), ("Options", options)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=_NAMES_WIDTH)


def _advise(error: Any, params: Sequence[Any]) -> None:
    """Add how a search setting is given if somebody wrote it as an option that the command does not have."""
    from tengen.games.settings import settings_of
    from tengen.search import SearchSettings

    name = str(error.option_name).lstrip("-").replace("-", "_")
    known = settings_of(SearchSettings.__init__)
    if name not in known:
        return
    setting = f"{name}={'true' if known[name].is_flag else 'VALUE'}"
    if any("--tune" in param.opts for param in params):
        error.message += f": {name} is a search setting, --tune {setting}"
        error.possibilities = None
    elif any(param.metavar in ("PLAYER", "FIRST") for param in params):
        error.message += f": {name} is a setting of a player that searches, as in rollout:1000,{setting}"
        error.possibilities = None


def _plain_names(names: str) -> str:
    """Return the names of an option without brackets, aliases, and spellings such as -config, which are for programs
    that start an engine."""
    from tengen.console.option_names import ALIASES

    parts = re.sub(r"<(.*?)>", r"\1", names).split(", ")
    shown = [part for part in parts if part.startswith("--") or len(part.split()[0]) <= 2]
    kept = [part for part in shown if part.split()[0] not in ALIASES]
    value = shown[-1].partition(" ")[2] if kept and kept[-1] != shown[-1] else ""
    return ", ".join(kept) + (f" {value}" if value else "")


def _plain_notes(text: str) -> str:
    """The notes behind a help text, in words: [default: (a quarter); 1<=x<=64]. Nobody needs to hear x>=1."""
    body, bracket, notes = text.rpartition("  [")
    if not bracket:
        return text
    parts = [part for part in notes.removesuffix("]").split("; ") if part not in ("x>=0", "x>=1")]
    words = [re.sub(r"(.+)<=x<=(.+)", r"\1 to \2", part).replace("x>=", "at least ") for part in parts]
    words = [re.sub(r"^default: \((.*)\)$", r"default: \1", part) for part in words]
    return f"{body}  [{'; '.join(words)}]" if words else body


class _ListedCommand(TyperCommand):
    """Stands for a command until it is called."""

    def __init__(self, name: str, command: Command) -> None:
        super().__init__(name, short_help=command.help, hidden=command.hidden)
        self._command = command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return self.load().make_context(info_name, args, parent, **extra)

    def load(self) -> TyperCommand:
        module, _, function = self._command.function.partition(":")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        examples = self._command.examples or game_examples(self.name or "")
        add = alone.command(self.name, cls=_ShownCommand, epilog=_examples(examples))
        add(getattr(import_module(f"{self._command.package}.{module}"), function))
        loaded = typer.main.get_command(alone)
        assert isinstance(loaded, TyperCommand)
        return loaded


def _examples(lines: Sequence[str]) -> str | None:
    # \b keeps lines as they are.
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)]) if lines else None


def _group(name: str, group: Group) -> TyperGroup:
    return TyperGroup(
        name=name,
        help=group.help,
        short_help=group.help,
        epilog=_examples(group.examples),
        commands={name: _ListedCommand(name, command) for name, command in group.commands.items()},
        no_args_is_help=True,
        rich_markup_mode=None,
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tengen {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Show the version and leave."),
    ] = False,
) -> None:
    """Options before a command."""


class _CommandGroup(TyperGroup):
    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        self.epilog = f"Start with: {game_examples('play')[0]}."
        super().format_epilog(ctx, formatter)


def _make_app() -> TyperGroup:
    # Typer's framed help cuts long names and calls flags <bool>; the plain one does not, and needs no further package.
    empty = typer.Typer(
        name="tengen",
        callback=_options,
        help="Grow a champion for a game, then play it, match it and ask it anything.",
        cls=_CommandGroup,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    group = typer.main.get_command(empty)
    assert isinstance(group, TyperGroup)
    for name, command in COMMANDS.items():
        group.add_command(_group(name, command) if isinstance(command, Group) else _ListedCommand(name, command))
    return group


app = _make_app()


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Boards are drawn with signs that a terminal of another encoding lacks: better a question mark than an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="tengen")

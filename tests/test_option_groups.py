"""Options that several commands share: a dataclass whose fields are options."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from tengen.console.option_groups import with_option_groups

SizeOption = Annotated[int, typer.Option("--size", min=2)]


@dataclass(frozen=True, kw_only=True)
class Shared:
    name: Annotated[str, typer.Option("--name")]
    size: SizeOption = 9


@dataclass(frozen=True, kw_only=True)
class Small(Shared):
    size: SizeOption = 5


@with_option_groups
def command(shared: Small, loud: bool = False) -> None:
    """Greets."""
    typer.echo(f"{shared.name} {shared.size} {loud}")


def run(*words):
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, words)


def test_fields_are_options_with_their_own_defaults():
    assert run("--name", "Aki").output == "Aki 5 False\n"
    assert run("--name", "Aki", "--size", "7", "--loud").output == "Aki 7 True\n"


def test_what_an_option_demands_is_demanded():
    assert run().exit_code == 2
    assert run("--name", "Aki", "--size", "1").exit_code == 2


def test_the_command_keeps_its_documentation_and_shows_its_options():
    assert inspect.getdoc(command) == "Greets."
    assert list(inspect.signature(command).parameters) == ["name", "size", "loud"]

"""The command line: `tengen <verb> <game>`."""

from tengen.cli.app import app, main

__all__ = ["app", "main"]

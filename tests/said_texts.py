"""What sources say to people, and what translations take."""

import ast
import string


def placeholders(text):
    return sorted((name, spec, conversion) for _, name, spec, conversion in string.Formatter().parse(text) if name)


def said_in(path, names, *, after_game=("say", "translate")):
    """Texts that a file passes as the first argument, or after the game, to what says them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name in names and node.args:
            first = node.args[1 if name in after_game and len(node.args) > 1 else 0]
            for part in ast.walk(first):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value

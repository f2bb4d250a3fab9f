"""Go positions as tests draw them."""

import tengen


def setup(rows, to_play="b", rules="tromp-taylor", komi=0, **options):
    """A state from rows of X, O and dots, the top one first."""
    rows = rows.split()
    game = tengen.game("go", size=len(rows[0]), height=len(rows))
    cells = enumerate("".join(rows))
    stones = [("b" if mark == "X" else "w", game.name(cell)) for cell, mark in cells if mark != "."]
    return game.start(rules=rules, komi=komi, stones=stones, to_play=to_play, **options)


def play(state, moves):
    for move in moves.split():
        state = state.play(move)
    return state


def legal_names(state):
    return {state.game.name(action) for action in state.legal()}


def is_no_result(state):
    return state.game.go.ended(state.position) == 3


def white_komi(state):
    return state.game.go.white_komi(state.position)


def phase(state):
    return state.game.go.phase(state.position)

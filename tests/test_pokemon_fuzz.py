"""Whatever a server sends: a tracker takes it, teams can be drawn, and a position can be written and dealt."""

from pokemon_fuzz import Fuzz

from tengen import _core
from tengen.games.pokemon import requests
from tengen.games.pokemon.knowledge import knowledge
from tengen.games.pokemon.position import position
from tengen.games.pokemon.tracker import Tracker


def check(tracker, seed):
    """What a player would ask of it."""
    assert all(0 <= action < 14 for action in requests.offered(tracker))
    members, _, _ = knowledge(tracker).draw_team(seed)
    assert len(members) == 6
    if len(tracker.own.team) == 6 and not tracker.is_over:
        written, known = position(tracker, seed)
        _core.pokemon_redeal(written, known, tracker.side or 0, seed)


def test_spoiled_lines_do_no_harm():
    fuzz = Fuzz(1)
    for battle in range(40):
        tracker = Tracker(battle % 2 if battle % 3 else None)
        for number, line in enumerate(fuzz.battle(200)):
            tracker.feed(line)
            if number % 40 == 39:
                check(tracker, number)


def test_memory_stays_flat_while_nobody_says_whose_view_it_is():
    tracker = Tracker()
    for number in range(20_000):
        tracker.feed(f"|-message|{number}")
    assert len(tracker._waiting) <= 500

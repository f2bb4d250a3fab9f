"""Tracked battles as positions: the core reads them, deals them anew, and offers just what the simulator offered."""

import pytest
from pokemon_logs import ALL, read_logs, view_of

from tengen import _core
from tengen.games.pokemon import requests
from tengen.games.pokemon.position import position
from tengen.games.pokemon.set_masks import sets_of
from tengen.games.pokemon.tracker import Tracker


def deals(logs, seeds=1):
    """(where, tracker, the position, positions dealt from it) at every decision."""
    for log in logs:
        for side in (0, 1):
            tracker, done = Tracker(), 0
            for decision in log["decisions"]:
                tracker.feed_all(view_of(log, side)[done : decision["at"][side]])
                done = decision["at"][side]
                written, known = position(tracker, decision["turn"])
                dealt = [_core.pokemon_redeal(written, known, side, seed) for seed in range(seeds)]
                yield f"{log['id']} side {side} turn {decision['turn']}", tracker, written, dealt


def check_offers(logs):
    count = 0
    for where, tracker, _, dealt in deals(logs):
        if not tracker.request.get("wait"):
            assert [offered for _, offered in dealt] == [requests.offered(tracker)], where
            count += 1
    return count


def test_dealt_positions_offer_what_the_request_does():
    assert check_offers(read_logs()) > 600


@pytest.mark.slow
def test_dealt_positions_offer_what_the_request_does_in_more_battles():
    """A fourth of those recorded; tests/soak/pokemon_tracker.py takes them all."""
    if not ALL.exists():
        pytest.skip(f"the recorded battles are not at {ALL}")
    assert check_offers(read_logs(ALL)[::4]) > 2_500


def may_be_shown(hp, forme, percent, is_benched):
    """Whether so many hit points are that many percent of what a set of the forme may have."""
    sets = sets_of(forme).sets
    base, level = sets[0].base_stats[0], sets[0].level
    least, most = ((2 * base + 31 + ev // 4 + 100) * level // 100 + 10 for ev in (0, 85))
    healed = most // 3 if is_benched and any(one.ability == "regenerator" for one in sets) else 0
    return (percent - 1) * least // 100 <= hp <= percent * 2 * most // 100 + healed and (
        is_benched is False or hp <= percent * most // 100 + healed
    )


def test_dealt_positions_look_like_the_battle():
    for where, tracker, written, dealt in deals(read_logs()[:5], seeds=2):
        own, other = tracker.side, 1 - tracker.side
        for new, _ in dealt:
            mine, theirs = new["sides"][own], new["sides"][other]
            assert [one["hp"] for one in mine["team"]] == [one["hp"] for one in written["sides"][own]["team"]], where
            names = [pokemon.name for pokemon in tracker.other.team.values()]
            if theirs["active"] < len(names):  # else it is Zoroark, and was not seen
                assert names[theirs["active"]] == tracker.other.active, where
            for name, pokemon in zip(names, theirs["team"], strict=False):
                seen = tracker.other.team[name]
                assert bool(pokemon.get("fainted")) == seen.is_fainted, where
                if not seen.is_fainted and seen.evidence.disguise == 0 and seen.forme != "shedinja":
                    is_benched = name != tracker.other.active
                    assert may_be_shown(pokemon["hp"], seen.forme, seen.hp, is_benched), where
                if seen.evidence.disguise == 0:
                    known = {move for move, facts in seen.moves.items() if facts.used}
                    assert known <= {move for move, *_ in pokemon["moves"]} or seen.evidence.past != -1, where


def test_worlds_differ_and_seeds_do_not():
    seen = set()
    for _, tracker, written, dealt in deals(read_logs()[:2], seeds=3):
        again = _core.pokemon_redeal(written, position(tracker, 0)[1], tracker.side, 0)
        assert again == dealt[0]
        seen.add(str([new["sides"][1 - tracker.side]["team"] for new, _ in dealt]))
        assert all(len(new["sides"]) == 2 for new, _ in dealt)
    assert len(seen) > 50

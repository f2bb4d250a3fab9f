"""The battle engine against recorded answers of the simulator. tests/data/pokemon/README.md describes them; the whole
record is judged by the checker that comes with it (../shared)."""

import collections
import gzip
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from pokemon_steps import differences, judge

from tengen import _core
from tengen.games.pokemon.conformance import Adapter

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data" / "pokemon"
SHARED = Path(os.environ.get("TENGEN_SHARED", ROOT.parent / "shared")) / "golden" / "pokemon"
STATS = ["hp", "atk", "def", "spa", "spd", "spe"]


def read(name):
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def patch(before, change):
    """The position after a scripted step, from the one before and what changed."""
    if not isinstance(change, dict):
        return change
    if isinstance(before, list):
        return [patch(x, change[str(i)]) if str(i) in change else x for i, x in enumerate(before)]
    out = {k: v for k, v in before.items() if k not in change.get("-", ())} if isinstance(before, dict) else {}
    for key, value in change.items():
        if key != "-":
            out[key] = patch(out[key], value) if key in out and isinstance(value, dict) else value
    return out


def test_scripted_steps_end_where_the_simulator_does():
    adapter, wrong, runs = Adapter(), [], 0
    for case in read("scripted"):
        for run in case["runs"]:
            runs += 1
            adapter.load(case["position"])
            got = adapter.scripted(case["choices"], {"name": run["script"]})
            wrong += [
                f"{case['id']}{run['script']} {d}" for d in differences(patch(case["position"], run["after"]), got)
            ]
    assert wrong == []
    assert runs > 250


def test_steps_that_once_differed_are_the_simulators():
    """Found by tests/soak/pokemon_differential.py."""
    steps = read("steps")
    assert [f"{step['id']} {wrong}" for step in steps for wrong in judge(step)] == []
    assert len(steps) > 10


def test_legal_choices_are_the_simulators():
    adapter = Adapter()
    for case in read("legal"):
        adapter.load(case["position"])
        for side in (0, 1):
            shown = case["position"]["sides"][side]
            assert adapter.legal(side) == shown["legal"], case["special"]
            battle = _core.PokemonBattle.read(case["position"])
            assert battle.offered(side) == shown.get("offered", shown["legal"]), case["special"]


def test_a_queue_may_hold_more_than_moves():
    """An Emergency Exit on coming in leaves what the other side has chosen, be it Dynamax or a switch."""
    case = next(
        case
        for case in read("steps")
        for action in case["position"].get("queue", [])
        if action["choice"] == "move" and not case["position"]["sides"][int(action["pokemon"][1]) - 1]["dynamaxUsed"]
    )
    position = case["position"]
    (move,) = [action for action in position["queue"] if action["choice"] == "move"]
    waits = int(move["pokemon"][1]) - 1
    slot = position["sides"][1 - waits]["legal"][0]
    choices = [None, slot] if waits == 0 else [slot, None]
    rest = [action for action in position["queue"] if action["choice"] != "move"]
    grow = {"choice": "runDynamax", "pokemon": move["pokemon"], "order": 105}
    position["queue"] = [grow, {**move, "maxMove": "maxmove"}, *rest]
    after = _core.PokemonBattle.read(position).play(*choices, 1).position()["sides"][waits]
    assert after["dynamaxUsed"]
    bench = next(
        i for i, own in enumerate(position["sides"][waits]["team"]) if not own.get("fainted") and not own.get("active")
    )
    switch = {"choice": "switch", "pokemon": move["pokemon"], "target": f"p{waits + 1}:{bench}", "order": 103}
    position["queue"] = [switch, *rest]
    after = _core.PokemonBattle.read(position).play(*choices, 1).position()["sides"][waits]
    assert after["active"] == bench
    position["queue"] = [{"choice": "megaEvo", "pokemon": move["pokemon"]}]
    with pytest.raises(ValueError, match=r"queue\[0\].choice must be one of 'move', .* got 'megaEvo'"):
        _core.PokemonBattle.read(position)


def draws_of(case):
    """Every recorded play: its outcome in short, and twelve hit points."""
    for outcome in case["outcomes"]:
        for count, *values in outcome["hp"]:
            hp = list(case["hp"])
            for index, value in zip(case["vary"], values, strict=True):
                hp[index] = value
            yield from [(json.dumps(outcome["state"]), tuple(hp))] * count


def test_outcomes_are_those_that_were_recorded():
    adapter = Adapter()
    for case in read("transitions"):
        adapter.load(case["position"])
        recorded = list(draws_of(case))
        made = [adapter.step(case["choices"], seed) for seed in range(8 if case.get("deterministic") else 400)]
        made = [(json.dumps(state), tuple(hp)) for state, hp in made]
        if case.get("deterministic"):
            assert set(made) == set(recorded), case["id"]
            continue
        theirs, ours = (collections.Counter(state for state, _ in plays) for plays in (recorded, made))
        # An outcome with a tenth of one sample is missing from the other by chance in less than one case of 500.
        assert {s for s, n in theirs.items() if n > len(recorded) / 10} <= set(ours), case["id"]
        assert {s for s, n in ours.items() if n > len(made) / 10} <= set(theirs), case["id"]
        for i in range(12):
            values = {hp[i] for _, hp in made}
            seen = [hp[i] for _, hp in recorded]
            assert sum(value in values for value in seen) > 0.8 * len(seen), (case["id"], i)


def to_id(name):
    return "".join(c for c in unicodedata.normalize("NFKD", name).lower() if c.isascii() and c.isalnum())


def fighter(entry, stats, max_hp, move):
    """A Pokémon of a damage calculator as the only one of its side."""
    boosts = dict(entry.get("boosts", {}))
    ability, item = to_id(entry["ability"]), to_id(entry["item"] or "")
    return {
        "species": to_id(entry["species"]), "level": entry.get("level", 100), "setAbility": ability, "ability": ability,
        "setItem": item, "item": item, "stats": [stats[s] for s in STATS], "evs": [entry["evs"][s] for s in STATS],
        "ivs": [entry["ivs"][s] for s in STATS], "hp": entry.get("curHP", max_hp), "maxhp": max_hp, "active": True,
        "moves": [[to_id(move), 8, 8]], "gigantamax": entry.get("gigantamax", False), "activeTurns": 1,
        "boosts": boosts, "status": entry.get("status", ""),
        "volatiles": {"dynamax": {"turns": 0}} if entry.get("isDynamaxed") else {},
    }  # fmt: skip


def raise_on_entry(own, foe, foe_stats):
    """The calculator counts what abilities raise on coming in."""
    if own["ability"] in ("intrepidsword", "dauntlessshield"):
        stat = "atk" if own["ability"] == "intrepidsword" else "def"
        own["boosts"][stat] = min(6, own["boosts"].get(stat, 0) + 1)
    if own["ability"] == "download":
        staged = {}
        for stat in ("def", "spd"):
            stage = foe["boosts"].get(stat, 0)
            staged[stat] = foe_stats[stat] * (2 + stage) // 2 if stage >= 0 else foe_stats[stat] * 2 // (2 - stage)
        stat = "spa" if staged["def"] >= staged["spd"] else "atk"
        own["boosts"][stat] = own["boosts"].get(stat, 0) + 1


def damage_position(case):
    own = fighter(case["attacker"], case["attackerStats"], case["attackerMaxHP"], case["move"])
    foe = fighter(case["defender"], case["defenderStats"], case["defenderMaxHP"], "protect")
    raise_on_entry(own, foe, case["defenderStats"])
    raise_on_entry(foe, own, case["attackerStats"])
    if case["move"] == "Meteor Beam" and not case["useMax"]:
        own["boosts"]["spa"] = own["boosts"].get("spa", 0) + 1
    weather = {"Rain": "raindance", "Sun": "sunnyday", "Sand": "sandstorm", "Hail": "hail"}.get(
        case["field"].get("weather")
    )
    field = {"weather": {"id": weather, "duration": 5}} if weather else {}
    if "terrain" in case["field"]:
        field["terrain"] = {"id": case["field"]["terrain"].lower() + "terrain", "duration": 5}
    screens = case["field"].get("defenderSide", {})
    conditions = {name[2:].lower(): {"duration": 5} for name, there in screens.items() if there}
    sides = [
        {
            "order": list(range(6)), "active": 0, "left": 1, "request": "move", "conditions": there,
            "team": [member, *[{**member, "hp": 0, "fainted": True, "active": False}] * 5],
        }
        for member, there in ((own, {}), (foe, conditions))
    ]  # fmt: skip
    return {"turn": 5, "field": field, "sides": sides}


def test_damage_is_the_calculators_in_all_sixteen_rolls():
    cases = read("damage")
    for case in cases:
        battle = _core.PokemonBattle.read(damage_position(case))
        want = case["damage"]
        hits = want if isinstance(want, list) and isinstance(want[0], list) else [want]
        for i, rolls in enumerate(hits):
            got = battle.damage(0, to_id(case["move"]), case["useMax"], case["isCrit"], i + 1)
            assert got == (rolls if isinstance(rolls, list) else [rolls] * 16), case["id"]
    assert len(cases) == 408


def test_refusals_name_what_was_wrong():
    position = read("legal")[0]["position"]
    battle = _core.PokemonBattle.read(position)
    with pytest.raises(ValueError, match="choice 13 is not legal for side"):
        battle.play(*[13 if battle.legal(side) else None for side in (0, 1)], 1)
    with pytest.raises(ValueError, match="a script is A, B, C or D, not 'E'"):
        battle.play_scripted(*[battle.legal(side)[0] if battle.legal(side) else None for side in (0, 1)], "E")
    with pytest.raises(ValueError, match="no gen 8 random battle has the move 'splash'"):
        battle.damage(0, "splash")
    position["sides"][0]["team"][0]["item"] = "pokeball"
    with pytest.raises(ValueError, match="no gen 8 random battle has the item 'pokeball'"):
        _core.PokemonBattle.read(position)


@pytest.mark.slow
def test_the_whole_record_agrees():
    """A hundred draws each instead of the checker's thousand: rare values count as missing a little more often."""
    if not (SHARED / "check_transitions.py").exists():
        pytest.skip(f"the record is not in {SHARED}")
    command = [
        sys.executable,
        str(SHARED / "check_transitions.py"),
        "--adapter",
        "tengen.games.pokemon.conformance:Adapter",
    ]
    legal = subprocess.run(
        [*command, "--legal", "--limit", "3000", str(SHARED / "legal.jsonl.gz")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert legal.stdout.startswith("legal: 6000 of 6000 sides agree")
    scripted = subprocess.run(
        [*command, "--scripted", str(SHARED / "scripted.jsonl.gz")], capture_output=True, text=True, check=True
    )
    assert "(100.0 %)" in scripted.stdout.splitlines()[1]

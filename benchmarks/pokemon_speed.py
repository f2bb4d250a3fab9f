"""How fast Pokémon battles are searched and played, beside poke-engine and Pokémon Showdown's own simulator.

    python benchmarks/pokemon_speed.py --simulator DIR

Visits a second are those of the search with the heuristic, of positions in the middle of battles, on one core and by
the processor's time. poke-engine (PyPI; it knows no Dynamax) searches the teams of such a battle. DIR is where the npm
package pokemon-showdown is installed; without it the simulator is left out.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import tengen
from tengen.games.pokemon.facts import find_species
from tengen.search import Pool, default_settings

SCRIPT = Path(__file__).with_name("pokemon_simulator_speed.js")


def positions(count: int) -> list[tengen.State]:
    game, found = tengen.game("pokemon"), []
    for seed in range(10 * count):
        rng, state = random.Random(seed), game.start(seed)
        for _ in range(4 + seed % 12):
            if state.is_over:
                break
            actor = state.actor
            joint = tuple(rng.choice(state.legal(player)) for player in (0, 1)) if actor == "all" else None
            state = state.play(joint if joint is not None else rng.choice(state.legal()))
        if state.actor == "all":
            found.append(state)
        if len(found) == count:
            break
    return found


def visits_per_second(states: list[tengen.State], visits: int, evaluator: str, **changes: object) -> float:
    game = tengen.game("pokemon")
    pool = Pool(game, default_settings(evaluator, visits=visits, **changes), evaluator)
    spent, made = 0.0, 0
    for number, state in enumerate(states):
        root = pool.add(state, viewer=0, seed=number)
        began = time.process_time()
        pool.run()
        spent += time.process_time() - began
        made += pool.progress(root)[0]
        pool.remove(root)
    return made / spent


def turns_per_second(seconds: float) -> tuple[float, float]:
    """Turns and steps (choices of one side or both) of random play."""
    game: Any = tengen.game("pokemon")
    began, plies, battles = time.process_time(), 0, 0
    while time.process_time() - began < seconds:
        counted, _ = game.core.playouts(game.start(battles).position, battles, 20)
        plies, battles = plies + counted, battles + 20
    spent = time.process_time() - began
    return plies / spent, battles / spent


def describe(member: dict[str, Any], move_type: Any) -> dict[str, Any]:
    """One of a team in poke-engine's words."""
    species = find_species(member["species"])
    names = ("maxhp", "attack", "defense", "special_attack", "special_defense", "speed")
    stats = dict(zip(names, member["stats"], strict=True))
    types = [name.lower() for name in species.types]
    return {
        "id": member["species"],
        "level": 80,
        "types": (types[0], types[1] if len(types) > 1 else "typeless"),
        "hp": stats["maxhp"],
        **stats,
        "ability": member["ability"],
        "item": member["item"] or "none",
        "moves": [move_type(id=move, pp=pp) for move, pp, _ in member["moves"]],
    }


def poke_engine_iterations(seconds: float) -> float | None:
    try:
        import poke_engine as engine
    except ImportError:
        return None
    game: Any = tengen.game("pokemon")
    position = game.start(3).position
    teams = [game.side(position, player)["team"] for player in (0, 1)]
    sides = [engine.Side(pokemon=[engine.Pokemon(**describe(one, engine.Move)) for one in team]) for team in teams]
    began = time.process_time()
    result = engine.monte_carlo_tree_search(
        engine.State(side_one=sides[0], side_two=sides[1]), duration_ms=int(1000 * seconds)
    )
    return float(result.total_visits / (time.process_time() - began))


def simulator_speed(package: Path | None, seconds: float) -> dict[str, float] | None:
    if package is None:
        return None
    ran = subprocess.run(
        ["node", str(SCRIPT), str(package), str(seconds)], capture_output=True, text=True, check=True, timeout=600
    )
    answer: dict[str, float] = json.loads(ran.stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--visits", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each of the others")
    parser.add_argument("--simulator", type=Path, metavar="DIR", help="the npm package pokemon-showdown, or above it")
    args = parser.parse_args()
    states = positions(args.positions)
    ours = visits_per_second(states, args.visits, "heuristic")
    print(f"search, heuristic, {args.visits:,} visits: {ours:,.0f} visits/s")
    print(f"  by regret: {visits_per_second(states, args.visits, 'heuristic', joint_rule='regret'):,.0f} visits/s")
    print(f"  a world a visit: {visits_per_second(states, args.visits, 'heuristic', world_visits=1):,.0f} visits/s")
    theirs = poke_engine_iterations(args.seconds)
    if theirs is None:
        print("poke-engine is not installed (pip install poke-engine; it needs a Rust compiler): left out")
    else:
        print(f"poke-engine: {theirs:,.0f} iterations/s; ours are {ours / theirs:.2f} times as many")
    steps, battles = turns_per_second(args.seconds)
    print(f"random play: {steps:,.0f} steps/s, {battles:,.0f} battles/s")
    simulator = simulator_speed(args.simulator, args.seconds)
    if simulator is None:
        print("the simulator is left out: name its npm package with --simulator")
    else:
        turns, nodes = simulator["turns"], simulator["nodes"]
        print(f"Pokémon Showdown's simulator: {turns:,.0f} turns/s of random play (ours {steps / turns:,.0f} times),")
        print(f"  {nodes:,.0f} nodes/s when every turn starts from a copy (ours {ours / nodes:,.0f} times)")


if __name__ == "__main__":
    main()

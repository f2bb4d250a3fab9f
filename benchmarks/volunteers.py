"""What a server of volunteers could carry: a simulation, for the decision record about them.

    python benchmarks/volunteers.py

Each volunteer asks a front end for a unit, fetches the network if it has a new one, plays, and uploads its records; a
share of the units is played again by verifiers. Printed is the share of the volunteers' time that becomes games which
count, and what is overloaded: the demand on it as a multiple of what it can do.
"""

import argparse
import heapq
import random
from dataclasses import dataclass, replace

LINE = 125e6
"""Bytes a second: 1 Gbit/s."""
MOST = 1500
"""Volunteers that are simulated; more of them stand for each other, with a like part of the server."""


PATIENCE = 10
"""Units for which games wait to be verified before their network is of no interest any more."""


@dataclass(frozen=True)
class Plan:
    name: str
    unit_s: float
    """That a unit is played for."""
    unit_bytes: float
    """Uploaded."""
    network_bytes: float
    network_s: float
    """How often there is a new network."""
    line: float = LINE
    mirrored: bool = False
    """Networks come from mirrors, not over the server's line."""
    front_ends: int = 8
    request_s: float = 0.003
    verifiers: int = 16
    verified: float = 0.02


PLANS = (
    Plan("Pyrga, 64 games a unit, network each minute", 3.5, 71e3, 0.57e6, 60),
    Plan("Pyrga, 4,096 games, each half hour", 224, 4.5e6, 0.57e6, 1800),
    Plan("Go, one game, 100 MB network, each 4 h", 900, 60e3, 100e6, 14400),
    Plan(
        "Go with mirrors, 10 Gbit/s, 256 verifiers, 0.2 %",
        900, 60e3, 100e6, 14400, line=10 * LINE, mirrored=True, verifiers=256, verified=0.002,
    ),
)  # fmt: skip


class Server:
    """A line of one direction a time, front ends and verifiers, each a queue: who comes first is served first."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.line_free = 0.0
        self.front_free = [0.0] * max(1, plan.front_ends)
        self.verifier_free = [0.0] * max(1, plan.verifiers)

    def send(self, now: float, size: float) -> float:
        self.line_free = max(self.line_free, now) + size / self.plan.line
        return self.line_free

    def ask(self, now: float) -> float:
        done = max(heapq.heappop(self.front_free), now) + self.plan.request_s
        heapq.heappush(self.front_free, done)
        return done

    def verify(self, now: float) -> float:
        done = max(heapq.heappop(self.verifier_free), now) + self.plan.unit_s
        heapq.heappush(self.verifier_free, done)
        return done


def part_of(plan: Plan, share: float) -> Plan:
    """A server for so many fewer volunteers: whole queues, each of a speed that keeps all of it in proportion."""
    front_ends, verifiers = max(1, round(plan.front_ends * share)), max(1, round(plan.verifiers * share))
    return replace(
        plan,
        line=plan.line * share,
        front_ends=front_ends,
        request_s=plan.request_s * front_ends / (plan.front_ends * share),
        verifiers=verifiers,
        verified=plan.verified * verifiers / (plan.verifiers * share),
    )


def simulate(plan: Plan, volunteers: int, seed: int = 1) -> tuple[float, dict[str, float]]:
    """The share of the ideal throughput, and demand on each part as a multiple of what it can do."""
    demand = {
        "networks": 0.0 if plan.mirrored else volunteers * plan.network_bytes / plan.network_s / plan.line,
        "uploads": volunteers / plan.unit_s * plan.unit_bytes / plan.line,
        "verifiers": volunteers * plan.verified / plan.verifiers,
        "requests": 2 * volunteers / plan.unit_s * plan.request_s / plan.front_ends,
    }
    many = min(volunteers, MOST)
    server = Server(part_of(plan, many / volunteers))
    rng = random.Random(seed)
    horizon = max(20 * plan.unit_s, 3 * plan.network_s)
    events = [(rng.uniform(0, plan.unit_s), who, -1, False) for who in range(many)]
    heapq.heapify(events)
    played = 0.0
    while events:
        now, who, network, has_games = heapq.heappop(events)
        if now >= horizon:
            continue
        if has_games:  # a unit ends: it is uploaded, and counts if the verifiers keep up
            server.send(now, plan.unit_bytes)
            checked = server.verify(now) if rng.random() < server.plan.verified else server.verifier_free[0]
            played += plan.unit_s if checked - now <= PATIENCE * plan.unit_s else 0.0
        begin = server.ask(now)
        newest = int(begin // plan.network_s)
        if newest != network:
            begin = begin + plan.network_bytes / LINE * 10 if plan.mirrored else server.send(begin, plan.network_bytes)
        heapq.heappush(events, (begin + plan.unit_s * rng.uniform(0.8, 1.2), who, newest, True))
    return played / (many * horizon), {name: load for name, load in demand.items() if load > 0.95}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--volunteers", type=int, nargs="*", default=[10, 1000, 100_000])
    given = parser.parse_args()
    for plan in PLANS:
        print(plan.name)
        for count in given.volunteers:
            share, loads = simulate(plan, count)
            over = ", ".join(f"{name} {load:.1f} x" for name, load in sorted(loads.items(), key=lambda each: -each[1]))
            print(f"  {count:>9,}: {100 * share:5.1f} % of the ideal{'; ' + over if over else ''}")


if __name__ == "__main__":
    main()

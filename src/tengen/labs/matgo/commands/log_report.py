"""The report of logged self-play: figures of a game, estimated from pairs of games, each with its 95 % interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tengen.arena.statistics import Estimate, paired_mean, paired_ratio, paired_score
from tengen.labs.matgo.traces import SIDES, TRIGGERS
from tengen.labs.matgo.traces.figures import BAKS, COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Report", "table"]

_THOUSAND = 1000


class Report:
    """From the figures of games in the order of their numbers, so that those of a pair are side by side."""

    def __init__(self, games: Iterable[Mapping[str, float]]) -> None:
        self._games = list(games)
        if not self._games or len(self._games) % 2:
            raise ValueError(f"a report needs pairs of games, not {len(self._games)} games")

    def values(self) -> dict[str, Any]:
        return {
            "games": len(self._games),
            "pairs": len(self._games) // 2,
            "primaryMetric": "averageGoldDeltaMySide",
            "winners": {**{side: self._sum(f"{side}.wins") for side in SIDES}, "draw": self._sum("nagari")},
            "sideStats": self._side_stats(),
            "economy": self._economy(),
            "bankrupt": self._bankrupt(),
            "eventFrequencyPerGame": {
                side: {name: self._mean(f"{side}.{name}") for name in (*COUNTED, "piStolen", "goldStolen")}
                for side in SIDES
            },
            "goStop": {side: self._go_stop([side]) for side in SIDES} | {"total": self._go_stop(SIDES)},
            "bakShares": {
                side: {name: self._ratio([f"{side}.{name}"], [f"{side}.paid"]) for name in BAKS} for side in SIDES
            },
            "endings": {
                name: self._rate(f"ending.{name}")
                for name in ("stop", "president", "floorFour", "threePpuks", "exhaustion")
            },
            "triggersPerGame": {name: self._mean(f"trigger.{name}") for name in TRIGGERS},
            "decisions": {name: self._sum(name) for name in ("decisions", "explored", "fallbacks", "records")},
        }

    def _side_stats(self) -> dict[str, Any]:
        first = [game.get("mySide.wins" if game.get("firstIsMine") else "yourSide.wins", 0) for game in self._games]
        return {
            "mySideWinRate": self._rate("mySide.wins"),
            "yourSideWinRate": self._rate("yourSide.wins"),
            "drawRate": self._rate("nagari"),
            "firstAttackerWinRate": _json(paired_score(first)),
            "averageScoreMySide": self._mean("mySide.score"),
            "averageScoreYourSide": self._mean("yourSide.score"),
        }

    def _economy(self) -> dict[str, Any]:
        deltas = self._all("goldDeltaMy")
        early = deltas[:_THOUSAND]
        mean = paired_mean(deltas)
        return {
            "averageGoldDeltaMySide": _json(mean),
            "cumulativeGoldDeltaOver1000": _json(mean.through(lambda gold: _THOUSAND * gold)),
            "cumulativeGoldDeltaMySideFirst1000": _json(paired_mean(early).through(lambda gold: len(early) * gold)),
            "worstSingleLoss": min(0.0, *deltas),
        }

    def _bankrupt(self) -> dict[str, Any]:
        inflicted, suffered = self._all("yourSide.bankrupt"), self._all("mySide.bankrupt")
        differences = [one - other for one, other in zip(inflicted, suffered, strict=True)]
        return {
            "inflicted": int(sum(inflicted)),
            "suffered": int(sum(suffered)),
            "diff": int(sum(differences)),
            "resets": int(sum(max(pair) for pair in zip(inflicted, suffered, strict=True))),
            "inflictedRate": self._rate("yourSide.bankrupt"),
            "sufferedRate": self._rate("mySide.bankrupt"),
            "diffRate": _json(paired_mean(differences)),
        }

    def _go_stop(self, sides: Sequence[str]) -> dict[str, Any]:
        names = {
            name: [f"{side}.{name}" for side in sides] for name in ("gos", "stops", "goGames", "goWins", "goFails")
        }
        return {
            "gosPerGame": self._mean(*names["gos"]),
            "stopsPerGame": self._mean(*names["stops"]),
            "goShare": self._ratio(names["gos"], [f"{side}.goStopDecisions" for side in sides]),
            "goGames": self._sum(*names["goGames"]),
            "goSuccessRate": self._ratio(names["goWins"], names["goGames"]),
            "goFailRate": self._ratio(names["goFails"], names["goGames"]),
        }

    def _all(self, *names: str) -> list[float]:
        return [sum(game.get(name, 0) for name in names) for game in self._games]

    def _sum(self, *names: str) -> int:
        return int(sum(self._all(*names)))

    def _mean(self, *names: str) -> dict[str, float | None]:
        return _json(paired_mean(self._all(*names)))

    def _rate(self, name: str) -> dict[str, float | None]:
        return _json(paired_score(self._all(name)))

    def _ratio(self, counts: Sequence[str], chances: Sequence[str]) -> dict[str, float | None] | None:
        found = paired_ratio(self._all(*counts), self._all(*chances))
        return None if found is None else _json(found)


def table(values: Mapping[str, Any]) -> list[str]:
    """The figures that one looks at first, as lines."""
    side, gold, bankrupt, total = values["sideStats"], values["economy"], values["bankrupt"], values["goStop"]["total"]
    winners = values["winners"]
    rows = [
        ("gold a game, mySide", _amount(gold["averageGoldDeltaMySide"])),
        ("gold in 1,000 games", _amount(gold["cumulativeGoldDeltaOver1000"])),
        ("mySide wins", f"{_percent(side['mySideWinRate'])}  {winners['mySide']:,}"),
        ("yourSide wins", f"{_percent(side['yourSideWinRate'])}  {winners['yourSide']:,}"),
        ("nagari", f"{_percent(side['drawRate'])}  {winners['draw']:,}"),
        ("who begins wins", _percent(side["firstAttackerWinRate"])),
        ("bankrupt: yourSide", f"{_percent(bankrupt['inflictedRate'])}  {bankrupt['inflicted']:,}"),
        ("bankrupt: mySide", f"{_percent(bankrupt['sufferedRate'])}  {bankrupt['suffered']:,}"),
        ("gos a game", _amount(total["gosPerGame"], 3)),
        ("go failed", _percent(total["goFailRate"])),
    ]
    for name in BAKS:
        shares = (values["bakShares"][one][name] for one in SIDES)
        rows.append(
            (
                f"{name} in wins",
                " | ".join(f"{one} {_percent(share)}" for one, share in zip(SIDES, shares, strict=True)),
            )
        )
    made = values["decisions"]
    if made["fallbacks"]:
        rows.append(("fallbacks", f"greedy made {made['fallbacks']:,} of {made['decisions']:,} decisions for a model"))
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {text}" for name, text in rows]


def _json(estimate: Estimate) -> dict[str, float | None]:
    """Bounds that are infinite are None: nothing is known of them."""
    parts = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: number if math.isfinite(number) else None for name, number in parts.items()}


def _amount(estimate: Mapping[str, float | None], digits: int = 0) -> str:
    return _text(estimate, lambda number: f"{number:+,.{digits}f}")


def _percent(estimate: Mapping[str, float | None] | None) -> str:
    return "none" if estimate is None else _text(estimate, lambda number: f"{100 * number:.2f} %")


def _text(estimate: Mapping[str, float | None], show: Any) -> str:
    value, low, high = (estimate[name] for name in ("value", "low", "high"))
    return f"{show(value)} ({'?' if low is None else show(low)} … {'?' if high is None else show(high)})"

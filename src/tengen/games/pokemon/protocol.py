"""Lines of the simulator's protocol: `|kind|argument|…|[tag] value`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

OWN_KIND = "tengen"
"""Of the lines that Tengen writes into its records of battles, between those of the protocol."""
_NOT_ID = re.compile(r"[^a-z0-9]+")
_IDENT = re.compile(r"^(p[12])([a-c]?): ?(.*)$", re.DOTALL)
_TAG = re.compile(r"^\[([a-zA-Z0-9]+)\] ?(.*)$", re.DOTALL)
_CONDITION = re.compile(r"^(\d{1,6})(?:/(\d{1,6}))?(?: ([a-z]{3}))?$")


def to_id(text: str) -> str:
    """The simulator's identifier of a name: 'Heavy-Duty Boots' is 'heavydutyboots'."""
    return _NOT_ID.sub("", text.lower())


@dataclass(frozen=True)
class Ident:
    """'p1a: Bronzong': a side, whether it stands on the field, a name."""

    side: int
    is_active: bool
    name: str


def parse_ident(text: str) -> Ident | None:
    found = _IDENT.match(text)
    return Ident(int(found[1][1]) - 1, bool(found[2]), found[3]) if found else None


@dataclass(frozen=True)
class Details:
    """'Gastrodon-East, L85, F': the forme that is shown, its level and gender ('N' if none is shown)."""

    forme: str
    level: int
    gender: str


def parse_details(text: str) -> Details:
    forme, *rest = (part.strip() for part in text.split(","))
    level, gender = 100, "N"
    for part in rest:
        if re.fullmatch(r"L\d{1,3}", part):
            level = int(part[1:])
        elif part in ("M", "F"):
            gender = part
    return Details(to_id(forme), level, gender)


@dataclass(frozen=True)
class Condition:
    """'77/100 tox', '0 fnt': hit points, of how many, status ('' none, 'fnt' fainted)."""

    hp: int
    max_hp: int
    status: str


def parse_condition(text: str) -> Condition | None:
    found = _CONDITION.match(text.strip())
    if not found:
        return None
    status = found[3] or ""
    if status == "fnt":
        return Condition(0, 0, "fnt")
    return Condition(int(found[1]), int(found[2]), status) if found[2] else None


@dataclass(frozen=True)
class Message:
    kind: str
    args: list[str]
    tags: dict[str, str] = field(default_factory=dict)

    def arg(self, index: int) -> str:
        """'' where there are fewer."""
        return self.args[index] if index < len(self.args) else ""

    @property
    def ident(self) -> Ident | None:
        return parse_ident(self.arg(0))

    @property
    def source(self) -> tuple[str, str]:
        """What caused it: ('item', 'leftovers') of '[from] item: Leftovers'; ('', 'recoil') of '[from] Recoil'."""
        return parse_effect(self.tags.get("from", ""))

    @property
    def of(self) -> Ident | None:
        return parse_ident(self.tags.get("of", ""))


def parse_effect(text: str) -> tuple[str, str]:
    """'ability: Cursed Body' is ('ability', 'cursedbody'); 'Dynamax' is ('', 'dynamax')."""
    kind, colon, name = text.partition(":")
    if colon and kind.strip() in ("item", "ability", "move", "pokemon"):
        return kind.strip(), to_id(name)
    return "", to_id(text)


def parse_line(line: str) -> Message | None:
    """None for what is no line of the protocol, such as chat. Never raises."""
    if not line.startswith("|"):
        return None
    kind, _, rest = line[1:].partition("|")
    if kind in ("request", "error", "c", "c:", "chat", "raw", "html", "uhtml"):
        return Message(kind, [rest])
    args: list[str] = []
    tags: dict[str, str] = {}
    for part in rest.split("|"):
        found = _TAG.match(part)
        if found and kind.startswith(("-", "move", "switch", "drag", "cant", "faint", "detailschange", "replace")):
            tags.setdefault(found[1], found[2])
        else:
            args.append(part)
    return Message(kind, args, tags)

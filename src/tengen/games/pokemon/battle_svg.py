"""Battles as SVG: cards with bars and types, no pictures of anybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.games.drawing import CELL, EDGE, FAINT, INK, SEAT_COLORS, SEAT_TINTS, Canvas, count_columns, page_color
from tengen.games.pokemon.action_names import TEAM, number_name
from tengen.games.pokemon.drawing import conditions_of, head_text, max_hp, move_facts, states_of
from tengen.games.pokemon.facts import display_name, find_move, find_species
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.pokemon.known_sets import SeenPokemon
    from tengen.games.translation import Translation

__all__ = ["draw_public_svg", "draw_svg", "find_public_spots", "find_spots"]

TYPE_COLORS = {
    "Bug": "#8a9a1e",
    "Dark": "#5a4a42",
    "Dragon": "#5b4bd0",
    "Electric": "#d9a400",
    "Fairy": "#d97fae",
    "Fighting": "#b23b2b",
    "Fire": "#e0702a",
    "Flying": "#7f93d8",
    "Ghost": "#66548c",
    "Grass": "#4f9a3c",
    "Ground": "#b58d3d",
    "Ice": "#4fb0b5",
    "Normal": "#8f8a78",
    "Poison": "#924a92",
    "Psychic": "#dc4f7c",
    "Rock": "#9b8436",
    "Steel": "#7d8a99",
    "Water": "#3f7fd0",
}
_WIDTH, _MARGIN = 760, 20
_SIDE_HEIGHT, _HEAD = 226, 44
_CARD_WIDTH = 430
_ROW = 34
_MOVE_PLACE = (198, 32)
_BENCH_WIDTH = 250
_MOVE_FACE = page_color("cell", "#fbf9f4")
_BAR_GROUND = page_color("edge", "#e6e1d5")
_GOOD, _LOW, _BAD = "#3f9a4f", "#d9a400", "#c8452f"


@dataclass(frozen=True)
class _Card:
    """A Pokémon as it is drawn."""

    name: str
    types: Sequence[str]
    """Their English names, by which colors are known."""
    share: float
    """Share of its hit points that is left."""
    number: str
    """Hit points that are left, in the reader's language."""
    status: str
    is_fainted: bool
    is_active: bool
    states: Sequence[str] = ()
    lines: Sequence[tuple[str, str, str]] = ()
    """Type, name and further facts of each move."""
    note: str = ""


def draw_svg(
    words: Translation, position: dict[str, Any], viewer: int | None, seen: Sequence[SeenPokemon], *, is_over: bool
) -> str:
    return _draw(words, position, _sides(words, position, viewer, seen), is_over=is_over)


def draw_public_svg(
    words: Translation, views: Sequence[dict[str, Any]], seen: Sequence[Sequence[SeenPokemon]], *, is_over: bool
) -> str:
    """`views` and `seen` are what each side knows."""
    return _draw(words, views[0], _public_sides(words, views, seen), is_over=is_over)


def find_spots(
    words: Translation, position: dict[str, Any], viewer: int | None, seen: Sequence[SeenPokemon]
) -> list[Spot]:
    """A viewer's moves and Pokémon, as its choices are called; all others by side and place."""
    return _find_spots(words, _sides(words, position, viewer, seen), viewer)


def find_public_spots(
    words: Translation, views: Sequence[dict[str, Any]], seen: Sequence[Sequence[SeenPokemon]]
) -> list[Spot]:
    return _find_spots(words, _public_sides(words, views, seen), None)


@dataclass(frozen=True)
class _DrawnSide:
    index: int
    plain: dict[str, Any]
    cards: list[_Card]


def _sides(
    words: Translation, position: dict[str, Any], viewer: int | None, seen: Sequence[SeenPokemon]
) -> list[_DrawnSide]:
    """From the top."""
    found = []
    for index in (0, 1) if viewer is None else (1 - viewer, viewer):
        side = position["sides"][index]
        is_own = viewer is None or index == viewer
        cards = _own_cards(words, side) if is_own else _other_cards(words, side, seen)
        found.append(_DrawnSide(index, side, cards))
    return found


def _public_sides(
    words: Translation, views: Sequence[dict[str, Any]], seen: Sequence[Sequence[SeenPokemon]]
) -> list[_DrawnSide]:
    """Each as the other knows it: by what everybody saw."""
    sides = [views[1 - index]["sides"][index] for index in (0, 1)]
    return [_DrawnSide(index, side, _other_cards(words, side, seen[1 - index])) for index, side in enumerate(sides)]


def _draw(words: Translation, position: dict[str, Any], sides: Sequence[_DrawnSide], *, is_over: bool) -> str:
    title = words("Pokémon, turn {turn}", turn=position["turn"])
    canvas = Canvas(_WIDTH, _HEAD + 2 * _SIDE_HEIGHT + _MARGIN, title)
    head = head_text(words, position, is_over)
    canvas.text(_MARGIN, 24, head, 17, text_anchor="start", font_weight="bold")
    for place, side in enumerate(sides):
        _draw_side(words, canvas, _HEAD + place * _SIDE_HEIGHT, side)
    return canvas.svg()


def _find_spots(words: Translation, sides: Sequence[_DrawnSide], viewer: int | None) -> list[Spot]:
    spots = []
    for place, side in enumerate(sides):
        index = side.index
        x, y = _MARGIN + 10.0, _HEAD + place * _SIDE_HEIGHT + 34.0
        down = y
        for slot, card in enumerate(side.cards):
            name = words("side {side} Pokémon {place}", side=index + 1, place=slot + 1)
            name = number_name(words, slot) if index == viewer else name
            if card.is_active:
                spots.append(Spot(name, x + _CARD_WIDTH / 2, y + 38, _CARD_WIDTH, 76, _spoken(words, card)))
                spots += _move_spots(words, x, y, card) if index == viewer and not card.is_fainted else []
                continue
            middle = _MARGIN + _CARD_WIDTH + 22 + _BENCH_WIDTH / 2
            spots.append(Spot(name, middle, down + 13, _BENCH_WIDTH, _ROW - 4, _spoken(words, card)))
            down += _ROW
    return spots


def _move_spots(words: Translation, x: float, y: float, card: _Card) -> list[Spot]:
    width, height = _MOVE_PLACE
    spots = []
    for place, (kind, name, more) in enumerate(card.lines):
        left, top = _move_corner(x, y, place)
        label = f"{name}, {words(kind)}, {more}"
        spots.append(Spot(number_name(words, TEAM + place), left + width / 2, top + height / 2, width, height, label))
    return spots


def _spoken(words: Translation, card: _Card) -> str:
    told = [card.name, card.number, words(card.status.upper()), *card.states]
    return ", ".join([*filter(None, told), *([words("on the field")] if card.is_active else [])])


def _own_cards(words: Translation, side: dict[str, Any]) -> list[_Card]:
    cards = []
    for place, member in enumerate(side["team"]):
        is_active = place == side["active"]
        most = max_hp(member)
        moves = [_move_line(words, member, slot) for slot in range(len(member["moves"]))]
        item = display_name(member["item"]) if member["item"] else words("no item")
        cards.append(
            _Card(
                display_name(member["species"]),
                find_species(member["species"]).types,
                member["hp"] / most,
                words("fainted") if member["fainted"] else f"{member['hp']}/{most}",
                member.get("status") or "",
                bool(member["fainted"]),
                is_active,
                states_of(words, member),
                moves if is_active else (),
                f"{display_name(member['ability'])} · {item}",
            )
        )
    return cards


def _move_line(words: Translation, member: dict[str, Any], slot: int) -> tuple[str, str, str]:
    move = member["moves"][slot]
    name, kind, power = move_facts(member, slot)
    told = words("status") if find_move(move[0]).is_status else str(power or "–")
    return kind, name, f"{told} · {move[1]}/{move[2]}"


def _other_cards(words: Translation, side: dict[str, Any], seen: Sequence[SeenPokemon]) -> list[_Card]:
    cards = []
    for slot, (member, known) in enumerate(zip(side["team"], seen, strict=False)):
        moves = [
            (find_move(move).type, display_name(move), words("has it") if share == 1 else f"{share:.0%}")
            for move, share in list(known.moves.items())[:4]
        ]
        ability, item = next(iter(known.abilities)), next(iter(known.items))
        told = [display_name(ability), display_name(item) if item else words("no item")]
        told += [] if known.sets == 1 else [words("{count} sets fit", count=known.sets)]
        cards.append(
            _Card(
                display_name(known.forme),
                known.types,
                member["hp"] / 100,
                words("fainted") if member["fainted"] else f"{member['hp']} %",
                member.get("status") or "",
                bool(member["fainted"]),
                slot == side["active"],
                states_of(words, member),
                moves,
                " · ".join(told),
            )
        )
    return cards


def _draw_side(words: Translation, canvas: Canvas, top: float, drawn: _DrawnSide) -> None:
    index, side, cards = drawn.index, drawn.plain, drawn.cards
    name = words("Side {side}", side=index + 1)
    canvas.rect(_MARGIN, top, _WIDTH - 2 * _MARGIN, _SIDE_HEIGHT - 14, rx=10, fill=SEAT_TINTS[index])
    canvas.text(
        _MARGIN + 14,
        top + 18,
        name,
        14,
        text_anchor="start",
        fill=SEAT_COLORS[index],
        font_weight="bold",
    )
    asked = [words("must send in a Pokémon")] if side.get("request") == "switch" else []
    told = ", ".join(asked + conditions_of(words, side))
    if told:
        left = _MARGIN + max(80, 28 + 8 * count_columns(name))
        canvas.text(left, top + 18, _cut(told, 80), 13, text_anchor="start", fill=FAINT)
    active = next((card for card in cards if card.is_active), None)
    if active is not None:
        _draw_active(words, canvas, _MARGIN + 10, top + 34, active)
    x, y = _MARGIN + _CARD_WIDTH + 22, top + 34
    bench = [card for card in cards if not card.is_active]
    for card in bench:
        _draw_bench(words, canvas, x, y, card)
        y += _ROW
    unseen = len(side["team"]) - len(cards)
    if unseen:
        told = words("and {count} not seen yet", count=unseen)
        canvas.text(x, y + 14, told, 13, text_anchor="start", fill=FAINT)


def _move_corner(x: float, y: float, place: int) -> tuple[float, float]:
    """Return the corner of a move on a card at (x, y)."""
    return x + 14 + 206 * (place % 2), y + 80 + 40 * (place // 2)


def _draw_active(words: Translation, canvas: Canvas, x: float, y: float, card: _Card) -> None:
    canvas.rect(x, y, _CARD_WIDTH, _SIDE_HEIGHT - 58, rx=8, fill=CELL, stroke=EDGE)
    _draw_token(canvas, x + 34, y + 36, 24, card)
    canvas.text(x + 70, y + 18, _cut(card.name, 22), 17, text_anchor="start", font_weight="bold")
    for place, kind in enumerate(card.types):
        left = x + _CARD_WIDTH - 78 - 74 * (len(card.types) - 1 - place)
        _draw_pill(canvas, left, y + 8, 68, words(kind), TYPE_COLORS[kind])
    _draw_bar(canvas, x + 70, y + 34, 210, 12, card)
    canvas.text(x + 288, y + 40, card.number, 13, text_anchor="start")
    if card.status and not card.is_fainted:
        _draw_pill(canvas, x + _CARD_WIDTH - 72, y + 31, 62, words(card.status.upper()), _BAD)
    said = ", ".join(card.states) if card.states else card.note
    canvas.text(x + 70, y + 62, _cut(said, 54), 12, text_anchor="start", fill=FAINT)
    if card.is_fainted:
        return
    for place, (kind, name, more) in enumerate(card.lines):
        left, top = _move_corner(x, y, place)
        canvas.rect(left, top, *_MOVE_PLACE, rx=6, fill=_MOVE_FACE, stroke=EDGE)
        canvas.circle(left + 14, top + 16, 6, fill=TYPE_COLORS.get(kind, FAINT))
        canvas.text(left + 28, top + 16, _cut(name, 15), 13, text_anchor="start")
        canvas.text(left + 190, top + 16, more, 11, text_anchor="end", fill=FAINT)


def _draw_bench(words: Translation, canvas: Canvas, x: float, y: float, card: _Card) -> None:
    _draw_token(canvas, x + 13, y + 13, 11, card)
    canvas.text(x + 32, y + 7, _cut(card.name, 20), 13, text_anchor="start", fill=FAINT if card.is_fainted else INK)
    _draw_bar(canvas, x + 32, y + 17, 140, 7, card)
    canvas.text(x + 180, y + 20, card.number, 11, text_anchor="start", fill=FAINT)
    if card.status and not card.is_fainted:
        status = words(card.status.upper())
        canvas.text(x + 246, y + 7, status, 11, text_anchor="end", fill=_BAD, font_weight="bold")


def _draw_token(canvas: Canvas, x: float, y: float, radius: float, card: _Card) -> None:
    """A disc in the colors of its types."""
    colors = [EDGE if card.is_fainted else TYPE_COLORS.get(kind, FAINT) for kind in card.types] or [FAINT]
    canvas.circle(x, y, radius, fill=colors[0])
    if len(colors) > 1:
        r = f"{radius:g}"
        canvas.add("path", d=f"M{x:g} {y - radius:g}A{r} {r} 0 0 1 {x:g} {y + radius:g}Z", fill=colors[1])
    canvas.text(x, y, card.name[:1], radius, fill="#ffffff", font_weight="bold")


def _draw_bar(canvas: Canvas, x: float, y: float, width: float, height: float, card: _Card) -> None:
    canvas.rect(x, y, width, height, rx=height / 2, fill=_BAR_GROUND)
    if card.share > 0:
        color = _GOOD if card.share >= 0.5 else _LOW if card.share >= 0.2 else _BAD
        canvas.rect(x, y, max(height, width * min(1.0, card.share)), height, rx=height / 2, fill=color)


def _draw_pill(canvas: Canvas, x: float, y: float, width: float, text: str, color: str) -> None:
    canvas.rect(x, y, width, 20, rx=10, fill=color)
    canvas.text(x + width / 2, y + 10, text, 12, fill="#ffffff", font_weight="bold")


def _cut(text: str, columns: int) -> str:
    if count_columns(text) <= columns:
        return text
    while count_columns(text) >= columns:
        text = text[:-1]
    return f"{text}…"

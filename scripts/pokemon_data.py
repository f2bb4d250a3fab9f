"""Writes the tables of Pokémon's moves, species, abilities and items: core/games/pokemon/data/*.inc.

    node scripts/pokemon_dump.js FOLDER > dump.json && python scripts/pokemon_data.py dump.json

FOLDER is where `npm install pokemon-showdown@0.11.11 --ignore-scripts` was run (its data are under the MIT licence, see
NOTICE). Ids are in the order of the simulator's own ids, so that tables stay as they are when nothing changes.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "core" / "games" / "pokemon" / "data"
STATS = ["atk", "def", "spa", "spd", "spe", "accuracy", "evasion"]
FLAGS = [
    "bite", "bullet", "bypasssub", "charge", "contact", "dance", "defrost", "failencore", "futuremove", "gravity",
    "heal", "mustpressure", "nosleeptalk", "powder", "protect", "pulse", "punch", "reflectable", "sound",
]  # fmt: skip
# What a move is besides its numbers: our word, and how the dump says so.
TRAITS = {
    "BreaksProtect": lambda m: m.get("breaksProtect"),
    "CallsMove": lambda m: m.get("callsMove"),
    "Crash": lambda m: m.get("hasCrashDamage"),
    "ForceSwitch": lambda m: m.get("forceSwitch"),
    "HasSecondary": lambda m: m.get("secondaries"),
    "HasSelf": lambda m: m.get("self"),
    "IgnoreAbility": lambda m: m.get("ignoreAbility"),
    "IgnoreDefence": lambda m: m.get("ignoreDefensive"),
    "IgnoreEvasion": lambda m: m.get("ignoreEvasion"),
    "Max": lambda m: m.get("isMax"),
    "MultiAccuracy": lambda m: m.get("multiaccuracy"),
    "SelfDestruct": lambda m: m.get("selfdestruct") == "always",
    "SelfDestructIfHit": lambda m: m.get("selfdestruct") == "ifHit",
    "SelfSwitch": lambda m: m.get("selfSwitch"),
    "SleepUsable": lambda m: m.get("sleepUsable"),
    "Stalling": lambda m: m.get("stallingMove"),
    "StealsBoosts": lambda m: m.get("stealsBoosts"),
    "ThawsTarget": lambda m: m.get("thawsTarget"),
    "WillCrit": lambda m: m.get("willCrit"),
    "FixedDamage": lambda m: m.get("damage") or m.get("damageCallback"),
    "AttacksWithDefence": lambda m: m.get("overrideOffensiveStat") == "def",
    "AttacksWithTarget": lambda m: m.get("overrideOffensivePokemon") == "target",
    "HitsDefence": lambda m: m.get("overrideDefensiveStat") == "def",
}
VOLATILES = {
    "banefulbunker": "BanefulBunker", "confusion": "Confusion", "curse": "Curse", "destinybond": "DestinyBond",
    "encore": "Encore", "flinch": "Flinch", "focusenergy": "FocusEnergy", "kingsshield": "KingsShield",
    "leechseed": "LeechSeed", "lockedmove": "LockedMove", "magnetrise": "MagnetRise", "maxguard": "MaxGuard",
    "noretreat": "NoRetreat", "partiallytrapped": "PartiallyTrapped", "protect": "Protect", "roost": "Roost",
    "smackdown": "SmackDown", "sparklingaria": "SparklingAria", "spikyshield": "SpikyShield",
    "substitute": "Substitute", "taunt": "Taunt", "yawn": "Yawn",
}  # fmt: skip
SIDE_CONDITIONS = {
    "auroraveil": "AuroraVeil", "lightscreen": "LightScreen", "reflect": "Reflect", "spikes": "Spikes",
    "stealthrock": "StealthRock", "stickyweb": "StickyWeb", "toxicspikes": "ToxicSpikes",
}  # fmt: skip


def camel(name: str) -> str:
    """The simulator's name as an enumerator: letters and digits, words begin with capitals."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = "".join(c if c.isalnum() or c == "'" else " " for c in ascii_name).replace("'", "").split()
    return "".join(word[0].upper() + word[1:] for word in words)


def quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def boosts(entry: dict[str, int] | None) -> str:
    return "{" + ", ".join(str((entry or {}).get(stat, 0)) for stat in STATS) + "}"


def fraction(pair: list[int]) -> str:
    return f"{{{pair[0]}, {pair[1]}}}"


def effect(entry: dict[str, Any]) -> list[str]:
    """Fields of a part of a move: what it does to whom it hits."""
    fields = []
    if entry.get("status"):
        fields.append(f".status = Status::{camel(entry['status'])}")
    if entry.get("volatileStatus"):
        fields.append(f".condition = Volatile::{VOLATILES[entry['volatileStatus']]}")
    if entry.get("boosts"):
        fields.append(f".boosts = {boosts(entry['boosts'])}")
    return fields


def secondary(entry: dict[str, Any]) -> str:
    fields = [f".chance = {entry['chance']}"] if "chance" in entry else []
    if entry.get("self"):
        fields.append(".self = true")
    fields += effect(entry.get("self") or entry)
    if entry.get("onHit"):
        fields.append(".special = true")
    return "{" + ", ".join(fields) + "}"


def move_row(move: dict[str, Any]) -> str:
    best_pp = move["pp"] if move.get("noPPBoosts") else move["pp"] * 8 // 5
    f = [f".id = {quoted(move['id'])}", f".name = {quoted(move['name'])}", f".type = Type::{camel(move['type'])}"]
    f.append(f".category = Category::{move['category']}")
    for field, value in (
        ("power", move["basePower"]),
        ("accuracy", 0 if move["accuracy"] is True else move["accuracy"]),
        ("base_pp", move["pp"]),
        ("pp", best_pp),
        ("priority", move["priority"]),
        ("crit_ratio", 0 if move.get("critRatio", 1) == 1 else move["critRatio"]),
        ("max_power", (move.get("maxMove") or {}).get("basePower", 0)),
    ):
        if value:
            f.append(f".{field} = {value}")
    f.append(f".target = Target::{move['target'][0].upper() + move['target'][1:]}")
    flags = [f"kFlag{camel(flag)}" for flag in FLAGS if move["flags"].get(flag)]
    if flags:
        f.append(".flags = " + " | ".join(flags))
    traits = [f"kTrait{name}" for name, has in TRAITS.items() if has(move)]
    if traits:
        f.append(".traits = " + " | ".join(traits))
    for field, key in (("drain", "drain"), ("recoil", "recoil"), ("heal", "heal")):
        if move.get(key):
            f.append(f".{field} = {fraction(move[key])}")
    hits = move.get("multihit")
    if hits:
        f.append(f".hits = {fraction(hits if isinstance(hits, list) else [hits, hits])}")
    if move.get("sideCondition") in SIDE_CONDITIONS:
        f.append(f".side_condition = SideCondition::{SIDE_CONDITIONS[move['sideCondition']]}")
    return "{" + ", ".join(f + effect_fields(move)) + "},"


def effect_fields(move: dict[str, Any]) -> list[str]:
    """What a move does to its target and to its user."""
    f = []
    own = effect(move)
    if own:
        f.append(".hit = {" + ", ".join(own) + "}")
    self_part = move.get("self") or {}
    on_self = effect({k: v for k, v in self_part.items() if k in ("boosts", "volatileStatus")})
    if on_self:
        chance = [f".chance = {self_part['chance']}"] if "chance" in self_part else []
        f.append(".self = {" + ", ".join(chance + on_self) + "}")
    if move.get("selfBoost"):
        f.append(f".after_boosts = {boosts(move['selfBoost']['boosts'])}")
    parts = [s for s in move.get("secondaries") or [] if s]
    if parts:
        f.append(".secondaries = {{" + ", ".join(secondary(s) for s in parts) + "}}")
    return f


def species_row(forme: dict[str, Any], ids: dict[str, str]) -> str:
    stats = forme["baseStats"]
    types = [f"Type::{camel(t)}" for t in forme["types"]]
    f = [f".id = {quoted(forme['id'])}", f".name = {quoted(forme['name'])}", f".number = {forme['num']}"]
    f.append(".stats = {" + ", ".join(str(stats[s]) for s in ["hp", "atk", "def", "spa", "spd", "spe"]) + "}")
    f.append(".types = {" + ", ".join([*types, "Type::None"][:2]) + "}")
    f.append(f".weight = {forme['weighthg']}")
    base = "".join(c for c in forme["baseSpecies"].lower() if c.isalnum())
    f.append(f".base = Species::{ids.get(base, camel(forme['name']))}")
    f.append(
        f".ability = Ability::{camel(forme['abilities']['0'])}"
        if camel(forme["abilities"]["0"]) in ABILITIES
        else ".ability = Ability::None"
    )
    if forme.get("canGigantamax"):
        f.append(f".g_max_move = Move::{camel(forme['canGigantamax'])}")
    for field, key in (("can_evolve", "nfe"), ("cannot_dynamax", "cannotDynamax")):
        if forme.get(key):
            f.append(f".{field} = true")
    traps = [f"kTrap{camel(ability)}" for ability in forme["traps"]]
    if traps:
        f.append(".traps = " + " | ".join(traps))
    return "{" + ", ".join(f) + "},"


def ability_row(ability: dict[str, Any]) -> str:
    flags = ["breakable", "cantsuppress", "failskillswap", "notrace", "notransform"]
    words = [f"kAbility{camel(flag)}" for flag in flags if ability["flags"].get(flag)]
    return f"{{{quoted(ability['id'])}, {quoted(ability['name'])}, {' | '.join(words) or '0'}}},"


# Types that an item makes stronger, and those that a berry halves once.
POWER = {
    "blackbelt": "Fighting", "blackglasses": "Dark", "charcoal": "Fire", "dragonfang": "Dragon", "hardstone": "Rock",
    "magnet": "Electric", "metalcoat": "Steel", "miracleseed": "Grass", "mysticwater": "Water", "nevermeltice": "Ice",
    "poisonbarb": "Poison", "sharpbeak": "Flying", "silkscarf": "Normal", "silverpowder": "Bug", "softsand": "Ground",
    "spelltag": "Ghost", "twistedspoon": "Psychic",
}  # fmt: skip
SHIELD = {
    "babiriberry": "Steel", "chartiberry": "Rock", "chilanberry": "Normal", "chopleberry": "Fighting",
    "cobaberry": "Flying", "colburberry": "Dark", "habanberry": "Dragon", "kasibberry": "Ghost", "kebiaberry": "Poison",
    "occaberry": "Fire", "passhoberry": "Water", "payapaberry": "Psychic", "rindoberry": "Grass",
    "roseliberry": "Fairy", "shucaberry": "Ground", "tangaberry": "Bug", "wacanberry": "Electric", "yacheberry": "Ice",
}  # fmt: skip


def item_row(item: dict[str, Any]) -> str:
    flags = [f"kItem{word}" for word, key in (("Berry", "isBerry"), ("Choice", "isChoice")) if item.get(key)]
    types = [item.get("onMemory"), POWER.get(item["id"]), SHIELD.get(item["id"])]
    written = ", ".join(f"Type::{t or 'None'}" for t in types)
    return f"{{{quoted(item['id'])}, {quoted(item['name'])}, {' | '.join(flags) or '0'}, {written}}},"


def write(name: str, lines: list[str]) -> None:
    head = "// Written by scripts/pokemon_data.py from the data of pokemon-showdown 0.11.11 (MIT licence, see NOTICE)."
    (DATA / name).write_text("\n".join([head, *lines, ""]), encoding="utf-8")


ABILITIES: set[str] = set()


def main() -> None:
    dump = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    DATA.mkdir(parents=True, exist_ok=True)
    ABILITIES.update(camel(ability["name"]) for ability in dump["abilities"])
    ids = {forme["id"]: camel(forme["name"]) for forme in dump["species"]}
    for kind in ("moves", "species", "abilities", "items"):
        write(f"{kind}_ids.inc", [camel(entry["name"]) + "," for entry in dump[kind]])
    write("moves.inc", [move_row(move) for move in dump["moves"]])
    write("species.inc", [species_row(forme, ids) for forme in dump["species"]])
    write("abilities.inc", [ability_row(ability) for ability in dump["abilities"]])
    write("items.inc", [item_row(item) for item in dump["items"]])
    write("types_ids.inc", [camel(t) + "," for t in dump["types"]])
    write("types.inc", [quoted(t) + "," for t in dump["types"]])
    write("type_chart.inc", ["{" + ", ".join(map(str, row)) + "}," for row in dump["chart"]])


if __name__ == "__main__":
    main()

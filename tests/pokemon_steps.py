"""Steps of battles in the reference simulator under a script of luck, and ours beside them."""

from tengen import _core


def differences(want, got, at=""):
    """Where ours differs. It names every key, with None for what is at its default."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in got:
            yield from differences(want.get(key), got[key], f"{at}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, (a, b) in enumerate(zip(want, got, strict=True)):
            yield from differences(a, b, f"{at}[{i}]")
    elif want != got:
        yield f"{at}: {got}, not {want}"


def judge(step):
    """What differs: actions that are legal before it, its outcome, hit points, the position after it."""
    battle = _core.PokemonBattle.read(step["position"])
    wrong = []
    for side in (0, 1):
        legal = step["position"]["sides"][side]["legal"]
        if battle.legal(side) != legal:
            wrong.append(f"legal of side {side}: {battle.legal(side)}, not {legal}")
    if wrong:
        return wrong
    after = battle.play_scripted(*step["choices"], step["script"])
    wrong += differences(step["outcome"], after.outcome(), "outcome")
    wrong += differences(step["hp"], after.hp(), "hp")
    if step["after"] is not None:
        wrong += differences(step["after"], after.position())
    return wrong


def names(step):
    """The moves that are chosen, the abilities and items on the field."""
    for side, choice in zip(step["position"]["sides"], step["choices"], strict=True):
        own = side["team"][side["active"]]
        yield "ability:" + own["ability"]
        yield "item:" + own["item"]
        if choice is not None and choice >= 6 and (choice - 6) % 4 < len(own["moves"]):
            yield "move:" + own["moves"][(choice - 6) % 4][0]

"""What the tests of prophet and enforcer share: small games, tiny networks."""

import random

import tengen
from tengen.games.shogi.records import START_SFEN
from tengen.labs.shogi.networks import build, export_onnx
from tengen.labs.shogi.samples import PlayedMoves
from tengen.labs.shogi.size import Size

GAME = tengen.game("shogi")
TINY = Size(channels=4, blocks=1)


def random_games(count, plies=24, seed=1):
    """Games of random moves, with a result that nothing in them tells."""
    rng = random.Random(seed)
    games = []
    for _ in range(count):
        state = GAME.start(0)
        while not state.is_over and len(state.history) < plies:
            state = state.play(rng.choice(state.legal()))
        games.append(PlayedMoves(START_SFEN, tuple(map(GAME.name, state.history)), rng.choice([0, 1])))
    return games


def usi_text(games):
    """As a file of records has them."""
    return "".join(
        f"startpos moves {' '.join(each.moves)} # result {('black', 'white')[each.winner]} resign\n" for each in games
    )


def write_records(folder, count=10, **more):
    path = folder / "games.usi"
    path.write_text(usi_text(random_games(count, **more)))
    return path


def write_pair(folder, seed=1):
    """A pair of fresh networks as ONNX files."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("prophet", "enforcer"):
        (folder / f"{kind}.onnx").write_bytes(export_onnx(build(kind, TINY, seed)))
    return folder

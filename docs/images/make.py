"""Draws the pictures of these pages anew: python docs/images/make.py

With the page of a review, such as engines.review.html#151, and the name of a picture, such as review.webp, it is
photographed instead; that takes chromium and Pillow. Pictures of `tengen web` come from its tests:
TENGEN_PICTURES=docs/images pytest tests/test_web_page.py tests/test_web_access.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import tengen


class Picture(NamedTuple):
    game: str
    moves: str = ""
    """By name, separated by commas; where all act, the players' names are joined by +."""
    viewer: int | None = None
    options: dict[str, Any] = {}  # noqa: RUF012 - of a tuple, and never written to
    settings: dict[str, Any] = {}  # noqa: RUF012
    lang: str = "en"


GO_GAME = (
    "E5, G3, C3, G6, G5, F3, H6, D7, F6, G7, H5, F7, E6, E7, D6, C6, C7, C8, B7, C5, B6, D5, E4, C4, D4, B4, "
    "D3, B3, B2, A2"
)
MATGO_ROUND = "1광, 보3, 11광, 8광, 2홍, 2피b, 3피b, 먹기 3홍, 10열, 5초, 12쌍, 4피b"
SHOGI_GAME = (
    "7g7f, 8c8d, 2g2f, 8d8e, 8h7g, 3c3d, 7i6h, 2b7g+, 6h7g, 3a2b, 2f2e, 2b3c, 3i3h, 7a6b, 3g3f, 6c6d, 2i3g, 6b6c, "
    "4i4h, 4a3b, 6i7h, 8e8f, 8g8f, 8b8f, P*8g, 8f8b, 2e2d, 2c2d, 2h2d, P*2c, 2d2f, B*4d"
)
POKEMON_BATTLE = "move 1+move 1, move 2+move 2"

PICTURES = {
    "pyrga": Picture("pyrga", "Ad4^, Cd3, Ad3v, Cd4, Sd4, Sd3, Ad2^, Ad1<, Ab1<, Aa1v, Aa3v, Ca4, Sa4, Cb4, Sb4"),
    "pyrga-square": Picture("pyrga", "square b2"),
    "pyrga-circle": Picture("pyrga", "circle b2"),
    "pyrga-arrow": Picture("pyrga", "arrow b2 right"),
    "connect_four": Picture("connect_four", "d, d, d, c, c, b, b, c, b, c, d, e, c, b"),
    "go": Picture("go", GO_GAME, settings={"size": 9}),
    "kuhn_poker": Picture("kuhn_poker", "pass, bet", 0, {"cards": "QJ"}),
    "matgo": Picture("matgo", MATGO_ROUND, 0, {"starter": 0}),
    "matgo-ko": Picture("matgo", MATGO_ROUND, 0, {"starter": 0}, lang="ko"),
    "shogi": Picture("shogi", SHOGI_GAME),
    "pokemon": Picture("pokemon", POKEMON_BATTLE, 0),
    "rock_paper_scissors": Picture("rock_paper_scissors", "paper+rock"),
    "pig": Picture("pig", "roll, 5, roll, 6, hold, roll, 3, roll, 4"),
}


def draw(picture: Picture) -> str:
    state = tengen.game(picture.game, **picture.settings).in_language(picture.lang).start(seed=0, **picture.options)
    for move in filter(None, picture.moves.split(", ")):
        state = state.play(move.split("+") if state.actor == "all" else move)
    return state.svg(picture.viewer) + "\n"


def photograph(page: str, name: str) -> None:
    """Made smaller."""
    from PIL import Image

    file, _, turn = page.partition("#")
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        words = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        words += ["--window-size=1400,1130", "--virtual-time-budget=2000", f"--screenshot={shot}"]
        words.append(f"{Path(file).resolve().as_uri()}#{turn}")
        subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
        small = Image.open(shot).convert("RGB").resize((1120, 904), Image.Resampling.LANCZOS)
    small.save(Path(__file__).with_name(name), quality=80, method=6)


def main() -> None:
    if sys.argv[1:]:
        photograph(*sys.argv[1:3])
        return
    for name, picture in PICTURES.items():
        Path(__file__).with_name(f"{name}.svg").write_text(draw(picture), encoding="utf-8")


if __name__ == "__main__":
    main()

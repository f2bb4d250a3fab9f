"""The board turned and mirrored: symmetry s flips it up and down (s & 1), left and right (s & 2), then swaps its axes
(s & 4, square boards only)."""


def count_symmetries(width: int, height: int) -> int:
    return 8 if width == height else 4

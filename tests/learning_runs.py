"""Learning runs small enough for tests."""

TINY = {
    "games_per_iter": 6,
    "bootstrap_games": 6,
    "teacher": "rollout:16",
    "player": "NETWORK@16",
    "eval_games": 4,
    "eval_visits": 8,
    "anchor": "rollout:16",
    "anchor_games": 4,
    "anchor_every": 1,
    "net.channels": 8,
    "net.blocks": 1,
    "selfplay.parallel": 3,
    "selfplay.search.visits": 12,
    "selfplay.search.fast_visits": 4,
    "train.batch_size": 64,
    "train.threads": 1,
}


def nested(tables):
    """Return settings with dots in their names as nested dictionaries."""
    found = {}
    for name, value in tables.items():
        *places, last = name.split(".")
        at = found
        for place in places:
            at = at.setdefault(place, {})
        at[last] = value
    return found


TINY_WORDS = [word for key, value in TINY.items() for word in ("--set", f"{key}={value}")]


def learn_words(folder, *more, game="pyrga", iters=1, final_games=2):
    """The words of a `tengen learn` that ends after seconds."""
    words = ["learn", game, "--run", folder, "--workers", "inline", "--iters", iters, "--final-games", final_games]
    return [*words, *TINY_WORDS, *more]


def last_step(folder, name):
    return max(path for path in (folder / "steps").iterdir() if path.name.endswith(f"-{name}"))

"""OpenSpiel's AlphaZero on Connect Four: learning, and measuring a checkpoint; started by openspiel_alphazero.py.

    python openspiel_worker.py learn SETTINGS.json
    python openspiel_worker.py measure SETTINGS.json STEP POSITIONS.jsonl VISITS SEARCHED
    python openspiel_worker.py speed SETTINGS.json

Runs in an environment with PyPI's open_spiel, jax, flax, optax and chex, and needs nothing else, Tengen included.
With COMPILED=1 in the environment, the actors' evaluations are one compiled function instead of operation by operation.
"""

from __future__ import annotations

import ctypes
import functools
import json
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
from flax import nnx
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.alpha_zero import alpha_zero, model_nnx, utils

SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


@functools.partial(jax.jit, static_argnums=0)
def answer_compiled(
    graph: Any, parameters: Any, statistics: Any, observation: jax.Array, legal: jax.Array
) -> tuple[jax.Array, jax.Array]:
    model = nnx.merge(graph, parameters, statistics)
    model.eval()
    logits, value = model(observation)
    return value, nnx.softmax(jnp.where(legal, logits, jnp.finfo(jnp.float32).min))


def infer_compiled(model: Any, observation: Any, legal: Any) -> tuple[jax.Array, jax.Array]:
    """Take the place of model_nnx.Model.inference and return the same."""
    state = model._state  # noqa: SLF001
    given = jnp.asarray(observation, jnp.float32), jnp.asarray(legal, bool)
    return answer_compiled(state.graphdef, state.params, state.batch_stats, *given)


# At import, so that both hold in the processes of the actors: they would outlive a learner that is killed.
if multiprocessing.parent_process() is not None:
    ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
if os.environ.get("COMPILED"):
    model_nnx.Model.inference = infer_compiled


def learn(settings: dict[str, Any]) -> None:
    alpha_zero.alpha_zero(alpha_zero.Config(**settings, observation_shape=None, output_size=None))


class Judge(mcts.Evaluator):
    """The network of a checkpoint, or a new one."""

    def __init__(self, settings: dict[str, Any], game: pyspiel.Game, step: int | None = None) -> None:
        self._model = utils.api_selector(settings["nn_api_version"]).Model.build_model(
            settings["nn_model"],
            game.observation_tensor_shape(),
            game.num_distinct_actions(),
            settings["nn_width"],
            settings["nn_depth"],
            settings["weight_decay"],
            settings["learning_rate"],
            settings["path"],
            decouple_weight_decay=settings["decouple_weight_decay"],
        )
        if step is not None:
            self._model.load_checkpoint(step)

    def answer(self, state: pyspiel.State) -> tuple[float, np.ndarray]:
        """Return the value for the first player and the policy."""
        value, policy = self._model.inference(state.observation_tensor(), state.legal_actions_mask())
        return float(value), np.asarray(policy)

    def evaluate(self, state: pyspiel.State) -> np.ndarray:
        value, _ = self.answer(state)
        return np.array([value, -value])

    def prior(self, state: pyspiel.State) -> list[tuple[int, float]]:
        _, policy = self.answer(state)
        return [(action, float(policy[action])) for action in state.legal_actions()]


def measure(settings: dict[str, Any], step: int, positions: Path, visits: int, searched: int) -> dict[str, float]:
    """Return how often a checkpoint's policy and a search with it keep the best result, and its value's correlation."""
    game = pyspiel.load_game(settings["game"])
    judge = Judge(settings, game, step)
    search = mcts.MCTSBot(
        game,
        settings["uct_c"],
        visits,
        judge,
        solve=False,
        child_selection_fn=mcts.SearchNode.puct_value,
        dont_return_chance_node=True,
    )
    policy, found, values, best = [], [], [], []
    for line in positions.read_text().splitlines():
        solved = json.loads(line)
        state = game.new_initial_state()
        for action in solved["moves"]:
            state.apply_action(action)
        results = {int(action): value for action, value in solved["values"].items()}
        best.append(max(results.values()))
        values.append(float(judge.evaluate(state)[state.current_player()]))
        if min(results.values()) < best[-1]:
            first = max(judge.prior(state), key=lambda entry: entry[1])[0]
            policy.append(results[first] == best[-1])
            if len(found) < searched:
                found.append(results[search.mcts_search(state).best_child().action] == best[-1])
    return {
        "policy": float(np.mean(policy)),
        "search": float(np.mean(found)),
        "value_correlation": float(np.corrcoef(values, best)[0, 1]),
    }


def show_speed(settings: dict[str, Any], count: int = 50) -> None:
    """Print the processor time of an evaluation with a new network."""
    game = pyspiel.load_game(settings["game"])
    judge, state = Judge(settings, game), game.new_initial_state()
    judge.answer(state)
    begun = time.process_time()
    for _ in range(count):
        judge.answer(state)
    spent = (time.process_time() - begun) / count
    print(f"{1000 * spent:.1f} ms of processor time for an evaluation")


def main() -> None:
    task, file, *rest = sys.argv[1:]
    settings = json.loads(Path(file).read_text())
    if task == "learn":
        learn(settings)
    elif task == "speed":
        show_speed(settings)
    else:
        step, positions, visits, searched = rest
        print(json.dumps(measure(settings, int(step), Path(positions), int(visits), int(searched))))


if __name__ == "__main__":
    main()

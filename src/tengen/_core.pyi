"""
Tengen's compiled core. Programs use tengen.games and tengen.search, which stand on it.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


CHANCE: int = -1

EVERYONE: int = -2

NOBODY: int = -3

def has_undescribed_tiles() -> bool:
    """
    Whether the processor claims matrix tiles (AMX) without saying how large they are.
    """

class SearchSettings:
    def __init__(self, **settings: object) -> None: ...

    @staticmethod
    def choices(setting: str) -> list[str]:
        """
        The names that a setting may have as its value; none where it is a number.
        """

    def check(self) -> None:
        """ValueError for what is out of range or without effect."""

    @property
    def visits(self) -> int:
        """
        visits of the root, the root's own evaluation and the visits of a reused tree included
        """

    @property
    def rule(self) -> str:
        """
        how a node picks the next visit: "puct" by priors, "ucb1" by counts alone, which fits rollouts and heuristics
        """

    @property
    def c_puct(self) -> float:
        """
        exploration: value + c · prior · √(visits of the node) / (1 + visits of the action)
        """

    @property
    def c_puct_log(self) -> float:
        """
        lets c_puct grow: c = c_puct + c_puct_log · ln((visits + c_puct_base) / c_puct_base)
        """

    @property
    def c_puct_base(self) -> float:
        """from how many visits on; see c_puct_log"""

    @property
    def root_c_puct(self) -> float | None:
        """c_puct at the root, if it is another"""

    @property
    def root_c_puct_base(self) -> float | None:
        """c_puct_base at the root, if it is another"""

    @property
    def c_ucb1(self) -> float:
        """
        exploration: value + c · √(ln(visits of the node) / visits of the action)
        """

    @property
    def fpu_reduction(self) -> float:
        """
        first-play urgency: an action not yet visited counts as its node's value less this times √(prior mass visited)
        """

    @property
    def root_fpu_reduction(self) -> float:
        """fpu_reduction at the root"""

    @property
    def fpu_own_power(self) -> float:
        """
        above 0 the node's value in first-play urgency is its own evaluation mixed with the mean of its visits, the latter with the share (prior mass visited) to this power
        """

    @property
    def fpu_value(self) -> float | None:
        """first-play urgency as a fixed value instead"""

    @property
    def leaves_per_root(self) -> int:
        """
        positions of one tree that may wait for the evaluator at once; more fill batches and search a little worse
        """

    @property
    def virtual_loss(self) -> float:
        """how many losses a visit under way counts as"""

    @property
    def noise_fraction(self) -> float:
        """share of Dirichlet noise in the root's priors"""

    @property
    def noise_alpha(self) -> float:
        """concentration of that noise, shared out over the legal actions"""

    @property
    def root_policy_temperature(self) -> float:
        """above 1 flattens the root's priors"""

    @property
    def forced_playouts(self) -> float:
        """
        each tried action of the root gets at least √(this · prior · visits) visits; they are pruned from the policy again
        """

    @property
    def wide_root_noise(self) -> float:
        """
        flattens the root's priors to the power 1 / (4 · this + 1) and adds this times a half-normal number to the values of half of its visited actions, drawn anew at every pick: more actions are tried
        """

    @property
    def gumbel_actions(self) -> int:
        """
        actions that Gumbel's sequential halving considers at the root, for few visits; 0 is off
        """

    @property
    def gumbel_scale(self) -> float:
        """scale of the Gumbel noise; 0 is deterministic"""

    @property
    def gumbel_c_visit(self) -> float:
        """
        weight of values against priors: (gumbel_c_visit + most visits of an action) · gumbel_c_scale · value, from 0 to 1
        """

    @property
    def gumbel_c_scale(self) -> float:
        """see gumbel_c_visit"""

    @property
    def fast_visits(self) -> int:
        """
        playout-cap randomization: visits of a fast search, without noise and forced playouts; 0 is off
        """

    @property
    def full_probability(self) -> float:
        """how often a search is a full one; `result.is_full` tells"""

    @property
    def widening_factor(self) -> float:
        """
        progressive widening: a node tries at most ⌈factor · visits^exponent⌉ actions; 0 is off
        """

    @property
    def widening_exponent(self) -> float:
        """see widening_factor"""

    @property
    def joint_rule(self) -> str:
        """
        where all act at once: "regret" matching, whose average strategy tends to an equilibrium, or decoupled "ucb"; "auto": the latter in a game that says so
        """

    @property
    def joint_exploration(self) -> float:
        """share of blind choices where all act at once; fades with 10 / √visits"""

    @property
    def joint_min_share(self) -> float | None:
        """
        where all act at once, an action is not drawn from the strategy whose share is below this part of the best one's; None: what suits the game, mostly 0
        """

    @property
    def world_visits(self) -> int:
        """
        visits that a determinization of a hidden game is used for, in turns with others, before another is drawn; 0: as many as suit the game
        """

    @property
    def solve(self) -> bool:
        """carry proven results up the tree; a proven root ends the search early"""

    @property
    def solve_plies(self) -> int:
        """
        how many plies ahead new positions are searched for a forced result, such as a mate; the cost grows quickly with it
        """

    @property
    def cache_entries(self) -> int:
        """evaluations remembered over all trees of a pool, by position; 0 is off"""

class MoveReport:
    @property
    def player(self) -> int: ...

    @property
    def action(self) -> int: ...

    @property
    def visits(self) -> int: ...

    @property
    def prior(self) -> float: ...

    @property
    def weight(self) -> float: ...

    @property
    def policy(self) -> float: ...

    @property
    def included(self) -> bool: ...

    @property
    def proven(self) -> bool: ...

    @property
    def values(self) -> list[float]: ...

    @property
    def spread(self) -> list[float]: ...

    @property
    def line(self) -> list[int]: ...

    @property
    def line_visits(self) -> list[int]: ...

    @property
    def aux(self) -> list[float]: ...

    @property
    def deviations(self) -> list[float]: ...

    @property
    def free_values(self) -> list[float]: ...

    @property
    def free_aux(self) -> list[float]: ...

    @property
    def free_deviations(self) -> list[float]: ...

    @property
    def replies(self) -> list[tuple[int, int, float]]: ...

class RootReport:
    @property
    def visits(self) -> int: ...

    @property
    def guaranteed_visits(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def is_done(self) -> bool: ...

    @property
    def is_full(self) -> bool: ...

    @property
    def proven(self) -> bool: ...

    @property
    def values(self) -> list[float]: ...

    @property
    def raw_values(self) -> list[float]: ...

    @property
    def moves(self) -> list[MoveReport]: ...

    @property
    def aux(self) -> list[float]: ...

    @property
    def deviations(self) -> list[float]: ...

    @property
    def raw_aux(self) -> list[float]: ...

    @property
    def actions(self) -> list[int]: ...

    @property
    def priors(self) -> list[float]: ...

def instruction_sets() -> list[str]:
    """That networks can use on this processor, the best last."""

class ConvNet:
    """
    A convolutional network for boards of one size: built layer by layer, then asked.
    """

    def __init__(self, width: int, height: int, threads: int = 1, instructions: str = '', int16: bool = False) -> None: ...

    def board_input(self, channels: int) -> int: ...

    def row_input(self, channels: int) -> int: ...

    def conv(self, board: int, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], dilation: tuple[int, int] = (1, 1)) -> int: ...

    def conv_columns(self, board: int, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """
        A filter as high as the board, weights [outputs, inputs, height]: an answer a column, at all its points.
        """

    def linear(self, row: int, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def activate(self, x: int, kind: str) -> int: ...

    def add(self, a: int, b: int) -> int: ...

    def add_everywhere(self, board: int, row: int) -> int: ...

    def scale_everywhere(self, board: int, row: int) -> int: ...

    def scale(self, board: int, by: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def shift(self, board: int, by: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def pool(self, board: int) -> int:
        """Means, then maxima."""

    def mean(self, board: int) -> int: ...

    def flatten(self, board: int) -> int:
        """A row of [channels, points]."""

    def output(self, parts: Sequence[int]) -> None:
        """
        Of a board [channels, points], of a row [channels], of both [channels, points + 1].
        """

    def finish(self) -> None:
        """After the last layer."""

    def run(self, inputs: Sequence[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None, None))]]:
        """Answers [rows, numbers] for each output; inputs are in their order."""

    @property
    def int16(self) -> bool: ...

    @property
    def instructions(self) -> str: ...

class State:
    """A position of a native game: opaque and immutable."""

    def __copy__(self) -> object: ...

    def __deepcopy__(self, memo: object) -> object: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, data: bytes) -> None: ...

class Rules:
    """
    A game with its settings. A state is a State, or a position of a game written in Python.
    """

    @property
    def settings(self) -> str: ...

    @property
    def players(self) -> int: ...

    @property
    def hidden(self) -> bool: ...

    @property
    def chance(self) -> bool: ...

    @property
    def simultaneous(self) -> bool: ...

    @property
    def zero_sum(self) -> bool: ...

    @property
    def action_count(self) -> int: ...

    @property
    def payoff_scale(self) -> float: ...

    @property
    def aux_count(self) -> int: ...

    @property
    def hidden_label_count(self) -> int: ...

    @property
    def policy_count(self) -> int: ...

    @property
    def has_heuristic(self) -> bool: ...

    @property
    def heuristics(self) -> list[str]: ...

    @property
    def rollout_policies(self) -> list[str]: ...

    @property
    def symmetry_count(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int, int]: ...

    def start(self, seed: int) -> object: ...

    def actor(self, state: object) -> int:
        """A player, CHANCE, EVERYONE or NOBODY."""

    def legal(self, state: object, player: int) -> list[int]:
        """Ascending; with CHANCE the possible outcomes."""

    def apply(self, state: object, action: int) -> object: ...

    def apply_joint(self, state: object, actions: Sequence[int]) -> object: ...

    def outcome(self, state: object, seed: int) -> int: ...

    def payoff(self, state: object) -> list[float]: ...

    def encode(self, state: object, viewer: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """Planes of what the viewer sees."""

    def redeal(self, state: object, viewer: int, seed: int) -> object: ...

    def key(self, state: object) -> int: ...

    def view_key(self, state: object, viewer: int) -> int: ...

    def heuristic(self, state: object) -> list[float]:
        """A value for each player."""

    def final_aux(self, state: object) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def hidden_labels(self, state: object, viewer: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """What the viewer does not see."""

    def policy_index(self, state: object, action: int) -> int:
        """Which of a network's policy_count numbers is for an action; -1: none."""

    def rollout_action(self, state: object, player: int, policy: str, seed: int) -> int:
        """What a rollout policy does."""

    def transform(self, state: object, symmetry: int) -> object: ...

    def action_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, actions]: where a symmetry takes an action."""

    def feature_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, features]: where a symmetry takes a feature."""

    def perft(self, state: object, depth: int) -> int:
        """How many sequences of that many actions and chance outcomes there are."""

    def playouts(self, state: object, seed: int, count: int, policy: str | None = None) -> tuple[int, list[float]]:
        """
        Plays to the end, at random or by a rollout policy; answers all plies played and each player's summed payoffs.
        """

    def flat_monte_carlo(self, state: object, viewer: int, seed: int, worlds: int, rollout_policy: str | None, halving: bool, penalty_weight: float, payoff_cap: float, prior_bonus: Sequence[float]) -> tuple[list[int], list[float], list[float], list[float], list[float]]:
        """
        Legal actions in the same redealt worlds, played to the end: the actions, the viewer's mean payoffs, the standard errors of their differences to the best, how often the viewer wins, and its mean penalties.
        """

    def play_worlds(self, state: object, viewer: int, actions: Sequence[int], seed: int, first: int, worlds: int, rollout_policy: str | None, aux: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]]:
        """
        Actions of the viewer in the redealt worlds first … first + worlds - 1 of a seed, played to the end: the payoffs [worlds, actions, players] and the first auxiliary values [worlds, actions, aux].
        """

class Pool:
    def __init__(self, rules: Rules, settings: SearchSettings, threads: int) -> None: ...

    def add(self, state: object | None, viewer: int, seed: int, include: Sequence[int], include_visits: int, restrictions: Sequence[tuple[int, Sequence[int], int, bool]], visits: int, settings: SearchSettings | None, aux: int, rules: Rules | None) -> int:
        """
        A new root; answers its number. Settings of its own, how many auxiliary values its nodes keep, and whose context it has, by default the pool's.
        """

    def restart(self, root: int, include: Sequence[int], include_visits: int, restrictions: Sequence[tuple[int, Sequence[int], int, bool]], visits: int) -> None:
        """A new search of the same root."""

    def remove(self, root: int) -> None: ...

    def advance(self, root: int, actions: Sequence[int], after: object | None) -> None:
        """Moves a root along an action, an outcome or a joint action."""

    def replace_root_state(self, root: int, state: object | None, rules: Rules | None) -> None:
        """
        Gives a root another state of the same rules_key, and the context of these rules.
        """

    def collect(self, max_rows: int) -> int:
        """Rows that want an answer; 0 does not mean done."""

    def features(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), writable=False)]:
        """[rows, planes, height, width] of the batch, read-only."""

    def legal(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), writable=False)]:
        """[rows, actions], read-only: what may be played in each row."""

    def viewers(self) -> list[int]:
        """Who decides in each row."""

    def roots(self) -> list[int]:
        """The root that each row belongs to."""

    def depths(self) -> list[int]:
        """Decisions between the root and each row."""

    def states(self) -> list[object]: ...

    def supply(self, logits: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], aux: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> None:
        """Answers to the batch: [rows, actions], [rows, players], [rows, aux]."""

    def abandon(self) -> None:
        """Takes the batch back."""

    def run(self, evaluator: str, rollouts: int, visits: int) -> bool:
        """
        With the core's evaluator uniform, rollout or heuristic, at most so many visits for each root; answers whether all roots are done.
        """

    def is_done(self) -> bool: ...

    def progress(self, root: int) -> tuple[int, bool]:
        """A root's visits, and whether it is done."""

    def state(self, root: int) -> object: ...

    def report(self, root: int, spread: bool, aux: bool, deviations: bool) -> RootReport: ...

    def choose(self, root: int, player: int, temperature: float) -> int: ...

    @property
    def cache_hits(self) -> int: ...

class PythonRules(Rules):
    def __init__(self, game: object) -> None:
        """Of a tengen.games.Game, whose positions stand for states."""

class ConnectFour(Rules):
    def __init__(self) -> None: ...

class GoRules:
    def __init__(self, *, ko: int = 1, scoring: int = 0, tax: int = 0, bonus: int = 0, suicide: bool = True, button: bool = False, friendly_pass: bool = False, prevent_cleanup: bool = False, komi: int = 15) -> None:
        """
        ko: simple, positional, situational, Spight; scoring: area, territory; tax: none, seki, all; bonus: none, n, n-1. Komi in half points.
        """

    @property
    def ko(self) -> int: ...

    @property
    def scoring(self) -> int: ...

    @property
    def tax(self) -> int: ...

    @property
    def bonus(self) -> int: ...

    @property
    def suicide(self) -> bool: ...

    @property
    def button(self) -> bool: ...

    @property
    def friendly_pass(self) -> bool: ...

    @property
    def prevent_cleanup(self) -> bool: ...

    @property
    def komi(self) -> int: ...

class GoContext:
    """
    What evaluations depend on beside the position; see core/games/go/context.hpp.
    """

    def __init__(self, *, playout_doubling_advantage: float = 0.0, advantage_player: int = 0, white_draw_equivalent: float = 0.5, static_factor: float = 0.0, dynamic_factor: float = 0.0, center: float = 0.0, scale: float = 0.75, win_factor: float = 1.0, white_no_result: float = 0.0, policy_optimism: float = 0.0, root_policy_optimism: float = 0.0, policy_temperature: float = 1.0, root_symmetries: int = 1, passing_hacks: bool = False, ignore_history: bool = False, ignore_all_history: bool = False) -> None: ...

class KataGoPostProcess:
    def __init__(self, *, version: int, score_mean: float, score_stdev: float, lead: float, variance_time: float, shortterm_value_error: float, shortterm_score_error: float) -> None: ...

def katago_contexts_of_roots(contexts: Sequence[GoContext]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """
    [rows, 10]: passing hacks, optimism, temperature, symmetries; factors of the score, center, scale; what a win and no result are worth.
    """

def katago_contexts_of_rows(pool: Pool) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """The same of the batch."""

def katago_input_keys(planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), device='cpu', writable=False)], globals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], legal: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], white_to_move: Annotated[NDArray[numpy.bool_], dict(shape=(None,), device='cpu', writable=False)], contexts: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> list[bytes]:
    """Everything that a network's answer depends on, as bytes a row."""

def katago_transform_boards(boards: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), device='cpu', writable=False)], symmetry: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]:
    """Boards [rows, planes, height, width], each by its own symmetry."""

def katago_read_outputs(policy: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ownership: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], legal: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], white_to_move: Annotated[NDArray[numpy.bool_], dict(shape=(None,), device='cpu', writable=False)], may_lack_result: Annotated[NDArray[numpy.bool_], dict(shape=(None,), device='cpu', writable=False)], symmetry: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], optimism: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], temperature: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], passing_hacks: Annotated[NDArray[numpy.bool_], dict(shape=(None,), device='cpu', writable=False)], width: int, post: KataGoPostProcess) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))]]:
    """
    What a network answered: policy [rows, moves], numbers [9, rows], ownership [rows, points].
    """

def katago_evaluate_outputs(policy: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], ownership: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], contexts: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))]]:
    """What a search takes: log-odds [rows, moves], utilities [rows, 2], aux."""

class Go(Rules):
    def __init__(self, *, width: int = 19, height: int = 19, ko: int = 1, scoring: int = 0, tax: int = 0, bonus: int = 0, suicide: bool = True, button: bool = False, friendly_pass: bool = False, komi: int = 15) -> None: ...

    def player(self, state: State) -> int:
        """To move, also when it is over."""

    def ply(self, state: State) -> int:
        """Moves since the start."""

    def phase(self, state: State) -> int:
        """0, or clean-up 1 or 2."""

    def ended(self, state: State) -> int:
        """0 no; 1 by passes, but held open; 2 scored; 3 no result."""

    def captured(self, state: State) -> tuple[int, int]:
        """Stones taken from Black, from White."""

    def board(self, state: State) -> bytes:
        """A byte a cell: 0 empty, 1 Black, 2 White."""

    def ko(self, state: State) -> int:
        """The cell that simple ko bans; -1: none."""

    def banned(self, state: State) -> list[int]:
        """Empty cells that a ko rule bans for the player to move."""

    def recent(self, state: State) -> list[int]:
        """The last actions since the history began, the latest first; at most 5."""

    def white_komi(self, state: State) -> float:
        """
        What White has besides the board: komi, handicap bonus, button; under territory scoring the stones played.
        """

    def board_key(self, state: State) -> int:
        """Of stones, player and ko alone."""

    def rules_of(self, state: State) -> GoRules: ...

    def root_ply(self, state: State) -> int:
        """-1: of no search."""

    def conservative_pass(self, state: State) -> bool: ...

    def start_from(self, rules: GoRules, stones: Sequence[tuple[int, int]], player: int, phase: int = 0) -> State:
        """Stones as (seat, cell)."""

    def replay(self, state: State, player: int, action: int) -> State:
        """A move of either player, whatever the ko, also after the end."""

    def is_legal(self, state: State, action: int) -> bool:
        """For the player to move."""

    @property
    def context(self) -> GoContext: ...

    def with_context(self, context: GoContext) -> Go:
        """The same rules; states of either belong to both."""

    def in_search(self, state: State, root_ply: int, conservative_pass: bool = False) -> State:
        """
        The position in a search that began at root_ply; there, it is never over.
        """

    def score(self, state: State, dead: Sequence[int]) -> tuple[float, bytes]:
        """
        If it ended now without those stones: Black's lead in points, and a byte a cell with its owner.
        """

    def independent_life(self, state: State, dead: Sequence[int]) -> bytes:
        """
        Without those stones: a byte a cell with the owner of what lives and is no seki.
        """

    def pass_alive(self, state: State) -> bytes:
        """A byte a cell with the owner of what is pass-alive."""

    def chain(self, state: State, cell: int) -> list[int]:
        """
        The stones that are connected with the one there; none of an empty cell.
        """

    def liberties(self, state: State, cell: int) -> int:
        """Of the chain there."""

class KuhnPoker(Rules):
    def __init__(self) -> None: ...

    def start_with(self, card0: int, card1: int) -> State:
        """0 jack, 1 queen, 2 king."""

MATGO_SAFE_GO_FAILS: float = 0.08

class MatgoMultipliers:
    @property
    def gwang_bak(self) -> bool: ...

    @property
    def pi_bak(self) -> bool: ...

    @property
    def mong_bak(self) -> bool: ...

    @property
    def go_bak(self) -> bool: ...

    @property
    def hold(self) -> bool: ...

    @property
    def gos(self) -> int: ...

    @property
    def shakes(self) -> int: ...

    @property
    def bombs(self) -> int: ...

    @property
    def product(self) -> int:
        """All of them, without the carry."""

class MatgoView:
    @property
    def phase(self) -> int: ...

    @property
    def mover(self) -> int: ...

    @property
    def starter(self) -> int: ...

    @property
    def carry(self) -> int: ...

    @property
    def hands(self) -> list[int]:
        """Of a hidden hand, the cards that were shown."""

    @property
    def cards(self) -> list[int]:
        """How many cards each hand has."""

    @property
    def dummies(self) -> list[int]: ...

    @property
    def shown(self) -> list[int]: ...

    @property
    def captured(self) -> list[int]: ...

    @property
    def floor(self) -> int: ...

    @property
    def table(self) -> int: ...

    @property
    def hand_card(self) -> int | None: ...

    @property
    def flipped(self) -> int | None: ...

    @property
    def stock(self) -> int: ...

    @property
    def turns(self) -> list[int]: ...

    @property
    def gos(self) -> list[int]: ...

    @property
    def ppuks(self) -> list[int]: ...

    @property
    def bombs(self) -> list[int]: ...

    @property
    def held(self) -> list[int]: ...

    @property
    def shaken(self) -> list[int]:
        """Months, as bits."""

    @property
    def piles(self) -> list[int]:
        """Months of ppuks on the floor, as bits."""

    @property
    def gukjin(self) -> int: ...

    @property
    def winner(self) -> int:
        """2: nobody."""

    @property
    def ending(self) -> int: ...

    @property
    def funds(self) -> list[int] | None:
        """Gold before the round; None: without limit."""

    @property
    def played(self) -> list[int]: ...

    @property
    def last_go_base(self) -> list[int]: ...

    @property
    def bonus_month(self) -> list[int]:
        """The pile that each bonus card lies with; 255: none."""

    @property
    def viewed_by(self) -> int:
        """-1: it was dealt and played."""

    @property
    def bases(self) -> list[int]: ...

    @property
    def gold(self) -> list[int]: ...

    @property
    def multipliers(self) -> list[MatgoMultipliers]:
        """If that seat stopped now, or as it ended."""

class MatgoAudit:
    @property
    def games(self) -> int: ...

    @property
    def plies(self) -> int: ...

    @property
    def invalid(self) -> int:
        """States in which cards or gold do not add up."""

    @property
    def nagaris(self) -> int: ...

    @property
    def starter_wins(self) -> int: ...

class Matgo(Rules):
    def __init__(self, *, bonus_cards: int = 2, bonus_steal: int = 1, floor_four_wins: bool = True, floor_four_carry: bool = True, president_points: int = 10, president_choice: bool = True, president_hold_mult: int = 4, ask_same_kind: bool = False, first_ppuk_points: int = 7, three_ppuk_points: int = 7, eat_pile: int = 1, self_ppuk_eat: int = 1, eat_next_capture: bool = False, first_ddadak_points: int = 0, two_card_bomb: bool = False, bonus_stuck: bool = False, flip_choice_keeps_hand_event: bool = True, bomb_last_hand: bool = True, gukjin_mode: int = 0, gukjin_rescue_always: bool = False, go_min: int = 7, pi_bak_max: int = 7, pi_bak_zero_exempt: bool = True, mong_needs_zero: bool = True, exhaustion_min: int = 0, gold_per_point: int = 100) -> None: ...

    def compose(self, *, viewer: int = 0, starter: int = 0, mover: int = 0, phase: int = 0, gukjin: int = 0, carry: int = 1, floor: int = 0, stock: Sequence[int] = [], bonus_month: int = -1, hand: Sequence[int] = [0, 0], captured: Sequence[int] = [0, 0], shown: Sequence[int] = [0, 0], played: Sequence[int] = [0, 0], turns: Sequence[int] = [0, 0], gos: Sequence[int] = [0, 0], last_go_base: Sequence[int] = [0, 0], ppuks: Sequence[int] = [0, 0], bombs: Sequence[int] = [0, 0], shaken: Sequence[int] = [0, 0], piles: Sequence[int] = [0, 0], held: Sequence[int] = [0, 0], funds: Sequence[int] = [4611686018427387904, 4611686018427387904]) -> State:
        """
        A position by what one seat sees of it; its hidden cards may be any. Sets of cards and months are bits.
        """

    def start_with(self, deck: Sequence[int], starter: int, carry: int, gold: Sequence[int] | None) -> State:
        """
        Ten cards for each seat, eight for the floor, then the stock; gold that can be lost, or None for no limit.
        """

    def deck(self, state: State) -> list[int]:
        """A deck that leads to the same deal."""

    def view(self, state: State, viewer: int | None = None) -> MatgoView:
        """The table, as the viewer sees it."""

    @property
    def weights(self) -> list[float]:
        """Of the learned choice."""

    def match_weights(self, first: Sequence[float], second: Sequence[float], seed: int, deals: int, payoff_cap: float) -> tuple[float, list[float], list[float]]:
        """
        Means of a game, each deal from both seats: the first's payoff, where none counts beyond payoff_cap; the risks of both; their gos.
        """

    def audit(self, seed: int, games: int) -> MatgoAudit:
        """Plays random deals at random and checks every state on the way."""

class Pig(Rules):
    def __init__(self, *, target: int = 20) -> None: ...

class PokemonBattle:
    """A battle with everything that is hidden, as a value."""

    @staticmethod
    def read(position: dict[str, Any]) -> PokemonBattle:
        """
        From a position in the simulator's words; ValueError for names that no gen 8 random battle has.
        """

    def position(self) -> dict[str, Any]:
        """In the simulator's words; what is at its default is None."""

    def outcome(self) -> list[Any]:
        """What players tell apart, in short and without hit points."""

    def hp(self) -> list[int]:
        """Twelve hit points, by team slot."""

    def legal(self, side: int) -> list[int]:
        """What the simulator accepts; empty for a side that waits."""

    def offered(self, side: int) -> list[int]:
        """What the side is shown: more than is legal where a trap is hidden."""

    def play(self, first: int | None, second: int | None, seed: int) -> PokemonBattle:
        """To the next choice or the end. None for a side that waits."""

    def play_scripted(self, first: int | None, second: int | None, script: str) -> PokemonBattle:
        """As play, with every draw of a kind answered alike."""

    def damage(self, side: int, move: str, max: bool = False, crit: bool = False, hit: int = 1) -> list[int]:
        """
        The sixteen amounts that a hit of a side's move can do to the foe now, the least first.
        """

def audit_pokemon(seed: int, battles: int) -> dict[str, Any]:
    """
    Plays random battles and looks at every state: counts, and what is wrong.
    """

def pokemon_tables() -> dict[str, Any]:
    """
    Moves, species, items, abilities, types and formes by the simulator's ids; the first of most is none.
    """

def pokemon_redeal(position: dict[str, Any], known: PokemonKnowledge, viewer: int, seed: int) -> tuple[dict[str, Any], list[int]]:
    """
    A position dealt anew from what the viewer knows, and the actions that are offered there.
    """

def pokemon_sets(forme: str) -> list[dict[str, Any]]:
    """The sets of a forme: set i is bit i of its masks."""

def pokemon_team(seed: int) -> tuple[list[tuple[str, int, int, int]], int, bool]:
    """A team as the generator draws it."""

def pokemon_team_likelihood(team: Sequence[tuple[str, int]]) -> float:
    """
    How likely the generator is to draw these (forme, number of the set) in this order; 0: it never does.
    """

class PokemonKnowledge:
    """What one side knows of the other's team."""

    def __init__(self) -> None: ...

    def see(self, forme: str, sets: Sequence[int], sure: Sequence[int], percent: int = 100) -> None:
        """
        Adds a Pokémon: sets that fit all that was seen of it, and while it could not be Zoroark in disguise.
        """

    def set_field(self, lead: int, active: int, since_start: bool, disguise: Sequence[int], before_hp: int = 100) -> None: ...

    def draw_many(self, seed: int, count: int) -> int:
        """Draws so many teams; answers how many had to be forced."""

    def to_bytes(self) -> bytes: ...

    def draw_team(self, seed: int) -> tuple[list[tuple[str, int, int, int]], int, bool]:
        """
        Members (forme, gender, set, which of the seen or -1), who of them is disguised or -1, whether it had to be forced.
        """

class Pokemon(Rules):
    def __init__(self, *, max_turns: int = 1000) -> None: ...

    def position(self, state: State, viewer: int | None = None) -> dict[str, Any]:
        """
        Return the position in the simulator's words, with all sets; for a viewer without sets, and the other team as it was seen, with hit points in percent.
        """

    def seen(self, state: State, viewer: int) -> list[tuple[str, list[int], str | None, str | None]]:
        """
        Return whom the viewer has seen of the other team, in the order of position(): forme, the sets that fit, and the present item and ability if they are known to differ from the set's.
        """

    def label_name(self, label: int) -> str:
        """What a search keeps the other side's choice of a move by."""

    @property
    def has_uniform_sets(self) -> bool: ...

    def with_uniform_sets(self, uniform: bool) -> Pokemon:
        """
        The same rules, where redeal() takes all sets of a species that fit for equally likely, or as the generator draws them; states of either belong to both.
        """

    def features(self, state: State) -> list[float]:
        """
        What the heuristic judges a battle by; see core/games/pokemon/evaluation.hpp.
        """

    def policy_features(self, state: State, player: int) -> list[list[float]]:
        """
        What the heuristic judges each legal choice by; see core/games/pokemon/policy.hpp.
        """

    def from_position(self, position: dict[str, Any], known: PokemonKnowledge | None = None, side: int = 0, luck: int = 0) -> State:
        """
        Return the state of a position in the simulator's words, with what a side knows of the other's team. Pokémon that fainted, are hurt or used something count as seen. Raise ValueError or TypeError for anything invalid.
        """

class Pyrga(Rules):
    def __init__(self, *, arrows_stay_on_board: bool = False, second_square_ban: bool = False, tie_break: bool = False) -> None: ...

class RockPaperScissors(Rules):
    def __init__(self) -> None: ...

class Shogi(Rules):
    def __init__(self, *, declaration: int = 3, max_plies: int = 0) -> None: ...

    def side(self, state: State) -> int:
        """To move, also when it is over."""

    def ply(self, state: State) -> int:
        """The move number of SFEN less one."""

    def board(self, state: State) -> bytes:
        """
        A byte a square, (file-1)*9 + rank-1: 0 empty, else 1 + kind, and 16 more if it is White's. Kinds: P L N S B R G K +P +L +N +S +B +R.
        """

    def hands(self, state: State) -> list[int]:
        """Black's P L N S B R G, then White's."""

    def is_check(self, state: State) -> bool: ...

    def checkers(self, state: State) -> list[int]:
        """Squares."""

    def occurrences(self, state: State) -> int:
        """How often the position has come in this game; at most 4 are counted."""

    def end(self, state: State) -> int:
        """
        0 not over; 1 no moves; 2 repetition; 3 perpetual check; 4 declaration; 5 try; 6 limit of plies.
        """

    def recent(self, state: State) -> list[tuple[int, int]]:
        """
        The latest moves, the last one first, at most 7: action, piece taken or 0.
        """

    def position_key(self, state: State) -> int:
        """Of board, hands and side to move."""

    def rules_key(self, state: State) -> int:
        """Of the whole game up to here."""

    def can_declare(self, state: State) -> bool: ...

    def camp_count(self, state: State, color: int) -> tuple[int, int]:
        """Points for a declaration, and pieces in the camp besides the king."""

    def attackers(self, state: State, color: int, square: int) -> list[int]:
        """Squares of the pieces that attack a square."""

    def gives_check(self, state: State, action: int) -> bool:
        """Whether a legal move gives check."""

    def refusal(self, state: State, action: int) -> int:
        """
        Why a move is illegal; see core/games/shogi/refusal.hpp. 0: it is legal.
        """

    def start_from(self, board: bytes, hands: Sequence[int], side: int, ply: int = 0) -> State:
        """Board and hands as board() and hands() answer them."""

    def replay(self, state: State, action: int) -> State:
        """
        A legal move, also after an end by repetition or by the limit of plies.
        """

    @property
    def draw_value(self) -> float: ...

    def with_draw_value(self, value: float) -> Shogi:
        """
        The same rules, where a draw is worth so much to Black; states of either belong to both.
        """

    @staticmethod
    def moves() -> list[tuple[int, int, bool]]:
        """
        Of every action but the last: from, or 81 + kind of a drop; to; promotes.
        """

def dlshogi_inputs_of_rows(pool: Pool, entering: bool) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]]:
    """
    [rows, 62, 9, 9] and [rows, 57, 9, 9] of a batch; with `entering` 119 planes.
    """

def dlshogi_inputs_of_states(states: Sequence[State], entering: bool) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]]:
    """The same of states."""

def miniosl_inputs_of_rows(pool: Pool, fill_history: bool) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]:
    """[rows, 176, 9, 9] of a batch."""

def miniosl_inputs_of_states(states: Sequence[State], fill_history: bool) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]:
    """The same of states."""

def miniosl_label_order() -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Where miniosl's networks have each label of the game's policy."""

def prophet_pack(rules: Shogi, states: Sequence[object]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """[states, 96]: board, hands and side to move in bytes."""

def prophet_planes(packed: Annotated[NDArray[numpy.uint8], dict(shape=(None, 96), order='C', device='cpu', writable=False)], viewer_to_move: bool) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]:
    """
    [rows, 148, 9, 9]: what prophet (the viewer has just moved) or enforcer (the viewer is to move) sees.
    """

def prophet_legal_entries(packed: Annotated[NDArray[numpy.uint8], dict(shape=(None, 96), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Rows, actions and entries of the enforcer's output of all legal moves, a drop once for each such piece.
    """

def prophet_entries(packed: Annotated[NDArray[numpy.uint8], dict(shape=(None, 96), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Where the enforcer writes a legal action, one a position."""

def prophet_actions(packed: Annotated[NDArray[numpy.uint8], dict(shape=(None, 96), order='C', device='cpu', writable=False)], entries: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The legal action that an entry stands for, one a position; -1: none."""

class ShogiMateSolver:
    """Looks for mates by checks alone, one solve() after the other."""

    def __init__(self, megabytes: int = 64) -> None: ...

    def solve(self, rules: Shogi, state: State, nodes: int) -> tuple[int, list[int], int]:
        """
        Whether the side to move mates (0 unknown, 1 yes, 2 no), the actions up to the mate, positions looked at.
        """

    def stop(self) -> None:
        """Ends a solve() of another thread soon, or the next one at once."""

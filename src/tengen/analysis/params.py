"""The keys of a configuration, named as in KataGo v1.17. Parsing and documentation are derived from this table.

The fields are in the order in which they are read, so that the same one of several mistakes is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.analysis.keys import flag, integer, of_kind, real, text

__all__ = ["Params", "Settings"]


@dataclass(frozen=True)
class Params:
    """Parameters of searches and reports: the values of the configuration, as changed by a query."""

    num_bots = integer(1, 1, 4096, "Must be 1.", "idle")
    max_playouts: int = integer(2**50, 1, 2**50, "Playouts of a search; the visits of a reused tree count too.", "used")
    max_visits: int = integer(
        500, 1, 2**50, "Visits of a search, where the query names none; 2^50 if maxPlayouts or maxTime is set.", "used"
    )
    max_time: float = real(1e20, 0, 1e20, "Seconds of a search.", "used")
    max_playouts_pondering = integer(2**50, 1, 2**50, "For play on the opponent's time.", "idle")
    max_visits_pondering = integer(2**50, 1, 2**50, "For play on the opponent's time.", "idle")
    max_time_pondering = real(1e20, 0, 1e20, "For play on the opponent's time.", "idle")
    lag_buffer: float = real(0.0, 0, 3600, "Seconds kept back in a timed game.", "play", is_read=True)
    search_factor_after_one_pass: float = real(1.0, 0, 1, "Multiplies the limits after a pass.", "used")
    search_factor_after_two_pass: float = real(1.0, 0, 1, "Multiplies the limits after two passes.", "used")
    num_search_threads: int = integer(
        1, 1, 4096, "Positions of one tree at once; numSearchThreadsPerAnalysisThread is another name for it.", "used"
    )
    min_playouts_per_thread = real(8.0, 0, 1e20, "Fewer threads are used for short searches.", "idle")
    win_loss_utility_factor: float = real(1.0, 0, 1, "What winning is worth.", "used")
    static_score_utility_factor: float = real(0.1, 0, 1, "What points are worth, measured from zero.", "used")
    dynamic_score_utility_factor: float = real(
        0.3, 0, 1, "What points are worth, measured from the expected score.", "used"
    )
    no_result_utility_for_white: float = real(0.0, -1, 1, "What a game without result is worth for White.", "used")
    draw_equivalent_wins_for_white: float = real(0.5, 0, 1, "The wins that a draw counts as, for White.", "used")
    dynamic_score_center_zero_weight: float = real(
        0.2, 0, 1, "How far the expected score is drawn towards zero.", "used"
    )
    dynamic_score_center_scale: float = real(0.75, 0.2, 5, "The width of the dynamic score's curve.", "used")
    cpuct_exploration: float = real(1.0, 0, 10, "Exploration.", "used")
    cpuct_exploration_log: float = real(0.45, 0, 10, "How exploration grows with the logarithm of the visits.", "used")
    cpuct_exploration_base: float = real(500.0, 10, 100000, "The visits at which that growth begins.", "used")
    cpuct_utility_stdev_prior = real(0.4, 1e-8, 10, "The spread of values that is expected beforehand.")
    cpuct_utility_stdev_prior_weight = real(2.0, 0, 100, "The visits that this expectation counts as.")
    cpuct_utility_stdev_scale = real(0.85, 0, 1, "How much the spread of values changes exploration.")
    fpu_reduction_max: float = real(
        0.2, 0, 2, "How much worse than its parent an unvisited move counts at most.", "used"
    )
    fpu_loss_prop = real(0.0, 0, 1, "How far an unvisited move's value is drawn towards a loss.")
    fpu_parent_weight_by_visited_policy: bool = flag(
        True, "The parent's own evaluation counts less, the more of the policy was visited.", "used"
    )
    fpu_parent_weight_by_visited_policy_pow: float = real(
        2.0, 0, 5, "The power of that.", "used", needs=("fpu_parent_weight_by_visited_policy", True)
    )
    fpu_parent_weight = real(
        0.0,
        0,
        1,
        "The fixed weight of the parent's own evaluation.",
        needs=("fpu_parent_weight_by_visited_policy", False),
    )
    policy_optimism: float = real(1.0, 0, 1, "Share of the optimistic policy, in networks that have one.", "used")
    value_weight_exponent = real(0.25, 0, 1, "How much moves with bad values weigh less in a node's value.")
    use_noise_pruning = flag(True, "Visits beyond what policy and value support weigh less.")
    noise_prune_utility_scale = real(0.15, 0.001, 10, "The difference in value that this is measured by.")
    noise_pruning_cap = real(1e50, 0, 1e50, "The most weight that it takes away.")
    use_uncertainty = flag(True, "Evaluations weigh by the network's own uncertainty.")
    uncertainty_coeff = real(0.25, 0.0001, 1, "The uncertainty that counts as a full visit.")
    uncertainty_exponent = real(1.0, 0, 2, "The power of that.")
    uncertainty_max_weight = real(8.0, 1, 100, "The most that an evaluation weighs.")
    use_graph_search = flag(True, "Positions that several orders of moves reach are searched once.")
    graph_search_rep_bound = integer(11, 3, 50, "How far back a repetition is looked for in that.")
    graph_search_catch_up_leak_prob = real(0.0, 0, 1, "How often such a position is visited all the same.")
    root_noise_enabled: bool = flag(False, "Dirichlet noise in the root's policy.", "used")
    root_dirichlet_noise_total_concentration: float = real(
        10.83, 0.001, 10000, "The noise's concentration, shared out over the moves.", "used"
    )
    root_dirichlet_noise_weight: float = real(0.25, 0, 1, "The noise's share.", "used")
    root_policy_temperature: float = real(1.0, 0.01, 100, "Above 1 flattens the root's policy.", "used")
    root_policy_temperature_early: float = real(
        1.0, 0.01, 100, "The same early in the game; by default equal to it.", "used"
    )
    root_fpu_reduction_max: float = real(
        0.1, 0, 2, "fpuReductionMax at the root; by default 0 with root noise.", "used"
    )
    root_fpu_loss_prop = real(0.0, 0, 1, "fpuLossProp at the root; by default equal to it.")
    root_num_symmetries_to_sample: int = integer(
        1, 1, 8, "Turned and mirrored boards that the root's evaluation is averaged over.", "used"
    )
    root_symmetry_pruning: bool = flag(
        True, "Of moves that a symmetry of the board maps to each other, only one is searched.", "used"
    )
    root_desired_per_child_visits_coeff: float = real(
        0.0, 0, 100, "Forced playouts: each move of the root gets at least √(this · policy · visits) visits.", "used"
    )
    root_policy_optimism: float = real(
        0.2, 0, 1, "policyOptimism at the root; by default the smaller of it and 0.2.", "used"
    )
    chosen_move_temperature: float = real(0.1, 0, 5, "For play: randomness of the chosen move.", "play", is_read=True)
    chosen_move_temperature_early: float = real(
        0.5, 0, 5, "For play: the same early in the game.", "play", is_read=True
    )
    chosen_move_temperature_halflife: float = real(
        19.0, 0.1, 100000, "The moves in which early temperatures fade by half, on a board of 19x19.", "used"
    )
    chosen_move_temperature_only_below_prob = real(
        1.0, 0, 1, "For play: only moves below this probability are randomized.", "idle"
    )
    chosen_move_subtract = real(0.0, 0, 1e10, "Visits taken from every move before they are compared.")
    chosen_move_prune = real(1.0, 0, 1e10, "Moves with fewer visits are left out of the comparison.")
    use_lcb_for_selection: bool = flag(True, "Moves are ordered by what they are worth at least.", "used")
    lcb_stdevs: float = real(5.0, 1, 12, 'Standard deviations that "at least" means.', "used")
    min_visit_prop_for_lcb: float = real(
        0.15, 0, 1, "Share of the best move's visits that a move needs for that.", "used"
    )
    use_non_buggy_lcb = flag(True, "Leaves out a mistake of old versions.")
    root_ending_bonus_points = real(
        0.5, -1, 1, "Points given for passing, and for not playing in one's own area, at the end."
    )
    root_prune_useless_moves: bool = flag(True, "Moves that only prolong the game are not searched.", "used")
    conservative_pass: bool = flag(True, "A pass is never taken to end the game.", "used")
    fill_dame_before_pass = flag(False, "Neutral points are filled before passing.")
    always_compute_pass_alive_under_suicide_rules = of_kind(
        "enabled", None, "Unconditional life is judged as if suicide were allowed."
    )
    exclude_territory_adjacent_to_atari = of_kind("enabled", None, "Territory next to stones in atari is not counted.")
    wide_root_noise: float = real(0.04, 0, 5, "Spreads the visits of the root over more moves.", "used")
    enable_passing_hacks: bool = flag(True, "Keeps passes from misleading the search.", "used")
    enable_more_passing_hacks = flag(True, "Keeps passes from misleading the search in more cases.")
    playout_doubling_advantage: float = real(
        0.0, -3, 3, "The network is told that one side has 2 to this power times the playouts of the other.", "used"
    )
    playout_doubling_advantage_pla: int | None = of_kind(
        "player", None, "The side that it is said of; by default the player to move.", "used"
    )
    avoid_repeated_pattern_utility = real(0.0, -3, 3, "Utility taken from playing the same pattern in another corner.")
    nn_policy_temperature: float = of_kind("float", 1.0, "Above 1 flattens every policy.", "used", low=0.01, high=5)
    anti_mirror = flag(False, "Answers to an opponent who mirrors.")
    ignore_pre_root_history: bool = flag(True, "The network does not see the moves before the root.", "used")
    ignore_all_history: bool = flag(False, "The network sees no moves at all.", "used")
    subtree_value_bias_factor = real(0.45, 0, 1, "Corrects values by what was learned about the same pattern.")
    subtree_value_bias_free_prop = real(0.8, 0, 1, "Share of that which goes when a node is freed.")
    subtree_value_bias_weight_exponent = real(0.85, 0, 1, "How a subtree's weight counts for that.")
    use_eval_cache = flag(False, "Values of searched positions are remembered for later searches.", is_changeable=False)
    eval_cache_min_visits = integer(100, 1, 2**50, "The visits that a position needs for that.", is_changeable=False)
    node_table_shards_power_of_two = integer(
        16, 8, 24, "How the table of nodes is shared between threads.", "idle", is_changeable=False
    )
    num_virtual_losses_per_thread: float = real(
        1.0, 0.01, 1000, "How many losses a visit under way counts as, with several search threads.", "used"
    )
    tree_reuse_carry_over_time_factor = real(0.0, 0, 1, "For timed play.", "idle")
    overallocate_time_factor = real(1.0, 0.01, 100, "For timed play.", "idle")
    midgame_time_factor = real(1.0, 0.01, 100, "For timed play.", "idle")
    midgame_turn_peak_time = real(130.0, 0, 1000, "For timed play.", "idle")
    endgame_turn_time_decay = real(100.0, 0, 1000, "For timed play.", "idle")
    obvious_moves_time_factor = real(1.0, 0.01, 1, "For timed play.", "idle")
    obvious_moves_policy_entropy_tolerance = real(0.3, 0.001, 2, "For timed play.", "idle")
    obvious_moves_policy_surprise_tolerance = real(0.15, 0.001, 2, "For timed play.", "idle")
    futile_visits_threshold = real(
        0.0, 0.01, 1, "A search ends when no other move can catch up with this share of the best one's visits."
    )
    human_sl_profile: str = of_kind(
        "profile", "", "The people to imitate, such as rank_5k; needs a network that can.", is_read=True
    )
    human_sl_cpuct_exploration = real(1.0, 0, 1000, "Exploration of people's moves.", is_human=True)
    human_sl_cpuct_permanent = real(0.0, 0, 1000, "The part of it that does not fade.", is_human=True)
    human_sl_root_explore_prob_weightless = real(
        0.0, 0, 1, "Share of the root's visits that go to people's moves without weight.", is_human=True
    )
    human_sl_root_explore_prob_weightful = real(0.0, 0, 1, "The same with weight.", is_human=True)
    human_sl_pla_explore_prob_weightless = real(
        0.0, 0, 1, "The same below the root for the player to move, without weight.", is_human=True
    )
    human_sl_pla_explore_prob_weightful = real(0.0, 0, 1, "The same with weight.", is_human=True)
    human_sl_opp_explore_prob_weightless = real(0.0, 0, 1, "The same for the opponent, without weight.", is_human=True)
    human_sl_opp_explore_prob_weightful = real(0.0, 0, 1, "The same with weight.", is_human=True)
    human_sl_chosen_move_prop = real(
        0.0, 0, 1, "For play: share of people's policy in the chosen move.", "idle", is_human=True
    )
    human_sl_chosen_move_ignore_pass = flag(False, "For play: that policy does not pass.", "idle", is_human=True)
    human_sl_chosen_move_pikl_lambda = real(
        1e9, 0, 1e9, "For play: how much a worse value takes from that policy.", "idle", is_human=True
    )
    report_analysis_winrates_as: int | None = of_kind(
        "perspective", None, "Whose view the numbers are: BLACK, WHITE or SIDETOMOVE.", "used"
    )


@dataclass(frozen=True)
class Settings:
    """Settings of the whole process."""

    num_analysis_threads: int = integer(1, 1, 16384, "Positions that are analyzed at once.", "used")
    for_deterministic_testing: bool = flag(False, "Seeds are fixed.", "used")
    log_config_contents = flag(True, "The configuration is written to the log.", "idle")
    log_to_stdout = flag(False, "The answers' place is not written to.", "idle")
    log_to_stderr: bool = flag(True, "The log goes to the standard error.", "used")
    log_time_stamp = flag(True, "Lines of the log begin with the time.", "idle")
    log_file = text("", "A file for the log.")
    log_dir = text("", "A folder for logs.")
    log_dir_dated = text("", "A folder for logs by date.")
    log_all_requests: bool = flag(False, "Requests are logged.", "used")
    log_all_responses: bool = flag(False, "Answers are logged.", "used")
    log_errors_and_warnings: bool = flag(True, "Errors and warnings are logged.", "used")
    log_search_info = flag(False, "Every search is logged.")
    warn_unused_fields: bool = flag(True, "Fields of a query that mean nothing are warned of.", "used")
    analysis_pv_len: int = integer(
        15, 1, 100, "Moves of a variation after its first, where the query names no number.", "used"
    )
    assume_multiple_starting_black_moves_are_handicap = flag(
        True, "Black's moves in a row at the start are handicap stones."
    )
    prevent_cleanup_phase: bool = flag(
        True, "Territory rules end after two passes, without a phase that removes dead stones.", "used"
    )
    search_rand_seed: str = text("", "The seed of searches; by default another one for each.", "used")
    debug_skip_neural_net = flag(False, "Evaluations are made up.")
    nn_randomize: bool = flag(True, "The network sees the board turned or mirrored at random.", "used")
    nn_rand_seed: str = text("", "The seed of that.", "used")
    num_nn_server_threads_per_model = integer(1, 1, 1024, "Graphics cards.", "idle")
    num_eigen_threads_per_model: int = integer(
        1, 1, 1024, "Threads of the network, where the command line names none.", "used"
    )
    home_data_dir = text("", "A folder for tuning files.", "idle")
    nn_forced_symmetry: int | None = integer(None, 0, 7, "The one way in which the network sees the board.", "used")
    nn_cache_size_power_of_two: int = integer(
        18, -1, 48, "2 to this power evaluations are remembered; -1 is none.", "used"
    )
    nn_mutex_pool_size_power_of_two = integer(17, -1, 24, "Locks of that memory.", "idle")
    nn_max_batch_size: int = integer(32, 1, 65536, "Positions that the network sees at once.", "used")

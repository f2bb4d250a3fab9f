"""Networks of miniosl's and in dlshogi's format: what they see, their labels, the search with them."""

import logging
import math
from pathlib import Path

import numpy as np
import pytest
from shogi_nets import write_dlshogi, write_miniosl

import tengen
from tengen import _core
from tengen.evaluators import find_evaluator
from tengen.nets.dlshogi import Dlshogi, EngineSettings
from tengen.nets.dlshogi.comparison import compare as compare_dlshogi
from tengen.nets.golden import GoldenError
from tengen.nets.miniosl import Miniosl
from tengen.nets.miniosl.comparison import compare as compare_miniosl
from tengen.nets.miniosl.files import AOZORA, KNOWN, find_package
from tengen.nets.onnx_files import read_facts
from tengen.protocols.usi import EngineSettings as EngineOptions
from tengen.protocols.usi import Limits, ShogiEngine

DATA = Path(__file__).parent / "data" / "shogi"
GAME = tengen.game("shogi")
MATE = "3lkl3/9/4G4/9/9/9/9/9/4K4 b G 1"
NEEDS_MINIOSL = pytest.mark.skipif(find_package() is None, reason="the package miniosl is not installed")
# The answers that are recorded are those of one release.
NEEDS_ITS_NETWORK = pytest.mark.skipif(
    find_package() is None or KNOWN.get(read_facts(find_package()).sha256) != "eval.onnx of miniosl 0.1.6",
    reason="the package miniosl is not installed, or has another network than that of 0.1.6",
)
# Whose path is shown depends on the order of equal pieces, which in the package goes by the history of the game.
PATHS = [62, *(64 + 16 * i + k for i in range(7) for k in (5, 9, 10, 11))]
RECENT, CAPTURED, KING, OCCUPIED, COVER = 64, 66, 67, slice(71, 73), slice(78, 80)


@pytest.fixture
def miniosl(tmp_path):
    return Miniosl(write_miniosl(tmp_path / "net.onnx"))


@pytest.fixture
def dlshogi(tmp_path):
    return Dlshogi(write_dlshogi(tmp_path / "net.onnx"))


def planes(*states, fill=True):
    return _core.miniosl_inputs_of_states([state.position for state in states], fill)


def test_inputs_and_labels_are_those_of_the_programs():
    for compare, name in ((compare_miniosl, "miniosl"), (compare_dlshogi, "dlshogi")):
        found = compare(None, DATA / f"{name}.json.gz")
        assert found.positions == 40
        assert [each.worst for each in found.inputs] == [0] * len(found.inputs)


@NEEDS_ITS_NETWORK
@pytest.mark.parametrize("backend", ["native", "onnxruntime"])
def test_answers_are_those_of_miniosl(backend):
    found = compare_miniosl(find_package(), DATA / "miniosl.json.gz", backend=backend)
    assert {each.name: each.worst < 2e-5 for each in found.outputs} == {"policy": True, "value": True}
    assert found.is_close(1e-4)


def test_a_file_of_the_other_program_is_refused(tmp_path):
    with pytest.raises(GoldenError, match="features1_b64"):
        compare_dlshogi(None, DATA / "miniosl.json.gz")
    (tmp_path / "bad.json").write_text("[")
    with pytest.raises(GoldenError, match="can't be read"):
        compare_miniosl(None, tmp_path / "bad.json")
    with pytest.raises(ValueError, match="another network"):
        compare_miniosl(write_miniosl(tmp_path / "net.onnx"), DATA / "miniosl.json.gz")


@NEEDS_MINIOSL
@pytest.mark.slow
def test_games_look_as_they_do_to_miniosl():
    theirs = pytest.importorskip("minioslcc")
    seen = equal = 0
    for line in DATA.joinpath("games.usi").read_text().splitlines():
        game, state = theirs.GameManager(), GAME.start()
        moves = line.partition("moves")[2].split("#")[0].split()
        for move in moves:
            game.make_move(game.state.to_move(move))
            state = state.play(move)
            if state.is_over:
                break
            wanted = game.export_heuristic_feature8().reshape(176, 9, 9).astype(np.float32) / np.float32(36)
            differ = np.flatnonzero((planes(state, fill=False)[0] != wanted).any(axis=(1, 2)))
            assert set(differ.tolist()) <= set(PATHS), GAME.sfen(state)
            seen, equal = seen + 1, equal + (len(differ) == 0)
    assert seen > 500
    assert equal >= 0.995 * seen


def test_a_mate_threat_is_shown():
    # Black threatens G*5b, which White, to move, sees as the opponent's drop.
    state = GAME.start(sfen=MATE.replace(" b ", " w "))
    seen = planes(state)[0]
    assert np.argwhere(seen[62]).tolist() == [[7, 4]]  # 5b, turned
    assert seen[63].sum() == 6  # a gold's squares
    assert planes(GAME.start(sfen=MATE))[0][62:64].sum() == 0  # White threatens nothing


def test_history_is_filled_in_where_it_is_unknown():
    moves = "7g7f 3c3d 8h2b+ 3a2b B*4e"
    whole = GAME.start(moves=moves)
    bare = GAME.start(sfen=GAME.sfen(whole))
    now = planes(bare)[0]
    assert planes(bare, fill=False)[0, 64:].sum() == 0
    np.testing.assert_array_equal(now[:64], planes(whole)[0, :64])
    assert now[RECENT].sum() == now[CAPTURED].sum() == 0
    for slot in range(7):
        past = now[16 * slot :]
        np.testing.assert_array_equal(past[OCCUPIED], now[OCCUPIED])
        np.testing.assert_array_equal(past[COVER], now[COVER])
        np.testing.assert_array_equal(past[KING], now[6 if slot % 2 == 0 else 22])  # of the opponent, of the mover
    # A game from its beginning has no earlier moves; one from a position may have had.
    np.testing.assert_array_equal(planes(whole)[0], planes(whole, fill=False)[0])
    assert planes(whole)[0, 64 + 16 * 5 :].sum() == 0
    later = bare.play("5a4b")
    assert planes(later)[0, 64 + 16 * 6 + 7].sum() > 0 == planes(later, fill=False)[0, 64 + 16 * 6 + 7].sum()
    start = planes(GAME.start())[0]
    assert start[COVER].sum() > 0
    assert start[80:].sum() == 0


@NEEDS_MINIOSL
@pytest.mark.slow
def test_filled_in_history_hardly_changes_the_first_choice():
    net = Miniosl(find_package())
    same = total = 0
    for line in DATA.joinpath("games.usi").read_text().splitlines():
        moves = line.partition("moves")[2].split("#")[0].split()
        for ply in range(12, len(moves), 10):
            whole = GAME.start(moves=moves[:ply])
            if whole.is_over:
                break
            known, bare = net.predict([whole, GAME.start(sfen=GAME.sfen(whole))])
            same, total = same + (next(iter(known.policy)) == next(iter(bare.policy))), total + 1
    assert total > 50
    assert same >= 0.75 * total


@pytest.mark.parametrize("kind", ["miniosl", "dlshogi"])
def test_a_search_reads_policy_and_value_in_the_mover_s_frame(kind, request):
    net = request.getfixturevalue(kind)
    for moves in ("", "7g7f"):
        state = GAME.start(moves=moves)
        said = net.predict([state])[0]
        assert sum(said.policy.values()) == pytest.approx(1)
        found = tengen.search(state, evaluator=net, visits=200)
        assert all(each.prior == pytest.approx(said.policy[GAME.name(each.action)], abs=1e-5) for each in found.moves)
        assert len(found.moves) > 10
        pool = tengen.Pool(GAME, tengen.SearchSettings(visits=1), net)
        pool.add(state)
        mover = state.actor
        values = net.evaluate(pool.collect()).values[0]
        assert values[mover] == -values[1 - mover] == pytest.approx(2 * said.winrate - 1, abs=1e-5)


def test_leaves_see_the_moves_that_led_to_them(miniosl):
    state = GAME.start()
    pool = tengen.Pool(GAME, tengen.SearchSettings(visits=3), miniosl)
    pool.add(state)
    pool.evaluate(pool.collect())
    batch = pool.collect()
    assert _core.miniosl_inputs_of_rows(batch.core, True)[0, RECENT].sum() == 1


def test_a_declaration_is_tried_first(dlshogi):
    sfen = "1K2+P4/+P+P+P+P+P+P+P2/2+R+B5/9/9/9/9/9/4k4 b RB4G4S4N4L 1"
    state = GAME.start(sfen=sfen)
    assert "win" in map(GAME.name, state.legal())
    assert "win" not in dlshogi.predict([state])[0].policy
    assert GAME.name(tengen.search(state, evaluator=dlshogi, visits=30).best.action) == "win"


@pytest.mark.parametrize("hands", [57, 119])
@pytest.mark.parametrize("backend", ["native", "onnxruntime"])
def test_a_fixed_batch_is_filled_up(tmp_path, hands, backend):
    states = [GAME.start(), GAME.start(moves="7g7f"), GAME.start(moves="2g2f 8c8d"), *[GAME.start()] * 3]
    free = Dlshogi(write_dlshogi(tmp_path / "free.onnx", hands=hands), backend="onnxruntime").predict(states)
    fixed = Dlshogi(write_dlshogi(tmp_path / "fixed.onnx", hands=hands, batch=4), backend=backend)
    assert fixed.network.facts.batch == 4
    for one, other in zip(free, fixed.predict(states), strict=True):
        assert one.winrate == pytest.approx(other.winrate, abs=1e-5)
        assert one.policy == pytest.approx(other.policy, abs=1e-5)


def test_inputs_and_outputs_may_be_called_otherwise(tmp_path, dlshogi):
    other = Dlshogi(write_dlshogi(tmp_path / "other.onnx", names=("board", "hands", "moves", "won")))
    assert other.ports[:4] == ("board", "hands", "moves", "won")
    assert other.predict([GAME.start()])[0].winrate == pytest.approx(dlshogi.predict([GAME.start()])[0].winrate)


def test_settings_beside_a_network_count(tmp_path, caplog):
    path = write_dlshogi(tmp_path / "tuned.onnx")
    text = "Softmax_Temperature=100\r\nC_init=130\nC_base=20000\nC_fpu_reduction=25\nC_fpu_reduction_root=0\n"
    path.with_name("tuned.onnx.ini").write_text(text + "Eval_Coef=600\nC_init_root=116\nC_base_root=25617\nThreads=8\n")
    with caplog.at_level(logging.INFO):
        tuned = Dlshogi(path)
    assert "Threads=8 has no meaning here" in caplog.text
    plain = Dlshogi(path, settings=EngineSettings())
    assert (tuned.temperature, plain.temperature) == (1.0, 1.74)
    sharp, soft = (max(net.predict([GAME.start()])[0].policy.values()) for net in (tuned, plain))
    assert sharp > soft
    assert tuned.centipawns(0.75) == pytest.approx(600 * math.log(3))
    assert plain.centipawns(1.0) == pytest.approx(756 * math.log(1e7), rel=1e-3)
    wanted = {"c_puct": 2.6, "c_puct_log": 2.0, "c_puct_base": 20000.0, "fpu_reduction": 0.5, "root_fpu_reduction": 0.0}
    wanted |= {"root_c_puct": 2.32, "root_c_puct_base": 25617.0}
    assert tuned.search_settings == pytest.approx(wanted)
    for evaluator in (tuned, str(path), f"dlshogi:{path}"):
        settings = _defaults(evaluator)
        assert {name: getattr(settings, name) for name in wanted} == pytest.approx(wanted)
    assert _defaults(tuned, c_puct=1.0).c_puct == 1.0
    assert _defaults(plain).c_puct == tengen.SearchSettings().c_puct
    assert _defaults(tuned, gumbel_actions=4).root_c_puct is None


def test_centipawns_of_a_network_are_those_of_its_file(tmp_path):
    path = write_dlshogi(tmp_path / "scaled.onnx")
    path.with_name("scaled.onnx.ini").write_text("Eval_Coef=300\n")
    scores = {}
    for told in (600, 1200, 300):
        engine = ShogiEngine(EngineOptions(model=str(path), eval_coef=told, mate_root_nodes=0), seed=1)
        decision = engine.think(engine.game.start(), Limits(nodes=8))
        scores[told] = decision.score.cp
    assert scores[600] == scores[300] != 0
    assert scores[1200] == pytest.approx(4 * scores[300], abs=4)


def _defaults(evaluator, **changes):
    from tengen.search import default_settings

    return default_settings(evaluator, **changes)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# about\n\nC_init=1.5", "line 3: C_init is '1.5' and must be a whole number"),
        ("Softmax_Temperature=0", "line 1: Softmax_Temperature is 0 and must be above 0"),
        ("C_base", "line 1: 'C_base' is not Name=value"),
    ],
)
def test_settings_that_do_not_read_are_named(tmp_path, text, wrong):
    path = write_dlshogi(tmp_path / "net.onnx")
    path.with_name("net.onnx.ini").write_text(text)
    with pytest.raises(ValueError, match=wrong):
        Dlshogi(path)


@pytest.mark.parametrize("kind", ["miniosl", "dlshogi"])
def test_int16_answers_much_the_same(tmp_path, kind):
    path = (write_miniosl if kind == "miniosl" else write_dlshogi)(tmp_path / "net.onnx")
    exact, *rounded = (find_evaluator(f"{kind}{suffix}:{path}", GAME) for suffix in ("", "-int16", "-int8"))
    one = exact.predict([GAME.start()])[0]
    for net in rounded:
        other = net.predict([GAME.start()])[0]
        assert one.winrate == pytest.approx(other.winrate, abs=1e-3)
        assert one.policy == pytest.approx(other.policy, abs=1e-3)
    odd = write_dlshogi(tmp_path / "odd.onnx", odd=True)
    with pytest.raises(ValueError, match="can't run in the core: it has a node Abs"):
        Dlshogi(odd, int16=True)


def test_other_games_are_refused(miniosl):
    with pytest.raises(ValueError, match="no network for connect_four"):
        find_evaluator(miniosl, tengen.game("connect_four"))
    state = tengen.game("connect_four").start()
    with pytest.raises(TypeError, match="another game"):
        _core.miniosl_inputs_of_states([state.position], True)
    pool = tengen.Pool(state.game, tengen.SearchSettings(visits=3), lambda state, player: (None, 0.0))
    pool.add(state)
    with pytest.raises(TypeError, match="another game"):
        _core.dlshogi_inputs_of_rows(pool.collect().core, False)


@NEEDS_MINIOSL
def test_the_network_for_the_other_game_is_warned_about(caplog):
    other = find_package().with_name("eval-aozora.onnx")
    with caplog.at_level(logging.WARNING):
        net = Miniosl(other)
    assert KNOWN[net.network.facts.sha256] == AOZORA
    assert "plays ordinary shogi badly" in caplog.text

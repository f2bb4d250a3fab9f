"""Players as values: what texts mean, how values are written, and which players find_player() makes of them."""

import dataclasses
from importlib.metadata import EntryPoint, distribution
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen.arena import (
    FlatOptions,
    FlatPlayer,
    PlayerSpec,
    PolicyPlayer,
    SearchPlayer,
    find_player,
    format_player,
    laboratory,
    parse_player,
    play_match,
    player_kinds,
)
from tengen.champion import LearnSettings, change_settings, format_settings, open_run, read_settings, settings_for
from tengen.champion.presets import resolve
from tengen.cluster.values import decode, encode
from tengen.search import SearchSettings

GAME = tengen.game("connect_four")
PYRGA = tengen.game("pyrga")
FORMS = {
    "random": PlayerSpec("random"),
    "rollout:1000": PlayerSpec("search", "rollout", 1000),
    "uniform:400": PlayerSpec("search", "uniform", 400),
    "heuristic": PlayerSpec("search", "heuristic"),
    "rollout:4@100": PlayerSpec("search", "rollout:4", 100),
    "net.onnx": PlayerSpec("search", "net.onnx"),
    "runs/a,b@c/net.onnx@200": PlayerSpec("search", "runs/a,b@c/net.onnx", 200),
    "openvino:net.onnx@9": PlayerSpec("search", "openvino:net.onnx", 9),
    "NETWORK@200,c_puct=1.5,joint_rule=ucb": PlayerSpec(
        "search", "NETWORK", 200, (("c_puct", 1.5), ("joint_rule", "ucb"))
    ),
    "rollout:1000,c_puct=2,temperature=0.5": PlayerSpec("search", "rollout", 1000, (("c_puct", 2),), 0.5),
    "heuristic:400,avoid=dynamax*": PlayerSpec("search", "heuristic", 400, avoid="dynamax*"),
    "heuristic:400,sets=uniform": PlayerSpec("search", "heuristic", 400, beliefs=(("sets", "uniform"),)),
    "heuristic:1000000,seconds=0.1": PlayerSpec("search", "heuristic", 1_000_000, seconds=0.1),
    "policy:net.onnx": PlayerSpec("policy", "net.onnx"),
    "policy:net.onnx,temperature=2": PlayerSpec("policy", "net.onnx", temperature=2),
    "pimc:1000": PlayerSpec("flat", visits=1000, flat=FlatOptions()),
    "pimc:600,rollouts=best,payoff_cap=6": PlayerSpec("flat", visits=600, flat=FlatOptions("best", payoff_cap=6)),
    "pimc:9,halving=true,caution=3000,lead=NETWORK": PlayerSpec(
        "flat", visits=9, flat=FlatOptions(halving=True, caution=3000, lead="NETWORK")
    ),
    "champion": PlayerSpec("champion", "champion"),
    "champion@100,temperature=0.5": PlayerSpec("champion", "champion", 100, temperature=0.5),
    "policy:champion": PlayerSpec("policy", "champion"),
    'usi:"fairy-stockfish",movetime=100': PlayerSpec("program", 'usi:"fairy-stockfish",movetime=100'),
    'gtp:"gnugo --mode gtp"': PlayerSpec("program", 'gtp:"gnugo --mode gtp"'),
    "showdown:Random": PlayerSpec("program", "showdown:Random"),
    "greedy": PlayerSpec("own", "greedy"),
    "both:policy=a.json,value=b.json,gold=5": PlayerSpec("own", "both:policy=a.json,value=b.json,gold=5"),
}


@pytest.mark.parametrize("text", FORMS)
def test_documented_forms_are_values(text):
    spec = parse_player(text)
    assert spec == FORMS[text]
    assert format_player(spec) == str(spec) == text
    # The value alone has the same text.
    assert format_player(FORMS[text]) == text
    assert decode(encode(spec)) == spec


names = st.text("abz0/._-:", min_size=1, max_size=8).map(lambda text: f"{text}.onnx")
numbers = st.integers(0, 10**6) | st.floats(0, 1e6)
values = st.booleans() | numbers | st.none() | st.text("abc 19.*[]{}\"'\\é=", max_size=6)
search_names = sorted(set(player_kinds and tengen.SearchSettings.__dataclass_fields__) - {"visits"})
temperatures = st.none() | numbers
rests = {
    "temperature": temperatures,
    "seconds": st.none() | st.floats(0.01, 100),
    "avoid": st.none() | st.text("abc*?", min_size=1, max_size=4),
}


def settings_of(keys):
    return st.dictionaries(keys, values, max_size=3).map(lambda found: tuple(sorted(found.items())))


searches = st.builds(
    PlayerSpec,
    st.just("search"),
    st.sampled_from(["rollout", "uniform", "heuristic", "NETWORK", "rollout:4"]) | names,
    st.integers(0, 10**7),
    settings_of(st.sampled_from(search_names)),
    beliefs=settings_of(st.sampled_from(["sets", "hands"])),
    **rests,
)
champions = st.builds(
    PlayerSpec,
    st.just("champion"),
    st.just("champion"),
    st.none() | st.integers(0, 10**7),
    settings_of(st.sampled_from([*search_names, "halving", "caution", "sets"])),
    **rests,
)
flats = st.builds(
    PlayerSpec,
    st.just("flat"),
    visits=st.integers(0, 10**7),
    flat=st.builds(FlatOptions, st.sampled_from(["greedy", "best", "learned"]), st.booleans(), numbers, numbers, names),
)
policies = st.builds(PlayerSpec, st.just("policy"), names, temperature=temperatures)


@given(searches | champions | flats | policies)
def test_values_are_read_as_they_were_written(spec):
    assert parse_player(format_player(spec)) == spec
    # A value that was changed has the text of its fields.
    again = parse_player(format_player(spec)).changed()
    assert parse_player(format_player(again)) == spec


@given(st.text(max_size=30) | st.text('rolut:pimcy@,=0129."x{', max_size=20))
def test_every_text_is_a_player_and_keeps_its_words(text):
    assert format_player(parse_player(text)) == text
    assert parse_player(format_player(parse_player(text).changed())) == parse_player(text)


class TestChanges:
    def test_visits_are_changed_where_there_are_some(self):
        for text, changed in (
            ("rollout:1000,c_puct=2", "rollout:9,c_puct=2"),
            ("NETWORK@200,joint_rule=ucb", "NETWORK@9,joint_rule=ucb"),
            ("pimc:600,rollouts=best,payoff_cap=6", "pimc:9,rollouts=best,payoff_cap=6"),
            ("rollout:4@100", "rollout:4@9"),
            ("champion@100", "champion@9"),
            ("net.onnx", "net.onnx"),
            ("greedy", "greedy"),
            ("policy:net.onnx", "policy:net.onnx"),
            ('usi:"engine:5",nodes=7', 'usi:"engine:5",nodes=7'),
        ):
            assert str(parse_player(text).with_visits(9)) == changed

    def test_a_network_is_put_in_its_place(self):
        for text, needs, named in (
            ("NETWORK@200,c_puct=2", True, "a.onnx@200,c_puct=2"),
            ("policy:NETWORK", True, "policy:a.onnx"),
            ("pimc:9,lead=NETWORK", True, "pimc:9,lead=a.onnx"),
            ("pimc:9", False, "pimc:9"),
            ("NETWORKS@5", False, "NETWORKS@5"),
            ('gtp:"NETWORK"', False, 'gtp:"NETWORK"'),
        ):
            spec = parse_player(text)
            assert spec.needs_network is needs
            assert str(spec.with_network("a.onnx")) == named

    def test_a_search_is_plain_if_only_visits_and_search_settings_are_its_own(self):
        plain = ("NETWORK@5", "rollout:5", "rollout@5,temperature=0", "rollout:5,c_puct=2", "NETWORK@5,solve=true")
        assert all(parse_player(text).is_plain_search for text in plain)
        others = ("rollout:5,temperature=1", "rollout:5,avoid=a", "rollout:5,seconds=1", "pimc:5")
        assert not any(parse_player(text).is_plain_search for text in others)


class TestPlayers:
    def test_values_and_texts_are_the_same_player(self):
        for text in ("rollout:30,c_puct=2,temperature=0.5", "pimc:4", "random"):
            one, other = find_player(text, GAME), find_player(parse_player(text), GAME)
            assert (type(one), one.name) == (type(other), other.name)
            assert getattr(one, "settings", None) == getattr(other, "settings", None)
        match = play_match(GAME, PlayerSpec("search", "rollout", 5), "random", 2)
        assert match.first == "rollout:5"

    def test_a_network_is_given_to_the_value(self):
        def judge(_state, _player):
            return 0.0

        player = find_player(PlayerSpec("search", "NETWORK", 8), GAME, network=judge)
        assert isinstance(player, SearchPlayer)
        assert (player.evaluator, player.settings.visits) == (judge, 8)
        assert isinstance(find_player("pimc:5,caution=1", GAME), FlatPlayer)
        policy = find_player("policy:NETWORK", GAME, network=lambda _state, _player: ({3: 1.0}, 0.0))
        assert isinstance(policy, PolicyPlayer)
        with pytest.raises(ValueError, match="NETWORK stands for a network, and none is given"):
            find_player("NETWORK", GAME)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("pimc:5,speed=1", "pimc:WORLDS takes rollouts"),
            ("pimc:5,halving=3", "pimc:WORLDS takes rollouts"),
            ("pimc:0", "worlds is 0"),
            ("rollout:5,seconds=0", "seconds is 0 and must be a number above 0"),
            ("rollout:5,sets=uniform", "no search setting is called sets"),
            ("policy:net.onnx,temperature=hot", "temperature is hot"),
            ("champion@x", "after champion may follow @VISITS"),
            ("policy:champion@5", "only ,temperature=NUMBER may follow champion"),
        ],
    )
    def test_what_is_wrong_is_named(self, text, message):
        with pytest.raises(ValueError, match=message):
            find_player(text, GAME)


class TestSettings:
    def test_settings_take_and_show_texts(self):
        settings = LearnSettings(teacher="rollout@40", player="NETWORK@64,solve=true", anchor="")
        assert settings.teacher == PlayerSpec("search", "rollout", 40)
        assert settings.anchor is None
        tables = format_settings(settings)
        players = [tables[name] for name in ("teacher", "player", "anchor")]
        assert players == ["rollout@40", "NETWORK@64,solve=true", ""]
        assert read_settings(LearnSettings, tables) == settings
        changed = change_settings(settings, {"anchor": "random"})
        assert format_settings(changed)["anchor"] == "random"

    def test_what_is_no_player_is_refused(self):
        for name in ("teacher", "anchor"):
            with pytest.raises(ValueError, match=f"{name} is 5 and must be a player"):
                change_settings(LearnSettings(), {name: 5})
        with pytest.raises(ValueError, match="must have NETWORK in it"):
            LearnSettings(player="rollout:100")

    def test_a_folder_called_records_is_no_teacher(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "records").mkdir()
        settings = LearnSettings(teacher="records", records=("a.sgf",))
        assert settings.has_chunks
        assert settings.teacher == LearnSettings(teacher="records", records=("b.sgf",)).teacher


class TestSelfPlay:
    """Self-play plays the run's player: its search settings, with exploration and visits of selfplay.search."""

    def play(self, monkeypatch, text, **search):
        found = []

        def record(_game, _evaluator, settings, *_rest):
            found.append(settings)
            return []

        monkeypatch.setattr("tengen.arena.players.play_games", record)
        settings = change_settings(LearnSettings(player=text), {"selfplay": {"search": search}})
        player = find_player(settings.self_play_player, GAME, network=lambda _state, _player: 0.0)
        player.self_play(GAME, settings.selfplay, [1], lambda *_: None)
        return settings.selfplay, found[0]

    def test_search_settings_of_the_player_reach_it(self, monkeypatch):
        given, played = self.play(monkeypatch, "NETWORK@64,solve=true,c_puct=1.5")
        assert played.search == given.search.replace(solve=True, c_puct=1.5)
        assert (played.search.visits, played.search.noise_fraction) == (200, 0.25)
        assert dataclasses.replace(played, search=given.search) == given

    def test_a_player_without_settings_plays_as_before(self, monkeypatch):
        for text in ("NETWORK", "NETWORK@64"):
            given, played = self.play(monkeypatch, text, visits=400, c_puct=2.0)
            assert played == given

    def test_settings_that_are_given_turn_those_of_the_player_off(self):
        tables = {"player": "NETWORK@64,c_puct=1.5,solve=true", "selfplay": {"search": {"solve": False}}}
        _, given = resolve(type(PYRGA), tables)
        assert given.selfplay.overrides == ("solve",)
        search = find_player(given.self_play_player, PYRGA, network=lambda _state, _player: 0.0).settings
        played = given.selfplay.laid_over(search).search
        assert (search.solve, played.solve, played.c_puct) == (True, False, 1.5)
        assert read_settings(LearnSettings, format_settings(given)) == given

    def test_only_what_the_player_sets_is_an_override(self):
        for search in ({}, {"gumbel_scale": 1.0, "visits": 400}, {"solve": True}):
            tables = {"player": "NETWORK@64,solve=true", "selfplay": {"search": search}}
            assert resolve(type(PYRGA), tables)[1].selfplay.overrides == ()

    def test_a_run_that_has_begun_keeps_its_overrides(self, tmp_path):
        begun = LearnSettings(player="NETWORK@64,solve=true")
        open_run(tmp_path / "run", GAME, begun)
        changes = {"selfplay": {"search": {"solve": False}}}
        assert resolve(type(GAME), changes, tmp_path / "run")[1] == begun

    def test_overrides_may_be_listed(self):
        play = change_settings(LearnSettings(), {"selfplay": {"overrides": ["solve"]}}).selfplay
        assert not play.laid_over(SearchSettings(solve=True)).search.solve
        with pytest.raises(ValueError, match="overrides names sovle, and no search setting is called so"):
            change_settings(LearnSettings(), {"selfplay": {"overrides": ["sovle"]}})

    def test_settings_of_self_play_take_precedence(self, monkeypatch):
        _, played = self.play(monkeypatch, "NETWORK@64,c_puct=1.5,solve=true", c_puct=3.0)
        assert (played.search.c_puct, played.search.solve) == (3.0, True)

    @pytest.mark.parametrize("rule", ["gumbel_actions=8", "rule=ucb1"])
    def test_a_rule_that_explores_by_itself_needs_no_noise(self, monkeypatch, rule):
        _, played = self.play(monkeypatch, f"NETWORK@64,{rule}")
        assert (played.search.noise_fraction, played.search.forced_playouts) == (0.0, 0.0)
        assert played.search.fast_visits == 40

    def test_pokemon_names_its_rule_once(self):
        game = tengen.game("pokemon")
        settings = settings_for(game)
        player = find_player(settings.self_play_player, game, network=lambda _state, _player: 0.0)
        assert settings.selfplay.search.joint_rule == "auto"
        assert settings.selfplay.laid_over(player.settings).search.joint_rule == "ucb"


class TestRegistration:
    def test_what_the_project_lists_is_installed(self):
        import tomllib

        root = Path(__file__).parent.parent
        listed = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
        for group in (player_kinds.PLAYERS, laboratory.LABORATORIES):
            installed = {
                point.name: point.value for point in distribution("tengen-games").entry_points.select(group=group)
            }
            assert installed == listed[group]
            assert all(point.load() for point in player_kinds.registered(group).values())
        labs = {path.parent.name for path in (root / "src/tengen/labs").glob("*/__init__.py")}
        assert set(listed["tengen.labs"]) == labs

    @pytest.fixture
    def install(self, monkeypatch):
        """A function that pretends that other entry points are installed."""

        def pretend(points):
            monkeypatch.setattr(player_kinds, "entry_points", lambda group: [p for p in points if p.group == group])
            player_kinds.registered.cache_clear()

        yield pretend
        player_kinds.registered.cache_clear()
        player_kinds._load.cache_clear()

    def test_other_distributions_bring_kinds(self, install):
        install([EntryPoint("toy", f"{__name__}:read_toy", player_kinds.PLAYERS)])
        assert parse_player("toy:slow,visits=3").is_program
        assert find_player("toy:slow,visits=3", GAME).name == "toy:slow,visits=3"

    def test_an_incomplete_installation_is_named(self, install):
        install([])
        with pytest.raises(ValueError, match=r"tengen-games is installed without its entry points tengen.players"):
            find_player('gtp:"gnugo"', tengen.game("go", size=5))


def read_toy(text):
    player = find_player("random", GAME)
    player.name = text
    return player


def test_values_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        parse_player("random").kind = "own"

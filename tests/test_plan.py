"""Plans of learning runs: how long they take, that they fit into their time, and that nothing else changes them."""

import dataclasses
import tomllib

import pytest
from arena_helpers import make_network
from cli_runner import runner
from gomoku import Gomoku

import tengen
from tengen.arena import parse_player
from tengen.champion import change_settings, settings_for
from tengen.champion import plan as plan_module
from tengen.champion.plan import (
    Phase,
    Plan,
    Timeline,
    fit_plan,
    is_smallest,
    mean_visits,
    total_seconds,
    useful_minutes,
)
from tengen.champion.presets import QUICK, QUICK_ITERATIONS, QUICK_SLACK
from tengen.champion.settings import LearnSettings
from tengen.champion.speed import Speed, _measure_play, measure_speed
from tengen.cluster import LocalWorkers

GOMOKU = "tests/gomoku.py:Gomoku"
# As measured on two idle cores; Gomoku is 700 times slower by rollouts.
SLOW = Speed(2, 39, 1.9e-3, 3e-4, 0.38, 0.03, 200)
FAST = Speed(2, 30, 2.5e-6, 9e-5, 5e-4, 0.02, 200)
QUICK_PLAN = Plan(change_settings(LearnSettings(), QUICK), QUICK_ITERATIONS, 64)


def slowed(speed, factor):
    times = {field.name: getattr(speed, field.name) for field in dataclasses.fields(speed) if field.name.endswith("_s")}
    return dataclasses.replace(speed, **{name: factor * seconds for name, seconds in times.items()})


def seconds(plan, speed):
    return total_seconds(plan.phases(speed))


class TestFit:
    def test_a_plan_that_takes_hours_is_made_to_fit(self):
        assert seconds(QUICK_PLAN, SLOW) > 3 * 3600
        plan = fit_plan(QUICK_PLAN, SLOW, {"iterations"}, slack=QUICK_SLACK)
        assert 0.8 < seconds(plan, SLOW) / (60 * QUICK["minutes"]) <= 1
        s = plan.settings
        assert plan.iterations == QUICK_ITERATIONS
        assert s.bootstrap_games >= 32
        assert s.teacher.visits >= 32
        assert s.games_per_iter >= 100
        assert mean_visits(s) >= 32
        # Both workers are busy to the end.
        assert s.bootstrap_games >= 4 * (s.selfplay.parallel - 1)

    @pytest.mark.slow
    @pytest.mark.parametrize("factor", [0.01, 0.1, 0.5, 1, 2, 3])
    @pytest.mark.parametrize("minutes", [5, 20, 240])
    @pytest.mark.parametrize("base", [QUICK_PLAN, Plan(LearnSettings(), 20, 64)], ids=["quick", "default"])
    @pytest.mark.parametrize("fixed", [(), ("iterations",)])
    def test_plans_fit_whatever_the_speed(self, factor, minutes, base, fixed):
        speed = slowed(SLOW, factor)
        asked = dataclasses.replace(base, settings=change_settings(base.settings, {"minutes": minutes}))
        plan = fit_plan(asked, speed, fixed)
        smallest = fit_plan(
            dataclasses.replace(asked, settings=change_settings(asked.settings, {"minutes": 1e-3})), speed, fixed
        )
        assert seconds(plan, speed) <= max(60 * minutes, seconds(smallest, speed))

    def test_what_fits_stays_as_it_is(self):
        for factor in (1, 2, 3):
            plan = fit_plan(QUICK_PLAN, slowed(FAST, factor), {"iterations"}, slack=QUICK_SLACK)
            assert plan == QUICK_PLAN

    def test_what_was_asked_for_stays(self):
        fixed = {"iterations", "bootstrap_games", "selfplay.search.visits", "anchor", "final_games", "reuse"}
        plan = fit_plan(QUICK_PLAN, SLOW, fixed)
        assert plan.settings.bootstrap_games == 1024
        assert plan.settings.teacher.visits == 32
        assert plan.settings.selfplay.search.visits == 160
        assert str(plan.settings.anchor) == "rollout:200"
        assert plan.settings.reuse == 6
        assert plan.final_games == 64

    def test_there_are_as_many_iterations_as_there_is_time_for(self):
        settings = change_settings(LearnSettings(), {"minutes": 60})
        plan = fit_plan(Plan(settings, 20, 64), FAST)
        assert plan.settings == settings
        assert seconds(plan, FAST) <= 3600 < seconds(dataclasses.replace(plan, iterations=plan.iterations + 5), FAST)
        assert fit_plan(Plan(settings, 20, 64), slowed(FAST, 2)).iterations < plan.iterations

    def test_phases_are_the_steps_of_a_run(self):
        settings = change_settings(LearnSettings(), {"anchor_every": 2})
        names = [(phase.name, phase.iteration) for phase in Plan(settings, 2, 8).phases(FAST)]
        one = [("self-play", 1), ("train", 1), ("arena", 1)]
        two = [("self-play", 2), ("train", 2), ("arena", 2), ("rate", 2)]
        assert names == [*one, *two, ("match-initial", 2), ("match-anchor", 2)]
        assert len(Plan(settings, 2, 0).phases(FAST)) == 7


class TestSmallest:
    """Plans that cannot be made any smaller."""

    FIXED = frozenset({"iterations"})

    def fit(self, factor, asked=QUICK_PLAN):
        return fit_plan(asked, slowed(SLOW, factor), self.FIXED, slack=QUICK_SLACK)

    def test_a_plan_that_fell_to_its_floor_is_recognized(self):
        assert not is_smallest(QUICK_PLAN, QUICK_PLAN)
        assert not is_smallest(self.fit(1), QUICK_PLAN)
        assert is_smallest(self.fit(2), QUICK_PLAN), "the first games are at their floor"
        assert is_smallest(self.fit(50), QUICK_PLAN)

    def test_a_plan_that_was_asked_for_small_is_not_called_fallen(self):
        small = change_settings(QUICK_PLAN.settings, {"bootstrap_games": 8, "games_per_iter": 8})
        plan = Plan(change_settings(small, {"teacher": "rollout:8", "selfplay": {"search": {"visits": 8}}}), 3, 64)
        assert not is_smallest(self.fit(1, plan), plan)

    @pytest.mark.parametrize("factor", [1, 2, 10, 50])
    def test_useful_minutes_are_enough(self, factor):
        speed = slowed(SLOW, factor)
        minutes = useful_minutes(QUICK_PLAN, speed, self.FIXED)
        asked = Plan(change_settings(QUICK_PLAN.settings, {"minutes": minutes}), 3, 64)
        plan = fit_plan(asked, speed, self.FIXED)
        assert seconds(plan, speed) <= 60 * minutes
        assert not is_smallest(plan, asked)


@pytest.mark.parametrize("part", ["net", "selfplay", "train"])
def test_a_dictionary_as_a_part_of_the_settings_is_refused_early(part):
    with pytest.raises(TypeError, match=rf"learning: {part} is {{'x': 1}} and must be \w+Settings; change_settings"):
        LearnSettings(**{part: {"x": 1}})


class TestTimeline:
    def test_a_slow_machine_is_noticed(self):
        timeline = Timeline([Phase("self-play", 1, 10, 1000), Phase("train", 1, 20), Phase("arena", 1, 30)])
        assert timeline.left() == 60
        timeline.begin("self-play", 1)
        assert timeline.left(1, timeline.share(0, 8, 0)) == 60
        # Half the visits are made after twice the time for all of them.
        assert timeline.left(20, timeline.share(0, 8, 500)) == pytest.approx(4 * 55)
        timeline.end(40)
        assert timeline.left() == 4 * 50
        timeline.begin("train", 1)
        timeline.end(20)
        assert timeline.left() == 2 * 30
        timeline.begin("arena", 1)
        timeline.end(1)
        assert timeline.left() is None

    def test_what_is_fast_promises_only_its_like(self):
        phases = [Phase("self-play", 1, 10), Phase("self-play", 2, 10), Phase("arena", 2, 10)]
        timeline = Timeline(phases)
        timeline.begin("self-play", 1)
        timeline.end(1)
        assert timeline.left() == 20
        timeline.begin("self-play", 2)
        timeline.end(5)
        assert timeline.left() == 5

    def test_what_was_not_planned_is_let_pass(self):
        timeline = Timeline([Phase("train", 1, 20)])
        timeline.begin("rate", 7)
        timeline.end(1000)
        assert timeline.left() == 20

    def test_asking_does_not_look_at_every_phase(self, monkeypatch):
        """A run may have a hundred thousand iterations, and the time that is left is asked for every second."""
        timeline = Timeline([Phase(name, i, 10) for i in range(1, 1001) for name in ("self-play", "train")])
        timeline.begin("self-play", 1)
        timeline.end(20)
        timeline.begin("train", 1)
        looks = []
        kind_of = plan_module._kind
        monkeypatch.setattr(plan_module, "_kind", lambda phase: looks.append(phase) or kind_of(phase))
        # Half of the training took as long as planned. Games by networks are judged by all that is done.
        assert timeline.left(5, 0.5) == pytest.approx(5 + 999 * 10 + 999 * 10 * 25 / 15)
        assert len(looks) < 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect_four", "matgo", "pig", "gomoku"])
def test_speed_is_measured_in_moments(name):
    pytest.importorskip("torch")
    game = Gomoku(size=5, row=4) if name == "gomoku" else tengen.game(name)
    settings = change_settings(settings_for(game), {"net": {"channels": 8, "blocks": 1}, "train": {"batch_size": 16}})
    with LocalWorkers(0) as workers:
        speed = measure_speed(game, settings, workers)
    assert 0 < speed.teacher_visit_s < 0.1
    assert 0 < speed.player_visit_s < 0.1
    assert 0 < speed.batch_s < 10
    assert 1 < speed.plies < 500
    assert speed.workers == 1


class TestLearn:
    """`tengen learn --minutes` on a slow game."""

    WORDS = ("learn", GOMOKU, "--workers", "inline", "--minutes", "0.3", "--no-final-match", "--set", "game.size=4")

    @pytest.fixture
    def run(self, monkeypatch, capsys):
        pytest.importorskip("torch")
        return runner(monkeypatch, capsys)

    @pytest.mark.slow
    def test_a_run_is_planned_and_goes_on_by_its_plan(self, run, tmp_path, monkeypatch):
        # Progress is shown however soon the run is done.
        monkeypatch.setattr("tengen.console.progress._FIRST_LINE_S", 0.0)
        monkeypatch.setattr("tengen.console.progress._NEXT_LINE_S", 0.0)
        monkeypatch.setattr("tengen.champion.planning.measure_speed", lambda *_: slowed(SLOW, 0.1))
        words = [*self.WORDS, "--run", tmp_path / "run", "--set", "game.row=3", "--set", "net.channels=8"]
        ran = run(*words, "--set", "net.blocks=1", "--iters", "1")
        assert ran.code == 0, ran.err
        said = ran.out.splitlines()
        assert said[1].startswith("speed     ")
        assert said[2].startswith("plan      1 iteration, about ")
        assert "with the settings as they were it would take " in said[3]
        # Without a terminal, too.
        assert "iteration 1/1 · self-play: " in ran.err
        assert "left" in ran.err
        stored = tomllib.loads((tmp_path / "run" / "run.toml").read_text(encoding="utf-8"))["learn"]
        assert stored["minutes"] == 0.3
        assert stored["bootstrap_games"] * parse_player(stored["teacher"]).visits < 1024 * 600 / 10
        assert stored["net"]["channels"] == 8
        assert f"{stored['bootstrap_games']} games of {parse_player(stored['teacher']).visits} visits a move" in said[2]
        # Again, on a machine that seems to be another one: the plan is that of the beginning.
        again = run(*words, "--set", "net.blocks=1")
        assert again.code == 0, again.err
        assert "1 of 1 iterations are complete" in again.out
        other = run(*words[:-2], "--set", "net.blocks=1", "--minutes", "9")
        assert other.code == 1
        assert "learn.minutes is 0.3 there and 9" in other.err

    def test_without_minutes_the_time_is_told(self, run, tmp_path, monkeypatch):
        def stop(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("tengen.champion.planning.measure_speed", lambda *_: SLOW)
        monkeypatch.setattr("tengen.champion.learner.Learner._carry_out", stop)
        ran = run("learn", GOMOKU, "--run", tmp_path / "run", "--workers", "inline", "--iters", "2")
        assert ran.code == 130
        assert "plan      2 iterations, about 6 h " in ran.out
        assert "1024 games of 600 visits a move in the first" in ran.out
        assert "--quick or --minutes plans a shorter one" in ran.out

    def test_quick_keeps_what_was_asked_for(self, run, tmp_path, monkeypatch):
        def stop(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("tengen.champion.planning.measure_speed", lambda *_: SLOW)
        monkeypatch.setattr("tengen.champion.learner.Learner._carry_out", stop)
        ran = run(
            "learn", GOMOKU, "--run", tmp_path / "run", "--workers", "inline", "--quick", "--games-per-iter", "250"
        )
        assert "plan      3 iterations, about 4 min " in ran.out
        assert "250 games" in ran.out
        assert "as large as time allows: with the settings as they were it would take 8 h" in ran.out

    def stopped_at(self, run, monkeypatch, tmp_path, speed, *more):
        """Run the command until its plan is made, on a machine of that speed."""

        def stop(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("tengen.champion.planning.measure_speed", lambda *_: speed)
        monkeypatch.setattr("tengen.champion.learner.Learner._carry_out", stop)
        return run("learn", GOMOKU, "--run", tmp_path / "run", "--workers", "inline", *more)

    def test_quick_refuses_a_game_that_needs_hours(self, run, tmp_path, monkeypatch):
        monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
        ran = self.stopped_at(run, monkeypatch, tmp_path, slowed(SLOW, 50), "--quick")
        assert ran.code == 1
        told = "gomoku is too slow here to learn in 5 minutes: the smallest useful plan takes about 1 h 36 min. "
        assert told + "--minutes 178 is enough at this speed" in ran.err
        assert "busy" not in ran.err
        assert "plan      " not in ran.out
        assert not (tmp_path / "run").exists()
        enough = self.stopped_at(run, monkeypatch, tmp_path, slowed(SLOW, 50), "--quick", "--minutes", "178")
        assert enough.code == 130
        assert "little" not in enough.err

    def test_a_plan_at_its_floor_is_warned_of(self, run, tmp_path, monkeypatch):
        monkeypatch.setattr("os.getloadavg", lambda: (25.0, 9.0, 3.0))
        monkeypatch.setattr("os.cpu_count", lambda: 2)
        ran = self.stopped_at(run, monkeypatch, tmp_path, slowed(SLOW, 3), "--quick")
        assert ran.code == 130
        assert "48 games of 32 visits a move in the first" in ran.out
        assert "a network learns little from the smallest of all plans" in ran.err
        assert "--minutes 10 is enough at this speed" in ran.err
        assert "busy now: a load of 25.0 on 2 processors" in ran.err

    def test_a_plan_that_fits_is_not_warned_of(self, run, tmp_path, monkeypatch):
        ran = self.stopped_at(run, monkeypatch, tmp_path, SLOW, "--quick")
        assert ran.code == 130
        assert "learns little" not in ran.err

    def test_what_was_set_may_be_too_long_for_the_minutes(self, run, tmp_path, monkeypatch):
        words = ("--minutes", "5", "--games-per-iter", "5000")
        ran = self.stopped_at(run, monkeypatch, tmp_path, SLOW, *words)
        assert ran.code == 1
        assert "the smallest useful plan with the settings that were given takes about" in ran.err

    def test_negative_minutes_are_refused(self, run, tmp_path):
        ran = run("learn", "pyrga", "--run", tmp_path / "run", "--minutes", "-1")
        assert (ran.code, ran.out) == (2, "")
        assert "minutes is -1" in ran.err


class TestMeasuring:
    """Measurements of a slow game, by a clock that only its rules advance."""

    @pytest.fixture
    def clock(self, monkeypatch):
        class Clock:
            now = 0.0

            def monotonic(self):
                return self.now

        clock = Clock()
        monkeypatch.setattr("tengen.champion.speed.time", clock)
        monkeypatch.setattr("tengen.champion.speed._SHORTEST_S", 0.2)
        monkeypatch.setattr("tengen.champion.speed._LONGEST_S", 1.0)
        return clock

    @pytest.mark.parametrize("anchor", ["rollout:200", "pimc:200", "random"])
    def test_a_slow_game_is_measured_in_seconds(self, clock, anchor, tmp_path):
        class SlowGomoku(Gomoku):
            def apply(self, position, action):
                clock.now += 0.01
                return super().apply(position, action)

        game = SlowGomoku(size=4, row=3)
        settings = change_settings(LearnSettings(), QUICK | {"selfplay": {"parallel": 4}})
        make_network(tmp_path / "net.onnx", game)
        plies, teacher_s, player_s, anchor_s = _measure_play(game, settings, anchor, tmp_path / "net.onnx", 1)
        assert clock.now < 25
        assert 4 < plies < 17
        assert 0.01 < teacher_s < 0.01 * 17
        assert 0 < player_s < 0.1
        if anchor == "rollout:200":
            assert anchor_s == pytest.approx(200 * teacher_s, rel=0.5)
        elif anchor == "pimc:200":
            assert 200 * 0.01 < anchor_s < 200 * 16 * 17 * 0.01
        else:
            assert anchor_s == 0

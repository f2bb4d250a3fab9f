"""`TengenPlayer`: a player of poke-env that decides with Tengen, and the bot of the documentation."""

import asyncio
import importlib.util
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from showdown_peers import LOGS, SHORT, FakeShowdown, First

from tengen.games.pokemon.requests import offered
from tengen.games.pokemon.tracker import Tracker
from tengen.protocols.showdown.choices import format_choice

pytestmark = pytest.mark.skipif(importlib.util.find_spec("poke_env") is None, reason="poke-env is not installed")
PAGE = Path(__file__).parent.parent / "docs" / "showdown.md"


def bot_of_the_page():
    """The page's tests run blocks of the language `python`; this one needs a server."""
    (block,) = re.findall(r"```py\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return block


async def _in_step(server, socket, battle, side, choice):
    """Keep both sides in step, so that the battle ends for both at the same time."""
    for other in battle.sides.values():
        while side is not other and not other.is_over and len(other.choices) < len(side.choices):
            await asyncio.sleep(0.005)
    return False


def run(code, *, timeout=300):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False)


def test_the_package_is_imported_without_poke_env():
    ran = run("import sys, tengen.protocols.showdown as s; s.find_decider; print('poke_env' in sys.modules, s.__all__)")
    assert ran.stdout.startswith("False")
    assert "TengenPlayer" in ran.stdout
    missing = run(
        "import importlib.util as u; find = u.find_spec;"
        "u.find_spec = lambda name, *more: None if name == 'poke_env' else find(name, *more);"
        "from tengen.protocols.showdown import TengenPlayer"
    )
    assert "need the package poke-env: pip install 'tengen-games[showdown]'" in missing.stderr


@pytest.mark.slow
def test_the_bot_of_the_documentation_plays():
    code = bot_of_the_page()
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    assert not re.search(r"\._|import _", code), "the example uses something private"
    with FakeShowdown(on_choice=_in_step) as server:
        code = code.replace("ws://127.0.0.1:8000/showdown/websocket", server.url).replace("0.5)", "0.05)")
        ran = run(code, timeout=120)
        sides = [battle.sides["mybot"] for battle in server.battles.values()]
    assert ran.returncode == 0, ran.stderr
    won = 2 if "|win|A" in LOGS[SHORT]["p1"] else 0
    assert f"{won} of 2 battles won" in ran.stdout
    assert len(sides) == 2
    assert all(side.is_over for side in sides)


@pytest.fixture
def player_of():
    from poke_env import AccountConfiguration, ServerConfiguration

    from tengen.protocols.showdown import TengenPlayer

    made = []

    def make(server, **options):
        made.append(
            TengenPlayer(
                AccountConfiguration("ours", None), server_configuration=ServerConfiguration(server.url, ""), **options
            )
        )
        return made[-1]

    yield make
    for player in made:
        player.close()
        asyncio.run(player.ps_client.stop_listening())


def expected_choices(view):
    """Return the choices of `First` at every request of a recorded battle, in the words of the server."""
    tracker, choices = Tracker(), []
    for line in view:
        tracker.feed(line)
        if line.startswith("|request|") and offered(tracker):
            choices.append(format_choice(tracker, offered(tracker)[0]))
    return choices


@pytest.mark.parametrize("decider", ["works", "fails"])
def test_choices_are_those_of_the_decider(decider, player_of):
    def fail(_):
        raise RuntimeError("no idea")

    first = First(fail if decider == "fails" else None)
    with FakeShowdown() as server:
        bot = player_of(server, player=first)
        asyncio.run(bot.send_challenges("theirs", 1))
        (battle,) = server.battles.values()
        assert battle.sides["ours"].is_over
        assert bot.n_finished_battles == 1
        # Requests are tracked from the first line on, so every choice is one that its request offers.
        assert len(first.asked) == len(battle.sides["ours"].choices)
        wanted = expected_choices(LOGS[SHORT]["p1"])
        if decider == "works":
            assert battle.sides["ours"].choices == wanted
        else:
            assert len(battle.sides["ours"].choices) == len(wanted)
            assert "default" not in battle.sides["ours"].choices
        assert not bot.decisions
        assert {situation.seconds for situation in first.asked} == {5.0}


@pytest.mark.parametrize("draw", [0.0, 0.5])
def test_an_invalid_choice_is_not_made_again(draw, player_of, monkeypatch):
    # poke-env draws a number after an invalid choice and may send the server's default instead of asking its player.
    monkeypatch.setattr("poke_env.player.player.random.random", lambda: draw)
    first = First()
    with FakeShowdown(invalid=2) as server:
        bot = player_of(server, player=first)
        asyncio.run(bot.send_challenges("theirs", 1))
        (battle,) = server.battles.values()
        choices = battle.sides["ours"].choices
    tries = [choices[i : i + 3] for i in range(0, len(choices), 3)]
    assert all(one != two for one, two, _ in tries)
    assert all(last == "default" for *_, last in tries)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"player": "oracle"}, "no player of battles is called 'oracle'"),
        ({"battle_format": "gen9randombattle"}, "battle_format must be 'gen8randombattle', got 'gen9randombattle'"),
        ({"seconds": 0}, "seconds must be more than 0, got 0"),
        ({"threads": 0}, "threads must be at least 1, got 0"),
        ({"visits": 0}, "visits must be at least 1, got 0"),
        ({"player": First(), "visits": 3}, "visits must not be given together with a Decider"),
    ],
)
def test_options_that_do_not_fit(options, said):
    from tengen.protocols.showdown import TengenPlayer

    before = threading.active_count()
    with pytest.raises(ValueError, match=said):
        TengenPlayer(start_listening=False, **options)
    assert threading.active_count() <= before + 1


def test_visits_limit_a_search():
    from tengen.protocols.showdown import TengenPlayer

    for options, name in (({"visits": 30}, "heuristic:30"), ({"player": "heuristic:40"}, "heuristic:40")):
        bot = TengenPlayer(start_listening=False, **options)
        assert bot._decider.name == name
        bot.close()


TOO_LATE = "|error|[Invalid choice] Sorry, too late to make a different move; the next turn has already started"
NOTHING = "|error|[Invalid choice] There's nothing to choose"


async def _too_late(server, socket, battle, side, choice):
    """Go on, and only then refuse a choice for the request before, as a server does that chose when time ran out."""
    await server._tell(socket.user, battle, side.advance())
    for error in (TOO_LATE, NOTHING):
        await server._send(socket.user, battle, [error])
    return True


def test_errors_about_an_earlier_request_cause_no_other_choice(player_of):
    first = First()
    with FakeShowdown(on_choice=_too_late) as server:
        bot = player_of(server, player=first)
        asyncio.run(bot.send_challenges("theirs", 1))
        time.sleep(0.3)  # the last errors come after the battle's end
        (battle,) = server.battles.values()
        assert battle.sides["ours"].choices == expected_choices(LOGS[SHORT]["p1"])
        assert len(first.asked) == len(battle.sides["ours"].choices)
        assert not bot._sessions


async def _invalid_at_the_end(server, socket, battle, side, choice):
    await server._tell(socket.user, battle, side.advance())
    if side.is_over:
        await server._send(socket.user, battle, ["|error|[Invalid choice] Can't move: the battle is over"])
    return True


def test_nothing_is_sent_to_a_battle_that_has_ended(player_of):
    with FakeShowdown(on_choice=_invalid_at_the_end) as server:
        bot = player_of(server, player=First())
        asyncio.run(bot.send_challenges("theirs", 1))
        time.sleep(0.3)
        (battle,) = server.battles.values()
        assert battle.sides["ours"].choices == expected_choices(LOGS[SHORT]["p1"])
        assert not bot._sessions

"""Games of self-play that end when the search has proven their result."""

import pytest
from learning_helpers import quick_games

import tengen
from tengen.arena import find_player
from tengen.champion import change_settings, settings_for
from tengen.champion.teacher_games import taught_play
from tengen.learning import samples_of
from tengen.selfplay import SelfPlaySettings, format_record, parse_record


def test_games_end_when_their_result_is_proven():
    game = tengen.game("connect_four")
    options = {"count": 12, "visits": 200, "solve": True, "solve_plies": 3, "temp_moves": 4}
    ended = quick_games(game, end_proven=True, **options)
    proven = [record for record in ended if record.meta.get("end") == "proven"]
    assert len(proven) > 6
    for record in proven:
        final = list(record.replay(game))[-1]
        assert not final.is_over
        # The last search of the game has the result as its value, and its policy has moves that keep it.
        assert record.decisions[-1].ply == len(record.actions) - 1
        assert record.decisions[-1].values == record.payoffs
        assert record.decisions[-1].policy[record.actions[-1]] > 0
        truth = tengen.search(final, evaluator="rollout", visits=200_000, solve=True, seed=1)
        assert not truth.proven or tuple(truth.values) == record.payoffs
        assert parse_record(format_record(record)) == record
    played_on = quick_games(game, **options)
    assert sum(len(record.actions) for record in ended) < sum(len(record.actions) for record in played_on)


def test_samples_of_a_proven_game_have_its_result():
    game = tengen.game("connect_four")
    found = quick_games(game, 8, visits=100, solve=True, solve_plies=3, end_proven=True)
    records = [record for record in found if record.meta.get("end") == "proven"]
    assert records
    samples = samples_of(game, records)
    results = [record.payoffs[decision.player] for record in records for decision in record.decisions]
    assert samples.result.tolist() == results
    assert (samples.moves_left == -1).all()


def test_games_of_a_teacher_that_proves_nothing_are_played_to_the_end():
    game = tengen.game("connect_four")
    play = {"end_proven": True, "search": {"solve": True, "visits": 100}}
    settings = change_settings(settings_for(game), {"selfplay": play})
    taught = taught_play(find_player("rollout:50", game), settings)
    assert (taught.end_proven, taught.search.solve) == (False, False)
    assert taught_play(find_player("rollout:50,solve=true", game), settings).end_proven


def test_proofs_need_a_search_that_solves():
    with pytest.raises(ValueError, match="end_proven has no effect"):
        SelfPlaySettings(end_proven=True)

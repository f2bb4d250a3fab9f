"""Players with a table of their own: their matches are played there, and count as others do."""

import pytest

from tengen.arena import Player, RandomPlayer, elo, play_match


class Host(Player):
    """Wins every third game at its own table."""

    def __init__(self, name="host"):
        super().__init__(name)
        self.guests = []

    def choose(self, states, seats, seeds):
        raise AssertionError("it plays at its own table only")

    def host_games(self, game, other, count, progress):
        self.guests.append(other.name)
        progress(count)
        return [1.0 if number % 3 == 0 else -1.0 for number in range(count)]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_match_is_played_where_its_host_plays(is_first):
    host, guest, told = Host(), RandomPlayer(), []
    players = (host, guest) if is_first else (guest, host)
    result = play_match("connect_four", *players, games=12, progress=lambda done, games: told.append((done, games)))
    assert (result.wins, result.losses) == ((4, 8) if is_first else (8, 4))
    assert host.guests == ["random"]
    assert told[-1] == (12, 12)
    assert result.distinct_games == 12
    assert elo([result]).players[0].name == "random"


def test_a_game_at_another_table_can_not_be_replayed():
    import tengen

    result = play_match("connect_four", Host(), "random", games=2)
    with pytest.raises(ValueError, match="another position"):
        result.games[0].replay(tengen.game("connect_four"))

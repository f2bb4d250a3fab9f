"""The games file of a running match, read at any moment."""

import cli_runner
import pytest

from tengen.arena import MatchResult, chunks, merge, play_chunk, play_match
from tengen.arena.games_file import GamesFile, read_games

MATCH = ("pig", "random", "random")


def add(path, pairs):
    GamesFile(path).add(merge(*MATCH, 5, [play_chunk(*MATCH, pairs, seed=5)]))


def test_parts_in_any_order_are_the_match(tmp_path):
    path = tmp_path / "games.jsonl"
    for pairs in ([2], [0, 1], [3]):
        add(path, pairs)
    assert read_games(path) == play_match(*MATCH, 8, seed=5)
    GamesFile(path).remove()
    assert not path.exists()
    GamesFile(path).remove()


def test_what_is_being_written_is_left_out(tmp_path):
    path = tmp_path / "games.jsonl"
    add(path, [0])
    add(path, [1])
    data = path.read_bytes()
    ends = [number + 1 for number, byte in enumerate(data) if byte == ord("\n")]
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        found = read_games(path)
        pairs = 0 if found is None else len(found.games) // 2
        assert pairs == sum(end <= size for end in (ends[2], ends[4]))


def test_a_torn_or_damaged_line_costs_its_own_pair_only(tmp_path):
    path = tmp_path / "games.jsonl"
    add(path, [0])
    path.write_bytes(path.read_bytes() + b'{"pair": 1, "fir')
    add(path, [2])
    add(path, [3])
    assert len(read_games(path).games) == 6
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b"pair", b"pa\x01r")
    path.write_bytes(b"".join(lines))
    assert len(read_games(path).games) == 4


@pytest.mark.parametrize("head", [b"{}", b'{"format": "tengen-match-9"}'])
def test_what_is_no_match_is_refused(head, tmp_path):
    path = tmp_path / "games.jsonl"
    add(path, [0])
    path.write_bytes(head + b"\n" + path.read_bytes().partition(b"\n")[2])
    with pytest.raises(ValueError, match="no match result"):
        read_games(path)


def test_trouble_with_the_disk_stops_no_match(tmp_path):
    path = tmp_path / "nowhere" / "games.jsonl"
    add(path, [0])
    GamesFile(path).remove()
    assert not path.parent.exists()
    # The calls succeed after the folder was created.
    path.parent.mkdir()
    add(path, [0])
    assert read_games(path) is not None
    GamesFile(path).remove()
    assert not path.exists()


def test_a_match_writes_what_is_finished(tmp_path, monkeypatch, capsys):
    seen, added = [], GamesFile.add

    def see(file, part):
        added(file, part)
        seen.append(read_games(tmp_path / "match" / "match-001.jsonl"))

    monkeypatch.setattr(GamesFile, "add", see)
    run = cli_runner.runner(monkeypatch, capsys)
    words = ["arena", "pig", "random", "random", "--games", 40, "--workers", "inline", "--out", tmp_path / "match"]
    assert run(*words).code == 0
    assert len(seen) == len(chunks(40, 8))
    assert [len(match.games) for match in seen] == [16, 32, 40]
    assert seen[-1] == MatchResult.from_json((tmp_path / "match" / "match-001.json").read_text(encoding="utf-8"))
    assert not (tmp_path / "match" / "match-001.jsonl").exists()

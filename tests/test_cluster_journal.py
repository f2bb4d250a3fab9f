"""Finished tasks are kept, files count by their content, and what is torn is as if it were not there."""

import dataclasses
import gzip
import os
import pickle
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from cluster_tasks import count_and_fail, count_calls, read_text, square

import tengen
from tengen._files import File, local_name, portable_name
from tengen.arena import PolicyPlayer, SearchPlayer, find_player, play_chunk
from tengen.arena.game_player import GamePlayer
from tengen.cluster import LocalWorkers, WorkerError
from tengen.cluster.file_cache import FileCache
from tengen.cluster.journal import Journal, task_key
from tengen.cluster.values import ValuesError, decode, encode
from tengen.search import SearchSettings
from tengen.selfplay import SelfPlaySettings, play_games, save_records

SEARCH = SearchSettings(visits=4)


@pytest.fixture(params=[0, 1])
def workers(request):
    with LocalWorkers(request.param) as opened:
        yield opened


def calls(folder):
    return sorted(path.name for path in folder.iterdir())


class TestValues:
    @pytest.mark.parametrize(
        "value",
        [
            None,
            True,
            -7,
            2**80,
            0.1 + 0.2,
            -0.0,
            float("inf"),
            "ʘ\n\ud800",
            b"\x00\xff",
            [],
            [1, [2.5, (3, None)], {"a": [()]}],
            (1, "x"),
            {1: 0.25, 2: {"!": "d"}},
            {("a", 1): [b""]},
            range(3, 9, 2),
        ],
    )
    def test_plain_values_come_back_as_they_were(self, value):
        found = decode(encode(value))
        assert found == value
        assert repr(found) == repr(value)

    def test_arrays_come_back_as_they_were(self):
        for array in (np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((0, 4)), np.array(3, np.int8)):
            found = decode(encode(array))
            assert found.dtype == array.dtype
            assert found.shape == array.shape
            assert (found == array).all()
        scalar = decode(encode(np.float32(0.1)))
        assert type(scalar) is np.float32
        assert scalar == np.float32(0.1)

    def test_games_come_back_as_they_were(self):
        game = tengen.game("pyrga")
        records = play_games(game, "uniform", SelfPlaySettings(search=SEARCH, parallel=2), [1, 2])
        assert decode(encode(records)) == records
        assert save_records(decode(encode(records))) == save_records(records)
        matgo = tengen.game("matgo")
        played = play_chunk(matgo, find_player("greedy", matgo), find_player("random", matgo), [0], 3)
        assert decode(encode(played)) == played

    def test_equal_values_give_equal_bytes(self):
        assert encode([1, {"a": (2,)}]) == encode([1, {"a": (2,)}])

    @pytest.mark.parametrize("value", [{1, 2}, object(), print, Path("x"), np.array([object()]), [lambda: 0]])
    def test_others_have_no_such_form(self, value):
        with pytest.raises(ValuesError, match="cannot be written as lines"):
            encode(value)

    def test_records_of_others_have_no_such_form(self):
        @dataclasses.dataclass
        class Mine:
            number: int

        class Named(NamedTuple):
            number: int

        for value in (Mine(1), Named(1)):
            with pytest.raises(ValuesError):
                encode(value)

    def test_bytes_that_are_no_values(self):
        whole = encode(list(range(100)))
        stranger = b'{"format":"tengen values 1","is_list":false,"classes":["subprocess:Popen"]}\n["c",0,"ls"]'
        function = b'{"format":"tengen values 1","is_list":false,"classes":["tengen.games:game"]}\n["c",0,"go"]'
        for data in (b"", b"x", whole[:-9], pickle.dumps(1), gzip.compress(stranger), gzip.compress(function)):
            with pytest.raises(ValuesError):
                decode(data)


class TestKeys:
    def test_equal_calls_have_equal_keys(self):
        name = "ab"
        shared = task_key(square, ([name, name],))
        assert shared == task_key(square, (["abc"[:2], name],))
        assert shared != task_key(square, ([name, "ac"],))
        assert shared != task_key(read_text, ([name, name],))

    def test_files_count_by_content_wherever_they_lie(self, tmp_path):
        for folder, text in (("a", "one"), ("b", "one"), ("c", "two")):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "net.onnx").write_text(text)
        keys = [task_key(square, (File(tmp_path / folder / "net.onnx"),)) for folder in "abc"]
        assert keys[0] == keys[1] != keys[2]
        (tmp_path / "b" / "net.onnx.ini").write_text("beside it")
        assert task_key(square, (File(tmp_path / "b" / "net.onnx"),)) != keys[0]

    def test_players_know_their_files(self, tmp_path):
        (tmp_path / "net.onnx").write_text("one")
        path = str(tmp_path / "net.onnx")
        assert portable_name(f"pair:{path}+x.onnx") == ("pair:", File(path), "+x.onnx")
        for name in (f"pair:{path}+x.onnx", path, "rollout:4", "champion", 7):
            assert local_name(portable_name(name)) == name
        game = tengen.game("connect_four")
        for player in (SearchPlayer("a", path, SEARCH), PolicyPlayer("a", path)):
            assert str(pickle.loads(pickle.dumps(player)).evaluator) == path
            before = task_key(square, (game, player))
            (tmp_path / "net.onnx").write_text("two, which is longer")
            assert task_key(square, (game, player)) != before
            (tmp_path / "net.onnx").write_text("one")
        assert pickle.loads(pickle.dumps(GamePlayer(f"frequency:{path}"))).text == f"frequency:{path}"

    def test_own_games_travel_as_files(self, tmp_path):
        (tmp_path / "gomoku.py").write_bytes((Path(__file__).parent / "gomoku.py").read_bytes())
        game = tengen.game(f"{tmp_path / 'gomoku.py'}")
        assert game.__reduce__()[1][0][0] == File(tmp_path / "gomoku.py")
        assert pickle.loads(pickle.dumps(game)) == game


class TestJournal:
    def test_what_is_kept_is_not_done_again(self, workers, tmp_path):
        marks, parts = tmp_path / "marks", tmp_path / "parts"
        marks.mkdir()
        with workers.journal(parts):
            tasks = [workers.submit(count_calls, marks, number) for number in range(4)]
            first = dict(workers.results())
            again = [workers.submit(count_calls, marks, number) for number in range(5)]
            second = dict(workers.results())
        assert [first[task] for task in tasks] == [0, 1, 4, 9]
        assert [second[task] for task in again] == [0, 1, 4, 9, 16]
        assert [name.split("-")[0] for name in calls(marks)] == ["0", "1", "2", "3", "4"]

    def test_a_failure_is_tried_again(self, workers, tmp_path):
        marks = tmp_path / "marks"
        marks.mkdir()
        for _ in range(2):
            with workers.journal(tmp_path / "parts"):
                workers.submit(count_and_fail, marks)
                with pytest.raises(WorkerError, match="boom"):
                    list(workers.results())
        assert len(calls(marks)) == 2

    def test_without_a_form_for_the_journal_a_value_is_only_passed_on(self, workers, tmp_path):
        with workers.journal(tmp_path / "parts"):
            assert workers.map(Path, ["x"]) == [Path("x")]
        assert not (tmp_path / "parts").exists()

    @pytest.mark.parametrize("damage", ["torn", "changed", "empty", "of another task"])
    def test_a_damaged_part_is_none(self, tmp_path, damage):
        journal = Journal(tmp_path / "parts")
        journal.write("a" * 64, encode([1, 2]))
        journal.write("b" * 64, encode([3]))
        path = journal.folder / ("a" * 64)
        whole = path.read_bytes()
        assert journal.read("a" * 64) == ([1, 2],)
        damaged = {
            "torn": whole[:-5],
            "changed": whole[:70] + bytes([whole[70] ^ 1]) + whole[71:],
            "empty": b"",
            "of another task": (journal.folder / ("b" * 64)).read_bytes(),
        }
        path.write_bytes(damaged[damage])
        assert journal.read("a" * 64) is None
        assert not path.exists()
        assert journal.read("b" * 64) == ([3],)
        assert journal.read("c" * 64) is None

    def test_two_writers_agree(self, tmp_path):
        journal = Journal(tmp_path / "parts")
        data = encode(list(range(10_000)))
        threads = [threading.Thread(target=lambda: [journal.write("a" * 64, data) for _ in range(5)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert journal.read("a" * 64) == (list(range(10_000)),)
        assert calls(journal.folder) == ["a" * 64]


class TestCache:
    def contents(self, tmp_path, text="one", name="net.onnx"):
        source = tmp_path / "source"
        source.mkdir(exist_ok=True)
        (source / name).write_text(text)
        file = File(source / name)
        return file, {piece: path.read_bytes() for piece, path in file.pieces().items()}

    def test_a_file_is_fetched_once(self, tmp_path):
        file, contents = self.contents(tmp_path)
        fetched = []
        for _ in range(2):
            found = FileCache(tmp_path / "cache").find(
                "net.onnx", file.digest, lambda: fetched.append(1) or dict(contents)
            )
            assert found.name == "net.onnx"
            assert found.read_text() == "one"
        assert len(fetched) == 1

    @pytest.mark.parametrize("damage", ["on", ""])
    def test_a_torn_file_is_fetched_again(self, tmp_path, damage):
        file, contents = self.contents(tmp_path)
        found = FileCache(tmp_path / "cache").find("net.onnx", file.digest, lambda: contents)
        found.write_text(damage)
        again = FileCache(tmp_path / "cache").find("net.onnx", file.digest, lambda: contents)
        assert again.read_text() == "one"

    def test_what_does_not_arrive_whole_is_refused(self, tmp_path):
        file, _ = self.contents(tmp_path)
        with pytest.raises(ValueError, match="did not arrive"):
            FileCache(tmp_path / "cache").find("net.onnx", file.digest, lambda: {"net.onnx": b"two"})
        assert not (tmp_path / "cache" / file.digest).exists()

    def test_two_writers_agree(self, tmp_path):
        file, contents = self.contents(tmp_path, "x" * 100_000)
        found = []

        def fetch():
            cache = FileCache(tmp_path / "cache")
            found.append(cache.find("net.onnx", file.digest, lambda: contents).read_text())

        threads = [threading.Thread(target=fetch) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == ["x" * 100_000] * 8
        assert calls(tmp_path / "cache") == [file.digest]

    def test_the_longest_unused_files_are_given_up(self, tmp_path):
        cache = FileCache(tmp_path / "cache", limit=25)
        digests = []
        for number, text in enumerate(["a" * 10, "b" * 10, "c" * 10]):
            file, contents = self.contents(tmp_path, text)
            cache.find("net.onnx", file.digest, lambda contents=contents: contents)
            os.utime(tmp_path / "cache" / file.digest, (number, number))
            digests.append(file.digest)
        assert calls(tmp_path / "cache") == sorted(digests[1:])

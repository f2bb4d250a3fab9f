"""Steps and champions that are damaged: named, kept, and replaced by the ones before."""

import pytest
from run_folders import SETTINGS, make, tree

from tengen.runs import DamagedRun, DamagedStep, Run, RunError
from tengen.runs import champion as champion_module
from tengen.runs.sealed import seal, unseal


@pytest.fixture
def writer(tmp_path):
    run = Run.create(tmp_path / "run", SETTINGS)
    with run.lock():
        yield run


class TestDamage:
    @pytest.mark.parametrize(("content", "text"), [("cont", "had 7"), ("Content", "checksum"), (None, "is missing")])
    def test_a_damaged_file_is_named_when_it_is_read(self, writer, content, text):
        step = make(writer)
        if content is None:
            (step.path / "file.txt").unlink()
        else:
            (step.path / "file.txt").write_text(content)
        with pytest.raises(DamagedStep, match=rf"file\.txt .*{text}") as error:
            Run.open(writer.path).steps()[0].file("file.txt")
        assert error.value.step == step.path
        assert error.value.file == "file.txt"

    def test_without_a_manifest_there_is_no_step(self, writer):
        whole, damaged, without = make(writer), make(writer), make(writer)
        manifest = damaged.path / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"seed": null', '"seed": 1234'))
        (without.path / "manifest.json").unlink()
        (writer.path / "steps" / "notes").write_text("mine")
        other = Run.open(writer.path)
        assert other.steps() == [whole]
        kinds = {problem.path.name: problem.kind for problem in other.verify()}
        assert kinds == {damaged.id: "damaged", without.id: "debris", "notes": "debris"}

    def test_a_copied_step_is_not_another_step(self, writer):
        step = make(writer)
        copy = step.path.with_name(step.id[:-5] + "arena")
        copy.mkdir()
        for path in step.path.iterdir():
            (copy / path.name).write_bytes(path.read_bytes())
        assert Run.open(writer.path).steps() == [step]
        assert "belongs to" in str(writer.verify()[0])

    def test_a_foreign_file_in_a_step_is_debris(self, writer):
        step = make(writer)
        (step.path / "notes").write_text("mine")
        assert [(problem.kind, problem.path) for problem in writer.verify()] == [("debris", step.path / "notes")]

    @pytest.mark.parametrize(
        "change",
        [
            {"format": 2},
            {"files": {"../../run.toml": {"size": 1, "sha256": "0" * 64}}},
            {"files": {"/etc/passwd": {"size": 1, "sha256": "0" * 64}}},
            {"files": {"file.txt": {"size": "1", "sha256": "0" * 64}}},
            {"files": {"file.txt": {}}},
            {"files": []},
            {"inputs": [{"step": "x", "sha256": "?"}]},
            {"inputs": ["x"]},
            {"iteration": "one"},
            {"seed": True},
            {"created": "yesterday"},
            {"name": "../x"},
        ],
        ids=str,
    )
    def test_a_manifest_of_another_make_is_none(self, writer, change):
        """Its seal fits, so somebody meant it; it still may not lead anywhere else."""
        manifest = make(writer).path / "manifest.json"
        manifest.write_bytes(seal(unseal(manifest.read_bytes(), spread=True) | change, spread=True))
        assert Run.open(writer.path).steps() == []
        assert [problem.kind for problem in writer.verify()] == ["damaged"]

    def test_quarantine_keeps_everything(self, writer):
        step, other = make(writer), make(writer, "arena")
        before = tree(step.path)
        place = writer.quarantine(step)
        assert place == writer.path / "quarantine" / step.id
        assert tree(place) == before
        assert writer.steps() == [other]
        assert writer.verify() == []
        assert writer.quarantine(step) is None
        step.path.mkdir()
        assert writer.quarantine(step.id) == place.with_name(f"{step.id}-2")
        (writer.path / "steps" / "notes").write_text("mine")
        assert writer.quarantine(writer.path / "steps" / "notes").read_text() == "mine"

    @pytest.mark.parametrize("step", ["", "..", "../champion", "/etc", "a/b", "."])
    def test_quarantine_takes_steps_only(self, writer, step):
        with pytest.raises(RunError, match="is not in"):
            writer.quarantine(step)

    def test_inputs_are_looked_after(self, writer, tmp_path):
        book = tmp_path / "book"
        book.write_text("openings")
        first = make(writer, "self-play")
        second = make(writer, inputs=[first, first.file("file.txt"), book])
        assert writer.verify() == []
        book.write_text("endgames")
        (problem,) = writer.verify()
        assert (problem.kind, problem.path) == ("input", second.path)
        assert "changed" in str(problem)
        book.unlink()
        assert [problem.kind for problem in writer.verify()] == ["input"]
        book.write_text("openings")
        writer.quarantine(first)
        assert writer.verify() == []
        (writer.path / "quarantine").rename(tmp_path / "elsewhere")
        assert [problem.kind for problem in writer.verify()] == ["input", "input"]

    def test_another_step_of_the_same_name_is_no_input(self, writer):
        initial = make(writer, "initial")
        step = make(writer, inputs=[initial])
        writer.quarantine(initial)
        make(writer, "initial", text="other")
        (problem,) = writer.verify()
        assert "another 00000000-000000-000-initial" in str(problem)
        assert problem.path == step.path


class TestChampion:
    def test_it_is_remembered(self, writer):
        assert writer.champion is None
        first, second = make(writer), make(writer)
        writer.set_champion(first, "the first")
        writer.set_champion(second, "won 60 of 100")
        writer.set_champion(second, "again")
        other = Run.open(writer.path)
        assert other.champion == second
        assert [(past.step, past.reason) for past in other.champions()] == [
            (first.id, "the first"),
            (second.id, "won 60 of 100"),
        ]
        assert (writer.path / "champion").read_text().splitlines()[0] == f"steps/{second.id}"
        assert writer.verify() == []

    def test_a_promotion_that_stopped_halfway_counts(self, writer, monkeypatch):
        step = make(writer)

        def stop(*_args, **_keywords):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(champion_module, "append_line", stop)
            with pytest.raises(KeyboardInterrupt):
                writer.set_champion(step, "because")
        other = Run.open(writer.path)
        assert other.champion == step
        assert other.champions() == []
        writer._tidy()
        assert [past.reason for past in other.champions()] == ["because"]

    def test_a_damaged_file_is_read_from_the_history(self, writer):
        first, second = make(writer), make(writer)
        writer.set_champion(first, "")
        writer.set_champion(second, "")
        path = writer.path / "champion"
        damaged = path.read_text().replace(second.id, first.id, 1)
        path.write_text(damaged)
        assert writer.champion == second
        assert [problem.kind for problem in writer.verify()] == ["champion"]
        writer.set_champion(second, "once more")
        assert writer.verify() == []
        assert [file.read_text() for file in (writer.path / "quarantine").iterdir()] == [damaged]

    def test_without_a_history_a_damaged_file_is_an_error(self, writer):
        (writer.path / "champion").write_text("steps/x\n")
        with pytest.raises(DamagedRun, match="champion is damaged"):
            _ = writer.champion
        step = make(writer)
        writer.quarantine(make(writer))
        writer.set_champion(step, "")
        assert writer.champion == step

    def test_a_quarantined_champion_gives_way_to_the_one_before(self, writer):
        first, second, third = make(writer), make(writer), make(writer)
        for step in (first, second, third):
            writer.set_champion(step, "better")
        (third.path / "manifest.json").write_text("{}")
        other = Run.open(writer.path)
        with pytest.raises(DamagedStep, match=third.id) as error:
            _ = other.champion
        assert "champion" in {problem.kind for problem in other.verify()}
        writer.quarantine(error.value.step)
        assert writer.champion == second
        assert writer.champions()[-1].reason == f"{third.id} was quarantined"
        writer.quarantine(first)
        assert writer.champion == second
        writer.quarantine(second)
        assert writer.champion is None
        assert writer.verify() == []

    def test_records_of_another_make_name_nobody(self, writer):
        (writer.path / "champion.jsonl").write_bytes(seal({"queen": 1}))
        (writer.path / "champion").write_bytes(b"steps/x\n" + seal({"queen": 1}))
        assert writer.champions() == []
        with pytest.raises(DamagedRun, match="champion is damaged"):
            _ = writer.champion

    def test_only_a_step_that_is_there_can_be_champion(self, writer):
        step = make(writer)
        writer.quarantine(step)
        with pytest.raises(DamagedStep, match="is missing"):
            writer.set_champion(step, "")

"""What tests of run directories share."""

from contextlib import contextmanager

from tengen.runs import Run

SETTINGS = {"game": "pig", "visits": 200, "rate": 0.1, "train": {"batch": 64, "decay": None}}


def make(run, name="train", text="content", **about):
    with run.step(name, **about) as draft:
        draft.write_text("file.txt", text)
    return draft.step


def tree(folder):
    """Every file's content by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def spoil(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


class Stop(Exception):  # noqa: N818 - no error: the process ends here
    """A run ends before it writes."""


@contextmanager
def stopping_before(monkeypatch, writes):
    """Lets a run make so many steps, promotions and log lines, and raises Stop instead of the next."""
    left = iter(range(writes))

    def guarded(real):
        def write(self, *args, **options):
            if next(left, None) is None:
                raise Stop
            return real(self, *args, **options)

        return write

    with monkeypatch.context() as patch:
        for name in ("step", "set_champion", "log"):
            patch.setattr(Run, name, guarded(getattr(Run, name)))
        yield

"""What tests of run directories share."""

SETTINGS = {"game": "pig", "visits": 200, "rate": 0.1, "train": {"batch": 64, "decay": None}}


def make(run, name="train", text="content", **about):
    with run.step(name, **about) as draft:
        draft.write_text("file.txt", text)
    return draft.step


def tree(folder):
    """Every file's content by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}

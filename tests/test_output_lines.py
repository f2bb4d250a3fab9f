"""Output lines of an engine: the calling thread writes them if it can, and they stay in order."""

import os

import pytest

from tengen.analysis.stdio import InputLines, OutputLines


@pytest.fixture(name="pipe")
def _pipe():
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    yield reader, writer
    for file in (reader, writer):
        try:
            os.close(file)
        except OSError:
            continue


def read_lines(reader, count):
    data = b""
    while data.count(b"\n") < count:
        try:
            data += os.read(reader, 1 << 16)
        except BlockingIOError:
            continue
    return data.decode().splitlines()


def test_a_line_is_written_when_write_returns(pipe):
    reader, writer = pipe
    out = OutputLines(writer, InputLines(None, writer))
    for text in ("id name Tengen", "usiok"):
        out.write(text)
        assert os.read(reader, 100).decode() == f"{text}\n"


def test_a_slow_reader_gets_all_lines_in_order(pipe):
    reader, writer = pipe
    out = OutputLines(writer, InputLines(None, writer))
    # More than a pipe holds, with lines that are too long to be written as a whole.
    texts = [f"{number} {'x' * (number * 37 % 6000)}" for number in range(200)]
    for text in texts:
        out.write(text)
    assert read_lines(reader, len(texts)) == texts
    out.write("end")
    assert read_lines(reader, 1) == ["end"]
    out.close()
    assert out.report() == 0


def test_a_reader_that_has_gone_is_no_failure(pipe):
    reader, writer = pipe
    lines = InputLines(None, writer)
    out = OutputLines(writer, lines)
    os.close(reader)
    out.write("nobody reads this")
    out.close()
    assert (out.report(), lines.is_interrupted) == (0, True)

"""How a long job says how far it is."""

import re

import pytest

from progress import PLAIN_EVERY, Job, in_words


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def steps(job, clock, part, amounts, seconds):
    for amount in amounts:
        clock.now += seconds
        job.reached(part, amount, "a beat")


def test_plain_lines_come_now_and_then(clock, capsys):
    with Job({"growth": 100}, clock) as job:
        steps(job, clock, "growth", range(101), seconds=1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 + 100 // PLAIN_EVERY
    assert lines[0] == "  0% growth · a beat"
    assert lines[1] == " 10% growth · a beat · about 2 min to go"
    assert lines[-1] == "100% growth · a beat"


def test_the_share_is_of_all_parts_and_never_falls(clock, capsys):
    with Job({"growth": 60, "saturation": 40}, clock) as job:
        for part, done in [("growth", 30), ("saturation", 40), ("growth", 20), ("growth", 70)]:
            clock.now += PLAIN_EVERY
            job.reached(part, done)
    shares = [int(line.partition("%")[0]) for line in capsys.readouterr().err.splitlines()]
    assert shares == [30, 70, 70, 100]


def test_how_much_there_is_may_be_known_better_later(clock, capsys):
    with Job({"growth": 60}, clock) as job:
        job.reached("growth", 30, of=120)
    assert capsys.readouterr().err == " 25% growth\n"


def test_the_time_to_go_is_judged_by_the_latest_speed(clock, capsys):
    """Half of it came from the cache at once; the rest takes a second each."""
    with Job({"growth": 200}, clock) as job:
        steps(job, clock, "growth", range(100), seconds=0.01)
        steps(job, clock, "growth", range(100, 150), seconds=1)
    last = capsys.readouterr().err.splitlines()[-1]
    assert re.search(r"about (50|55|60) s to go", last)


def test_nothing_is_guessed_from_too_little(clock, capsys):
    with Job({"growth": 100}, clock) as job:
        job.reached("growth", 0)
        clock.now += PLAIN_EVERY
        job.reached("growth", 0)  # slow to start
        clock.now += PLAIN_EVERY
        job.reached("growth", 2)
    assert "to go" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.1, "5 s"), (32, "30 s"), (59, "60 s"), (61, "1 min"), (3599, "60 min"), (5400, "1 h 30 min")],
)
def test_time_is_told_as_coarsely_as_it_is_known(seconds, words):
    assert in_words(seconds) == words


def test_a_path_is_printed_in_the_machines_own_bytes(clock, capfdbinary, tmp_path):
    with Job({"growth": 1}, clock) as job:
        job.result(tmp_path / "caf\udce9.mp4")  # a name that is no UTF-8
    assert capfdbinary.readouterr().out == bytes(tmp_path) + b"/caf\xe9.mp4\n"

"""How a long job says how far it is."""

import re

import pytest

from progress import PLAIN_EVERY, Job, in_words, is_lively, time_taken


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
    assert len(lines) == 2 + 100 // PLAIN_EVERY
    assert lines[0] == "  0% growth · a beat"
    assert lines[1] == " 10% growth · a beat · about 2 min to go"
    assert lines[-2] == " 99% finishing"
    assert lines[-1] == "100% done in 1 min 41 s"


def test_the_last_plain_line_is_true_wherever_the_job_was(clock, capsys):
    """The last one is held back when it comes too soon, and scenes need not end in their order."""
    with Job({"growth": 60, "rescaling": 40}, clock) as job:
        job.reached("rescaling", 40)
        clock.now += 1
        job.reached("growth", 60)
    assert capsys.readouterr().err.splitlines() == [" 40% rescaling", "100% done in 1 s"]


def test_a_closed_stream_is_no_terminal():
    assert not is_lively(None)


def test_a_job_that_fails_is_not_done(clock, capsys):
    def fail():
        with Job({"growth": 60}, clock) as job:
            job.reached("growth", 30)
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="full"):
        fail()
    assert capsys.readouterr().err == " 50% growth\n"


def test_a_job_without_plain_lines_is_silent_where_there_is_no_terminal(clock, capsys):
    with Job({"variance": 1}, clock, plain=False) as job:
        job.reached("variance", 0.5)
        clock.now += PLAIN_EVERY
        job.reached("variance", 1)
    assert capsys.readouterr().err == ""


def test_the_share_is_of_all_parts_and_never_falls(clock, capsys):
    with Job({"growth": 60, "saturation": 40}, clock) as job:
        for part, done in [("growth", 30), ("saturation", 40), ("growth", 20), ("growth", 70)]:
            clock.now += PLAIN_EVERY
            job.reached(part, done)
    shares = [int(line.partition("%")[0]) for line in capsys.readouterr().err.splitlines()]
    assert shares == [30, 70, 70, 99, 100]  # 99 until it is over


def test_how_much_there_is_may_be_known_better_later(clock, capsys):
    with Job({"growth": 60}, clock) as job:
        job.reached("growth", 30, of=120)
    assert capsys.readouterr().err.startswith(" 25% growth\n")


def test_the_time_to_go_is_judged_by_the_latest_speed(clock, capsys):
    """Half of it came from the cache at once; the rest takes a second each."""
    with Job({"growth": 200}, clock) as job:
        steps(job, clock, "growth", range(100), seconds=0.01)
        steps(job, clock, "growth", range(100, 150), seconds=1)
    last = capsys.readouterr().err.splitlines()[-2]
    assert re.search(r"about (50|55|60) s to go", last)


def test_nothing_is_guessed_from_too_little(clock, capsys):
    with Job({"growth": 100}, clock) as job:
        job.reached("growth", 0)
        clock.now += PLAIN_EVERY
        job.reached("growth", 0)  # slow to start
        clock.now += PLAIN_EVERY
        job.reached("growth", 2)
        clock.now += PLAIN_EVERY
        job.reached("growth", 9)
    assert "to go" not in capsys.readouterr().err


def test_getting_ready_is_not_taken_for_slow_work(clock, capsys):
    """A minute passes before anything is drawn, then each hundredth takes a second."""
    with Job({"growth": 100}, clock) as job:
        job.reached("growth", 0)
        clock.now += 60
        steps(job, clock, "growth", range(1, 22), seconds=1)
    *_, last, _ = capsys.readouterr().err.splitlines()
    assert last == " 21% growth · a beat · about 1 min to go"


def test_how_fast_one_part_went_says_nothing_about_the_next(clock, capsys):
    """Figures take ten times as long as as much film; two scenes go side by side."""
    with Job({"figures": 30, "growth": 50, "saturation": 50}, clock) as job:
        steps(job, clock, "figures", range(1, 31), seconds=10)
        clock.now += 30
        job.reached("growth", 1)
        for done in range(2, 30):
            steps(job, clock, "growth", [done], seconds=0.5)
            steps(job, clock, "saturation", [done], seconds=0.5)
    scenes = [line for line in capsys.readouterr().err.splitlines() if "figures" not in line]
    assert "to go" not in scenes[0]
    assert re.search(r"about (35|40) s to go", scenes[1])


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.1, "5 s"), (32, "30 s"), (59, "60 s"), (61, "1 min"), (3599, "60 min"), (5400, "1 h 30 min")],
)
def test_time_is_told_as_coarsely_as_it_is_known(seconds, words):
    assert in_words(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (118, "1 min 58 s"), (3600, "1 h 0 min"), (5459, "1 h 30 min")],
)
def test_how_long_it_took_is_told_to_the_second(seconds, words):
    assert time_taken(seconds) == words


def test_a_path_is_printed_in_the_machines_own_bytes(clock, capfdbinary, tmp_path):
    with Job({"growth": 1}, clock) as job:
        job.result(tmp_path / "caf\udce9.mp4")  # a name that is no UTF-8
    assert capfdbinary.readouterr().out == bytes(tmp_path) + b"/caf\xe9.mp4\n"

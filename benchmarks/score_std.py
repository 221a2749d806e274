"""Measure `core.score_std`: its time against the plain two-array version, and its memory where that would take 16 GB.

    python benchmarks/score_std.py

Each measurement runs in a fresh process, so that none inherits another's memory. Ends with exit code 1 when a
promise is broken: at most 2 times the plain time, and under 300 MB.
"""

import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # also where the project is not installed

from core import score_std

FITS = (1024, 50_000)  # d, trials: two arrays of 410 MB
LARGE = (1024, 1_000_000)
REPEATS = 3
MOST_TIME, MOST_MEMORY = 2.0, 300.0  # times the plain version; MB


def plain_score_std(d: int, trials: int, seed: int) -> float:
    """The definition, with every draw in memory at once."""
    rng = np.random.default_rng(seed)
    queries, keys = rng.standard_normal((trials, d)), rng.standard_normal((trials, d))
    return float((queries * keys).sum(axis=-1).std())


def measure(function: Callable[[int, int, int], float], d: int, trials: int) -> tuple[float, float, float]:
    """The value, the seconds it took and the peak memory of this process in MB."""
    start = time.perf_counter()
    value = function(d, trials, 0)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return value, seconds, peak / (1e6 if sys.platform == "darwin" else 1e6 / 1024)  # bytes there, KiB elsewhere


def measure_afresh(function: Callable[[int, int, int], float], d: int, trials: int) -> tuple[float, float, float]:
    """`measure` in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(measure, function, d, trials).result()


def main() -> int:
    d, trials = FITS
    times: dict[Callable[[int, int, int], float], list[float]] = {plain_score_std: [], score_std: []}
    values = set()
    for _ in range(REPEATS):  # in turn, so that a busy moment of the machine meets both
        for function, seconds_taken in times.items():
            value, seconds, peak = measure_afresh(function, d, trials)
            values.add(value)
            seconds_taken.append(seconds)
            print(f"{function.__name__:16} d={d:,} trials={trials:,}: {seconds:6.2f} s, peak {peak:6.0f} MB, {value}")
    ratio = statistics.median(times[score_std]) / statistics.median(times[plain_score_std])
    print(f"time against the plain version: {ratio:.2f} (at most {MOST_TIME:g})")
    print(f"same value to the last bit: {'yes' if len(values) == 1 else 'no'}")

    d, trials = LARGE
    value, seconds, peak = measure_afresh(score_std, d, trials)
    print(f"{score_std.__name__:16} d={d:,} trials={trials:,}: {seconds:6.2f} s, peak {peak:6.0f} MB, {value}")
    print(f"peak memory: {peak:.0f} MB (under {MOST_MEMORY:g})")
    return 0 if ratio <= MOST_TIME and len(values) == 1 and peak < MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())

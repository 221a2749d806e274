"""Measure how long `rootdk --help` takes against the help of a bare click command.

    python benchmarks/help_time.py

The two take turns, so that a busy machine slows both, and the median of the pairs' ratios is what counts. Ends with
exit code 1 when the promise is broken: at most 1.5 times the bare command.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BARE = "import click\n\n@click.command()\ndef main():\n    pass\n\nmain()"
OURS = "from cli import main\n\nmain(prog_name='rootdk')"
PAIRS = 40
MOST_TIME = 1.5  # times the bare command


def seconds(program: str) -> float:
    """How long a fresh interpreter takes to show the help of ``program``."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program, "--help"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure and report."""
    seconds(BARE), seconds(OURS)  # compiled and in the disk's cache from here on
    pairs = [(seconds(BARE), seconds(OURS)) for _ in range(PAIRS)]
    bare, ours = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
    ratio = statistics.median(own / plain for plain, own in pairs)
    print(f"bare click {bare:.0f} ms, rootdk {ours:.0f} ms: {ratio:.2f} times, promised {MOST_TIME} at most")
    sys.exit(ratio > MOST_TIME)


if __name__ == "__main__":
    main()

"""How long films take: plain Manim, and rootdk with one process and with all, on the same scenes in one run.

    python benchmarks/render.py --quality h --repeats 1

Prints ratios to plain serial Manim, since machines differ and are shared. "Cold" starts without a cache, "warm" follows
with nothing changed, "edited" follows an edit to one beat. Then what a drawn frame costs in each scene, in processor
time, beside a frame of the floor (one moving dot), and the most memory that all processes together took.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
PARTS = ("core", "scenes", "files.py")
MANIM_QUALITIES = {"l": "-ql", "m": "-qm", "h": "-qh", "p": "-qp", "k": "-qk"}
FLOOR = '''"""An almost empty scene: what no scene can do without."""

from typing import ClassVar

from manim import Dot, ValueTracker

from scenes.base import LessonScene


class Floor(LessonScene):
    """One dot moving."""

    TITLE: ClassVar[str] = "The floor"
    SECONDS: ClassVar[float] = 10
    USES: ClassVar[tuple[str, ...]] = ()

    def construct(self) -> None:
        """One beat."""
        self.beat("a dot moves")
        place = ValueTracker(-6.0)
        dot = Dot(color=self.theme.raw)
        dot.add_updater(lambda dot: dot.move_to((place.get_value(), 0, 0)))
        self.add(dot)
        self.play(place.animate.set_value(6), run_time=10)
'''
RENDER = """
import sys
from pathlib import Path
from core.parameters import Parameters
from scenes.rendering import FilmOptions, render
if __name__ == "__main__":
    names, jobs, quality, out = sys.argv[1:]
    options = FilmOptions(quality=quality)
    for _ in render(names.split(","), Parameters(), options, Path(out), jobs=int(jobs) or None):
        pass
"""
# The processor time of the motions alone: the holds of a scene are nearly free.
COST = """
import json, sys, time
from pathlib import Path
from core.parameters import Parameters
from scenes import rendering
spent = {"seconds": 0.0, "frames": 0}
play = rendering.FilmRenderer.play
def timed(renderer, scene, *animations, **options):
    before = time.process_time()
    play(renderer, scene, *animations, **options)
    renderer.file_writer.join_all_encode_jobs()
    if not scene.is_current_animation_frozen_frame():
        spent["seconds"] += time.process_time() - before
        spent["frames"] += round(scene.duration * renderer.camera.frame_rate)
rendering.FilmRenderer.play = timed
list(rendering.record([sys.argv[1]], Parameters(), rendering.FilmOptions(quality=sys.argv[2]), Path(sys.argv[3])))
print(json.dumps(spent))
"""


def copy_of_the_project(folder: Path) -> Path:
    """A copy of what renders, with the floor among the scenes, where a beat can be edited."""
    for part in PARTS:
        source = HOME / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)
    order = folder / "scenes" / "__init__.py"
    order.write_text(order.read_text(encoding="utf-8").replace("ORDER = (", 'ORDER = ("floor", '), encoding="utf-8")
    (folder / "scenes" / "floor.py").write_text(FLOOR, encoding="utf-8")
    (folder / "render.py").write_text(RENDER, encoding="utf-8")
    return folder


class Memory:
    """The most memory that a process and its descendants took together, in bytes, shared pages counted once."""

    def __init__(self, root: int) -> None:
        self.root, self.peak, self.over = root, 0, threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        while not self.over.wait(0.2):
            self.peak = max(self.peak, sum(map(self._share, self._tree())))

    def _tree(self) -> list[int]:
        children: dict[int, list[int]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except (OSError, IndexError):
                    continue
                children.setdefault(parent, []).append(int(entry.name))
        tree, waiting = [], [self.root]
        while waiting:
            process = waiting.pop()
            tree.append(process)
            waiting += children.get(process, [])
        return tree

    @staticmethod
    def _share(process: int) -> int:
        try:
            rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            return 0
        return sum(int(row.split()[1]) * 1024 for row in rows if row.startswith("Pss:"))


def timed(command: list[str], folder: Path) -> tuple[float, int]:
    """How many seconds ``command`` took in ``folder``, and the most memory in bytes."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    memory = Memory(process.pid)
    _, error = process.communicate()
    memory.over.set()
    if process.returncode:
        raise RuntimeError(f"{command} failed:\n{error.decode()}")
    return time.perf_counter() - start, memory.peak


def scene_list(project: Path) -> list[tuple[str, str]]:
    """The lesson's scenes: names and classes."""
    command = "import json; from scenes.rendering import scene_class, scene_names as names; "
    command += "print(json.dumps([(name, scene_class(name).__name__) for name in names()]))"
    out = subprocess.check_output(
        [sys.executable, "-c", command], cwd=project, env={**os.environ, "PYTHONPATH": str(project)}
    )
    return [(name, kind) for name, kind in json.loads(out) if name != "floor"]


def edit_a_beat(project: Path, name: str) -> None:
    """Change the code of one beat, though not what it shows."""
    path = project / "scenes" / f"{name.replace('-', '_')}.py"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    begins = [number for number, line in enumerate(lines) if "self.beat(" in line]
    middle = begins[len(begins) // 2]
    lines.insert(
        middle + 1, f"{lines[middle][: len(lines[middle]) - len(lines[middle].lstrip())]}# edited {time.time()}\n"
    )
    path.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quality", default="h", choices=MANIM_QUALITIES)
    parser.add_argument("--repeats", type=int, default=1, help="runs, of which medians are shown; one with 4 encoders")
    parser.add_argument("--scenes", default="", help="names, comma-separated; the whole lesson if left out")
    given = parser.parse_args()
    rows: dict[str, list[float]] = {}
    peaks: dict[str, int] = {}
    ratios: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        project = copy_of_the_project(Path(temporary) / "project")
        scenes = [s for s in scene_list(project) if not given.scenes or s[0] in given.scenes.split(",")]
        names = ",".join(name for name, _ in scenes)

        def note(row: str, measured: tuple[float, int]) -> None:
            rows.setdefault(row, []).append(measured[0])
            peaks[row] = max(measured[1], peaks.get(row, 0))
            ratios.setdefault(row, []).append(measured[0] / rows["plain Manim, serial"][-1])
            print(f"{row:42}{measured[0]:8.1f} s{ratios[row][-1]:8.3f}{measured[1] / 2**30:8.2f} GiB", flush=True)

        def manim(*options: str) -> tuple[float, int]:
            seconds, peak = 0.0, 0
            media = Path(temporary) / "media"
            shutil.rmtree(media, ignore_errors=True)
            for name, kind in scenes:
                path = f"scenes/{name.replace('-', '_')}.py"
                command = [
                    sys.executable,
                    "-m",
                    "manim",
                    "render",
                    MANIM_QUALITIES[given.quality],
                    "--progress_bar",
                    "none",
                ]
                took, most = timed([*command, "-v", "ERROR", "--media_dir", str(media), *options, path, kind], project)
                seconds, peak = seconds + took, max(peak, most)
            return seconds, peak

        def rootdk(jobs: int, out: str) -> tuple[float, int]:
            return timed(
                [sys.executable, "render.py", names, str(jobs), given.quality, str(Path(temporary) / out)], project
            )

        (project / "manim.cfg").write_text("[CLI]\nnotify_outdated_version = False\n", encoding="utf-8")
        for repeat in range(given.repeats):
            for out in ("one", "all"):
                shutil.rmtree(Path(temporary) / out, ignore_errors=True)
            note("plain Manim, serial", manim())
            note("rootdk, all cores, cold", rootdk(0, "all"))
            note("rootdk, all cores, warm", rootdk(0, "all"))
            edit_a_beat(project, scenes[0][0])
            note("rootdk, all cores, one beat edited", rootdk(0, "all"))
            note("rootdk, one process, cold", rootdk(1, "one"))
            if repeat == 0:  # for comparison; it takes as long as all the rest
                note("plain Manim, 4 encoders at once", manim("--max-inflight-encoders", "4"))
        print(
            f"\n{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
            f"quality {given.quality}: {names}"
        )
        print(f"\n| medians of {given.repeats} | time to plain Manim's | peak memory |\n| --- | --- | --- |")
        for row in rows:
            print(f"| {row} | {statistics.median(ratios[row]):.3f} | {peaks[row] / 2**30:.2f} GiB |")
        cold, warm = (statistics.median(rows[f"rootdk, all cores, {state}"]) for state in ("cold", "warm"))
        print(f"\nwarm to cold: {warm / cold:.3f}")
        print("\n| scene | processor time of a drawn frame to the floor's |\n| --- | --- |")
        floor = 0.0
        for name in ["floor", *(name for name, _ in scenes)]:
            with tempfile.TemporaryDirectory() as out:
                command = [sys.executable, "-c", COST, name, given.quality, out]
                spent = json.loads(
                    subprocess.check_output(command, cwd=project, env={**os.environ, "PYTHONPATH": str(project)})
                )
            cost = spent["seconds"] / spent["frames"]
            floor = floor or cost
            print(f"| {name} | {cost / floor:.2f} ({cost * 1000:.1f} ms) |", flush=True)


if __name__ == "__main__":
    main()

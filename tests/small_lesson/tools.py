"""What tests of films share: small scenes in tiny pictures, processes over them, and films taken apart again."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

import scenes
from core.parameters import Parameters
from scenes import rendering
from scenes.rendering import FilmOptions

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILMS = (sys.executable, str(HERE / "films.py"))  # `rootdk` over the same small scenes
WIDTH, HEIGHT = 160, 90  # pixels


def use_small_lesson(patch: pytest.MonkeyPatch, names: Sequence[str] = ("moving", "closing")) -> None:
    """Let this process see the small scenes, in tiny pictures at the true frame rates."""
    patch.setattr(scenes, "__path__", [*scenes.__path__, str(HERE)])
    patch.setattr(scenes, "ORDER", tuple(names))
    tiny = {letter: replace(picture, width=WIDTH, height=HEIGHT) for letter, picture in rendering.QUALITIES.items()}
    patch.setattr(rendering, "QUALITIES", tiny)


def film(name: str, out: Path, options: FilmOptions | None = None, **settings: Any) -> Path:
    """The film of a scene, rendered in this process."""
    return next(iter(rendered(name, out, options, **settings)))


def rendered(name: str, out: Path, options: FilmOptions | None = None, **settings: Any) -> list[Path]:
    """All files of a scene, rendered in this process."""
    options = options or FilmOptions("l")
    return list(rendering.render([name], settings.pop("parameters", Parameters()), options, out, **settings))


def cache(out: Path) -> Path:
    """Where the segments of the films in ``out`` are."""
    return out / rendering.CACHE / "segments"


def segments(out: Path) -> list[Path]:
    """The segments of the films in ``out``."""
    return sorted(path for path in cache(out).glob("[!.]*") if path.suffix in (".mp4", ".webm", ".mov"))


def decoded(path: Path, codec: str | None = None) -> list[Any]:
    """The frames of a film, as PyAV gives them; ``codec`` names a decoder other than the usual one."""
    with av.open(path) as container:
        stream = container.streams.video[0]
        if codec is None:
            return list(container.decode(stream))
        decoder: Any = av.CodecContext.create(codec, "r")
        decoder.extradata = stream.codec_context.extradata
        frames = [frame for packet in container.demux(stream) if packet.size for frame in decoder.decode(packet)]
        return frames + decoder.decode(None)


def planes(frame: Any) -> list[np.ndarray]:
    """The samples of a frame, plane by plane, (height, width) each."""
    kind = np.dtype("<u2" if frame.format.name.endswith("le") else np.uint8)
    channels = 1 if frame.format.name.startswith(("yuv", "gbr")) else len(frame.format.components)
    return [
        np.frombuffer(plane, kind).reshape(plane.height, -1)[:, : plane.width * channels].copy()
        for plane in frame.planes
    ]


def same_frames(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Whether two films show the same, to the last bit."""
    return len(first) == len(second) and all(
        one.format.name == other.format.name and all(map(np.array_equal, planes(one), planes(other)))
        for one, other in zip(first, second, strict=True)
    )


def environment(**changes: str) -> dict[str, str]:
    """The environment for a process, without what a test of another kind may have set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ROOTDK_TEST")}
    return {**kept, **changes}


def start(*args: Any, **options: Any) -> subprocess.Popen[str]:
    """Start `rootdk` over the small scenes in a group of processes of its own."""
    env = environment(**options.pop("env", {}))
    return subprocess.Popen(
        [*FILMS, *map(str, args)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def run(*args: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `rootdk` over the small scenes to its end."""
    process = start(*args, **options)
    out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


PREPARE = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import films
from pathlib import Path
from core.parameters import Parameters
from scenes import rendering
from scenes.rendering import FilmOptions
out = Path(sys.argv[1])
"""


def run_code(
    code: str, out: Path, arguments: Sequence[str] = (), every_process: str = "", **changes: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own that has the small scenes, ``rendering``, and ``out``, an empty folder.

    ``every_process`` is run in the processes that help to render, too; ``changes`` are to the environment.
    """
    script = out / "script.py"
    (out / "out").mkdir()
    body = textwrap.indent(textwrap.dedent(code), "    ")
    script.write_text(
        f"{PREPARE}{textwrap.dedent(every_process)}\nif __name__ == '__main__':\n{body}", encoding="utf-8"
    )
    command = [sys.executable, str(script), str(out / "out"), *arguments]
    return subprocess.run(command, env=environment(**changes), capture_output=True, text=True, timeout=300, check=False)


def wait_until(
    condition: Callable[[], object],
    complaint: str,
    process: subprocess.Popen[str] | None = None,
    seconds: float = 120,
) -> None:
    """Wait for something that another process does, as long as that lives."""
    end = time.monotonic() + seconds
    while not condition():
        assert process is None or process.poll() is None, f"{complaint}: {process.communicate()}"
        assert time.monotonic() < end, complaint
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    """Whether a process still runs; one that has ended and is not yet waited for does not."""
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        status = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
        return status.stdout.strip()[:1] not in ("Z", "")
    return False


def group_lives(group: int) -> bool:
    """Whether any process of a process group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True

"""What the film encoder's settings cost and give, on frames of a scene: processor time, size, likeness.

    python benchmarks/encoding.py

For a piece in motion and for a held picture: milliseconds a frame on one thread, kilobytes, and the peak
signal-to-noise ratio of the decoded frames in decibels (above 50 nobody sees a difference). The last row is what
films are made with.
"""

import sys
import tempfile
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # also where the project is not installed

from core.parameters import Parameters
from scenes.rendering import ENCODINGS, FilmOptions, Moment, rehearse, scene_class

SCENE, SINCE = "saturation", 15.0  # seconds from its beginning, when much moves
FRAMES = 150
SETTINGS: dict[str, dict[str, str]] = {
    "slow, crf 18": {"preset": "slow", "crf": "18"},
    "medium, crf 23 (Manim's)": {"preset": "medium", "crf": "23"},
    "medium, crf 18": {"preset": "medium", "crf": "18"},
    "medium, crf 18, animation": {"preset": "medium", "crf": "18", "tune": "animation"},
    "veryfast, crf 18": {"preset": "veryfast", "crf": "18"},
    "superfast, crf 18": {"preset": "superfast", "crf": "18"},
    "ultrafast, crf 18": {"preset": "ultrafast", "crf": "18"},
    "films": dict(ENCODINGS["mp4", False].options),
}


class EnoughError(Exception):
    """All the frames that are wanted have been seen."""


def frames_of_a_scene() -> list[Any]:
    """Frames in the encoder's pixel format."""
    found: list[Any] = []

    def look(moment: Moment) -> None:
        if len(found) == FRAMES:
            raise EnoughError
        if not moment.held and moment.scene.elapsed > SINCE:
            pixels = np.ascontiguousarray(np.asarray(moment.picture()))
            found.append(av.VideoFrame.from_ndarray(pixels, format="rgba").reformat(format="yuv420p"))

    with suppress(EnoughError):
        rehearse(scene_class(SCENE), Parameters(), FilmOptions(quality="h"), look, points=np.linspace(0, 0.98, 60))
    return found


def measure(options: dict[str, str], frames: list[Any], path: Path) -> str:
    """Encode ``frames`` and compare what comes out."""
    start = time.process_time()
    with av.open(path, "w") as film:
        stream = film.add_stream("libx264", rate=60, options=options | {"threads": "1"})
        stream.width, stream.height, stream.pix_fmt = frames[0].width, frames[0].height, "yuv420p"
        for number, frame in enumerate(frames):
            frame.pts, frame.time_base = number, Fraction(1, 60)
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
    spent = (time.process_time() - start) / len(frames)
    with av.open(path) as film:
        errors = [
            np.mean((decoded.to_ndarray().astype(float) - frame.to_ndarray()) ** 2)
            for number, (decoded, frame) in enumerate(zip(film.decode(video=0), frames, strict=True))
            if number % 10 == 5
        ]
    likeness = 10 * np.log10(255**2 / np.mean(errors))
    return f"{spent * 1000:6.1f} ms {path.stat().st_size / 1000:6.0f} kB {likeness:5.1f} dB"


def main() -> None:
    """Measure and print."""
    moving = frames_of_a_scene()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        print(f"{FRAMES} frames of {SCENE}, 1080p60{'moving':>24}{'held':>27}")
        for name, options in SETTINGS.items():
            row = f"{measure(options, moving, path)}    {measure(options, [moving[0]] * FRAMES, path)}"
            print(f"{name:28}{row}", flush=True)


if __name__ == "__main__":
    main()

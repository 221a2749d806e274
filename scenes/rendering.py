"""Scenes become segments here: the only place that touches Manim's private parts, its renderer and file writer.

A scene's animations become segments, small films named by all that they depend on. Any number of processes go through
the scenes; each renders the segments that it claims first and skips the others, which works because a scene never
depends on what was rendered before. A film is its segments one after another (scenes/films.py).
"""

from scenes import loading  # noqa: F401  # before Manim, which is imported in many places

# isort: split

import ast
import configparser
import errno
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import logging
import multiprocessing
import os
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cache as cached
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Literal, get_args

import av
import numpy as np
import tqdm  # type: ignore[import-untyped]
from manim import ValueTracker, VMobject, config, console, logger, tempconfig
from manim._config.utils import ManimConfig
from manim.renderer.cairo_renderer import CairoRenderer
from manim.scene.scene_file_writer import SceneFileWriter
from manim.scene.video_segment_encoder import VideoSegmentEncoder
from PIL import Image

import core
import scenes
from core.parameters import Parameters
from core.theme import DARK, Theme
from files import FULL, whole
from scenes.base import Beat, Cue, LessonScene
from scenes.camera import FilmCamera
from scenes.films import EMBEDDING_FORMATS, Take, write_film
from scenes.segments import Quality, Segments, frames_in
from scenes.typesetting import texts_in

# Manim makes progress bars even when it shows none, and each makes a lock between processes, which a killed one leaks.
tqdm.tqdm.set_lock(threading.RLock())

CACHE = ".cache"  # in the folder of the films
REPORT_SECONDS = 0.5  # how often a long animation says how far it is
PROCESS_BYTES = 400 * 2**20  # what a process takes beside its frames
PROCESS_FRAMES = 16  # RGBA frames that a process holds at most, about
PARENT_SECONDS = 2.0  # how long stopped processes are waited for
MOST_JOBS = 4  # processes a core: more only take memory

console.stderr = True  # whatever Manim has to say: stdout is for the paths of what was written

# By Manim's letters.
QUALITIES = {
    "l": Quality(854, 480, 15),
    "m": Quality(1280, 720, 30),
    "h": Quality(1920, 1080, 60),
    "p": Quality(2560, 1440, 60),
    "k": Quality(3840, 2160, 60),
}

Format = Literal["mp4", "webm", "mov", "gif", "png"]
Captions = Literal["embed", "burn", "none"]

# The frames are converted with the coefficients of BT.601, which is what swscale takes unless told otherwise; saying so
# in the stream keeps players from guessing BT.709 and shifting the colours.
_COLOURS = (("colorspace", "smpte170m"), ("color_primaries", "bt709"), ("color_trc", "bt709"), ("color_range", "tv"))
_FRAME_COLOURS = (6, 1, 1, 1)  # the same by FFmpeg's numbers


@dataclass(frozen=True)
class Encoding:
    """How segments are encoded: container, codec and its options."""

    container: str
    codec: str
    pixel_format: str
    options: tuple[tuple[str, str], ...]


# One thread each: the picture's bytes must not depend on the machine, and every core has a process of its own. No
# B-frames: a packet a frame, in order. These settings give within half a decibel of the preset "slow" at crf 18
# (55 dB), in a quarter of its time; what moves takes twice the room, what is held no more (benchmarks/encoding.py).
_X264 = (
    ("crf", "20"),
    ("preset", "superfast"),
    ("bf", "0"),
    ("g", "250"),
    ("threads", "1"),
    *_COLOURS,
)
_VP9 = (
    ("crf", "24"),
    ("b", "0"),
    ("deadline", "realtime"),
    ("cpu-used", "7"),
    ("lag-in-frames", "0"),
    ("auto-alt-ref", "0"),
    ("threads", "1"),
    *_COLOURS,
)
ENCODINGS = {
    ("mp4", False): Encoding("mp4", "libx264", "yuv420p", _X264),
    # Lossless, since the one palette of the whole film is chosen from these pictures.
    ("gif", False): Encoding(
        "mp4", "libx264rgb", "rgb24", (("crf", "0"), ("preset", "ultrafast"), ("bf", "0"), ("threads", "1"))
    ),
    ("mov", False): Encoding("mov", "libx264", "yuv420p", _X264),
    ("webm", False): Encoding("webm", "libvpx-vp9", "yuv420p", _VP9),
    ("webm", True): Encoding("webm", "libvpx-vp9", "yuva420p", _VP9),
    ("mov", True): Encoding("mov", "prores_ks", "yuva444p10le", (("profile", "4444"), ("threads", "1"), *_COLOURS)),
}
# A held picture settles: after some frames the encoder's packets come round, and need not be made any more. x264
# numbers frames by 16 and fills up bits by 32, VP9 begins anew every 128 frames, and ProRes knows no other frame.
PERIODS = {
    ("libx264", "yuv420p"): 32,
    ("libx264rgb", "rgb24"): 32,
    ("libvpx-vp9", "yuv420p"): 128,  # with alpha a packet has a second half, which cannot be copied
    ("prores_ks", "yuva444p10le"): 1,
}
TRANSPARENT_FORMATS = ("webm", "mov", "png")


@dataclass(frozen=True)
class FilmOptions:
    """How a film is drawn and written."""

    quality: str = "m"
    format: Format = "mp4"
    transparent: bool = False
    captions: Captions = "embed"
    theme: Theme = DARK

    def __post_init__(self) -> None:
        if self.quality not in QUALITIES:
            raise ValueError(f"quality {self.quality!r} is not one of {', '.join(QUALITIES)}")
        if self.format not in get_args(Format):
            raise ValueError(f"format {self.format!r} is not one of {', '.join(get_args(Format))}")
        if self.captions not in get_args(Captions):
            raise ValueError(f"captions {self.captions!r} are not one of {', '.join(get_args(Captions))}")
        if self.transparent and self.format not in TRANSPARENT_FORMATS:
            raise ValueError(f"a transparent {self.format} cannot be played; use webm, mov or png")

    @property
    def picture(self) -> Quality:
        """The picture's size and frame rate."""
        return QUALITIES[self.quality]

    @property
    def encoding(self) -> Encoding:
        """How this film's segments are encoded."""
        return ENCODINGS[self.format, self.transparent]


@dataclass(frozen=True)
class Progress:
    """How far a scene is, all processes together: seconds of film of about how many, and in which beat."""

    scene: str
    beat: str
    seconds: float
    total: float
    animations: int = 0  # done
    frames: int = 0  # done


Reporter = Callable[[Progress], None]


class RenderError(RuntimeError):
    """A scene could not be rendered: the message names scene, beat and cause, and ``details`` hold the trace."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details

    def __reduce__(self) -> Any:
        return RenderError, (str(self), self.details)


@dataclass(frozen=True)
class Moment:
    """A picture during a rehearsal: which beat and animation it belongs to, and how far that animation is (0 to 1)."""

    scene: LessonScene
    beat: str
    animation: int
    progress: float
    held: bool

    def picture(self) -> Image.Image:
        """What the camera sees."""
        renderer: Any = self.scene.renderer
        renderer.static_image = None
        CairoRenderer.update_frame(renderer, self.scene)
        return Image.fromarray(renderer.get_frame())


def scene_names() -> list[str]:
    """The names of all scenes, in the order of the lesson."""
    return list(scenes.ORDER)


def scene_class(name: str) -> type[LessonScene]:
    """The scene called ``name``.

    Raises
    ------
    ValueError
        No scene has that name.
    """
    if name not in scene_names():
        raise ValueError(f"no scene is called {name!r}; the scenes are {', '.join(scene_names())}")
    module = importlib.import_module(f"scenes.{_module_name(name)}")
    (found,) = (
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, LessonScene) and member.__module__ == module.__name__
    )
    return found


def render(
    names: Sequence[str],
    parameters: Parameters,
    options: FilmOptions,
    out: Path,
    report: Reporter | None = None,
    jobs: int | None = 1,
) -> Iterator[Path]:
    """Render scenes and give the paths of what was written, each as soon as it is whole.

    A film comes with ``.srt`` and ``.vtt`` captions beside it unless ``options.captions`` is "none". The format "png"
    gives a still of the end of every beat. ``jobs`` is the number of processes; None takes as many as fit the machine.

    Raises
    ------
    RenderError
        A scene failed, or a segment could not be written.
    OSError
        A film or its captions could not be written.
    """
    if options.format == "png":
        for name in names:
            yield from _stills(name, parameters, options, out, report)
    else:
        for take in record(names, parameters, options, out, report, jobs):
            yield from _film([take], options, out / take.scene)


def render_lesson(
    parameters: Parameters, options: FilmOptions, out: Path, report: Reporter | None = None, jobs: int | None = 1
) -> Iterator[Path]:
    """Render every scene, then join them to ``lesson``; gives the paths of what was written, as ``render`` does."""
    takes = []
    for take in record(scene_names(), parameters, options, out, report, jobs):
        yield from _film([take], options, out / take.scene)
        takes.append(take)
    yield from _film(takes, options, out / "lesson")


def _film(takes: Sequence[Take], options: FilmOptions, stem: Path) -> Iterator[Path]:
    embed = options.captions == "embed" and options.format in EMBEDDING_FORMATS
    return write_film(takes, options.picture, options.format, stem, embed=embed, beside=options.captions != "none")


# Manim's settings


@contextmanager
def session(options: FilmOptions, segments: Segments, dry_run: bool = False) -> Iterator[None]:
    """Manim's global settings as ``options`` want them whatever configuration files say; as they were afterwards."""
    quality = options.picture
    settings: dict[str, Any] = {
        "pixel_width": quality.width,
        "pixel_height": quality.height,
        "frame_rate": quality.frame_rate,
        "background_color": options.theme.ground,
        "background_opacity": 0.0 if options.transparent else 1.0,
        "transparent": options.transparent,
        # Manim fills in braces in folders' names again and again, so it is given none of ours: see FilmRenderer and
        # typesetting. Nothing is written to these.
        "media_dir": "media",
        "partial_movie_dir": "media",
        "video_dir": "media",
        "images_dir": "media",
        "progress_bar": "none",
        "verbosity": "ERROR",
        "disable_caching_warning": True,
        "max_files_cached": -1,
        "dry_run": dry_run,
    }
    if not dry_run:
        encoding = options.encoding
        settings |= {
            "format": encoding.container,
            "video_codec": encoding.codec,
            "pixel_format": encoding.pixel_format,
            "video_encoder_options": dict(encoding.options),
        }
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with tempconfig(_manims_defaults()), segments.scratch() as scratch, texts_in(scratch):
            # After the defaults, since some of them (the quality) stand for several settings at once.
            config.update(settings)
            yield
    finally:
        logger.setLevel(level)


@cached
def _manims_defaults() -> dict[str, Any]:
    """Manim's settings without those of the user's own configuration files."""
    parser = configparser.ConfigParser()  # since digest_file would read the file in the home folder, too
    parser.read(Path(inspect.getfile(ManimConfig)).with_name("default.cfg"), encoding="utf-8")
    return dict(ManimConfig().digest_parser(parser))


# Segments


class SegmentEncoder(VideoSegmentEncoder):
    """Encodes a segment beside its final name, and what a held picture has in common only once."""

    def __init__(self, *, target: Path, spec: Any, closed: Callable[[], None]) -> None:
        self._closed_segment = closed
        self._writing = ExitStack()
        super().__init__(target=self._writing.enter_context(whole(target)), spec=spec)

    def write_frame(self, pixels: Any, *, repeat: int = 1) -> None:
        """Encode ``pixels``, a frame in the encoder's own format, ``repeat`` times."""
        rate = self.spec.frame_rate
        pixels.time_base = Fraction(rate.denominator, rate.numerator)
        period = PERIODS.get((self.spec.codec, self.spec.pixel_format))
        try:
            if period and self._next_pts == 0 and repeat > 2 * period:
                self._hold(pixels, repeat, period)
            else:
                for _ in range(repeat):
                    for packet in self._encode(pixels):
                        self._container.mux(packet)
        except BaseException as error:
            cause = error
            if isinstance(error, OSError) and error.errno and not error.filename:  # FFmpeg does not say which file
                cause = OSError(error.errno, os.strerror(error.errno), str(self.target))
            raise self._operation_error("encode", error) from cause

    def _encode(self, frame: Any) -> list[Any]:
        frame.pts = self._next_pts
        self._next_pts += 1
        return self._stream.encode(frame)  # type: ignore[union-attr]

    def _hold(self, frame: Any, repeat: int, period: int) -> None:
        """Encode ``frame`` until its packets come round, and put them into the segment over and over."""
        packets: list[Any] = []
        contents: list[bytes] = []
        settled = False
        while self._next_pts < repeat and not settled:
            new = self._encode(frame)
            packets += new
            contents += map(bytes, new)
            settled = len(contents) >= 2 * period and contents[-period:] == contents[-2 * period : -period]
        packets += self._stream.encode()  # type: ignore[union-attr]
        self._flushed = True
        if len(packets) != self._next_pts:
            raise RuntimeError(f"{self._next_pts} frames became {len(packets)} packets")
        for packet in packets:
            self._container.mux(packet)
        round_trip, last = [bytes(packet) for packet in packets[-period:]], packets[-1]
        for number in range(len(packets), repeat):
            packet = av.Packet(round_trip[(number - len(packets)) % period])
            packet.stream, packet.time_base, packet.duration = self._stream, last.time_base, last.duration
            packet.pts = packet.dts = round(number * frame.time_base / last.time_base)
            packet.is_keyframe = last.is_keyframe and period == 1
            self._container.mux(packet)
        self._next_pts = repeat

    _flushed = False

    def finish(self) -> None:
        """Close the segment and give it its name, once every frame is seen to be in it."""
        if self._flushed:
            self._closed = True
            self._container.close()
        else:
            super().finish()
        if not self.target.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.target))
        found = frames_in(self.target, Quality(self.spec.width, self.spec.height, round(self.spec.frame_rate)))
        if found != self._next_pts:
            raise OSError(f"of {self._next_pts} frames {found or 0} reached {self.target}; is the disk full?")
        self._writing.close()
        self._closed_segment()

    def abort(self) -> None:
        """Leave nothing behind."""
        super().abort()  # removes the part, so there is nothing to give a name to
        self._writing.pop_all()
        self._closed_segment()


def _straight_alpha(pixels: np.ndarray) -> np.ndarray:
    """Colours divided by their opacity: Cairo multiplies them, while video formats with alpha expect them plain."""
    alpha = pixels[..., 3:].astype(np.uint16)
    colours = (pixels[..., :3].astype(np.uint16) * 255 + alpha // 2) // np.maximum(alpha, 1)
    return np.concatenate([np.minimum(colours, 255), alpha], axis=-1).astype(np.uint8)


class FilmWriter(SceneFileWriter):
    """Manim's writer, but for segments that are whole or absent, keys that leave nothing out, and no assembly."""

    walk: "Walk"

    def segment_key(self, animation_hash: str) -> str:
        """The name of a segment: a hash of all that it depends on, Manim's hash of what is on screen among it."""
        parts = (animation_hash, self.walk.fingerprint, self.walk.beat_source(), self.walk.hidden_state())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]

    def add_partial_movie_file(self, hash_animation: str | None) -> None:
        key = None if hash_animation is None else self.segment_key(hash_animation)
        super().add_partial_movie_file(key)
        self.walk.keys.append(key or "")

    def is_already_cached(self, hash_invocation: str) -> bool:
        """Whether this process has nothing to draw: the segment is whole, or another process is making it."""
        key = self.segment_key(hash_invocation)
        path = self.output_plan.segment_path(key)
        if str(path) in self._inflight_by_path:  # the same picture twice in a row
            self.join_all_encode_jobs()
        return self.walk.is_provided(key, path)

    def _create_segment_encoder(self, target: Path) -> VideoSegmentEncoder:
        return SegmentEncoder(
            target=target,
            spec=self.video_encoder,
            closed=lambda: self.walk.segments.release(target.stem),
        )

    def write_frame(self, pixels: Any, *, repeat: int = 1) -> None:
        """Hand the picture to the encoder in its own format; ``pixels`` may change afterwards."""
        if self.output_spec.transparent:
            pixels = _straight_alpha(pixels)
        frame = av.VideoFrame.from_numpy_buffer(pixels, format="rgba")
        super().write_frame(self._converted(frame), repeat=repeat)

    def _converted(self, frame: Any) -> Any:
        # With several threads swscale writes over the ends of rows of some widths, and not always the same.
        frame = frame.reformat(format=self.video_encoder.pixel_format, threads=1)  # type: ignore[union-attr]
        if not frame.format.is_rgb:  # some encoders read how the colours are meant off the frames alone
            frame.colorspace, frame.color_primaries, frame.color_trc, frame.color_range = _FRAME_COLOURS
        return frame

    def finish(self) -> None:
        """Wait for the encoders; joining the film is somebody else's work."""
        self.join_all_encode_jobs()


class FilmRenderer(CairoRenderer):
    """Manim's renderer, but drawing nothing that is not written, and holding frames for exactly their time."""

    file_writer: FilmWriter

    def __init__(self, walk: "Walk") -> None:
        super().__init__(file_writer_class=FilmWriter, camera_class=FilmCamera)
        self.walk = walk
        # The camera makes a table when it first draws, and Manim's hash covers it: let it be there from the start.
        self.camera.type_or_raise(VMobject())

    def init_scene(self, scene: Any, *arguments: Any) -> None:
        super().init_scene(scene, *arguments)
        self.walk.scene = scene
        self.file_writer.walk = self.walk
        plan = self.file_writer.output_plan
        self.file_writer.output_plan = replace(plan, segment_cache_dir=self.walk.segments.folder)

    def play(self, scene: LessonScene, *animations: Any, **options: Any) -> None:  # type: ignore[override]
        super().play(scene, *animations, **options)
        self.walk.finished_animation()

    def add_frame(self, frame: Any, num_frames: int = 1) -> None:
        super().add_frame(frame, num_frames)
        self.walk.drew_frames(num_frames)

    def update_frame(self, *arguments: Any, **options: Any) -> None:
        if not self.skip_animations:
            super().update_frame(*arguments, **options)

    def save_static_frame_data(self, *arguments: Any) -> Any:
        return None if self.skip_animations else super().save_static_frame_data(*arguments)

    def render(self, scene: Any, time: float, moving_mobjects: Any = None) -> None:
        if not self.skip_animations:
            self.update_frame(scene, moving_mobjects)
            self.add_frame(self.camera.pixel_array)

    def freeze_current_frame(self, duration: float) -> None:
        if not self.skip_animations:
            self.add_frame(self.camera.pixel_array, num_frames=round(duration * self.camera.frame_rate))


# What segments depend on


@dataclass(frozen=True)
class SceneCode:
    """A scene's source, so cut that an edit to one beat concerns that beat alone.

    ``beats`` holds the source of each method that begins a beat, by its name; ``shared`` all the rest of the module.
    """

    shared: str
    beats: dict[str, str]


@cached
def scene_code(path: Path) -> SceneCode:
    """The code of the scene module at ``path``."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    beats = {}
    kept = list(lines)
    for node in ast.walk(ast.parse("".join(lines), filename=str(path))):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "beat"
            for call in ast.walk(node)
        ):
            beats[node.name] = "".join(lines[node.lineno - 1 : node.end_lineno])
            kept[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)  # type: ignore[operator]
    return SceneCode("".join(kept), beats)


@cached
def _common_code(folders: tuple[str, ...], names: tuple[str, ...]) -> str:
    """A hash of the code that every scene stands on: all numbers, what scenes share, and how they are drawn."""
    code = hashlib.sha256()
    unrelated = {"claims.py"}  # and core/tables: they show numbers, but no scene does anything with them
    unrelated |= {"__init__.py", "films.py", "segments.py"}  # of scenes: how films are listed, kept and joined
    unrelated |= {f"{_module_name(name)}.py" for name in names}
    for folder in folders:
        for path in sorted(Path(folder).glob("*.py")):
            if path.name not in unrelated:
                code.update(path.read_bytes())
    return code.hexdigest()


def _module_name(scene: str) -> str:
    return scene.replace("-", "_")


def _borrowed_code(path: Path, seen: frozenset[Path] = frozenset()) -> list[str]:
    """The code of the scenes that the module at ``path`` imports from, and of those that they do."""
    source = path.read_text(encoding="utf-8")
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, ["scenes" if node.level else "", node.module]))
            imported |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    code = [source] if seen else []
    for name in (f"scenes.{_module_name(scene)}" for scene in scenes.ORDER):
        spec = importlib.util.find_spec(name) if name in imported else None
        if spec and spec.origin and Path(spec.origin) not in seen | {path}:
            code += _borrowed_code(Path(spec.origin), seen | {path})
    return code


def fingerprint(kind: type[LessonScene], parameters: Parameters, options: FilmOptions) -> str:
    """What every segment of a scene depends on, beside its beat's code and what is on screen when it begins."""
    packages = ("manim", "numpy", "typst", "font-source-sans-pro", "pycairo", "av")
    parts = {
        "scene": kind.__name__,
        "parameters": {name: getattr(parameters, name) for name in kind.USES},
        "theme": asdict(options.theme),
        "transparent": options.transparent,
        "burnt": options.captions == "burn",
        "picture": asdict(options.picture),
        "encoding": asdict(options.encoding),
        "versions": [importlib.metadata.version(package) for package in packages],
        "common": _common_code((*core.__path__, *scenes.__path__), tuple(scenes.ORDER)),
        "shared": scene_code(Path(inspect.getfile(kind))).shared,
        "borrowed": _borrowed_code(Path(inspect.getfile(kind))),
    }
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()


def plan_key(kind: type[LessonScene], parameters: Parameters, options: FilmOptions) -> str:
    """The name under which it is kept which segments a scene consists of."""
    beats = json.dumps(scene_code(Path(inspect.getfile(kind))).beats, sort_keys=True)
    return hashlib.sha256(f"plan\0{fingerprint(kind, parameters, options)}\0{beats}".encode()).hexdigest()[:40]


# Going through a scene


@dataclass(frozen=True)
class Plan:
    """Which segments a scene consists of, in order, how many frames each has, and when beats and captions begin."""

    scene: str
    keys: tuple[str, ...]
    frames: tuple[int, ...]
    beats: tuple[Beat, ...]
    cues: tuple[Cue, ...]

    @classmethod
    def read(cls, segments: Segments, key: str) -> "Plan | None":
        """The plan kept as ``key``; None when there is none that is sound."""
        kept = segments.read_plan(key)
        try:
            if not len(kept["keys"]) == len(kept["frames"]) > 0:
                return None
            return cls(
                kept["scene"],
                tuple(kept["keys"]),
                tuple(kept["frames"]),
                tuple(Beat(**beat) for beat in kept["beats"]),
                tuple(Cue(tuple(cue["lines"]), cue["start"]) for cue in kept["cues"]),
            )
        except (TypeError, KeyError):
            return None


Send = Callable[[str, Any], None]  # a kind of message, and what it says


@dataclass
class Walk:
    """One process going through one scene: it draws what it claims, and skips what is there or somebody else's."""

    name: str
    segments: Segments
    options: FilmOptions
    fingerprint: str
    send: Send
    wait: bool = False  # for segments that others are making, to see that they come to be
    scene: LessonScene = field(init=False)
    keys: list[str] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    _drawn: int = 0
    _reported: float = 0.0
    _elsewhere: bool = False

    def is_provided(self, key: str, path: Path) -> bool:
        """Whether ``path`` is whole or another process's work; otherwise it is claimed for this one."""
        expected = self._length()
        self._elsewhere = False
        if frames_in(path, self.options.picture) == expected:
            return True
        if not self.segments.claim(key, self.wait):
            self._elsewhere = True
            return True
        if frames_in(path, self.options.picture) == expected:  # made while this process waited
            self.segments.release(key)
            return True
        return False

    def drew_frames(self, count: int) -> None:
        """Count frames of the animation in work."""
        self._drawn += count
        now = time.monotonic()
        if now - self._reported > REPORT_SECONDS:
            self._report(len(self.keys) - 1, self._drawn, done=False)
            self._reported = now

    def finished_animation(self) -> None:
        """Note the length of an animation that this process drew or skipped."""
        self.frames.append(self._length())
        if not self._elsewhere:
            self._report(len(self.frames) - 1, self.frames[-1], done=True)
        self._drawn = 0

    def _length(self) -> int:
        return round(self.scene.duration * self.options.picture.frame_rate)

    def _report(self, animation: int, frames: int, done: bool) -> None:
        self.send("frames", (self.name, self.beat(), animation, frames, done))

    def beat(self) -> str:
        """The name of the beat that the scene is in."""
        return self.scene.beats[-1].name if self.scene.beats else ""

    def beat_source(self) -> str:
        """The code of the beat that the scene is in."""
        code = scene_code(Path(inspect.getfile(type(self.scene))))
        return code.beats.get(self.scene.beats[-1].method, "") if self.scene.beats else ""

    def hidden_state(self) -> str:
        """What the scene remembers beside what is on screen: trackers and plain values, which updaters may read."""
        state: dict[str, Any] = {}
        for name, value in vars(self.scene).items():
            if name.startswith("_") or name in NOT_STATE:
                continue
            if isinstance(value, ValueTracker):
                state[name] = value.get_value()
            elif isinstance(value, np.ndarray):
                state[name] = hashlib.sha256(value.tobytes()).hexdigest()
            elif isinstance(value, PLAIN) or (
                isinstance(value, (tuple, list)) and all(isinstance(v, PLAIN) for v in value)
            ):
                state[name] = value
        return json.dumps(state, sort_keys=True, default=str)


PLAIN = (bool, int, float, str, np.number)
# What Manim and LessonScene count as they go: the same for equal pictures at different times, so no part of a key.
NOT_STATE = frozenset({"elapsed", "duration", "last_t", "random_seed", "skip_animations", "skip_animation_preview"})


def _failure(name: str, beat: str, error: Exception, cache: Path) -> RenderError:
    where = f"{name}, beat {beat!r}" if beat else name
    return RenderError(f"{where}: {_cause(error, cache)}", traceback.format_exc())


def _cause(error: BaseException, cache: Path) -> str:
    """What went wrong, and what to do about it where the machine is at fault."""
    failed = next((cause for cause in _chain(error) if isinstance(cause, OSError) and cause.errno), None)
    if failed and _concerns(failed, cache):
        what = os.strerror(failed.errno or 0)
        if failed.errno in FULL:
            return f"{what}: make room for {cache} and run it again, what is whole is kept"
        if failed.errno == errno.ENOENT:
            return f"{what}: {failed.filename} was removed while it was in use; run it again, what is whole is kept"
        if failed.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST):
            return f"{what}: {cache} cannot be written; make it a folder of yours, or choose another --out"
    words = str(error)
    return words if words and isinstance(error, (RuntimeError, ValueError)) else f"{type(error).__name__}: {words}"


def _concerns(error: OSError, cache: Path) -> bool:
    """Whether it was the cache, or a folder above it, that could not be used, and not a file of a scene's own."""
    if not (isinstance(error.filename, (str, bytes, os.PathLike)) and error.filename):
        return error.errno in FULL  # writing does not say where to
    path = Path(os.fsdecode(error.filename)).absolute()
    return path.is_relative_to(cache) or cache.is_relative_to(path)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def walk(name: str, parameters: Parameters, options: FilmOptions, segments: Segments, send: Send, wait: bool) -> Plan:
    """Go through a scene once and give what it consists of."""
    kind = scene_class(name)
    going = Walk(name, segments, options, fingerprint(kind, parameters, options), send, wait)
    try:
        with session(options, segments):
            scene = kind(parameters, options.theme, options.captions == "burn", renderer=FilmRenderer(going))
            scene.render()
    except Exception as error:
        raise _failure(name, going.beat() if hasattr(going, "scene") else "", error, segments.folder) from error
    plan = Plan(name, tuple(going.keys), tuple(going.frames), tuple(scene.beats), tuple(scene.cues))
    segments.write_plan(plan_key(kind, parameters, options), asdict(plan))
    return plan


# Several processes


def _cache(out: Path) -> Path:
    return (out / CACHE / "segments").absolute()


@dataclass(frozen=True)
class Job:
    """What to render, as it is handed to a process."""

    names: tuple[str, ...]
    parameters: Parameters
    options: FilmOptions
    cache: Path

    def plan(self, name: str, segments: Segments) -> Plan | None:
        """What a scene consists of, if that is known."""
        return Plan.read(segments, plan_key(scene_class(name), self.parameters, self.options))

    def path(self, key: str, segments: Segments) -> Path:
        """Where a segment of the films stands."""
        return segments.path(key, f".{self.options.encoding.container}")

    def missing(self, plan: Plan, segments: Segments) -> list[str]:
        """The segments of a scene that are not whole."""
        picture = self.options.picture
        return [
            key
            for key, frames in zip(plan.keys, plan.frames, strict=True)
            if frames_in(self.path(key, segments), picture) != frames
        ]

    def open_segments(self) -> Segments:
        """The cache that the films' segments are in."""
        return Segments(self.cache)


def work(job: Job, send: Send) -> None:
    """Render every segment of the scenes that nobody else is rendering, then see that all of them have come to be."""
    segments = job.open_segments()
    try:
        for name in job.names:
            plan = job.plan(name, segments)
            if plan is None or not all(segments.is_claimed(key) for key in job.missing(plan, segments)):
                walk(name, job.parameters, job.options, segments, send, wait=False)
        for name in job.names:
            plan = job.plan(name, segments)
            if plan is None or job.missing(plan, segments):
                plan = walk(name, job.parameters, job.options, segments, send, wait=True)
            send("whole", plan)
    finally:
        segments.close()


def _process(connection: Connection, job: Job) -> None:
    """The whole life of a process that helps to render."""
    # The parent is told of interrupts and ends its helpers; should it be killed, they end by themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()  # type: ignore[union-attr]

    def send(kind: str, content: Any) -> None:
        connection.send((kind, content))

    try:
        work(job, send)
    except RenderError as error:
        send("error", error)
    except Exception as error:  # of the machine, not of a scene: a full disk, say
        send("error", RenderError(str(error) or type(error).__name__, traceback.format_exc()))


class Ledger:
    """How far every scene is, gathered from all processes, and told to a reporter."""

    def __init__(self, job: Job, report: Reporter | None) -> None:
        self.rate = job.options.picture.frame_rate
        self.report = report
        self.frames: dict[str, dict[int, int]] = {name: {} for name in job.names}
        self.done: dict[str, set[int]] = {name: set() for name in job.names}

    def note(self, name: str, beat: str, animation: int, frames: int, done: bool) -> None:
        """Note how many frames of an animation there are."""
        known = self.frames[name]
        if animation in self.done[name] or (frames <= known.get(animation, 0) and not done):
            return  # another process has said so
        known[animation] = frames
        if done:
            self.done[name].add(animation)
        self.tell(name, beat)

    def tell(self, name: str, beat: str, whole: bool = False) -> None:
        """Tell the reporter how far a scene is; ``whole`` when nothing is missing."""
        if self.report:
            frames = sum(self.frames[name].values())
            seconds = frames / self.rate
            total = seconds if whole else max(scene_class(name).SECONDS, seconds)
            self.report(Progress(name, beat, seconds, total, len(self.done[name]), frames))


def record(
    names: Sequence[str],
    parameters: Parameters,
    options: FilmOptions,
    out: Path,
    report: Reporter | None = None,
    jobs: int | None = 1,
) -> Iterator[Take]:
    """Render the segments that are not there yet; gives the scenes in order, each as soon as it is whole."""
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    job = Job(tuple(names), parameters, options, _cache(out))
    ledger = Ledger(job, report)
    segments = job.open_segments()
    try:
        segments.sweep()
        used: list[Path] = []
        for take in _record(job, ledger, segments, min(jobs or default_jobs(options.picture), MOST_JOBS * _cores())):
            segments.touch(take.segments)  # at once: another run may be removing what is old
            used += take.segments
            ledger.tell(take.scene, "", whole=True)
            yield take
        segments.prune(used)
    finally:
        segments.close()


def _record(job: Job, ledger: Ledger, segments: Segments, jobs: int) -> Iterator[Take]:
    whole: dict[str, Plan] = {}
    waiting = list(job.names)

    def ready() -> Iterator[Take]:
        while waiting and waiting[0] in whole:
            plan = whole[waiting.pop(0)]
            for animation, frames in enumerate(plan.frames):
                ledger.frames[plan.scene][animation] = frames
                ledger.done[plan.scene].add(animation)
            paths = tuple(job.path(key, segments) for key in plan.keys)
            yield Take(plan.scene, scene_class(plan.scene).TITLE, paths, plan.beats, plan.cues)

    def hear(kind: str, content: Any) -> None:
        if kind == "error":
            raise content
        if kind == "frames":
            ledger.note(*content)
        if kind == "whole":
            whole.setdefault(content.scene, content)

    for name in job.names:
        plan = job.plan(name, segments)
        if plan and not job.missing(plan, segments):
            whole[name] = plan
    yield from ready()
    rest = tuple(name for name in job.names if name not in whole)
    if jobs == 1:
        for name in rest:
            work(replace(job, names=(name,)), hear)
            yield from ready()
    elif rest:
        ended: list[int | None] = []
        for kind, content in _team(replace(job, names=rest), jobs, segments, ended):
            hear(kind, content)
            yield from ready()
        if waiting:
            raise RenderError(f"{waiting[0]}: {_end_of_all(ended)}")


def _end_of_all(codes: Sequence[int | None]) -> str:
    """What to say when every process has ended and something is missing; ``codes`` are how they ended."""
    if codes and all(code is not None and code > 0 for code in codes):  # not by a signal, and before they could say why
        return f"no rendering process could go on (exit {codes[0]}); run it with --jobs 1, which needs none"
    return "the rendering processes were killed; what is whole is kept, run it again"


def _team(job: Job, jobs: int, segments: Segments, ended: list[int | None]) -> Iterator[tuple[str, Any]]:
    """Start processes, each beginning with another scene, and give what they say until all have ended.

    One that is killed is no harm while another lives, which then makes what is missing. ``ended`` takes how they ended.
    """
    team: dict[Connection, Any] = {}
    try:
        with _modules_of_this_folder_unheeded(), _interrupts_held_back():
            for number in range(jobs):
                start = number * len(job.names) // jobs
                _start(replace(job, names=(*job.names[start:], *job.names[:start])), team)
        ears = list(team)
        while ears:
            for ready in wait(ears):
                ear = next(ear for ear in ears if ear is ready)
                try:
                    kind, content = ear.recv()
                except (EOFError, OSError):
                    ears.remove(ear)
                    continue
                yield kind, content
        for process in team.values():
            process.join(PARENT_SECONDS)
            ended.append(process.exitcode)
    finally:
        for process in team.values():
            process.kill()  # at once: what they leave is swept up here
        for process in team.values():
            process.join(PARENT_SECONDS)
        segments.sweep()


def _start(job: Job, team: dict[Connection, Any]) -> None:
    context = multiprocessing.get_context("spawn")
    ear, mouth = context.Pipe(duplex=False)
    process = context.Process(target=_process, args=(mouth, job), daemon=True)
    process.start()
    mouth.close()
    team[ear] = process


@contextmanager
def _modules_of_this_folder_unheeded() -> Iterator[None]:
    """Start processes in here for which a file called random.py, where the command is run, is no module of Python's."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Start processes in here that never see a terminal's Ctrl-C, which goes to all: it is for this one to end them."""
    resource_tracker.ensure_running()  # it lets interrupts through when it starts
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    held: list[int] = []
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        # Other threads let signals through, too, and a process half started would complain that nobody speaks to it.
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if callable(signal.getsignal(signum)):
                before[signum] = signal.signal(signum, lambda number, _: held.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number in held[:1]:
            signal.raise_signal(number)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_jobs(picture: Quality) -> int:
    """As many processes as there are cores, fewer where memory would not do."""
    cores = _cores()
    try:
        rows = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        memory = next(int(row.split()[1]) * 1024 for row in rows if row.startswith("MemAvailable:"))
    except (OSError, StopIteration):  # not a Linux
        return cores
    each = PROCESS_BYTES + PROCESS_FRAMES * picture.width * picture.height * 4
    return max(1, min(cores, memory // each))


# Stills and rehearsals


class RehearsalRenderer(CairoRenderer):
    """Draws nothing and shows every moment of a scene to a visitor."""

    def __init__(self, visit: Callable[[Moment], None], points: Sequence[float]) -> None:
        super().__init__(skip_animations=True, camera_class=FilmCamera)
        self.visit = visit
        self.points = points

    def render(self, scene: LessonScene, time: float, moving_mobjects: Any = None) -> None:  # type: ignore[override]
        self._show(scene, time / scene.duration, held=False)

    def freeze_current_frame(self, duration: float) -> None:
        self._frozen = True

    def update_frame(self, *arguments: Any, **options: Any) -> None:
        pass

    def save_static_frame_data(self, *arguments: Any) -> None:
        self.static_image = None

    def play(self, scene: LessonScene, *animations: Any, **options: Any) -> None:  # type: ignore[override]
        self._frozen = False
        super().play(scene, *animations, **options)
        if self._frozen:
            self.num_plays -= 1
            self._show(scene, 1.0, held=True)
            self.num_plays += 1

    def _show(self, scene: LessonScene, progress: float, held: bool) -> None:
        beat = scene.beats[-1].name if scene.beats else ""
        self.visit(Moment(scene, beat, self.num_plays, progress, held))


def rehearse(
    kind: type[LessonScene],
    parameters: Parameters,
    options: FilmOptions,
    visit: Callable[[Moment], None],
    points: Sequence[float] = (),
    cache: Path | None = None,
) -> LessonScene:
    """Go through a scene without rendering it.

    ``visit`` is called at each of the ``points`` (0 to 1) of every motion, at its end, and once for every hold. Gives
    the scene as it ends, with its beats, captions and length.
    """
    with ExitStack() as stack:
        if cache is None:
            cache = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        segments = Segments(cache)
        stack.callback(segments.close)
        stack.enter_context(session(options, segments, dry_run=True))
        renderer = RehearsalRenderer(visit, points)
        scene = kind(parameters, options.theme, options.captions == "burn", renderer=renderer)
        scene.render()
    return scene


def _stills(
    name: str, parameters: Parameters, options: FilmOptions, out: Path, report: Reporter | None
) -> Iterable[Path]:
    kind = scene_class(name)
    ends: dict[str, Image.Image] = {}
    beat = ""

    def keep(moment: Moment) -> None:
        nonlocal beat
        beat = moment.beat
        if report:
            report(Progress(name, moment.beat, moment.scene.elapsed, kind.SECONDS))
        if moment.held:
            # The last hold of a beat is its final picture.
            ends[moment.beat] = moment.picture()

    try:
        scene = rehearse(kind, parameters, options, keep, cache=_cache(out))
    except Exception as error:
        raise _failure(name, beat, error, _cache(out)) from error
    for number, step in enumerate(scene.beats, start=1):
        path = out / f"{name}-{number}.png"
        with whole(path) as part:
            picture = ends[step.name]
            picture = (
                Image.fromarray(_straight_alpha(np.asarray(picture))) if options.transparent else picture.convert("RGB")
            )
            picture.save(part, optimize=True)
        yield path

"""The only place that knows how films are made and written.

A scene's animations become segments, each a small film named by what is on screen; a film is its segments one after
another, joined without encoding them again, with captions timed from the frames that are really in it. Manim's
private parts (its renderer, file writer and segment encoder) are touched here and nowhere else.
"""

import datetime
import hashlib
import importlib
import importlib.metadata
import inspect
import json
import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache as cached
from pathlib import Path
from typing import Any, Literal

import av
import numpy as np
import srt
from manim import config, logger, tempconfig
from manim._config.utils import ManimConfig
from manim.renderer.cairo_renderer import CairoRenderer
from manim.scene.scene_file_writer import SceneFileWriter
from manim.scene.video_segment_encoder import VideoSegmentEncoder
from PIL import Image

import core
import scenes
from core.parameters import Parameters
from core.theme import DARK, Theme
from files import whole
from scenes.base import Beat, Cue, LessonScene

CACHE = ".cache"  # in the folder of the films
MIN_CUE_SECONDS = 1.0


@dataclass(frozen=True)
class Quality:
    """A picture size in pixels and a frame rate in frames a second."""

    width: int
    height: int
    frame_rate: int


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
_COLOUR_TAGS = "colorprim=bt709:transfer=bt709:colormatrix=smpte170m"


@dataclass(frozen=True)
class Encoding:
    """How segments are encoded: container, codec and its options."""

    container: str
    codec: str
    pixel_format: str
    options: tuple[tuple[str, str], ...]


_X264 = (("crf", "18"), ("preset", "medium"), ("tune", "animation"), ("threads", "2"), ("x264-params", _COLOUR_TAGS))
_VP9 = (("crf", "24"), ("b", "0"), ("deadline", "good"), ("cpu-used", "4"), ("row-mt", "1"), ("threads", "2"))
ENCODINGS = {
    ("mp4", False): Encoding("mp4", "libx264", "yuv420p", _X264),
    ("gif", False): Encoding("mp4", "libx264rgb", "rgb24", (("crf", "0"), ("preset", "ultrafast"), ("threads", "2"))),
    ("mov", False): Encoding("mov", "libx264", "yuv420p", _X264),
    ("webm", False): Encoding("webm", "libvpx-vp9", "yuv420p", _VP9),
    ("webm", True): Encoding("webm", "libvpx-vp9", "yuva420p", (*_VP9, ("auto-alt-ref", "0"))),
    ("mov", True): Encoding("mov", "prores_ks", "yuva444p10le", (("profile", "4444"), ("threads", "2"))),
}
# What a subtitle encoder must be given to open; players use styles of their own.
_SUBTITLE_STYLE = b"""[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Alignment
Style: Default,sans-serif,16,&Hffffff,2

[Events]
Format: Layer, Start, End, Style, Text
"""
TRANSPARENT_FORMATS = ("webm", "mov", "png")
EMBEDDING_FORMATS = {"mp4": "mov_text", "mov": "mov_text", "webm": "webvtt"}


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
        if self.transparent and self.format not in TRANSPARENT_FORMATS:
            raise ValueError(f"a transparent {self.format} cannot be played; use webm, mov or png")

    @property
    def encoding(self) -> Encoding:
        """How this film's segments are encoded."""
        return ENCODINGS[self.format, self.transparent]


@dataclass(frozen=True)
class Progress:
    """How far a scene is: seconds of film done of about how many, in which beat."""

    scene: str
    beat: str
    seconds: float
    total: float


Reporter = Callable[[Progress], None]


@dataclass(frozen=True)
class Take:
    """A rendered scene: its segments in order, and when its beats and captions begin, counted in animations."""

    scene: str
    title: str
    segments: tuple[Path, ...]
    beats: tuple[Beat, ...]
    cues: tuple[Cue, ...]


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
        renderer = self.scene.renderer
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
    module = importlib.import_module(f"scenes.{name.replace('-', '_')}")
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
) -> Iterator[Path]:
    """Render scenes and give the paths of what was written, each as soon as it is whole.

    A film comes with ``.srt`` and ``.vtt`` captions beside it unless ``options.captions`` is "none". The format "png"
    gives a still of the end of every beat.

    Raises
    ------
    OSError
        A file cannot be written.
    """
    for name in names:
        if options.format == "png":
            yield from _stills(name, parameters, options, out, report)
        else:
            yield from write_film([record(name, parameters, options, out, report)], options, out / name)


def render_lesson(
    parameters: Parameters, options: FilmOptions, out: Path, report: Reporter | None = None
) -> Iterator[Path]:
    """Render every scene, then join them to ``lesson``; gives the paths of what was written."""
    takes = []
    for name in scene_names():
        take = record(name, parameters, options, out, report)
        yield from write_film([take], options, out / name)
        takes.append(take)
    yield from write_film(takes, options, out / "lesson")


# Manim's settings


@contextmanager
def session(options: FilmOptions, cache: Path, dry_run: bool = False) -> Iterator[None]:
    """Manim's global settings as ``options`` want them, whatever configuration files say, and as they were afterwards."""
    quality = QUALITIES[options.quality]
    settings: dict[str, Any] = {
        "pixel_width": quality.width,
        "pixel_height": quality.height,
        "frame_rate": quality.frame_rate,
        "background_color": options.theme.ground,
        "background_opacity": 0.0 if options.transparent else 1.0,
        "transparent": options.transparent,
        "media_dir": str(cache),
        "tex_dir": str(cache / "text"),
        "text_dir": str(cache / "text"),
        "partial_movie_dir": str(cache / "segments"),
        "video_dir": str(cache),
        "images_dir": str(cache),
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
        with tempconfig(_manims_defaults()):
            # After the defaults, since some of them (the quality) stand for several settings at once.
            config.update(settings)
            yield
    finally:
        logger.setLevel(level)


@cached
def _manims_defaults() -> dict[str, Any]:
    """Manim's settings without those of the user's own configuration files."""
    return dict(ManimConfig().digest_file(Path(inspect.getfile(ManimConfig)).with_name("default.cfg")))


# Segments


class SegmentEncoder(VideoSegmentEncoder):
    """Encodes a segment beside its final name, and a repeated frame converted only once."""

    def __init__(self, *, target: Path, spec: Any, transparent: bool) -> None:
        self._final = target
        self._transparent = transparent
        self._writing = ExitStack()
        super().__init__(target=self._writing.enter_context(whole(target)), spec=spec)

    def write_frame(self, pixels: Any, *, repeat: int = 1) -> None:
        """Encode ``pixels``, (height, width, 4) uint8, ``repeat`` times."""
        self._validate_frame(pixels, repeat)
        if self._transparent:
            pixels = _straight_alpha(pixels)
        rate = self.spec.frame_rate
        frame = av.VideoFrame.from_ndarray(pixels, format="rgba").reformat(format=self.spec.pixel_format)
        frame.time_base = Fraction(rate.denominator, rate.numerator)
        for _ in range(repeat):
            frame.pts = self._next_pts
            self._next_pts += 1
            self._container.mux(self._stream.encode(frame))

    def finish(self) -> None:
        """Close the segment and give it its name."""
        super().finish()
        self._writing.close()

    def abort(self) -> None:
        """Leave nothing behind."""
        try:
            super().abort()
        finally:
            # The part is gone already, so there is nothing to rename.
            self._writing.pop_all()


def _straight_alpha(pixels: np.ndarray) -> np.ndarray:
    """Colours divided by their opacity: Cairo multiplies them, while video formats with alpha expect them plain."""
    alpha = pixels[..., 3:].astype(np.uint16)
    colours = (pixels[..., :3].astype(np.uint16) * 255 + alpha // 2) // np.maximum(alpha, 1)
    return np.concatenate([np.minimum(colours, 255), alpha], axis=-1).astype(np.uint8)


class FilmWriter(SceneFileWriter):
    """Manim's writer, but for segments that are whole or absent, keys that leave nothing out, and no assembly."""

    scene: LessonScene
    fingerprint: str

    def key(self, animation_hash: str) -> str:
        """The name of a segment: all that it depends on, Manim's hash of what is on screen among it."""
        return hashlib.sha256(f"{animation_hash}:{self.fingerprint}".encode()).hexdigest()[:40]

    def add_partial_movie_file(self, hash_animation: str | None) -> None:
        super().add_partial_movie_file(None if hash_animation is None else self.key(hash_animation))

    def is_already_cached(self, hash_invocation: str) -> bool:
        path = self.output_plan.segment_path(self.key(hash_invocation))
        if str(path) in self._inflight_by_path:
            self.join_all_encode_jobs()
        assert self.video_encoder is not None  # noqa: S101  (narrows the type: only films have segments)
        frames = round(self.scene.duration * self.video_encoder.frame_rate)
        return frames_in(path, self.video_encoder.width, self.video_encoder.height) == frames

    def _create_segment_encoder(self, target: Path) -> VideoSegmentEncoder:
        return SegmentEncoder(target=target, spec=self.video_encoder, transparent=self.output_spec.transparent)

    def finish(self) -> None:
        self.join_all_encode_jobs()


def frames_in(path: Path, width: int, height: int) -> int | None:
    """How many frames a segment holds; None when it is not a whole film of that size."""
    try:
        with av.open(path) as container:
            stream = container.streams.video[0]
            if (stream.width, stream.height) != (width, height):
                return None
            return sum(1 for packet in container.demux(stream) if packet.size)
    except (OSError, av.error.FFmpegError, IndexError):
        return None


class FilmRenderer(CairoRenderer):
    """Manim's renderer, but drawing nothing that is not written, and holding frames for exactly their time."""

    file_writer: FilmWriter

    def __init__(self, report: Reporter | None = None, **options: Any) -> None:
        super().__init__(file_writer_class=FilmWriter, **options)
        self.report = report

    def play(self, scene: LessonScene, *animations: Any, **options: Any) -> None:  # type: ignore[override]
        if self.report:
            beat = scene.beats[-1].name if scene.beats else ""
            self.report(Progress(_name(scene), beat, scene.elapsed, scene.SECONDS))
        super().play(scene, *animations, **options)

    def update_frame(self, *arguments: Any, **options: Any) -> None:
        if not self.skip_animations:
            super().update_frame(*arguments, **options)

    def save_static_frame_data(self, *arguments: Any) -> Any:
        return None if self.skip_animations else super().save_static_frame_data(*arguments)

    def render(self, *arguments: Any, **options: Any) -> None:
        if not self.skip_animations:
            super().render(*arguments, **options)

    def freeze_current_frame(self, duration: float) -> None:
        if not self.skip_animations:
            self.add_frame(self.get_frame(), num_frames=round(duration * self.camera.frame_rate))


def _name(scene: LessonScene) -> str:
    return type(scene).__module__.rpartition(".")[2].replace("_", "-")


def record(
    name: str, parameters: Parameters, options: FilmOptions, out: Path, report: Reporter | None = None
) -> Take:
    """Render the segments of a scene that are not there yet."""
    kind = scene_class(name)
    cache = (out / CACHE).absolute()
    with session(options, cache):
        scene = kind(parameters, options.theme, options.captions == "burn", renderer=FilmRenderer(report))
        writer = scene.renderer.file_writer
        writer.scene, writer.fingerprint = scene, fingerprint(kind, parameters, options)
        scene.render()
        segments = tuple(Path(path) for path in writer.partial_movie_files)
    if report:
        report(Progress(name, "", scene.SECONDS, scene.SECONDS))
    return Take(name, scene.TITLE, segments, tuple(scene.beats), tuple(scene.cues))


def fingerprint(kind: type[LessonScene], parameters: Parameters, options: FilmOptions) -> str:
    """What a segment depends on beside what is on screen when it begins: parameters, theme, code, fonts and versions."""
    used = {field: getattr(parameters, field) for field in kind.USES}
    packages = ["manim", "numpy", "typst", "font-source-sans-pro", "pycairo", "av"]
    code = hashlib.sha256()
    for module in (core, scenes):
        for path in sorted(Path(str(module.__file__)).parent.rglob("*.py")):
            if module is core or path.name in ("base.py", "typesetting.py", Path(inspect.getfile(kind)).name):
                code.update(path.read_bytes())
    parts = [
        kind.__name__,
        used,
        options.theme.__dict__,
        options.transparent,
        [importlib.metadata.version(package) for package in packages],
        code.hexdigest(),
    ]
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()


# Films


@dataclass(frozen=True)
class TimedCue:
    """A caption and the frames [start, end) during which it stands."""

    lines: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Chapter:
    """A part of a film: its title and its first frame."""

    title: str
    start: int


@dataclass(frozen=True)
class Timeline:
    """A film's segments, and its captions and chapters counted in frames that are really there."""

    segments: tuple[Path, ...]
    frames: int
    frame_rate: int
    cues: tuple[TimedCue, ...]
    chapters: tuple[Chapter, ...]

    def seconds(self, frame: int) -> Fraction:
        """When ``frame`` begins, in seconds."""
        return Fraction(frame, self.frame_rate)


def timeline(takes: Sequence[Take], quality: Quality) -> Timeline:
    """Lay scenes one after another.

    A single scene's chapters are its beats; several scenes' chapters are the scenes.

    Raises
    ------
    RuntimeError
        A segment is missing or cut.
    """
    cues: list[TimedCue] = []
    chapters: list[Chapter] = []
    frame = 0
    for take in takes:
        starts = [frame]
        for segment in take.segments:
            count = frames_in(segment, quality.width, quality.height)
            if not count:
                raise RuntimeError(f"the segment {segment} of {take.scene} is not whole; render it again")
            starts.append(starts[-1] + count)
        frame = starts[-1]
        ends = [*(cue.start for cue in take.cues[1:]), len(take.segments)]
        cues += (
            TimedCue(cue.lines, starts[cue.start], starts[end]) for cue, end in zip(take.cues, ends, strict=True)
        )
        if len(takes) > 1:
            chapters.append(Chapter(take.title, starts[0]))
        else:
            chapters += (Chapter(beat.name, starts[beat.start]) for beat in take.beats)
    segments = tuple(segment for take in takes for segment in take.segments)
    return Timeline(segments, frame, quality.frame_rate, tuple(cues), tuple(chapters))


def write_film(takes: Sequence[Take], options: FilmOptions, stem: Path) -> Iterator[Path]:
    """Write the film of ``takes`` and its captions as ``stem`` with the suffixes; gives their paths."""
    plan = timeline(takes, QUALITIES[options.quality])
    film = stem.with_name(f"{stem.name}.{options.format}")
    with whole(film) as part:
        if options.format == "gif":
            _write_gif(plan, part)
        else:
            _join(plan, part, EMBEDDING_FORMATS[options.format] if options.captions == "embed" else None)
    yield film
    if options.captions != "none":
        for suffix, compose in (("srt", srt_captions), ("vtt", vtt_captions)):
            path = stem.with_name(f"{stem.name}.{suffix}")
            with whole(path) as part:
                part.write_text(compose(plan), encoding="utf-8", newline="\n")
            yield path


def srt_captions(plan: Timeline) -> str:
    """The captions in SubRip form."""
    return str(
        srt.compose(
            srt.Subtitle(
                index=index,
                start=datetime.timedelta(seconds=float(plan.seconds(cue.start))),
                end=datetime.timedelta(seconds=float(plan.seconds(cue.end))),
                content="\n".join(cue.lines),
            )
            for index, cue in enumerate(plan.cues, start=1)
        )
    )


def vtt_captions(plan: Timeline) -> str:
    """The captions in WebVTT form."""

    def stamp(frame: int) -> str:
        thousandths = round(plan.seconds(frame) * 1000)
        minutes, rest = divmod(thousandths, 60_000)
        hours, minutes = divmod(minutes, 60)
        return f"{hours:02}:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"

    escaped = (
        (cue, "\n".join(cue.lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")) for cue in plan.cues
    )
    return "WEBVTT\n\n" + "\n".join(f"{stamp(cue.start)} --> {stamp(cue.end)}\n{text}\n" for cue, text in escaped)


def _join(plan: Timeline, target: Path, subtitles: str | None) -> None:
    """Write all segments' packets into one film, with chapters and, where wanted, a subtitle stream."""
    tick = Fraction(1, plan.frame_rate)
    with av.open(target, "w") as film, av.open(plan.segments[0]) as first:
        template = first.streams.video[0]
        video = film.add_stream_from_template(template)
        head = template.codec_context.extradata
        captions = _subtitle_stream(film, subtitles) if subtitles else None
        film.set_chapters(
            [
                {
                    "id": number,
                    "start": chapter.start,
                    "end": end,
                    "time_base": tick,
                    "metadata": {"title": chapter.title},
                }
                for number, (chapter, end) in enumerate(
                    zip(plan.chapters, [*(chapter.start for chapter in plan.chapters[1:]), plan.frames], strict=True)
                )
            ]
        )
        waiting = list(plan.cues) if captions else []
        offset = 0
        for segment in plan.segments:
            with av.open(segment) as container:
                stream = container.streams.video[0]
                if stream.codec_context.extradata != head:
                    raise RuntimeError(f"the segment {segment} was encoded in another way; delete it")
                # Written before the frames they stand on, so that players meet them in time.
                while waiting and waiting[0].start <= offset:
                    _write_cue(film, captions, waiting.pop(0), tick, subtitles)
                count = 0
                for packet in container.demux(stream):
                    if packet.size == 0:
                        continue
                    shift = round(offset * tick / packet.time_base)
                    packet.pts += shift
                    packet.dts = packet.dts + shift if packet.dts is not None else None
                    packet.stream = video
                    film.mux(packet)
                    count += 1
                offset += count


def _subtitle_stream(film: Any, codec: str) -> Any:
    stream = film.add_stream(codec)
    stream.codec_context.subtitle_header = _SUBTITLE_STYLE
    stream.metadata["language"] = "eng"
    return stream


def _write_cue(film: Any, stream: Any, cue: TimedCue, tick: Fraction, codec: str | None) -> None:
    text = "\n".join(cue.lines).encode()
    packet = av.Packet(len(text).to_bytes(2, "big") + text if codec == "mov_text" else text)
    packet.stream = stream
    packet.time_base = Fraction(1, 1000)
    packet.pts = packet.dts = round(cue.start * tick * 1000)
    packet.duration = round((cue.end - cue.start) * tick * 1000)
    film.mux(packet)


def _frames(plan: Timeline) -> Iterator[Any]:
    for segment in plan.segments:
        with av.open(segment) as container:
            yield from container.decode(video=0)


def _write_gif(plan: Timeline, target: Path) -> None:
    """One palette for the whole film, made from what changes in it."""
    with av.open(plan.segments[0]) as first:
        template = first.streams.video[0]
        graph = av.filter.Graph()
        source = graph.add_buffer(template=template, time_base=Fraction(1, plan.frame_rate))
        split = graph.add("split")
        palette = graph.add("palettegen", "stats_mode=diff")
        use = graph.add("paletteuse", "dither=none:diff_mode=rectangle")
        sink = graph.add("buffersink")
        source.link_to(split)
        split.link_to(palette, 0, 0)
        split.link_to(use, 1, 0)
        palette.link_to(use, 0, 1)
        use.link_to(sink)
        graph.configure()
    with av.open(target, "w") as film:
        stream = film.add_stream("gif", rate=plan.frame_rate)
        stream.pix_fmt = "pal8"
        stream.width, stream.height = template.width, template.height
        for number, frame in enumerate(_frames(plan)):
            frame.pts, frame.time_base = number, Fraction(1, plan.frame_rate)
            graph.push(frame)
        graph.push(None)
        number = 0
        while True:
            try:
                frame = graph.pull()
            except av.error.EOFError:
                break
            frame.pts, frame.time_base = number, Fraction(1, plan.frame_rate)
            number += 1
            film.mux(stream.encode(frame))
        film.mux(stream.encode(None))


# Stills and rehearsals


class RehearsalRenderer(CairoRenderer):
    """Draws nothing and shows every moment of a scene to a visitor."""

    def __init__(self, visit: Callable[[Moment], None], points: Sequence[float]) -> None:
        super().__init__(skip_animations=True)
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
        stack.enter_context(session(options, cache, dry_run=True))
        renderer = RehearsalRenderer(visit, points)
        scene = kind(parameters, options.theme, options.captions == "burn", renderer=renderer)
        scene.render()
    return scene


def _stills(
    name: str, parameters: Parameters, options: FilmOptions, out: Path, report: Reporter | None
) -> Iterable[Path]:
    kind = scene_class(name)
    ends: dict[str, Image.Image] = {}

    def keep(moment: Moment) -> None:
        if report:
            report(Progress(name, moment.beat, moment.scene.elapsed, kind.SECONDS))
        if moment.held:
            # The last hold of a beat is its final picture.
            ends[moment.beat] = moment.picture()

    scene = rehearse(kind, parameters, options, keep, cache=(out / CACHE).absolute())
    for number, beat in enumerate(scene.beats, start=1):
        path = out / f"{name}-{number}.png"
        with whole(path) as part:
            picture = ends[beat.name]
            picture = Image.fromarray(_straight_alpha(np.asarray(picture))) if options.transparent else picture.convert("RGB")
            picture.save(part, optimize=True)
        yield path


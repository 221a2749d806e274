"""Films from segments: joined without encoding them again, with chapters and captions timed from real frames."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import srt  # type: ignore[import-untyped]

from files import whole
from scenes.base import Beat, Cue
from scenes.segments import Quality, frames_in

GIF_FRAME_RATE = 50  # frames a second at most; viewers slow down what is shown for less than two hundredths
# The codec of the subtitle stream that each kind of film can hold.
EMBEDDING_FORMATS = {"mp4": "mov_text", "mov": "mov_text", "webm": "webvtt"}
# What a subtitle encoder must be given to open; players use styles of their own.
_SUBTITLE_STYLE = b"""[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Alignment
Style: Default,sans-serif,16,&Hffffff,2

[Events]
Format: Layer, Start, End, Style, Text
"""


@dataclass(frozen=True)
class Take:
    """A rendered scene: its segments in order, and when its beats and captions begin, counted in animations."""

    scene: str
    title: str
    segments: tuple[Path, ...]
    beats: tuple[Beat, ...]
    cues: tuple[Cue, ...]


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
            count = frames_in(segment, quality)
            if not count:
                raise RuntimeError(f"the segment {segment} of {take.scene} is not whole; render it again")
            starts.append(starts[-1] + count)
        frame = starts[-1]
        ends = [*(cue.start for cue in take.cues), len(take.segments)][1:]
        cues += (TimedCue(cue.lines, starts[cue.start], starts[end]) for cue, end in zip(take.cues, ends, strict=True))
        if len(takes) > 1:
            chapters.append(Chapter(take.title, starts[0]))
        else:
            chapters += (Chapter(beat.name, starts[beat.start]) for beat in take.beats)
    segments = tuple(segment for take in takes for segment in take.segments)
    return Timeline(segments, frame, quality.frame_rate, tuple(cues), tuple(chapters))


def write_film(
    takes: Sequence[Take], quality: Quality, suffix: str, stem: Path, *, embed: bool, beside: bool
) -> Iterator[Path]:
    """Write the film of ``takes`` as ``stem`` with ``suffix``; gives the paths of all that was written.

    Captions go into the film when ``embed`` is true, and into ``.srt`` and ``.vtt`` files when ``beside`` is.
    """
    plan = timeline(takes, quality)
    film = stem.with_name(f"{stem.name}.{suffix}")
    with whole(film) as part:
        part = part.absolute()  # FFmpeg takes what stands before a colon in a relative name for a protocol
        if suffix == "gif":
            _write_gif(plan, part)
        else:
            _join(plan, part, EMBEDDING_FORMATS[suffix] if embed else None)
    yield film
    if beside:
        for form, compose in (("srt", srt_captions), ("vtt", vtt_captions)):
            path = stem.with_name(f"{stem.name}.{form}")
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

    cues = (f"{stamp(cue.start)} --> {stamp(cue.end)}\n{_vtt_text(cue)}\n" for cue in plan.cues)
    return "WEBVTT\n\n" + "\n".join(cues)


def _vtt_text(cue: TimedCue) -> str:
    return "\n".join(cue.lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _join(plan: Timeline, target: Path, subtitles: str | None) -> None:
    """Write all segments' packets into one film, with chapters and, where wanted, a subtitle stream."""
    tick = Fraction(1, plan.frame_rate)
    # Else the muxer of webm writes random numbers; that of mp4 leaves its name out, which some players ask for.
    flags = {"fflags": "+bitexact"} if target.suffix == ".webm" else {}
    with av.open(target, "w", options=flags) as film, av.open(plan.segments[0]) as first:
        template = first.streams.video[0]
        video = film.add_stream_from_template(template)
        if "alpha_mode" in template.metadata:  # else it is not noted, and browsers play the film as an opaque one
            video.pix_fmt = "yuva420p"
        elif template.codec_context.name == "prores":  # else it is noted as ProRes 422 HQ, which has no opacity
            video.codec_context.codec_tag = template.codec_context.codec_tag
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
                    zip(plan.chapters, [*(chapter.start for chapter in plan.chapters), plan.frames][1:], strict=True)
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
                    packet.pts = shift + (packet.pts or 0)
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
    if codec == "mov_text":
        text = "\n".join(cue.lines).encode()
        packet = av.Packet(len(text).to_bytes(2, "big") + text)
    else:
        packet = av.Packet(_vtt_text(cue).encode())
    packet.stream = stream
    packet.time_base = Fraction(1, 1000)
    packet.pts = packet.dts = round(cue.start * tick * 1000)
    packet.duration = round((cue.end - cue.start) * tick * 1000)
    film.mux(packet)


def _gif_frames(plan: Timeline) -> Iterator[Any]:
    """The frames that a GIF takes, of which it can hold 50 a second: its clock ticks in hundredths."""
    step = _gif_step(plan)
    number = 0
    for segment in plan.segments:
        with av.open(segment) as container:
            for frame in container.decode(video=0):
                if number % step == 0:
                    frame.pts, frame.time_base = number, Fraction(1, plan.frame_rate)
                    yield frame
                number += 1


def _gif_step(plan: Timeline) -> int:
    return -(-plan.frame_rate // GIF_FRAME_RATE)


def _write_gif(plan: Timeline, target: Path) -> None:
    """Twice through the frames: once for a palette of what changes in them, once to write them with it."""
    tick = Fraction(1, plan.frame_rate)
    with av.open(plan.segments[0]) as first:
        template = first.streams.video[0]
        size = template.width, template.height
        finding = av.filter.Graph()
        finding.link_nodes(
            finding.add_buffer(template=template, time_base=tick),
            finding.add("palettegen", "stats_mode=diff"),
            finding.add("buffersink"),
        ).configure()
        using = av.filter.Graph()
        source = using.add_buffer(template=template, time_base=tick)
        palettes = using.add_buffer(width=16, height=16, format=av.VideoFormat("bgra"), time_base=tick)
        use, sink = using.add("paletteuse", "dither=none:diff_mode=rectangle"), using.add("buffersink")
        source.link_to(use, 0, 0)
        palettes.link_to(use, 0, 1)
        use.link_to(sink)
        using.configure()
    for frame in _gif_frames(plan):
        finding.push(frame)
    finding.push(None)
    palette = finding.pull()
    palette.pts, palette.time_base = 0, tick
    palettes.push(palette)
    palettes.push(None)
    with av.open(target, "w") as film:
        stream = film.add_stream("gif", rate=Fraction(plan.frame_rate, _gif_step(plan)))
        stream.pix_fmt = "pal8"
        stream.width, stream.height = size
        for frame in _gif_frames(plan):
            source.push(frame)
            _mux_pulled(film, stream, sink, tick)
        source.push(None)
        _mux_pulled(film, stream, sink, tick)
        film.mux(stream.encode(None))


def _mux_pulled(film: Any, stream: Any, sink: Any, tick: Fraction) -> None:
    while True:
        try:
            frame = sink.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return
        frame.time_base = tick
        film.mux(stream.encode(frame))

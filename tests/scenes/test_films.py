"""Films are their segments one after another; captions and chapters stand where the frames really are."""

import dataclasses
import itertools
import re
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import srt
from PIL import Image

from core.parameters import Parameters
from core.theme import DARK, LIGHT
from scenes import rendering
from scenes.base import Beat, Cue
from scenes.films import EMBEDDING_FORMATS, Take, srt_captions, timeline, vtt_captions, write_film
from scenes.rendering import FilmOptions
from scenes.segments import Quality
from tests.small_lesson import tools

# The captions of the scene "moving" and when they begin, in seconds; its film lasts MOVING.
CUES = [
    ("A square & a circle: 1 < 2.", 0.0),
    ("One turns, and a number says how far: √2 é.", 1.6),
    ("Nothing has changed.", 12.0),
    ("Now a word has.", 14.4),
]
BEATS = [("shapes", 0.0), ("turns", 1.6), ("again", 12.0)]
MOVING, CLOSING = 18.0, 1.0  # seconds
RATES = {"l": 15, "m": 30, "h": 60}


@pytest.fixture(autouse=True)
def small_lesson(monkeypatch):
    tools.use_small_lesson(monkeypatch)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder whose cache all tests here share."""
    return tmp_path_factory.mktemp("films")


def takes(out, options, names=("moving",)):
    return list(rendering.record(names, Parameters(), options, out))


def text(lines):
    return " ".join(" ".join(lines.splitlines()).split())


def vtt_cues(path):
    """Text, start and end in seconds of each caption of a WebVTT file."""
    head, *blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    assert head == "WEBVTT"
    found = []
    for block in blocks:
        times, *lines = block.split("\n")
        match = re.fullmatch(r"(\d\d):(\d\d):(\d\d\.\d{3}) --> (\d\d):(\d\d):(\d\d\.\d{3})", times)
        numbers = [float(group) for group in match.groups()]
        start, end = (hours * 3600 + minutes * 60 + seconds for hours, minutes, seconds in (numbers[:3], numbers[3:]))
        plain = "\n".join(lines).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        found.append((plain, start, end))
    return found


def srt_cues(path):
    """The same of a SubRip file, read by another's reader."""
    return [
        (cue.content, cue.start.total_seconds(), cue.end.total_seconds())
        for cue in srt.parse(path.read_text(encoding="utf-8"))
    ]


def embedded_cues(path):
    """The same of a film's caption stream."""
    with av.open(path) as container:
        stream = container.streams.subtitles[0]
        found = []
        for packet in container.demux(stream):
            if packet.size == 0:
                continue
            start, length = packet.pts * packet.time_base, packet.duration * packet.time_base
            for line in packet.decode():
                shown = line.dialogue if hasattr(line, "dialogue") else line.ass
                shown = shown.decode() if isinstance(shown, bytes) else shown
                found.append((shown.replace("\\N", "\n"), float(start), float(start + length)))
        return found


# Captions


@pytest.mark.parametrize("quality", RATES)
def test_captions_begin_within_a_frame_at_every_quality_and_end_within_the_film(quality, out):
    film, *captions = tools.rendered("moving", out, FilmOptions(quality))
    assert [path.suffix for path in captions] == [".srt", ".vtt"]
    frames = tools.decoded(film)
    assert len(frames) == round(MOVING * RATES[quality])
    length = len(frames) / RATES[quality]
    found = {"srt": srt_cues(captions[0]), "vtt": vtt_cues(captions[1]), "embedded": embedded_cues(film)}
    for cues in found.values():
        assert [text(words) for words, _, _ in cues] == [words for words, _ in CUES]
        for (_, start, end), (_, expected), next_start in zip(
            cues, CUES, [*(start for _, start, _ in cues[1:]), length], strict=True
        ):
            assert abs(start - expected) < 1 / RATES[quality]
            assert end == pytest.approx(next_start, abs=1.1e-3)
            assert end <= length + 1e-9
        assert max(len(words.splitlines()) for words, _, _ in cues) <= 2


def test_captions_are_where_the_picture_changes(out):
    """The word that the last caption speaks of comes into the picture with it, to the frame."""
    film, _, vtt = tools.rendered("moving", out, FilmOptions("h"))
    frames = tools.decoded(film)
    start = round(vtt_cues(vtt)[-1][1] * RATES["h"])
    before, after, later = (tools.planes(frames[index])[0].astype(int) for index in (start - 1, start, start + 50))
    assert abs(after - before).max() > 40
    assert abs(after - later).max() < 20


@pytest.mark.parametrize("form", ["srt", "vtt"])
def test_captions_are_the_same_bytes_on_a_rerun_from_cache_and_afresh(form, out, tmp_path):
    index = {"srt": 1, "vtt": 2}[form]
    contents = [tools.rendered("moving", folder)[index].read_bytes() for folder in (tmp_path, tmp_path, out)]
    assert len(set(contents)) == 1
    assert b"\r" not in contents[0]


@pytest.mark.parametrize("form", EMBEDDING_FORMATS)
@pytest.mark.parametrize("name", ["moving", "closing"])
def test_the_embedded_captions_are_those_beside_the_film(form, name, out):
    film, beside, _ = tools.rendered(name, out / form, FilmOptions("l", form))
    assert film.suffix == f".{form}"
    with av.open(film) as container:
        assert [stream.codec_context.name for stream in container.streams.subtitles] == [EMBEDDING_FORMATS[form]]
        assert container.streams.subtitles[0].metadata["language"] == "eng"
    for embedded, expected in zip(embedded_cues(film), srt_cues(beside), strict=True):
        assert embedded[0] == expected[0]
        assert embedded[1:] == pytest.approx(expected[1:], abs=2e-3)


@pytest.mark.parametrize(("captions", "form"), [("none", "mp4"), ("burn", "mp4"), ("burn", "gif"), ("none", "webm")])
def test_captions_are_embedded_and_beside_only_where_they_are_wanted(captions, form, out):
    written = tools.rendered("closing", out / f"{captions}-{form}", FilmOptions("l", form, captions=captions))
    beside = [] if captions == "none" else [".srt", ".vtt"]
    assert [path.suffix for path in written] == [f".{form}", *beside]
    with av.open(written[0]) as container:
        assert not container.streams.subtitles
    assert sorted(path.name for path in (out / f"{captions}-{form}").iterdir() if path.name != ".cache") == sorted(
        path.name for path in written
    )


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_burnt_captions_are_in_the_band_below_and_nothing_else_is(theme, out):
    """The band is the lowest eighth of the picture."""
    folder = out / f"burnt-{theme.name}"
    plain, burnt = (
        tools.decoded(tools.film("moving", folder, FilmOptions("l", "gif", captions=captions, theme=theme)))
        for captions in ("none", "burn")
    )
    assert len(plain) == len(burnt)
    band = round(tools.HEIGHT * 7 / 8)
    for moment in (1.0, 6.0, 12.5, 15.0):
        one, other = (film[round(moment * 15)].to_ndarray(format="rgb24").astype(int) for film in (plain, burnt))
        assert abs(one[:band] - other[:band]).max() < 40  # the palette is another
        assert abs(one[band:] - other[band:]).max() > 100
        assert abs(one[band:] - one[-1, 0]).max() < 12


def test_captions_of_any_words_and_lengths_are_composed(tmp_path):
    """Hours, characters that mean something in WebVTT, and times that are no whole thousandths."""
    segment = tmp_path / f"{'0' * 40}.mp4"
    write_segment(segment, 1)
    take = Take("any", "Any", (segment,) * 4, (Beat("b", 0, "b"),), (Cue(("1 --> 2", "<b>&amp;"), 1), Cue(("√",), 3)))
    plan = timeline([take], TINY)
    assert [(cue.start, cue.end) for cue in plan.cues] == [(1, 3), (3, 4)]
    assert vtt_captions(plan).split("\n\n")[1] == ("00:00:00.067 --> 00:00:00.200\n1 --&gt; 2\n&lt;b&gt;&amp;amp;")
    assert next(srt.parse(srt_captions(plan))).content == "1 --> 2\n<b>&amp;"
    late = dataclasses.replace(
        plan, cues=(dataclasses.replace(plan.cues[0], start=15 * 3725 + 1, end=15 * 36000),), frames=15 * 36000
    )
    assert "01:02:05.067 --> 10:00:00.000" in vtt_captions(late)
    (cue,) = srt.parse(srt_captions(late))
    assert cue.end == timedelta(hours=10)
    assert 0 <= Fraction(15 * 3725 + 1, 15) - Fraction(cue.start / timedelta(microseconds=1)) / 10**6 < Fraction(1, 999)


TINY = Quality(64, 36, 15)


def write_segment(path, frames, quality=TINY, codec="libx264"):
    with av.open(path, "w") as container:
        stream = container.add_stream(codec, rate=quality.frame_rate)
        stream.width, stream.height, stream.pix_fmt = quality.width, quality.height, "yuv420p"
        for number in range(frames):
            picture = np.full((quality.height, quality.width, 3), number * 10, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


@pytest.mark.parametrize("form", ["mp4", "webm"])
def test_a_film_without_captions_and_beats_is_a_film(form, tmp_path):
    segment = tmp_path / f"{'0' * 40}.{form}"
    write_segment(segment, 3, codec={"mp4": "libx264", "webm": "libvpx-vp9"}[form])
    take = Take("silent", "Silent", (segment, segment), (), ())
    film, *captions = write_film([take], TINY, form, tmp_path / "silent", embed=True, beside=True)
    assert len(tools.decoded(film)) == 6
    assert [path.read_text() for path in captions] == ["", "WEBVTT\n\n"]
    assert chapters(film) == []


# Chapters


def chapters(path):
    """Title, start and end in seconds of each chapter."""
    with av.open(path) as container:
        return [
            (
                chapter["metadata"]["title"],
                float(chapter["start"] * chapter["time_base"]),
                float(chapter["end"] * chapter["time_base"]),
            )
            for chapter in container.chapters()
        ]


@pytest.mark.parametrize("form", EMBEDDING_FORMATS)
def test_a_scenes_chapters_are_its_beats(form, out):
    found = chapters(tools.film("moving", out / form, FilmOptions("l", form)))
    assert [title for title, _, _ in found] == [name for name, _ in BEATS]
    ends = [*(start for _, start in BEATS[1:]), MOVING]
    for (_, start, end), (_, expected), expected_end in zip(found, BEATS, ends, strict=True):
        assert (start, end) == pytest.approx((expected, expected_end), abs=2e-3)


def test_the_lessons_chapters_are_its_scenes_and_its_captions_go_on(out):
    """The joined film is the scenes one after another: chapters, captions and pictures."""
    written = {path.name: path for path in rendering.render_lesson(Parameters(), FilmOptions("l"), out / "lesson")}
    assert list(written) == [
        f"{name}.{form}" for name in ("moving", "closing", "lesson") for form in ("mp4", "srt", "vtt")
    ]
    assert [chapter[0] for chapter in chapters(written["lesson.mp4"])] == ["Shapes move", "The dot goes"]
    assert [chapter[1:] for chapter in chapters(written["lesson.mp4"])] == [
        pytest.approx((0.0, MOVING), abs=2e-3),
        pytest.approx((MOVING, MOVING + CLOSING), abs=2e-3),
    ]
    parts = [srt_cues(written[f"{name}.srt"]) for name in ("moving", "closing")]
    moved = [(words, start + MOVING, end + MOVING) for words, start, end in parts[1]]
    for found in (
        srt_cues(written["lesson.srt"]),
        vtt_cues(written["lesson.vtt"]),
        embedded_cues(written["lesson.mp4"]),
    ):
        for cue, expected in zip(found, parts[0] + moved, strict=True):
            assert cue[0] == expected[0]
            assert cue[1:] == pytest.approx(expected[1:], abs=2e-3)
    joined = tools.decoded(written["lesson.mp4"])
    assert tools.same_frames(
        joined, [f for name in ("moving", "closing") for f in tools.decoded(written[f"{name}.mp4"])]
    )


# Joining


@pytest.mark.parametrize("form", ["mp4", "mov", "webm"])
def test_a_film_is_its_segments_one_after_another(form, out):
    """Not encoded again, at an even pace, each frame once."""
    options = FilmOptions("h", form)
    film = tools.film("moving", out / f"h-{form}", options)
    (take,) = takes(out / f"h-{form}", options)
    frames = tools.decoded(film)
    assert tools.same_frames(frames, [frame for segment in take.segments for frame in tools.decoded(segment)])
    times = np.array([frame.time for frame in frames])
    np.testing.assert_allclose(times, np.arange(len(frames)) / 60, atol=1e-3)
    with av.open(film) as container:
        assert container.duration / av.time_base == pytest.approx(MOVING, abs=2e-3)
        assert container.streams.video[0].average_rate == 60
        packets = [packet for packet in container.demux(container.streams.video[0]) if packet.size]
    assert len(packets) == len(frames)
    assert all(later.dts > earlier.dts for earlier, later in itertools.pairwise(packets))


def test_a_player_can_begin_anywhere(out):
    """Seeking into a long hold and showing on from there gives the picture that playing through gives."""
    film = tools.film("moving", out, FilmOptions("h"))
    frames = tools.decoded(film)
    for second in (0.5, 2.1, 5.03, 11.9, 13.9, 15.5):
        with av.open(film) as container:
            stream = container.streams.video[0]
            container.seek(round(second / stream.time_base), stream=stream)
            frame = next(frame for frame in container.decode(stream) if frame.time >= second - 1e-6)
        assert tools.same_frames([frame], [frames[round(frame.time * 60)]])


def test_a_segment_that_is_not_whole_is_an_error_and_leaves_the_older_film(out, tmp_path):
    (take,) = takes(out, FilmOptions("l"))
    picture = FilmOptions("l").picture
    cut = tmp_path / take.segments[1].name
    cut.write_bytes(take.segments[1].read_bytes()[:-700])
    broken = dataclasses.replace(take, segments=(take.segments[0], cut, *take.segments[2:]))
    (tmp_path / "moving.mp4").write_bytes(b"an older film")
    with pytest.raises(RuntimeError, match=rf"the segment .*{cut.name} of moving is not whole; render it again"):
        list(write_film([broken], picture, "mp4", tmp_path / "moving", embed=True, beside=True))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([cut.name, "moving.mp4"])
    assert (tmp_path / "moving.mp4").read_bytes() == b"an older film"


def test_segments_that_are_encoded_differently_are_not_joined(tmp_path):
    """Their film would show rubbish after the first: the decoder is told of the first one's codec alone."""
    one, other = tmp_path / f"{'0' * 40}.mp4", tmp_path / f"{'1' * 40}.mp4"
    write_segment(one, 3)
    write_segment(other, 3, codec="mpeg4")
    take = Take("odd", "Odd", (one, other), (Beat("b", 0, "b"),), ())
    with pytest.raises(RuntimeError, match=f"the segment .*{other.name} was encoded in another way; delete it"):
        list(write_film([take], TINY, "mp4", tmp_path / "odd", embed=False, beside=False))
    assert not (tmp_path / "odd.mp4").exists()


@pytest.mark.parametrize("form", ["mp4", "webm", "gif"])
def test_a_disk_that_is_full_at_any_moment_leaves_no_film(form, out, tmp_path):
    """The limit is the length that a file may reach: the whole film, or an error and nothing."""
    process = tools.run_code(
        f"""
        import resource
        from scenes.films import write_film
        options = FilmOptions("l", {form!r})
        takes = list(rendering.record(["closing"], Parameters(), options, out))
        settings = dict(embed={form != "gif"}, beside=False)
        write = lambda name: list(write_film(takes, options.picture, {form!r}, out / name, **settings))
        (film,) = write("film")
        length = film.stat().st_size
        for limit in [*range(0, length, length // 24 + 1), *range(length - 9, length)]:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                write("full")
            except OSError as error:
                print(type(error).__mro__[-4].__name__, sorted(path.name for path in out.iterdir()))
            else:
                print("nothing went wrong", limit, length)
        resource.setrlimit(resource.RLIMIT_FSIZE, (length, resource.RLIM_INFINITY))
        (whole,) = write("full")
        print(whole.stat().st_size - length)
        """,
        tmp_path,
    )
    assert process.returncode == 0, process.stderr
    *failed, whole = process.stdout.splitlines()
    assert len(failed) > 25
    assert {line.split(" ", 1)[1] for line in failed} == {f"['.cache', 'film.{form}']"}
    assert whole == "0"


# GIFs


@pytest.mark.parametrize("quality", ["l", "m", "h"])
def test_a_gif_lasts_as_long_as_the_film_and_plays_at_its_pace_in_every_viewer(quality, out):
    """Viewers take a frame of less than 2 hundredths of a second for one of 10."""
    with Image.open(tools.film("moving", out / quality, FilmOptions(quality, "gif", captions="none"))) as gif:
        assert gif.size == (tools.WIDTH, tools.HEIGHT)
        durations = []
        for number in range(gif.n_frames):
            gif.seek(number)
            durations.append(gif.info["duration"])
    assert sum(durations) / 1000 == pytest.approx(MOVING, abs=0.1)
    assert min(durations) >= 20
    assert gif.info.get("loop", 0) == 0


def test_a_gif_shows_every_frame_of_the_film_in_nearly_its_colours(out):
    options = FilmOptions("l", "gif", captions="none")
    gif = tools.decoded(tools.film("moving", out / "gif", options))
    (take,) = takes(out / "gif", options)
    exact = [frame for segment in take.segments for frame in tools.decoded(segment)]
    assert len(gif) == len(exact) == round(MOVING * 15)
    for one, other in zip(gif, exact, strict=True):
        difference = abs(one.to_ndarray(format="rgb24").astype(int) - other.to_ndarray(format="rgb24"))
        assert difference.mean() < 1.5
        assert np.quantile(difference.max(axis=-1), 0.99) < 32
        assert difference[0, 0].max() <= 4  # the ground, which is most of the picture


def test_paths_are_given_as_they_are_written(out, tmp_path):
    """Each path is given when its file is whole, the film first."""
    (take,) = takes(out, FilmOptions("l"))
    for path in write_film(
        [take], FilmOptions("l").picture, "mp4", tmp_path / "deeper" / "moving", embed=True, beside=True
    ):
        assert path.exists()
        assert not list(path.parent.glob(".*"))
        assert isinstance(path, Path)


@pytest.mark.parametrize("transparent", [False, True])
def test_a_webm_film_has_the_same_bytes_every_time(transparent, tmp_path):
    """Though FFmpeg would write random numbers into it."""
    options = FilmOptions("l", "webm", transparent)
    films = [tools.film("closing", tmp_path / name, options).read_bytes() for name in ("once", "again")]
    assert films[0] == films[1]

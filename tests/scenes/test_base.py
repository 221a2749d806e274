"""What every scene is built on: beats, captions, holds and the clock."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim import RIGHT, Dot, FadeIn, Square, ValueTracker, tempconfig
from manim.renderer.cairo_renderer import CairoRenderer

from core.parameters import Parameters
from core.theme import DARK, LIGHT, THEMES
from scenes.base import Cue, LessonScene, caption, caption_lines
from scenes.rendering import FilmOptions, rehearse
from scenes.typesetting import LABEL, TITLE, plain, words

ROOT = Path(__file__).resolve().parents[2]
LONG = "This caption has a lot of characters, so it takes a few seconds to be read."


@pytest.fixture(autouse=True)
def own_folder(tmp_path):
    """Manim makes folders for the films of scenes."""
    with tempconfig({"media_dir": str(tmp_path)}):
        yield


def went_through(construct, captions="none", visit=lambda moment: None, points=(), theme=DARK):
    """A scene that does what ``construct`` says, as it is at its end."""
    facts = {"TITLE": "Tiny", "SECONDS": 1, "USES": (), "construct": construct}
    kind = type("Tiny", (LessonScene,), facts)
    return rehearse(kind, Parameters(), FilmOptions(captions=captions, theme=theme), visit, points)


def on_board(scene):
    """What is on screen, from back to front; Manim's wait adds something that is nothing."""
    return [mobject for mobject in scene.mobjects if mobject.family_members_with_points()]


# Beats and clock


def test_a_scene_knows_its_beats_and_its_time():
    def construct(scene):
        first(scene)
        second(scene)

    def first(scene):
        scene.beat("one")
        scene.play(FadeIn(Dot()), run_time=0.6)
        scene.hold(1.4)

    def second(scene):
        scene.beat("two")
        scene.hold()

    scene = went_through(construct)
    assert [(beat.name, beat.start, beat.method) for beat in scene.beats] == [("one", 0, "first"), ("two", 2, "second")]
    assert scene.elapsed == pytest.approx(3)


def test_many_short_animations_do_not_add_up_rounding_errors():
    def construct(scene):
        for _ in range(30):
            scene.hold(0.2)

    assert went_through(construct).elapsed == 6.0


@pytest.mark.parametrize("run_time", [0.5, 0.25, 1 / 3, 1.1])
def test_a_run_time_that_would_drift_is_refused(run_time):
    with pytest.raises(ValueError, match=f"a run time of {run_time:g} s is not a whole number of fifths"):
        went_through(lambda scene: scene.play(FadeIn(Dot()), run_time=run_time))


@pytest.mark.parametrize("frame_rate", [5, 15, 30, 60])
@pytest.mark.parametrize("run_time", [0.2, 0.6, 1.4, 2.2, 4.6])
def test_every_animation_has_exactly_its_frames(frame_rate, run_time):
    scene = LessonScene(renderer=CairoRenderer())
    with tempconfig({"frame_rate": frame_rate, "progress_bar": "none"}):
        times = list(scene.get_time_progression(run_time, ""))
    np.testing.assert_allclose(times, np.arange(round(run_time * frame_rate)) / frame_rate)


def test_a_rehearsal_looks_at_the_points_it_was_given_and_at_the_end():
    seen = []
    went_through(
        lambda scene: (scene.play(FadeIn(Dot()), run_time=2), scene.hold(1)),
        visit=lambda moment: seen.append((moment.animation, moment.progress, moment.held)),
        points=(0, 0.25),
    )
    assert seen == [(0, 0, False), (0, 0.25, False), (0, 1, False), (1, 1, True)]


def test_what_was_moved_step_by_step_ends_where_one_step_ends():
    """Places are rounded after every animation, so the last bits do not tell how many frames were drawn."""
    moved = Square()

    def construct(scene):
        scene.add(moved)
        scene.play(moved.animate.shift(np.pi * RIGHT), run_time=1)

    went_through(construct)
    np.testing.assert_array_equal(moved.points, moved.points.round(9))
    assert moved.get_x() == pytest.approx(np.pi, abs=1e-8)


def test_updaters_have_seen_the_end_of_an_animation():
    tracker, follower = ValueTracker(0), Dot()
    follower.add_updater(lambda dot: dot.set_x(tracker.get_value()))

    def construct(scene):
        scene.add(follower)
        scene.play(tracker.animate.set_value(3), run_time=1)

    went_through(construct)
    assert follower.get_x() == pytest.approx(3)


# Captions


def test_a_caption_stands_from_where_it_is_said():
    def construct(scene):
        scene.say("First.")
        scene.hold(2)
        scene.say("And second.")
        scene.hold(2)

    assert went_through(construct).cues == [Cue(("First.",), 0), Cue(("And second.",), 1)]


@pytest.mark.parametrize("text", ["", "word " * 18, "x" * 85, "a " * 41 + "three lines"])
def test_a_caption_that_is_too_long_or_empty_is_refused(text):
    with pytest.raises(ValueError, match="a caption has 2 lines of 42 characters at most"):
        went_through(lambda scene: scene.say(text))


def test_a_caption_that_goes_before_it_is_read_is_refused():
    def construct(scene):
        scene.say(LONG)
        scene.play(FadeIn(Dot()), run_time=1)
        scene.say("Next.")

    with pytest.raises(RuntimeError, match=r"the caption before 'Next\.' goes before it can be read; hold longer"):
        went_through(construct)


def test_a_last_caption_that_nobody_can_read_is_refused():
    def construct(scene):
        scene.say(LONG)
        scene.play(FadeIn(Dot()), run_time=1)

    with pytest.raises(RuntimeError, match="Tiny ends before its last caption can be read; hold longer"):
        went_through(construct)


def test_a_hold_is_longer_where_a_caption_needs_it():
    def construct(scene):
        scene.say(LONG)
        scene.play(FadeIn(Dot()), run_time=1)
        scene.hold(0.2)  # as long as the rest of its characters take, at 17 a second
        scene.hold(0.2)  # it has been read
        scene.hold(3)

    lines = caption_lines(LONG)
    ends = []
    scene = went_through(construct, visit=lambda moment: moment.held and ends.append(moment.scene.elapsed))
    needed = sum(map(len, lines)) / 17
    assert needed <= ends[1] < needed + 0.2
    assert scene.elapsed == pytest.approx(ends[1] + 3.2)


sentences = st.lists(st.text("abcdefghij,.", min_size=1, max_size=20), min_size=1, max_size=12).map(" ".join)


@given(sentences.filter(lambda text: len(textwrap.wrap(text, 42)) <= 2))
def test_a_caption_breaks_between_words_into_as_few_even_lines_as_it_can(text):
    lines = caption_lines(text)
    assert " ".join(lines) == text
    assert max(map(len, lines)) <= 42
    if len(text) <= 42:
        assert len(lines) == 1
    else:
        ways = [(text[:space], text[space + 1 :]) for space in range(len(text)) if text[space] == " "]
        assert max(map(len, lines)) == min(max(map(len, way)) for way in ways)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_widest_caption_fits_into_its_band(theme):
    text = caption(("W" * 42, "g" * 42), theme)
    left, bottom = text.get_corner([-1, -1, 0])[:2]
    right, top = text.get_corner([1, 1, 0])[:2]
    assert left >= -64 / 9 + 0.3
    assert right <= 64 / 9 - 0.3
    assert bottom >= -4 + 0.3
    assert top <= -3
    assert text.get_x() == pytest.approx(0, abs=1e-6)
    assert text.em == LABEL
    assert {shape.get_fill_color().to_hex() for shape in text} == {theme.ink}


def test_a_caption_shows_every_character_as_it_is():
    text = 'a*b_c #1 $2 "[d]" <e>'
    assert caption((text,), DARK).width == pytest.approx(words(plain(text), color=DARK.ink).width)


def test_captions_are_burnt_in_one_at_a_time_behind_all_else():
    found = []

    def construct(scene):
        scene.add(Dot())
        scene.say("One.")
        scene.hold(1)
        scene.say("Two, which is longer.")
        scene.hold(2)

    def look(moment):
        *captions, dot = on_board(moment.scene)
        assert isinstance(dot, Dot)
        found.append([text.width for text in captions])

    went_through(construct, captions="burn", visit=look)
    assert [len(widths) for widths in found] == [1, 1]
    assert found[0] < found[1]

    found.clear()
    went_through(construct, captions="none", visit=look)
    assert found == [[], []]


def test_the_board_is_cleared_of_all_but_what_is_kept_and_the_caption():
    kept, gone, follower = Dot(), Square(), Square()
    follower.add_updater(lambda square: square.set_x(1))

    def construct(scene):
        scene.say("Look.")
        scene.add(kept, gone, follower)
        scene.clear_board(kept)
        scene.hold(1)

    scene = went_through(construct, captions="burn")
    assert on_board(scene) == [scene._caption, kept]
    assert not follower.updaters
    assert scene.elapsed == pytest.approx(1.6)


def test_nothing_to_clear_takes_no_time():
    kept = Dot()
    scene = went_through(lambda scene: (scene.add(kept), scene.clear_board(kept)))
    assert scene.elapsed == 0


# Looks


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_a_scene_is_drawn_on_the_ground_of_its_theme(theme):
    pictures = []
    went_through(
        lambda scene: scene.hold(1), visit=lambda moment: pictures.append(moment.picture().convert("RGB")), theme=theme
    )
    ground = tuple(bytes.fromhex(theme.ground[1:]))
    assert pictures[0].getcolors() == [(1280 * 720, ground)]


def test_a_title_stands_where_titles_stand():
    scene = LessonScene(theme=LIGHT, renderer=CairoRenderer())
    title = scene.title("A title, with $sqrt(d)$")
    assert title.get_left()[0] == pytest.approx(-64 / 9 + 0.5)
    assert title.get_bottom()[1] + title.baseline_above_bottom == pytest.approx(3.2)
    assert title.em == TITLE
    assert {shape.get_fill_color().to_hex() for shape in title} == {LIGHT.ink}


# Manim by itself


def test_manim_may_make_a_scene_without_telling_it_anything():
    scene = LessonScene()
    assert (scene.parameters, scene.theme, scene.burn_captions) == (Parameters(), DARK, False)


CUT_SHORT = f"""
from manim import Dot, FadeIn
from scenes.base import LessonScene

class Cut(LessonScene):
    def construct(self):
        self.say({LONG!r})
        self.play(FadeIn(Dot()), run_time=0.2)
        self.play(FadeIn(Dot()), run_time=0.2)
        self.hold(1)
"""


def test_manim_may_end_a_scene_early(tmp_path):
    """Manim's option -n draws some animations only, which is no fault of the last caption."""
    file = tmp_path / "cut.py"
    file.write_text(CUT_SHORT)
    arguments = ["-m", "manim", "-ql", "-n", "0,1", "--media_dir", str(tmp_path / "media"), str(file), "Cut"]
    offline = "import socket\nsocket.getaddrinfo = socket.create_connection = None\n"
    (tmp_path / "sitecustomize.py").write_text(offline)
    environment = {"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    result = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert [path.name for path in (tmp_path / "media" / "videos").rglob("Cut.mp4")] == ["Cut.mp4"]


# One thing for another, and things that move


def test_one_thing_comes_in_the_place_of_another_when_that_has_gone():
    old, new, opacities = Square(fill_opacity=1), Dot(), []

    def construct(scene):
        scene.add(old)
        scene.play(*scene.exchange(old, new), run_time=1)

    went_through(
        construct,
        points=(0.25, 0.5, 0.75),
        visit=lambda moment: opacities.append(
            tuple(round(float(part.get_fill_opacity()), 6) for part in (old, new)) if moment.progress < 1 else None
        ),
    )
    assert opacities[:3] == [(0.5, 0), (0, 0), (0, 0.5)]


def test_nothing_goes_where_nothing_was():
    new = Dot()
    scene = went_through(lambda scene: scene.play(*scene.exchange(None, new), run_time=1))
    assert on_board(scene) == [new]


def test_what_follows_is_redrawn_at_once_and_at_every_frame_until_it_is_let_go():
    tracker, one, two, drawn = ValueTracker(2), Dot(), Dot(), []

    def show():
        drawn.append(tracker.get_value())
        one.set_x(tracker.get_value())
        two.set_x(-tracker.get_value())

    def construct(scene):
        moving = scene.follow(show, one, two)
        assert (one.get_x(), two.get_x()) == pytest.approx((2, -2))
        scene.play(tracker.animate.set_value(4), run_time=1)
        moving.clear_updaters()
        scene.play(tracker.animate.set_value(9), run_time=1)

    went_through(construct, points=(0.5,))
    assert (one.get_x(), two.get_x()) == pytest.approx((4, -4))
    assert 3 in [round(value, 6) for value in drawn]
    assert max(drawn) == 4

"""The film's camera draws the very pixels that Manim's camera draws, whatever has been drawn before."""

import cairo
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manim import (
    BLUE,
    GREEN,
    RED,
    WHITE,
    YELLOW,
    Arc,
    Camera,
    CapStyleType,
    Circle,
    Dot,
    FadeOut,
    Line,
    LineJointType,
    Square,
    Star,
    Triangle,
    VGroup,
    VMobject,
)

from core.parameters import Parameters
from core.theme import DARK
from scenes import camera as module
from scenes import rendering
from scenes.camera import FilmCamera
from scenes.typesetting import HEADING, Readout, maths, texts_in, words
from tests.small_lesson import tools


@pytest.fixture(autouse=True)
def texts(tmp_path):
    """A folder for the files of texts, which processes must not share."""
    with texts_in(tmp_path):
        yield


SIZE = {"pixel_width": 320, "pixel_height": 180, "frame_width": 128 / 9, "frame_height": 8.0}


def cameras(**options):
    """The film's camera and Manim's, side by side."""
    return FilmCamera(**SIZE, **options), Camera(**SIZE, **options)


def draw(camera, *mobjects):
    """What a camera sees, (height, width, 4)."""
    camera.reset()
    camera.capture_mobjects(mobjects)
    return camera.pixel_array.copy()


def assert_same(ours, manims, *mobjects):
    """Both cameras see the same, and see something; gives it."""
    mine, theirs = draw(ours, *mobjects), draw(manims, *mobjects)
    np.testing.assert_array_equal(mine, theirs)
    return mine


def gradient():
    shape = Star(outer_radius=2.5, fill_opacity=1).set_fill([RED, GREEN, BLUE])
    return shape.set_stroke([YELLOW, WHITE], width=8)


def half_seen_gradient():
    shape = Square(4, stroke_width=0)
    shape.set_fill([RED, BLUE], opacity=[0.0, 1.0])
    return shape


def subpaths():
    shape = VMobject(fill_opacity=0.6, color=GREEN, stroke_width=2)
    for piece in (Circle(2.0), Square(1.0).shift([1, 0, 0]), Triangle().shift([-2, 1, 0])):
        shape.append_points(piece.points)
    return shape


def capped():
    return VGroup(
        *(
            VMobject(stroke_width=20, joint_type=joint, cap_style=cap)
            .set_points_as_corners([[x, -1, 0], [x + 0.5, 1, 0], [x + 1, -1, 0]])
            .set_stroke(WHITE, width=20)
            for x, joint, cap in zip((-5, -2, 1, 4), LineJointType, CapStyleType, strict=True)
        )
    )


def some_texts():
    return VGroup(
        words("Words, *strong* words", color=DARK.ink).shift([0, 2, 0]),
        maths("sqrt(d_k) / 2", em=HEADING, color=DARK.scaled),
        Readout("0.25 × 8", 0, -2, color=DARK.raw),
    )


def not_finite():
    shape = Square(color=RED, fill_opacity=1)
    shape.points[3, 1] = np.nan
    return VGroup(Circle(color=BLUE, fill_opacity=1), shape, Dot([3, 0, 0]))


def hardly_a_shape():
    """Shapes of a point or two, which are no curve, between shapes that are."""
    pieces = [VMobject(color=RED, fill_opacity=1) for _ in range(3)]
    for number, piece in enumerate(pieces):
        piece.points = np.ones((number + 1, 3))
    return VGroup(Circle(color=BLUE, fill_opacity=0.5), *pieces, VMobject(fill_opacity=1, color=GREEN), Dot([3, 0, 0]))


PICTURES = {
    "a fill": lambda: Circle(2, fill_opacity=1, stroke_width=0, color=RED),
    "a fill and a stroke": lambda: Square(3, fill_opacity=0.4, stroke_width=10, color=GREEN),
    "a stroke alone": lambda: Arc(2, stroke_width=5, fill_opacity=0, color=YELLOW),
    "a stroke without width": lambda: Circle(2, stroke_width=0, fill_opacity=0.2),
    "a stroke behind the fill": lambda: Square(3, fill_opacity=0.7).set_stroke(RED, width=25, background=True),
    "only a stroke behind": lambda: Square(3, stroke_width=0).set_stroke(RED, width=25, opacity=0.5, background=True),
    "an unseen stroke": lambda: Square(3, fill_opacity=1).set_stroke(RED, width=9, opacity=0),
    "an unseen shape": lambda: VGroup(Dot(), Square(3, fill_opacity=0, stroke_opacity=0), Line()),
    "a gradient": gradient,
    "a gradient from nothing": half_seen_gradient,
    "several outlines in one": subpaths,
    "caps and joints": capped,
    "texts": some_texts,
    "bars": lambda: VGroup(*(Square(0.3 + n / 5, fill_opacity=n / 8).shift([n - 4, 0, 0]) for n in range(8))),
    "a point that is no number": not_finite,
    "what is hardly a shape": hardly_a_shape,
    "beyond the frame": lambda: Circle(9, stroke_width=50, fill_opacity=0.3).shift([6, 3, 0]),
    "order by depth": lambda: VGroup(
        *(Square(2, fill_opacity=1, color=c).shift([x, x / 2, 0]).set_z_index(z) for c, x, z in DEPTHS)
    ),
}
DEPTHS = ((RED, 0, 3), (GREEN, 0.5, -1), (BLUE, 1, 2), (YELLOW, 1.5, 2), (WHITE, -0.5, 0))


@pytest.mark.parametrize("opacity", [1.0, 0.0])
@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_the_pixels_are_manims(picture, opacity):
    """Drawn for the first time, then again from memory, on the ground and on nothing."""
    # Cairo's colours are multiplied by their opacity, so what is not there must be black.
    ours, manims = cameras(background_color="#10141D" if opacity else "#000000", background_opacity=opacity)
    mobject = picture()
    first = assert_same(ours, manims, mobject)
    np.testing.assert_array_equal(assert_same(ours, manims, mobject), first)
    assert (first != draw(manims)).any()


def test_all_pictures_after_one_another_are_manims():
    """What is remembered of one shape never shows in another, though it stands where the other stood in memory."""
    ours, manims = cameras()
    for _ in range(3):
        for picture in PICTURES.values():
            assert_same(ours, manims, picture())  # a new shape each time, at an address that another may have had


CHANGES = {
    "moved": lambda shape, t: shape.shift([0.013, 0.007, 0]),
    "turned": lambda shape, t: shape.rotate(0.1),
    "made larger": lambda shape, t: shape.scale(1.01),
    "one point of it": lambda shape, t: shape.points.__setitem__((5, 0), shape.points[5, 0] + 0.02),
    "given more points": lambda shape, t: shape.append_points(Dot([t / 5, 2, 0]).points),
    "another shape": lambda shape, t: shape.set_points(Circle(1 + t / 10).points if t % 2 else Square(2).points),
    "no shape": lambda shape, t: shape.set_points(np.zeros((0, 3)) if t % 2 else Square(2).points),
    "its colour": lambda shape, t: shape.set_color([RED, GREEN, BLUE][t % 3]),
    "its strength": lambda shape, t: shape.set_opacity(t % 4 / 4),
    "its stroke": lambda shape, t: shape.set_stroke(width=t % 3 * 4),
    "its edges": lambda shape, t: setattr(shape, "joint_type", list(LineJointType)[t % 4]),
    "nothing": lambda shape, t: None,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_shape_that_changes_is_drawn_as_it_is_now(change):
    ours, manims = cameras()
    shape = Square(2, color=GREEN, fill_opacity=0.5, stroke_width=6)
    beside = Circle(1, color=RED, fill_opacity=1).shift([3, 0, 0])
    for step in range(8):
        assert_same(ours, manims, beside, shape)
        change(shape, step)


def test_a_fade_is_manims():
    ours, manims = cameras()
    group = VGroup(Square(2, fill_opacity=1), gradient(), some_texts())
    fade = FadeOut(group)
    fade.begin()
    for progress in np.linspace(0, 1, 9):
        fade.interpolate(progress)
        assert_same(ours, manims, group)


@given(
    points=st.lists(st.tuples(st.integers(-60, 60), st.integers(-40, 40)), min_size=2, max_size=7),
    width=st.sampled_from([0, 0.5, 2, 30]),
    fill=st.sampled_from([0, 0.3, 1]),
    closed=st.booleans(),
    smooth=st.booleans(),
)
@settings(max_examples=150)
def test_any_shape_is_drawn_from_memory_as_it_was_drawn_at_first(points, width, fill, closed, smooth):
    """Corners on pixels' edges, doubled points and needles among them."""
    ours, manims = cameras()
    corners = [[x / 10, y / 10, 0] for x, y in points]
    shape = VMobject(fill_opacity=fill, color=YELLOW).set_stroke(RED, width=width)
    shape.set_points_as_corners([*corners, corners[0]] if closed else corners)
    if smooth:
        shape.make_smooth()
    assert_same(ours, manims, shape)
    assert_same(ours, manims, shape)


def test_what_was_drawn_before_does_not_change_a_picture():
    """A process that drew an earlier animation and one that skipped it show the same: rounding errors do not show."""
    fresh, experienced = (cameras()[0] for _ in range(2))
    shape = Star(outer_radius=2.5, fill_opacity=0.8, stroke_width=3, color=BLUE).rotate(0.3)
    for nudge in np.random.default_rng(0).normal(0, 1e-15, (20, 1, 3)):
        draw(experienced, shape)
        shape.points = shape.points * (1 + nudge)
    np.testing.assert_array_equal(draw(experienced, shape), draw(fresh, shape))


def test_outlines_are_remembered_and_not_for_ever(monkeypatch):
    """Handing an outline to Cairo point by point is the slow part: it is done once for a shape that stays."""
    calls = []
    original = Camera.set_cairo_context_path

    def count(self, context, vmobject):
        calls.append(vmobject)
        return original(self, context, vmobject)

    monkeypatch.setattr(Camera, "set_cairo_context_path", count)
    monkeypatch.setattr(module, "KEPT_OUTLINES", 20)
    camera, _ = cameras()
    shapes = [Dot([x / 3, 0, 0]) for x in range(15)]
    for _ in range(5):
        draw(camera, *shapes, Square(fill_opacity=0, stroke_opacity=0))
    assert len(calls) == len(shapes)
    for _ in range(10):
        draw(camera, *(Dot([x / 3, 1, 0]) for x in range(15)))
        assert len(camera._outlines) <= 21


def test_what_is_remembered_is_no_part_of_the_names_of_segments():
    """Manim hashes all that stands in a camera's __dict__; addresses there would name segments anew in every run."""
    camera, manims = cameras()
    before = set(vars(camera))
    draw(camera, Dot())
    draw(manims, Dot())
    assert set(vars(camera)) == set(vars(manims)) >= before


def test_cairo_gives_outlines_back_as_it_took_them():
    """What the camera stands on: an outline handed over whole is the outline handed over point by point."""
    pictures = []
    for whole in (False, True):
        surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, 100, 60)
        context = cairo.Context(surface)
        context.set_matrix(cairo.Matrix(100 / 14.2, 0, 0, -60 / 8, 50, 30))
        context.move_to(-3.1, 1 / 3)
        context.curve_to(1, 3, 2, -3, 5.5, 0.1)
        context.line_to(0.123, -2.5)
        context.close_path()
        if whole:
            path = context.copy_path()
            context.new_path()
            context.append_path(path)
        context.set_line_width(0.3)
        context.stroke()
        pictures.append(bytes(surface.get_data()))
    assert pictures[0] == pictures[1]
    assert any(pictures[0])


def test_a_scene_draws_the_same_with_either_camera(monkeypatch):
    """Every kind of motion there is in the small lesson, moment by moment."""
    tools.use_small_lesson(monkeypatch)
    kind = rendering.scene_class("moving")
    options = rendering.FilmOptions("l")
    seen = []

    def look(moment):
        ours = FilmCamera() if not seen else seen[-1][0]
        theirs = Camera()
        for camera in (ours, theirs):
            camera.background_color = moment.scene.theme.ground
            camera.reset()
            camera.capture_mobjects(moment.scene.mobjects)
        np.testing.assert_array_equal(ours.pixel_array, theirs.pixel_array)
        seen.append((ours, theirs.pixel_array.copy()))

    rendering.rehearse(kind, Parameters(), options, look, points=(0, 0.1, 0.3, 0.5, 0.7, 0.9))
    assert len(seen) > 20
    assert len({picture.tobytes() for _, picture in seen}) > 10


def test_shapes_that_stand_still_are_drawn_from_memory(monkeypatch):
    """Cairo draws each twice, to show it and to find out what it covers, and then no more, whatever their colour."""
    assert module._coverage_is_exact(), "this Cairo rounds in another way: films are right, but take longer"
    drawn = []
    for name in ("apply_fill", "apply_stroke"):

        def noted(self, *arguments, name=name, **options):
            drawn.append(self)
            return getattr(Camera, name)(self, *arguments, **options)

        monkeypatch.setattr(FilmCamera, name, noted, raising=False)
    ours, manims = cameras()
    shapes = [Square(fill_opacity=1, stroke_width=6), Circle(fill_opacity=0.5), Dot()]
    counts = []
    for color in ("#FF8A5B", "#5BB8F6", "#FFFFFF", "#101010"):
        for shape in shapes:
            shape.set_color(color)
        np.testing.assert_array_equal(draw(ours, *shapes), draw(manims, *shapes))
        counts.append(len(drawn))
    assert counts == [counts[0], *[2 * counts[0]] * 3]
    assert counts[0] >= len(shapes)


def test_a_cairo_that_rounds_in_another_way_is_found_out_and_draws_anew(monkeypatch):
    share, shape = module._share, Square(fill_opacity=1)
    monkeypatch.setattr(module, "_share", lambda pixels, part: share(pixels, part) + (part % 7 == 0))
    verdict = module._coverage_is_exact.__wrapped__()
    assert not verdict
    monkeypatch.setattr(module, "_coverage_is_exact", lambda: verdict)
    ours, manims = cameras()
    for _ in range(3):
        np.testing.assert_array_equal(draw(ours, shape), draw(manims, shape))

"""What every scene keeps to: room, size, contrast, reading time, holds, words, and independence of what was skipped.

The rules for single pictures are in tests/scenes/layout.py. Each is shown here to fail for a scene that breaks it.
"""

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import av
import manim
import numpy as np
import pytest
from manim import DOWN, LEFT, RIGHT, UP, FadeIn, FadeOut, Square, ValueTracker
from PIL import Image

from core.cases import collapse_case, divisors_case, saturation_case, walks_case
from core.numerals import MINUS, fixed, whole
from core.parameters import Parameters
from core.theme import DARK, LIGHT, Theme
from scenes import rendering
from scenes.base import Cue, LessonScene
from scenes.parts import Bars, Lines
from scenes.rendering import FilmOptions, Moment, Plan, plan_key, rehearse, render, scene_class, scene_names
from scenes.segments import Quality, Segments
from scenes.typesetting import LABEL, Readout, maths, place, words
from tests.scenes.layout import NUMBER, RULES, Rehearsal, rehearsed

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = {"growth": (60, 80), "saturation": (60, 75), "rescaling": (75, 90)}  # seconds, at the defaults
CHARACTERS, LINES, SPEED = 42, 2, 17  # of a caption: in a line, at most; lines; characters a second

# Only what a scene uses is taken from each.
SETS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "smallest": {"d_k": 2, "sizes": (2, 3), "n_keys": 2, "scores": (0, 0.1), "pairs": 1_000_000, "seed": 1},
    "largest": {
        "d_k": 4096,
        "sizes": (2, 4, 64, 100, 4000, 4096),
        "n_keys": 16,
        "scores": (-10, 9.5, 3, -2.25, 0, 1, 7, 10),
        "pairs": 100,
        "seed": 2**32 - 1,
    },
    "widest numbers": {
        "d_k": 3999,
        "sizes": (1000, 1001, 1500, 1999, 2000, 4001),
        "n_keys": 11,
        "scores": (-9.75, 9.99, -9.99, -8.88, 9.25, -0.01, -7.77),
        "pairs": 1234,
        "seed": 12,
    },
    "far apart": {"d_k": 4096, "sizes": (2, 4096), "n_keys": 16, "scores": (-10, 10), "seed": 3},
}
# Places do not depend on the theme, so it is enough to see both themes where the most different things are shown.
CASES = [(name, which, DARK) for name in scene_names() for which in SETS]
CASES += [(name, which, LIGHT) for name in scene_names() for which in ("defaults", "largest")]


def parameters_for(kind: type[LessonScene], which: dict[str, Any]) -> Parameters:
    return Parameters(**{name: value for name, value in which.items() if name in kind.USES})


@cache
def look_at(name: str, which: str, theme: Theme = DARK) -> Rehearsal:
    """Go through a scene, once for all rules."""
    kind = scene_class(name)
    return rehearsed(kind, parameters_for(kind, SETS[which]), theme)


# Of the module, so that tests of the same rehearsal come one after another, in the same process.
@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}, {case[1]}, {case[2].name}")
def seen(request: pytest.FixtureRequest) -> Rehearsal:
    return look_at(*request.param)


@pytest.fixture(scope="module", params=scene_names())
def by_default(request: pytest.FixtureRequest) -> Rehearsal:
    return look_at(request.param, "defaults")


# Pictures


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_picture_of_a_scene_breaks_a_rule(seen, rule):
    assert seen.faults[rule.__name__] == []


def tiny_scene(draw: Callable[[Any], None], name: str = "Tiny") -> type[LessonScene]:
    """A scene of one beat in which ``draw`` says what happens; it ends on a hold."""

    def construct(self: Any) -> None:
        self.beat("only")
        draw(self)
        self.hold(1)

    facts = {"TITLE": "Tiny", "SECONDS": 1, "USES": ("d_k",), "construct": construct, "__module__": __name__}
    return type(name, (LessonScene,), facts)


def ink(scene: Any, markup: str, x: float, y: float, **options: Any) -> Any:
    return place(words(markup, **({"color": scene.theme.ink} | options)), x, y)


def bar(scene: Any, color: str) -> Bars:
    return Bars(np.array([-1.0]), 2.0, -1.0, color).show(np.array([2.0]))


def line(color: str, *corners: tuple[float, float], width: float = 4) -> Lines:
    return Lines(color, width).show(np.array([(x, y, 0) for x, y in corners]))


def swap(scene: Any) -> None:
    """Two numbers change places on one line."""
    one, two = Readout("1", -1, 0, color=scene.theme.ink), Readout("2", 1, 0, color=scene.theme.ink)
    scene.add(one, two)
    scene.play(one.animate.shift(2 * RIGHT), two.animate.shift(2 * LEFT), run_time=1)


def surge(scene: Any) -> None:
    """A bar rises behind a number and sinks again, which no end of an animation shows."""
    rising, way = Bars(np.array([-1.0]), 2.0, -1.0, scene.theme.ink), ValueTracker(0)
    rising.add_updater(lambda bars: bars.show(2 * np.sin(np.pi * way.get_value())[None]))
    scene.add(rising, Readout("1", 0, 0, color=scene.theme.ink))
    scene.play(way.animate.set_value(1), run_time=1)


def outing(scene: Any) -> None:
    """A square leaves the frame and comes back, which no end of an animation shows."""
    square = Square(0.4, fill_color=scene.theme.raw, fill_opacity=1, stroke_width=0).shift(6 * RIGHT)
    way = ValueTracker(0)
    square.add_updater(lambda square: square.set_x(6 + 1.2 * np.sin(np.pi * way.get_value())))
    scene.add(square)
    scene.play(way.animate.set_value(1), run_time=1)


BROKEN: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "a long text": ("leaves_the_frame", "right", lambda scene: scene.add(ink(scene, "very long " * 14, 1, 0))),
    "a text at the edge": ("leaves_the_frame", "left", lambda scene: scene.add(ink(scene, "x", -6.9, 0))),
    "a stroke at the edge": ("leaves_the_frame", "top", lambda s: s.add(line(s.theme.raw, (-1, 3.69), (1, 3.69)))),
    "a low text": ("leaves_the_frame", "caption band", lambda scene: scene.add(ink(scene, "low", 0, -3.1))),
    "a low mark": ("leaves_the_frame", "caption band", lambda s: s.add(bar(s, s.theme.raw).shift(2.1 * DOWN))),
    "a mark that leaves for a moment": ("leaves_the_frame", "right", outing),
    "a text on another": (
        "texts_overlap",
        "on each other",
        lambda s: s.add(ink(s, "one", 0, 0), ink(s, "two", 0.2, 0.1)),
    ),
    "a number on a text": (
        "texts_overlap",
        "on each other",
        lambda s: s.add(ink(s, "one", 0, 0), Readout("2", 0.1, 0, color=s.theme.raw)),
    ),
    "numbers that touch": (
        "texts_overlap",
        "apart",
        lambda s: s.add(*(Readout("0.00", x, 0, color=s.theme.ink) for x in (0, 0.52))),
    ),
    "texts that pass through each other": ("texts_overlap", "on each other", swap),
    "a copy of a formula on it": (
        "texts_overlap",
        "on each other",
        lambda s: s.add(formula := maths("q dot k", color=s.theme.ink), formula.copy().shift(0.05 * UP)),
    ),
    "a small text": ("text_is_small", "1/37", lambda scene: scene.add(ink(scene, "small", 0, 0, em=8 / 37))),
    "a text made smaller": ("text_is_small", "1/56", lambda scene: scene.add(ink(scene, "small", 0, 0).scale(0.5))),
    "a number made smaller": (
        "text_is_small",
        "1/56",
        lambda s: s.add(Readout("64", color=s.theme.ink).scale(0.5)),
    ),
    "a text in the colour of tracks": (
        "text_is_faint",
        "contrast",
        lambda s: s.add(ink(s, "pale", 0, 0, color=s.theme.faint)),
    ),
    "a dimmed text": ("text_is_faint", "contrast", lambda s: s.add(ink(s, "pale", 0, 0).set_opacity(0.4))),
    "a text on a bar of its colour": (
        "text_is_faint",
        "contrast",
        lambda s: s.add(bar(s, s.theme.raw), ink(s, "8", 0, 0, color=s.theme.scaled)),
    ),
    "a text half on a bar of its colour": (
        "text_is_faint",
        "contrast",
        lambda s: s.add(bar(s, s.theme.ink), ink(s, "0.35", 1, 0)),
    ),
    "a text behind a bar": ("text_is_faint", "1.00", lambda s: s.add(ink(s, "8", 0, 0), bar(s, s.theme.raw))),
    "a number on a bar that comes and goes": ("text_is_faint", "1.00", surge),
    "a pale mark": ("mark_is_faint", "contrast", lambda s: s.add(bar(s, s.theme.raw).set_opacity(0.3))),
    "a pale line": (
        "mark_is_faint",
        "contrast",
        lambda s: s.add(line(s.theme.muted, (-1, 0), (1, 0)).set_stroke(opacity=0.3)),
    ),
    "a colour of its own": ("color_is_foreign", "colour", lambda s: s.add(bar(s, "#FFFF00"))),
    "a text of another colour": ("color_is_foreign", "colour", lambda s: s.add(ink(s, "x", 0, 0, color="#777700"))),
    "a line through a text": (
        "line_runs_through_text",
        "runs through 'x'",
        lambda s: s.add(line(s.theme.raw, (-1, 0.05), (1, 0.1)), ink(s, "x", 0, 0)),
    ),
    "a line over a text's halo": (
        "line_runs_through_text",
        "runs through 'x'",
        lambda s: s.add(
            ink(s, "x", 0, 0).set_stroke(s.theme.ground, 8, background=True), line(s.theme.raw, (0, -1), (0, 1))
        ),
    ),
}


@pytest.mark.parametrize(
    ("broken", "theme"),
    [(key, DARK) for key in BROKEN]
    + [(key, LIGHT) for key, (rule, _, _) in BROKEN.items() if "faint" in rule or "foreign" in rule],
    ids=lambda value: getattr(value, "name", value),
)
def test_every_rule_for_pictures_can_fail(broken, theme):
    rule, fault, draw = BROKEN[broken]
    found = rehearsed(tiny_scene(draw), theme=theme).faults
    assert any(fault in text for text in found.pop(rule)), "the fault was not found"
    if rule != "color_is_foreign":  # which fits in with no rule on contrast
        assert not any(found.values()), "another rule took the blame"


def test_what_is_allowed_is_no_fault():
    def draw(scene: Any) -> None:
        theme = scene.theme
        title = scene.title("One")
        formula = place(maths("{{ q : q }} dot {{ k : k }} / sqrt(d)", color=theme.ink), 4, 0)
        formula.select("q").set_color(theme.query)
        scene.add(title, formula, bar(scene, theme.raw), ink(scene, "on it", 0, 0, color=theme.ground))
        scene.add(line(theme.raw, (-3, 2), (3, 2)))
        scene.add(ink(scene, "haloed", 0, 1.93).set_stroke(theme.ground, 8, background=True))
        scene.add(line(theme.faint, (-5, -1), (-3, -1)), ink(scene, "on the grid", -4, -1.05))
        scene.play(FadeOut(title), FadeIn(scene.title("Another")), run_time=1)  # a cross-fade in place
        # Pieces of a formula are one text, even when some of them are off on their own.
        scene.remove(*formula.select("q"))
        scene.play(formula.select("q").animate.shift(0.5 * UP), run_time=1)
        scene.add(ink(scene, "to the last", 0, -2.95 + 0.3 * LABEL))

    faults = rehearsed(tiny_scene(draw)).faults
    assert not any(faults.values()), faults


# Captions, beats and clock


def check_captions(seen: Rehearsal) -> None:
    assert seen.scene.cues
    for cue, (start, end) in zip(seen.scene.cues, seen.spans(), strict=True):
        assert 1 <= len(cue.lines) <= LINES
        assert all(0 < len(text) <= CHARACTERS for text in cue.lines)
        assert end - start >= sum(map(len, cue.lines)) / SPEED - 1e-6, f"{cue.lines} is up for {end - start:.1f} s"


def check_beats(seen: Rehearsal) -> None:
    beats = seen.scene.beats
    assert beats
    assert beats[0].start == 0
    assert len({beat.name for beat in beats}) == len(beats), "a still is known by its beat's name"
    lasts = [beat.start - 1 for beat in beats[1:]] + [len(seen.starts) - 1]
    assert [beat.name for beat, last in zip(beats, lasts, strict=True) if last not in seen.holds] == []


def check_run_times(seen: Rehearsal) -> None:
    fifths = np.diff([*seen.starts, seen.seconds]) * 5
    assert fifths.min() > 0.999
    np.testing.assert_allclose(fifths, fifths.round(), atol=1e-4)


def check_length(seen: Rehearsal) -> None:
    assert seen.seconds == pytest.approx(type(seen.scene).SECONDS, rel=0.1)
    name = type(seen.scene).__module__.rpartition(".")[2]
    shortest, longest = LENGTHS.get(name, (0, np.inf))
    assert shortest <= seen.seconds <= longest


@pytest.mark.parametrize("check", [check_captions, check_beats, check_run_times], ids=lambda check: check.__name__)
def test_captions_beats_and_clock(seen, check):
    """Captions are short and up for long enough, beats end on holds, run times are whole fifths of a second."""
    check(seen)


def test_a_film_is_as_long_as_promised(by_default):
    check_length(by_default)


@pytest.fixture
def sound() -> Rehearsal:
    """A scene of one caption and three holds of a second that breaks no rule."""

    def draw(scene: Any) -> None:
        scene.say("Read this.")
        scene.hold(1)
        scene.hold(1)

    seen = rehearsed(tiny_scene(draw))
    type(seen.scene).SECONDS = 3
    for check in (check_captions, check_beats, check_run_times, check_length):
        check(seen)
    return seen


@pytest.mark.parametrize("lines", [("x" * 43,), ("one", "two", "three"), (), ("x" * 40, "x" * 40), ("", "one")])
def test_the_rule_for_captions_can_fail(sound, lines):
    sound.scene.cues[:] = [Cue(lines, 0)]
    with pytest.raises(AssertionError):
        check_captions(sound)


def test_the_rule_for_the_last_caption_can_fail(sound):
    sound.scene.cues.append(Cue(("The last caption, which nobody can read.",), 2))
    with pytest.raises(AssertionError, match=r"is up for 1\.0 s"):
        check_captions(sound)


def test_the_rules_for_beats_and_clock_can_fail(sound):
    sound.holds.discard(2)
    with pytest.raises(AssertionError, match="only"):
        check_beats(sound)
    sound.starts[1] += 0.1
    with pytest.raises(AssertionError):
        check_run_times(sound)
    type(sound.scene).SECONDS = 2.5
    with pytest.raises(AssertionError):
        check_length(sound)


# Words


SOURCES = sorted(path for path in (ROOT / "scenes").glob("*.py"))
TEXT_SETTERS = ("Typst", "MathTypst")  # only scenes/typesetting.py may use them


@cache
def latex() -> frozenset[str]:
    """Manim's names for all that is set by LaTeX, or by the machine's own fonts."""
    setters = (manim.Text, manim.MarkupText, manim.SingleStringMathTex, manim.Code, manim.Table)
    setters += (manim.DecimalNumber, manim.Variable, manim.NumberLine, manim.Axes, manim.Matrix, manim.BraceLabel)
    setters += (manim.Paragraph, manim.LabeledDot, manim.LabeledLine, manim.PolarPlane, manim.SampleSpace)
    kinds = {name for name, member in vars(manim).items() if inspect.isclass(member) and issubclass(member, setters)}
    return frozenset(kinds | {"TexTemplate", "MathTexPart", "index_labels", "Tex", "MathTex"})


def test_what_latex_means_covers_what_scenes_are_known_to_trip_over():
    assert {"Tex", "MathTex", "DecimalNumber", "Integer", "Text", "BarChart", "NumberPlane", "Title"} <= latex()
    assert not {"VMobject", "Typst", "MathTypst", "Square", "VGroup"} & latex()


def used_names(tree: ast.AST) -> Iterator[str]:
    """Every name that code imports, uses or reaches for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def forbidden_names(source: str, allowed: tuple[str, ...] = ()) -> set[str]:
    names = set(used_names(ast.parse(source)))
    return names & ({*latex(), *TEXT_SETTERS, "get_tex", "add_coordinates", "include_numbers", "*"} - {*allowed})


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_scene_sets_text_but_by_typesetting(path):
    allowed = TEXT_SETTERS if path.stem == "typesetting" else ()
    assert forbidden_names(path.read_text(encoding="utf-8"), allowed) == set()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from manim import MathTex", "MathTex"),
        ("from manim import *", "*"),
        ("import manim\nmanim.Text('x')", "Text"),
        ("label = DecimalNumber(3)", "DecimalNumber"),
        ("from manim import Typst", "Typst"),
    ],
)
def test_the_rule_on_text_can_fail(source, name):
    assert forbidden_names(source) == {name}


ALWAYS = {"0", "1"}  # a mean of 0, a spread of 1, 1 - p: no parameter decides them
NO_NUMBER = re.compile(r"\b10(?:\^|$)|^-\d$")  # the base of a power of ten, and an index at the end of a name
SPELLED = re.compile(r"\b(?:three|four|five|six|seven|eight|nine|ten|twelve|sixteen|hundred|thousand)\b")
FORMATTERS = ("fixed", "whole", "short", "significant", "Readout")


def typed_numbers(source: str) -> list[str]:
    """Numbers, in digits or words, that a scene's texts hold without computing them."""
    tree = ast.parse(source)
    plain_strings = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            plain_strings.add(node.body[0].value)  # type: ignore[attr-defined]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "maketrans":
            plain_strings.update(node.args)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in plain_strings:
            text = NO_NUMBER.sub("", node.value)
            found += [number for match in NUMBER.findall(text) if (number := match.rstrip(",")) not in ALWAYS]
            found += SPELLED.findall(node.value) if " " in node.value else []
        elif isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Constant):
            found.append(str(node.value.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORMATTERS:
            values = [given.value for given in node.args[:1] if isinstance(given, ast.Constant)]
            found += [str(value) for value in values if isinstance(value, (int, float)) and value not in (0, 1)]
    return found


@pytest.mark.parametrize("name", scene_names())
def test_no_number_is_typed(name):
    source = Path(inspect.getfile(scene_class(name))).read_text(encoding="utf-8")
    assert typed_numbers(source) == []


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ('say("The slope is 664 times flatter.")', ["664"]),
        ('words(f"{n} of 10,000 pairs")', ["10,000"]),
        ('maths("sqrt(64) = 8")', ["64", "8"]),
        ('say("A weight of 0.67.")', ["0.67"]),
        ('say("Eight keys, or eight of them.")', ["eight"]),
        ('say(f"{64} numbers")', ["64"]),
        ("words(whole(1024))", ["1024"]),
        ('maths("p (1 - p)"), maths("q_1 k_2 + {{ q_2 : q-2 }}"), say("mean 0, spread 1"), whole(d)', []),
        ('say(f"close to 1/{n}")', []),
        ('def f():\n    """A docstring about 64."""', []),
    ],
)
def test_the_rule_on_typed_numbers_can_fail(source, numbers):
    assert typed_numbers(source) == numbers


OTHERS = {
    "d_k": 3001,
    "sizes": (3, 31, 2900),
    "n_keys": 5,
    "scores": (1.55, -0.45, 3.35, 2.65),
    "pairs": 2345,
    "seed": 7,
}


@cache
def lasting() -> frozenset[str]:
    """Numbers that no parameter decides, as scenes may write them: those of the fixed example, and how many draws."""
    example, slopes = collapse_case(), saturation_case(Parameters())
    values = np.concatenate([np.ravel(np.asarray(held, dtype=float)) for held in vars(example).values()]).tolist()
    values += [len(example.scores), 1 / len(example.scores), example.factor / example.d, slopes.curve_slopes.max()]
    counts = [divisors_case(Parameters()).draws, len(walks_case(Parameters()).ends), slopes.shift]
    texts = {fixed(value, digits) for value in values for digits in range(5)} | {whole(count) for count in counts}
    return frozenset(text.lstrip(MINUS) for text in texts | ALWAYS)


def test_every_number_changes_with_the_parameters(by_default):
    """One that stays although every parameter is another must be one that no parameter decides."""
    kind = type(by_default.scene)
    other = rehearsed(kind, parameters_for(kind, OTHERS))
    if "d_k" in kind.USES:
        assert whole(Parameters().d_k) in by_default.numbers()
        assert whole(OTHERS["d_k"]) in other.numbers()
    assert (by_default.numbers() & other.numbers()) - lasting() == set()


class OtherwiseError(Exception):
    """A scene looks otherwise than before: there is no need to go on."""


def outlines_at_holds(kind: type[LessonScene], parameters: Parameters, before: Sequence[bytes] = ()) -> list[bytes]:
    """The points of all shapes at each hold.

    Raises
    ------
    OtherwiseError
        They are others than ``before``, as soon as that is seen.
    """
    found: list[bytes] = []

    def look(moment: Moment) -> None:
        if moment.held:
            shapes = [part for shape in moment.scene.mobjects for part in shape.get_family()]
            found.append(b"".join(part.points.tobytes() for part in shapes))
            if before and found != list(before[: len(found)]):
                raise OtherwiseError

    rehearse(kind, parameters, FilmOptions(captions="burn"), look)
    return found


def check_uses(kind: type[LessonScene]) -> None:
    by_default = outlines_at_holds(kind, Parameters())
    for name in kind.USES:
        with pytest.raises(OtherwiseError):  # or this parameter changes nothing
            outlines_at_holds(kind, Parameters(**{name: OTHERS[name]}), by_default)


@pytest.mark.parametrize("name", scene_names())
def test_every_parameter_that_a_scene_declares_changes_it(name):
    """USES is what the command line goes by when it takes an option."""
    check_uses(scene_class(name))


def test_the_rule_on_declared_parameters_can_fail():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_uses(tiny_scene(lambda scene: scene.add(ink(scene, "the same", 0, 0))))
    check_uses(tiny_scene(lambda scene: scene.add(ink(scene, whole(scene.parameters.d_k), 0, 0))))


# Drawn or skipped


TINY = Quality(160, 90, 5)
LOSSLESS = FilmOptions(quality="l", format="gif", captions="none")


@pytest.fixture(scope="module", autouse=True)
def tiny_pictures() -> Iterator[None]:
    """Films as small as can be, so that a whole one is drawn in seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(rendering.QUALITIES, "l", TINY)
        yield


@dataclass
class Film:
    """A scene that was drawn from the first frame to the last, and where its segments stand."""

    name: str
    out: Path
    plan: Plan

    def segment(self, key: str) -> Path:
        return self.out / rendering.CACHE / "segments" / f"{key}.mp4"

    def contents(self) -> dict[str, bytes]:
        return {key: self.segment(key).read_bytes() for key in self.plan.keys}

    def ends(self) -> list[np.ndarray]:
        """The last frame of every beat, (height, width, 3)."""
        after = [beat.start for beat in self.plan.beats[1:]] + [len(self.plan.keys)]
        return [last_frame(self.segment(self.plan.keys[end - 1])) for end in after]


def last_frame(path: Path) -> np.ndarray:
    with av.open(path) as container:
        *_, frame = container.decode(video=0)
        return np.asarray(frame.to_ndarray(format="rgb24"))


def drawn(name: str, out: Path) -> Film:
    """Draw what is missing of a scene's segments in ``out``."""
    (take,) = rendering.record([name], Parameters(), LOSSLESS, out)
    kept = Segments(out / rendering.CACHE / "segments")
    plan = Plan.read(kept, plan_key(scene_class(name), Parameters(), LOSSLESS))
    assert plan is not None
    assert len(take.segments) == len(plan.keys)
    return Film(name, out, plan)


def forget(film: Film, keys: set[str]) -> None:
    """Remove segments, and what is known of the scene, so that it is gone through again."""
    for path in film.segment("").parent.glob("*.json"):
        path.unlink()
    for key in keys:
        film.segment(key).unlink()


@pytest.fixture(scope="module", params=scene_names())
def film(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tiny_pictures: None) -> Film:
    return drawn(request.param, tmp_path_factory.mktemp(request.param))


def check_that_skipping_changes_nothing(film: Film) -> None:
    """Draw every other segment again, with those between them skipped: the same names, and the same bytes."""
    before = film.contents()
    forget(film, set(film.plan.keys[1::2]))
    again = drawn(film.name, film.out)
    assert again.plan.keys == film.plan.keys
    assert again.contents() == before


IN_ANOTHER_PROCESS = """
import json, pathlib, sys
from core.parameters import Parameters
from scenes import rendering
from scenes.segments import Quality

name, out, *picture = sys.argv[1:]
rendering.QUALITIES["l"] = Quality(*map(int, picture))
options = rendering.FilmOptions(quality="l", format="gif", captions="none")
reports = []
(take,) = rendering.record([name], Parameters(), options, pathlib.Path(out), reports.append)
print(json.dumps([path.stem for path in take.segments]))
"""


def test_a_scene_is_the_same_drawn_and_skipped(film):
    check_that_skipping_changes_nothing(film)


def test_a_scene_is_the_same_in_another_process(film):
    """Only the end is drawn again, in a process that orders its sets in another way."""
    before = film.contents()
    forget(film, {film.plan.keys[-1]})
    picture = map(str, (TINY.width, TINY.height, TINY.frame_rate))
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    result = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, film.name, str(film.out), *picture],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert tuple(json.loads(result.stdout)) == film.plan.keys
    assert film.contents() == before
    assert len(list(film.segment("").parent.glob("*.mp4"))) == len(before), "it drew what was there under another name"


def test_every_beat_of_a_film_ends_like_its_still(film, tmp_path):
    stills = render([film.name], Parameters(), FilmOptions(quality="l", format="png", captions="none"), tmp_path)
    pictures = [np.asarray(Image.open(path)) for path in stills]
    assert len(pictures) == len(film.plan.beats)
    for beat, frame, still in zip(film.plan.beats, film.ends(), pictures, strict=True):
        np.testing.assert_array_equal(frame, still, err_msg=beat.name)


def creeping(scene: Any) -> None:
    """A dot that goes a step further at every frame: how far it comes depends on how many were drawn."""
    dot = Square(0.4, fill_color=scene.theme.raw, fill_opacity=1, stroke_width=0).shift(3 * LEFT)
    dot.add_updater(lambda dot: dot.shift(0.05 * RIGHT))
    scene.add(dot)
    scene.play(FadeIn(ink(scene, "one", 0, 2)), run_time=1)
    scene.play(FadeIn(ink(scene, "two", 0, 1)), run_time=1)
    scene.hold(1)


def growing(scene: Any) -> None:
    """A bar that remembers how high it was in the last frame."""
    tall = bar(scene, scene.theme.raw)
    tall.add_updater(lambda bars: bars.show(bars.heights * 1.02))
    scene.add(tall)
    scene.play(FadeIn(ink(scene, "one", 0, 2)), run_time=1)
    scene.play(FadeIn(ink(scene, "two", 3, 1)), run_time=1)
    scene.hold(1)


@pytest.fixture
def only_scene(monkeypatch) -> Callable[[Callable[[Any], None]], str]:
    """Make a scene of what it draws the only one that there is; gives its name."""

    def only(draw: Callable[[Any], None]) -> str:
        kind = tiny_scene(draw)
        monkeypatch.setattr(rendering, "scene_class", lambda name: kind)
        monkeypatch.setitem(globals(), "scene_class", lambda name: kind)
        return "tiny"

    return only


@pytest.mark.parametrize("draw", [creeping, growing], ids=lambda draw: draw.__name__)
def test_the_rules_on_skipping_can_fail(draw, only_scene, tmp_path):
    film = drawn(only_scene(draw), tmp_path)
    with pytest.raises(AssertionError):
        check_that_skipping_changes_nothing(film)
    with pytest.raises(AssertionError, match="Arrays are not equal"):
        test_every_beat_of_a_film_ends_like_its_still(drawn("tiny", tmp_path), tmp_path / "stills")


# Manim by itself


OFFLINE = """
import socket

def refuse(*address, **options):
    raise OSError("there is no network")

socket.getaddrinfo = socket.create_connection = refuse
"""


@pytest.mark.parametrize("name", scene_names())
def test_manim_renders_a_scene_from_its_file(name, tmp_path):
    """No LaTeX, no network, and nothing set up: the last frame is the still of the last beat."""
    kind = scene_class(name)
    offline = tmp_path / "offline"
    offline.mkdir()
    (offline / "sitecustomize.py").write_text(OFFLINE)
    source = Path(inspect.getfile(kind)).relative_to(ROOT)
    command = ["-m", "manim", "-ql", "-s", "--media_dir", str(tmp_path / "media"), str(source), kind.__name__]
    environment = {"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": str(offline)}
    result = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    (picture,) = (tmp_path / "media" / "images").rglob("*.png")
    found = np.asarray(Image.open(picture).convert("RGB"))
    assert found.shape == (480, 854, 3)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(rendering.QUALITIES, "l", Quality(854, 480, 15))
        options = FilmOptions(quality="l", captions="none")
        scene = rehearse(kind, Parameters(), options, lambda moment: None)
    still = Moment(scene, "", len(scene.cues), 1, True).picture()
    np.testing.assert_array_equal(found, np.asarray(still.convert("RGB")))

"""What stands on a scene at a moment, read off its shapes, and the rules that every picture has to keep.

`rehearsed` goes through a scene, looks at the middle and the end of every motion and at every hold, and gives what it
found: the faults of every rule, what was said, and when. A rule is a function of a picture that gives faults in words.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from unittest.mock import patch

import numpy as np
from manim import Animation, AnimationGroup, Mobject, VMobject
from manim.utils.family import extract_mobject_family_members
from matplotlib.path import Path as Polygon

from core.parameters import Parameters
from core.theme import DARK, Theme
from scenes import typesetting
from scenes.base import LessonScene
from scenes.rendering import FilmOptions, Moment, rehearse
from scenes.typesetting import Readout, SetText

# What is promised, in scene units: the frame is 128/9 wide and 8 high.
RIGHT, TOP = 64 / 9, 4.0
MARGIN = 0.3
BAND = -3.0  # nothing but captions stands lower
FLOOR = 8 / 36  # em of the smallest text
APART = 0.05  # a word's space, between two texts side by side: nearer, and they would be read as one word
TEXT_CONTRAST, MARK_CONTRAST = 4.5, 3.0

STROKE = 0.01  # scene units a unit of stroke width
POINTS = (0.25, 0.5, 0.75)  # of every motion, that are looked at
VISIBLE = 1e-3  # opacity
SOLID = 0.999
NEAR = 1e-6  # scene units
NUMBER = re.compile(r"(?<![\w.])(?<!\w-)\d[\d,]*(?:\.\d+)?")  # but no index: q_1, <q-1>

Box = tuple[float, float, float, float]  # left, bottom, right, top
Faults = list[str]


# Colours


def rgb(color: str) -> np.ndarray:
    """(3,) from 0 to 1 of ``"#RRGGBB"``."""
    return np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255


def luminance(color: np.ndarray) -> float:
    """The relative luminance of WCAG 2 of (3,) sRGB."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """The contrast ratio of WCAG 2 of two (3,) sRGB colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@dataclass(frozen=True)
class Paint:
    """A colour as it is laid on what is beneath: (3,) sRGB, and its opacity."""

    color: tuple[float, ...]
    opacity: float

    def over(self, ground: np.ndarray) -> np.ndarray:
        return self.opacity * np.array(self.color) + (1 - self.opacity) * ground

    def name(self, theme: Theme) -> str | None:
        """Which of the theme's colours it is."""
        mine = np.array(self.color)
        for role, color in vars(theme).items():
            if role != "name" and np.abs(rgb(color) - mine).max() < 0.6 / 255:
                return role
        return None


def paints(rgbas: np.ndarray, width: float = 1.0) -> tuple[Paint, ...]:
    """Those of the colours (n, 4) that can be seen."""
    return tuple(Paint(tuple(row[:3]), float(row[3])) for row in rgbas if width > 0 and row[3] > VISIBLE)


# Shapes and texts


@dataclass
class Shape:
    """One drawn shape: its outline, what it is filled and stroked with, and whether an animation is at work on it."""

    mobject: Any
    points: np.ndarray  # (4 n, 3): cubic Bezier curves
    fill: tuple[Paint, ...]
    stroke: tuple[Paint, ...]
    halo: tuple[Paint, ...]  # stroked before it is filled
    width: float  # of the stroke, scene units
    animated: bool
    order: int  # in which it is drawn

    @classmethod
    def of(cls, mobject: VMobject, animated: bool, order: int) -> "Shape":
        width = float(mobject.get_stroke_width())
        background = float(mobject.get_stroke_width(background=True))
        return cls(
            mobject,
            mobject.points.copy(),
            paints(mobject.get_fill_rgbas()),
            paints(mobject.get_stroke_rgbas(), width),
            paints(mobject.get_stroke_rgbas(background=True), background),
            width * STROKE,
            animated,
            order,
        )

    @property
    def visible(self) -> bool:
        return bool(self.fill or self.stroke)

    @cached_property
    def box(self) -> Box:
        """How far the ink goes."""
        edge = self.width / 2 if self.stroke else 0.0
        (left, bottom), (right, top) = self.points[:, :2].min(axis=0) - edge, self.points[:, :2].max(axis=0) + edge
        return float(left), float(bottom), float(right), float(top)

    @cached_property
    def outlines(self) -> list[np.ndarray]:
        """The points of each closed or open curve in it."""
        starts, ends = self.points[::4], self.points[3::4]
        cuts = np.flatnonzero(np.abs(starts[1:] - ends[:-1]).max(axis=1, initial=0) > 1e-6) + 1
        return [np.asarray(part) for part in np.split(self.points, 4 * cuts)]

    @cached_property
    def pieces(self) -> np.ndarray:
        """(n, 4) boxes of its outlines: in a text, of its letters."""
        return np.array([[*part[:, :2].min(axis=0), *part[:, :2].max(axis=0)] for part in self.outlines])

    def segments(self) -> np.ndarray:
        """(n, 2, 2) straight lines that follow it closely."""
        t = np.linspace(0, 1, 5)[:, None]
        weights = np.concatenate([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)  # (5, 4)
        places = weights @ self.points[:, :2].reshape(-1, 4, 2)  # (n, 5, 2)
        return np.stack([places[:, :-1], places[:, 1:]], axis=2).reshape(-1, 2, 2)

    def covers(self, places: np.ndarray) -> np.ndarray:
        """Which of ``places``, (n, 2), its fill is on."""
        covered = np.zeros(len(places), dtype=bool)
        low, high = places.min(axis=0), places.max(axis=0)
        for part, (left, bottom, right, top) in zip(self.outlines, self.pieces, strict=True):
            if left <= high[0] and right >= low[0] and bottom <= high[1] and top >= low[1]:
                covered |= Polygon(np.append(part[::4, :2], part[-1:, :2], axis=0)).contains_points(places)
        return covered


@dataclass
class Text:
    """A text: what it says, how large its em is on the frame, and its shapes."""

    said: str
    em: float
    shapes: list[Shape]
    piece_of: int | None  # the text that this is a loose piece of

    @cached_property
    def box(self) -> Box:
        boxes = np.array([shape.box for shape in self.shapes])
        left, bottom = boxes[:, :2].min(axis=0).tolist()
        right, top = boxes[:, 2:].max(axis=0).tolist()
        return left, bottom, right, top

    @property
    def opacity(self) -> float:
        return min(paint.opacity for shape in self.shapes for paint in (*shape.fill, *shape.stroke))

    @property
    def animated(self) -> bool:
        return any(shape.animated for shape in self.shapes)

    @property
    def halo(self) -> tuple[Paint, ...]:
        """What is left free round every letter, if all have it."""
        return self.shapes[0].halo if all(shape.halo for shape in self.shapes) else ()

    def letters(self) -> np.ndarray:
        """(n, 4) boxes of its letters."""
        return np.concatenate([shape.pieces for shape in self.shapes])

    def __str__(self) -> str:
        return repr(self.said.splitlines()[-1] if self.said else "")


@dataclass
class Picture:
    """What can be seen at a moment."""

    beat: str
    animation: int
    progress: float  # of the animation, 0 to 1
    rests: bool  # nothing is on its way: a hold, or the end of a motion
    held: bool
    theme: Theme
    texts: list[Text]
    marks: list[Shape]  # all else

    def __str__(self) -> str:
        when = "at the hold" if self.held else f"{self.progress:.0%} through"
        return f"{self.beat!r}, {when} of animation {self.animation}"

    @property
    def ground(self) -> np.ndarray:
        return rgb(self.theme.ground)

    def steady_texts(self) -> list[Text]:
        """Those that are not being faded: words must never be dimmed at rest, so there all are."""
        return [text for text in self.texts if self.rests or text.opacity >= SOLID]

    def steady_marks(self) -> list[Shape]:
        """Those that no animation fades, grows or recolours; what it makes of them is seen when it ends."""
        return [mark for mark in self.marks if self.rests or not mark.animated]


def animations(playing: Any) -> Iterator[Animation]:
    """Every animation that is at work, those inside groups of them too."""
    for animation in playing or ():
        yield animation
        if isinstance(animation, AnimationGroup):
            yield from animations(animation.animations)


def set_and_remember(*arguments: Any) -> SetText:
    """Set a text whose shapes, and all copies of them, know what they are part of and how large they were at first."""
    text = typesetting_set(*arguments)
    for shape in text:
        shape.part_of, shape.natural = (id(text), text.source, text.em), (shape.width, shape.height)
    return text


typesetting_set = typesetting._set


@cache
def natural_readout(text: str, em: float, weight: typesetting.Weight) -> tuple[float, float]:
    readout = Readout(text, em=em, color="#FFFFFF", weight=weight)
    return readout.width, readout.height


def picture(moment: Moment) -> Picture:
    """Read off a scene what can be seen."""
    scene: Any = moment.scene
    animated = {
        id(part)
        for animation in animations(scene.animations)
        if animation.mobject is not None
        for part in animation.mobject.get_family()
    }
    drawn = extract_mobject_family_members(scene.mobjects, use_z_index=True, only_those_with_points=True)
    found = {
        id(part): Shape.of(part, id(part) in animated, order)
        for order, part in enumerate(drawn)
        if isinstance(part, VMobject)
    }
    texts: list[Text] = []

    def take(mobject: Mobject) -> None:
        if mobject is scene._caption:
            for part in mobject.get_family():
                found.pop(id(part), None)
        elif isinstance(mobject, (SetText, Readout)) or hasattr(mobject, "part_of"):
            shapes = [found.pop(id(part)) for part in mobject.get_family() if id(part) in found]
            shapes = [shape for shape in shapes if shape.visible]
            if shapes:
                texts.append(text_of(mobject, shapes))
        else:
            for part in mobject.submobjects:
                take(part)

    for mobject in scene.mobjects:
        take(mobject)
    return Picture(
        moment.beat,
        moment.animation,
        moment.progress,
        moment.held or moment.progress == 1,
        moment.held,
        scene.theme,
        texts,
        [shape for shape in found.values() if shape.visible],
    )


def text_of(mobject: Any, shapes: list[Shape]) -> Text:
    """The text that ``mobject`` is, at the size that it is shown."""
    if isinstance(mobject, Readout):
        scale = mobject.width / natural_readout(mobject.text, mobject.em, mobject.weight)[0]
        return Text(mobject.text, mobject.em * scale, shapes, None)
    whole, source, em = shapes[0].mobject.part_of
    scales = [
        getattr(shape.mobject, side) / natural
        for shape in shapes
        for side, natural in zip(("width", "height"), shape.mobject.natural, strict=True)
        if natural > 0.02
    ]
    return Text(source, em * min(scales), shapes, None if isinstance(mobject, SetText) else whole)


# Rules


def leaves_the_frame(picture: Picture) -> Faults:
    """What comes nearer to the frame's edge than the margin, or stands in the caption band."""
    faults = []
    named = [(str(text), text.box) for text in picture.texts]
    named += [(describe(mark, picture.theme), mark.box) for mark in picture.marks if not is_ground(mark, picture.theme)]
    for name, (left, bottom, right, top) in named:
        for side, beyond in (
            ("left", MARGIN - RIGHT - left),
            ("right", right - (RIGHT - MARGIN)),
            ("top", top - (TOP - MARGIN)),
            ("caption band", BAND - bottom),
        ):
            if beyond > NEAR:
                faults.append(f"{picture}: {name} is {beyond:.3f} too far into the {side}")
    return faults


def texts_overlap(picture: Picture) -> Faults:
    """Pairs of texts that are on each other, or so near to each other in a line that they would be read as one."""
    texts = picture.steady_texts()
    boxes = np.array([text.box for text in texts]).reshape(-1, 4)
    faults = []
    for index, text in enumerate(texts):
        left, bottom, right, top = text.box
        others = boxes[index + 1 :]
        near = (others[:, 0] < right + APART) & (others[:, 2] > left - APART)
        near &= (others[:, 1] < top) & (others[:, 3] > bottom)
        for other in (texts[index + 1 + found] for found in np.flatnonzero(near)):
            if text.piece_of is None or text.piece_of != other.piece_of:
                gap = max(other.box[0] - right, left - other.box[2])
                how = "are on each other" if gap < 0 else f"are only {gap:.3f} apart"
                faults.append(f"{picture}: {text} and {other} {how}")
    return faults


def text_is_small(picture: Picture) -> Faults:
    """Texts whose em is less than 1/36 of the frame's height."""
    return [
        f"{picture}: {text} has an em of 1/{8 / text.em:.1f} of the frame"
        for text in picture.texts
        if text.em < FLOOR - NEAR and (picture.rests or not text.animated)
    ]


def text_is_faint(picture: Picture) -> Faults:
    """Texts that stand out too little from what they are on, or from what is drawn over them."""
    faults = []
    for text in picture.steady_texts():
        if picture.rests or not text.animated:
            worst = lowest_contrast(text, picture)
            if worst < TEXT_CONTRAST:
                faults.append(f"{picture}: {text} has a contrast of only {worst:.2f}")
    return faults


def lowest_contrast(text: Text, picture: Picture) -> float:
    """The lowest contrast of any letter with what is beside it, everything painted in the order of drawing.

    What passes over a text in the middle of a motion is left out: the eye follows it, and at rest nothing may.
    """
    first = min(shape.order for shape in text.shapes)
    near = [mark for mark in picture.marks if mark.fill and meet(mark.box, text.box)]
    near = [mark for mark in near if picture.rests or mark.order < first]
    worst = 21.0
    for shape in text.shapes:
        ink = (*shape.fill, *shape.stroke)
        if not near:
            worst = min(worst, *(contrast(paint.over(picture.ground), picture.ground) for paint in ink))
            continue
        left, bottom, right, top = (shape.pieces + np.array([NEAR, NEAR, -NEAR, -NEAR])).T
        corners = [(left, bottom), (left, top), (right, bottom), (right, top), ((left + right) / 2, (bottom + top) / 2)]
        places = np.concatenate([np.stack(corner, axis=1) for corner in corners])
        covering = [(mark, mark.covers(places)) for mark in sorted(near, key=lambda mark: mark.order)]
        for covered in {tuple(bool(on[place]) for _, on in covering) for place in range(len(places))}:
            beneath = above = ()
            beneath = tuple(m for (m, _), on in zip(covering, covered, strict=True) if on and m.order < shape.order)
            above = tuple(m for (m, _), on in zip(covering, covered, strict=True) if on and m.order > shape.order)
            for paint in ink:
                worst = min(worst, contrast(*beside_each_other(picture.ground, beneath, shape, paint, above)))
    return worst


def beside_each_other(
    ground: np.ndarray, beneath: tuple[Shape, ...], shape: Shape, ink: Paint, above: tuple[Shape, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The colours, (3,) each, of a letter and of what is right beside it."""
    for mark in beneath:
        ground = mark.fill[0].over(ground)
    for paint in shape.halo:
        ground = paint.over(ground)
    letter = ink.over(ground)
    for mark in above:
        ground, letter = mark.fill[0].over(ground), mark.fill[0].over(letter)
    return letter, ground


def mark_is_faint(picture: Picture) -> Faults:
    """Marks that stand out too little from the ground, unless they are of the colour for what means nothing."""
    faults = []
    for mark in picture.steady_marks():
        for paint in (*mark.fill, *mark.stroke):
            if paint.name(picture.theme) in ("faint", "ground"):
                continue
            found = contrast(paint.over(picture.ground), picture.ground)
            if found < MARK_CONTRAST:
                faults.append(f"{picture}: {describe(mark, picture.theme)} has a contrast of only {found:.2f}")
    return faults


def color_is_foreign(picture: Picture) -> Faults:
    """Colours that are not the theme's."""
    shapes = picture.steady_marks()
    shapes += [shape for text in picture.texts for shape in text.shapes if picture.rests or not shape.animated]
    return [
        f"{picture}: {type(shape.mobject).__name__} has the colour {np.round(paint.color, 3).tolist()}"
        for shape in shapes
        for paint in (*shape.fill, *shape.stroke, *shape.halo)
        if paint.name(picture.theme) is None
    ]


def line_runs_through_text(picture: Picture) -> Faults:
    """Texts that a line runs through, or an edge of a hollow shape, unless the text keeps it off by a halo."""
    faults = []
    for mark in picture.steady_marks():
        if not mark.stroke or mark.stroke[0].name(picture.theme) in ("faint", "ground"):
            continue
        for text in picture.steady_texts():
            kept_off = text.halo and all(shape.order > mark.order for shape in text.shapes)
            if not kept_off and meet(mark.box, text.box) and crosses(mark.segments(), text.letters()):
                faults.append(f"{picture}: {describe(mark, picture.theme)} runs through {text}")
    return faults


def crosses(segments: np.ndarray, boxes: np.ndarray) -> bool:
    """Whether any of the lines (n, 2, 2) goes through any of the boxes (m, 4)."""
    starts, ways = segments[:, None, 0], segments[:, None, 1] - segments[:, None, 0]  # (n, 1, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        entries, exits = ((boxes[None, :, side] - starts) / ways for side in (slice(0, 2), slice(2, 4)))
    still = np.abs(ways) < 1e-12  # along an axis: inside the slab for ever, or never
    inside = (starts >= boxes[None, :, :2]) & (starts <= boxes[None, :, 2:])
    first = np.where(still, np.where(inside, -np.inf, np.inf), np.minimum(entries, exits)).max(axis=2)
    last = np.where(still, np.where(inside, np.inf, -np.inf), np.maximum(entries, exits)).min(axis=2)
    return bool(((first <= last) & (last >= 0) & (first <= 1)).any())


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes have a place in common."""
    return one[0] <= other[2] and one[2] >= other[0] and one[1] <= other[3] and one[3] >= other[1]


def is_ground(mark: Shape, theme: Theme) -> bool:
    """Whether a mark only leaves something out."""
    return all(paint.name(theme) == "ground" for paint in (*mark.fill, *mark.stroke))


def describe(mark: Shape, theme: Theme) -> str:
    """A mark in words: its kind, its colour and its place."""
    middle = (mark.box[0] + mark.box[2]) / 2, (mark.box[1] + mark.box[3]) / 2
    color = (*mark.fill, *mark.stroke)[0].name(theme) or "foreign"
    return f"{type(mark.mobject).__name__} in {color} at ({middle[0]:.2f}, {middle[1]:.2f})"


RULES: tuple[Callable[[Picture], Faults], ...] = (
    leaves_the_frame,
    texts_overlap,
    text_is_small,
    text_is_faint,
    mark_is_faint,
    color_is_foreign,
    line_runs_through_text,
)


# Rehearsals


@dataclass
class Rehearsal:
    """A scene that was gone through: what was found, what was said, and when."""

    scene: LessonScene
    faults: dict[str, Faults]  # by the rule's name
    starts: list[float]  # of the animations, seconds
    holds: set[int]  # the animations in which nothing moves
    words: set[str]  # every text that was ever on screen, but for readouts, as Typst source

    @property
    def seconds(self) -> float:
        return self.scene.elapsed

    def spans(self) -> list[tuple[float, float]]:
        """When each caption comes and goes, seconds."""
        starts = [self.starts[cue.start] for cue in self.scene.cues]
        return list(zip(starts, [*starts[1:], self.seconds], strict=True))

    def numbers(self) -> set[str]:
        """Every number of the captions and of the texts that do not change, as it is written, without its sign."""
        captions = (" ".join(cue.lines) for cue in self.scene.cues)
        return {number.rstrip(",") for text in (*self.words, *captions) for number in NUMBER.findall(text)}


def rehearsed(kind: type[LessonScene], parameters: Parameters | None = None, theme: Theme = DARK) -> Rehearsal:
    """Go through a scene and look at it under every rule."""
    faults: dict[str, Faults] = {rule.__name__: [] for rule in RULES}
    starts: dict[int, float] = {}
    holds: set[int] = set()
    words: set[str] = set()

    def look(moment: Moment) -> None:
        starts.setdefault(moment.animation, moment.scene.elapsed)
        if moment.held:
            holds.add(moment.animation)
        seen = picture(moment)
        for rule in RULES:
            faults[rule.__name__] += rule(seen)
        words.update(text.said for text in seen.texts if not isinstance(text.shapes[0].mobject, Readout))

    options = FilmOptions(captions="none", theme=theme)
    with patch.object(typesetting, "_set", set_and_remember):
        scene = rehearse(kind, parameters or Parameters(), options, look, POINTS)
    return Rehearsal(scene, faults, [starts[number] for number in sorted(starts)], holds, words)

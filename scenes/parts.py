"""Shapes that several scenes draw, each a pure function of numbers and cheap to redraw at every frame."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from manim import Circle, VGroup, VMobject

from core.numerals import short, significant, slope_words, whole
from core.theme import Theme
from scenes.typesetting import HEADING, LABEL, SMALL, TITLE, Readout, SetText, maths, place, words

FloatArray = np.ndarray

DIGIT_HEIGHT = 0.73  # em
CENTRED = 0.33  # a text's baseline is this many em below the height that it is level with
FORMULA_EM, FORMULA_BASELINE = 1.3 * TITLE, 1.4  # of the one formula that is all of the frame
TICK_DROP, TICK_LENGTH = 0.36, 0.08  # scene units from an axis to the baseline of its numbers; how long its marks are


def corners_to_bezier(points: FloatArray) -> FloatArray:
    """Straight lines through ``points``, (n, 3), as the (4 (n - 1), 3) points of cubic Bezier curves."""
    starts, ends = points[:-1], points[1:]
    step = (ends - starts) / 3
    return np.stack([starts, starts + step, ends - step, ends], axis=1).reshape(-1, 3)


def up_to(xs: FloatArray, ys: FloatArray, end: float) -> tuple[FloatArray, FloatArray]:
    """The corners of the polyline through ``xs``, (n,) and increasing, and ``ys``, (n,), cut off at x = ``end``."""
    kept = xs < end
    return np.append(xs[kept], end), np.append(ys[kept], np.interp(end, xs, ys))


def dashes(path: FloatArray, dash: float = 0.14, gap: float = 0.11) -> list[FloatArray]:
    """The pieces of ``path``, (n, 3) scene points, that a dashed line shows."""
    lengths = np.append(0.0, np.linalg.norm(np.diff(path, axis=0), axis=1).cumsum())

    def point(at: float) -> FloatArray:
        return np.array([np.interp(at, lengths, path[:, axis]) for axis in range(3)])

    pieces = []
    for start in np.arange(0, lengths[-1], dash + gap):
        end = min(start + dash, lengths[-1])
        inner = path[(lengths > start) & (lengths < end)]
        pieces.append(np.array([point(start), *inner, point(end)]))
    return pieces


def bracket(left: float, right: float, y: float, cap: float = 0.1) -> list[FloatArray]:
    """A level line from ``left`` to ``right`` with an upright cap at each end, ``cap`` to either side of it."""
    corners = np.array([[[left, y], [right, y]], *([[x, y - cap], [x, y + cap]] for x in (left, right))])
    return list(np.pad(corners, ((0, 0), (0, 0), (0, 1))))


def boxes(lefts: Any, bottoms: Any, widths: Any, heights: Any) -> FloatArray:
    """The corners, (..., 4, 3), of upright rectangles; each argument is a number or an array."""
    lefts, bottoms, widths, heights = np.broadcast_arrays(lefts, bottoms, widths, heights)
    rights, tops = lefts + widths, bottoms + heights
    xs = np.stack([lefts, rights, rights, lefts], axis=-1)
    ys = np.stack([bottoms, bottoms, tops, tops], axis=-1)
    return np.stack([xs, ys, np.zeros_like(xs)], axis=-1)


def ticks(reach: float) -> list[float]:
    """Round numbers from -``reach`` to ``reach``: 0 and at least two to each side, few enough for an axis."""
    power = 10.0 ** math.floor(math.log10(reach / 2))
    step = max(number * power for number in (1, 2, 4, 5) if number * power <= reach / 2)
    most = math.floor(reach / step + 1e-9)
    return [step * number for number in range(-most, most + 1)]


def times(ratio: float) -> str:
    """A ratio to at most three digits, more where it would be 1; whole from a thousand on."""
    if ratio == round(ratio) or ratio >= 1000:
        return whole(ratio)
    for digits in (3, 4, 5, 6):
        text = significant(ratio, digits)
        if float(text) != 1:
            break
    return text.rstrip("0").rstrip(".") if "." in text else text


def spaced(places: Sequence[float], order: Sequence[int], room: float) -> list[int]:
    """Indices of the ``places`` that may carry a label, asked in ``order``, so that all are ``room`` apart."""
    kept: list[int] = []
    for index in order:
        if all(abs(places[index] - places[other]) >= room for other in kept):
            kept.append(index)
    return kept


@dataclass(frozen=True)
class Plane:
    """Where data stands on the frame: data ranges, and the box in scene units that they fill."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    left: float
    bottom: float
    width: float
    height: float

    def x(self, value: Any) -> Any:
        """Scene units right of the frame's middle, for data ``value``; arrays too."""
        start, end = self.x_range
        return self.left + self.width * (np.asarray(value) - start) / (end - start)

    def y(self, value: Any) -> Any:
        """Scene units above the frame's middle, for data ``value``; arrays too."""
        start, end = self.y_range
        return self.bottom + self.height * (np.asarray(value) - start) / (end - start)

    def point(self, x: float, y: float) -> FloatArray:
        """The point (3,) of one pair of numbers."""
        return np.array([self.x(x), self.y(y), 0.0])

    def points(self, xs: FloatArray, ys: FloatArray) -> FloatArray:
        """The points (n, 3) of pairs of numbers."""
        return np.stack([self.x(xs), self.y(ys), np.zeros(len(xs))], axis=-1)


class Lines(VMobject):
    """Any number of polylines in one shape: one colour, one width, drawn at once."""

    def __init__(self, color: str, width: float = 4.0, opacity: float = 1.0) -> None:
        super().__init__(stroke_color=color, stroke_width=width, stroke_opacity=opacity, fill_opacity=0)

    def show(self, *paths: FloatArray) -> "Lines":  # type: ignore[override]
        """Draw ``paths``, each (n, 3) scene points; one with fewer than two points is left out."""
        drawn = [corners_to_bezier(path) for path in paths if len(path) > 1]
        self.set_points(np.concatenate(drawn) if drawn else np.zeros((0, 3)))
        return self


class Area(VMobject):
    """A filled shape without an outline, given by its corners."""

    def __init__(self, color: str, opacity: float = 1.0) -> None:
        super().__init__(fill_color=color, fill_opacity=opacity, stroke_width=0)

    def show(self, *outlines: FloatArray) -> "Area":  # type: ignore[override]
        """Fill ``outlines``, each (n, 3) scene points, which close by themselves."""
        closed = [corners_to_bezier(np.concatenate([outline, outline[:1]])) for outline in outlines if len(outline) > 2]
        self.set_points(np.concatenate(closed) if closed else np.zeros((0, 3)))
        return self


class Dots(VMobject):
    """Any number of round dots of one size in one shape."""

    def __init__(self, radius: float, color: str, **style: Any) -> None:
        filled: dict[str, Any] = {"fill_color": color, "fill_opacity": 1, "stroke_width": 0}
        super().__init__(**(filled | style))
        self.outline = Circle(radius=radius).points  # (32, 3)

    def show(self, middles: FloatArray) -> "Dots":  # type: ignore[override]
        """Put a dot at each of ``middles``, (n, 3) scene points."""
        self.set_points((np.asarray(middles)[:, None] + self.outline).reshape(-1, 3))
        return self


class Bars(Area):
    """Upright bars in one shape: ``show`` sets how high each is, in scene units; one of height 0 is invisible."""

    def __init__(self, lefts: FloatArray, width: float, bottom: float, color: str, opacity: float = 1.0) -> None:
        super().__init__(color, opacity)  # no stroke: it would make a bar of height 0 visible
        self.lefts = np.asarray(lefts, dtype=float)
        self.bar_width = width
        self.bottom = bottom
        self.heights = np.zeros(len(self.lefts))

    def show(self, heights: FloatArray) -> "Bars":  # type: ignore[override]
        """Make the bars ``heights`` high, (n,) scene units."""
        self.heights = np.asarray(heights, dtype=float)
        corners = boxes(self.lefts, self.bottom, self.bar_width, self.heights)
        super().show(*(outline for outline, height in zip(corners, self.heights, strict=True) if height > 0))
        return self

    def middles(self) -> FloatArray:
        """The bars' middles, (n,), in scene units right of the frame's middle."""
        return self.lefts + self.bar_width / 2


class WeightBars(VGroup):
    """Weights as a row of upright bars, each before a track that shows weight 1, with its number on top.

    ``left``, ``bottom``, ``width`` and ``height`` are the box of the tracks in scene units. A number stands above its
    bar, so above the track of a bar that is full: leave 1.5 ``em`` free there. ``bars``, ``tracks`` and ``readouts``
    are its parts.
    """

    def __init__(
        self,
        n: int,
        left: float,
        bottom: float,
        width: float,
        height: float,
        theme: Theme,
        *,
        color: str | None = None,
        em: float = LABEL,
        gap: float = 0.35,
    ) -> None:
        """``gap`` is the part of a column, of which there are ``n``, that stays empty; the default colour is raw."""
        column = width / (n - gap)  # no gap after the last
        lefts = left + column * np.arange(n)
        self.full_height = height
        self.tracks = Bars(lefts, column * (1 - gap), bottom, theme.faint, opacity=0.6).show(np.full(n, height))
        self.bars = Bars(lefts, column * (1 - gap), bottom, color or theme.raw)
        self.readouts = [Readout(em=em, color=theme.ink) for _ in range(n)]
        super().__init__(self.tracks, self.bars, *self.readouts)

    def show(self, weights: FloatArray, texts: Sequence[str]) -> "WeightBars":  # type: ignore[override]
        """Make the bars as high as ``weights``, (n,) from 0 to 1, with ``texts`` on top; "" for none."""
        self.bars.show(self.full_height * np.asarray(weights))
        for readout, text, x, top in zip(self.readouts, texts, self.middles(), self.tops(weights), strict=True):
            readout.show(text, x, top + 0.4 * readout.em)
        return self

    def middles(self) -> FloatArray:
        """The bars' middles, (n,), in scene units right of the frame's middle."""
        return self.bars.middles()

    def tops(self, weights: FloatArray) -> FloatArray:
        """Where bars of ``weights`` end, in scene units above the frame's middle."""
        return self.bars.bottom + self.full_height * np.asarray(weights)


class SlopeCurve(VGroup):
    """The slope p(1 - p) of a weight against the weight p, with a dot on it and its height beside it.

    ``plane`` is where weights from 0 to 1 and slopes from 0 to 0.25 stand; the numbers below it and the one above it
    take 0.5 more to either side. ``axis``, ``curve``, ``peak``, ``dot`` and ``number`` are its parts.
    """

    DOT = 0.13  # radius, in scene units

    def __init__(
        self, plane: Plane, weights: FloatArray, slopes: FloatArray, theme: Theme, color: str | None = None
    ) -> None:
        """``weights`` and ``slopes``, (n,), are the curve; the dot's colour is raw unless another is given."""
        self.plane, self.theme = plane, theme
        below, highest = plane.bottom - 0.42, int(np.argmax(slopes))
        style: dict[str, Any] = {"color": theme.muted, "weight": "regular"}
        self.axis = VGroup(
            Lines(theme.muted, 2).show(np.array([plane.point(0, 0), plane.point(1, 0)])),
            *(Readout(short(p), plane.x(p), below, **style) for p in (0, 1)),
            place(words("largest weight $p$", color=theme.muted), plane.x(0.5), below),
        )
        x, y, _ = top = plane.point(weights[highest], slopes[highest])
        self.peak = VGroup(
            Lines(theme.muted, 2).show(np.array([top, (x, y + 0.2, 0)])),
            Readout(short(slopes[highest]), x, y + 0.3, **style),
        )
        self.curve = Lines(theme.ink).show(plane.points(weights, slopes))
        self.dot = Dots(self.DOT, color or theme.raw)
        self.number = Readout(em=HEADING, color=color or theme.raw)
        super().__init__(self.axis, self.peak, self.curve, self.dot, self.number)

    def show(self, p: float, slope: float) -> "SlopeCurve":  # type: ignore[override]
        """Put the dot at weight ``p`` and its ``slope``, and the number inside the curve."""
        x, y, _ = middle = self.plane.point(p, slope)
        self.dot.show(middle[None])
        text = slope_words(slope)
        half = Readout.width_of(text, HEADING) / 2
        angle = math.pi * (p - 0.5)  # below the dot at one half, level with it at either end
        down = 0.55 * math.cos(angle) + DIGIT_HEIGHT / 2 * HEADING
        self.number.show(text, x - math.sin(angle) * (half + self.DOT + 0.2), max(y - down, self.plane.bottom + 0.15))
        return self

    def paint(self, color: str) -> "SlopeCurve":
        """Give dot and number the colour of another role."""
        self.dot.set_fill(color)
        self.number.set_fill(color)
        return self


def attention_weights(theme: Theme, root: str) -> SetText:
    """What attention does with a score: divide it by a root, whose colour is ``root``, then softmax.

    Its parts are "q", "dot" and "k". It opens the lesson as the question and ends it as the answer.
    """
    under = f'#text(fill: rgb("{root}"))[$sqrt(d)$]'  # a name would leave out the sign of the root
    formula = maths(
        f'op("softmax")(frac({{{{ q : q }}}} {{{{ dot : dot }}}} {{{{ k : k }}}}, {under}) )',
        em=FORMULA_EM,
        color=theme.ink,
    )
    formula.select("q").set_color(theme.query)
    formula.select("k").set_color(theme.key)
    return place(formula, 0, FORMULA_BASELINE)


@dataclass(frozen=True, eq=False)
class LogPlot:
    """Where spreads stand above their sizes, both on logarithmic scales.

    ``sizes`` ascend. ``spreads`` is whatever has to fit besides the line sqrt(d): any number of them. ``left`` and
    ``bottom`` are the corner of the axes in scene units; ``width`` and ``height`` lie between the outermost points, so
    a ``height`` of half the ``width`` makes ten times as far upwards as sideways where sqrt(d) is all there is.
    """

    sizes: Sequence[int]
    spreads: Sequence[float] | FloatArray
    left: float = -5.0
    bottom: float = -2.3
    width: float = 7.0
    height: float = 3.5

    PADS = (0.9, 0.5, 0.75, 0.45)  # scene units to the left, to the right, below and above the outermost points
    LEAST_RATIO = 4.0  # of the sizes at either end: closer ones would show nothing but chance
    NUMBER_ROOM, TICK_ROOM = 1.0, 0.35  # scene units from one label to the next, sideways and upwards, at least

    @cached_property
    def plane(self) -> Plane:
        """The box of the axes; its ranges are logarithms of sizes and of spreads."""
        first, last = math.log(self.sizes[0]), math.log(self.sizes[-1])
        span = max(last - first, math.log(self.LEAST_RATIO))
        first, last = (first + last - span) / 2, (first + last + span) / 2
        spreads = [first / 2, last / 2, *np.log(self.spreads)]  # of few pairs, some may lie well off the law
        low, high = float(min(spreads)), float(max(spreads))
        sideways, upwards = self.width / span, self.height / (high - low)  # scene units a factor of e
        left, right, below, above = self.PADS
        return Plane(
            (first - left / sideways, last + right / sideways),
            (low - below / upwards, high + above / upwards),
            left=self.left,
            bottom=self.bottom,
            width=left + self.width + right,
            height=below + self.height + above,
        )

    def point(self, d: float, spread: float) -> FloatArray:
        """The point (3,) of a size and a spread."""
        return self.plane.point(math.log(d), math.log(spread))

    def root_line(self, end: float) -> list[FloatArray]:
        """The dashes of sqrt(d) from the left edge on, up to where the logarithm of d is ``end``."""
        xs = np.array([self.plane.x_range[0], end])  # the logarithm of a root is half that of its square
        return dashes(self.plane.points(xs, xs / 2))

    def x_axis(self, theme: Theme, first: Sequence[int] = ()) -> VGroup:
        """The axis of sizes with as many of them as there is room for; the ones of index ``first`` come first."""
        plane, foot = self.plane, self.bottom
        xs = plane.x(np.log(self.sizes)).tolist()
        right = plane.left + plane.width
        line = Lines(theme.muted, 2).show(
            np.array([[plane.left - 0.01, foot, 0], [right, foot, 0]]),  # from the outer edge of the other axis
            *(np.array([[x, foot, 0], [x, foot - TICK_LENGTH, 0]]) for x in xs),
        )
        order = [*first, *(index for index in range(len(xs)) if index not in first)]
        numbers = (
            place(words(whole(self.sizes[index]), color=theme.ink), xs[index], foot - TICK_DROP - 0.06)
            for index in spaced(xs, order, self.NUMBER_ROOM)
        )
        name = place(maths("d", color=theme.muted), right + 0.2, foot - CENTRED * LABEL, "left")
        return VGroup(line, name, *numbers)

    def y_axis(self, theme: Theme, marks: Sequence[float] | FloatArray, first: Sequence[int] = ()) -> VGroup:
        """The axis of spreads with as many of ``marks`` as there is room for, as numbers; ``first`` as above."""
        plane = self.plane
        top = plane.bottom + plane.height
        ys = plane.y(np.log(marks)).tolist()
        line = Lines(theme.muted, 2).show(
            np.array([[plane.left, top, 0], [plane.left, plane.bottom, 0]]),
            *(np.array([[plane.left, y, 0], [plane.left - TICK_LENGTH, y, 0]]) for y in ys),
        )
        order = [*first, *(index for index in range(len(ys)) if index not in first)]
        numbers = (
            place(
                words(times(marks[index]), em=SMALL, color=theme.muted),
                plane.left - 0.18,
                ys[index] - CENTRED * SMALL,
                "right",
            )
            for index in spaced(ys, order, self.TICK_ROOM)
        )
        name = place(words("spread", color=theme.muted), plane.left + 0.2, top - 0.25, "left")
        return VGroup(line, name, *numbers)

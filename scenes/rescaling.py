"""How dividing the scores by sqrt(d) keeps the weights from collapsing, and why by the root."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from manim import RIGHT, FadeIn, FadeOut, ManimColor, Mobject, ValueTracker, VGroup, interpolate_color, rush_from, rush_into

from core import entropy, slope, softmax
from core.cases import collapse_case, divisors_case, rescaling_case, saturation_case
from core.numerals import fixed, short, significant, whole
from core.theme import Theme
from scenes.base import LEFT_EDGE, RIGHT_EDGE, TITLE_BASELINE, LessonScene
from scenes.parts import Area, FloatArray, Lines, Plane, WeightBars
from scenes.typesetting import HEADING, LABEL, SMALL, TITLE, Readout, maths, place, words

# All in scene units; the frame is 14.2 wide and 8 high.
HEADING_BASELINE = 2.3
BARS_TOP = 1.75
MIDDLE = 0.75  # half the gap between two columns
THIRDS = 3.85  # the width of each of three columns
SCORE_PITCH = 1.7  # from one bar of a score to the next, at most
WIDEST_PITCH = 1.25  # from one bar to the next
GAUGE_THICKNESS = 0.14
CLEARANCE = 0.1  # between two numbers side by side
FEW = 4  # numbers over bars, where there is no room for all


def weight_texts(weights: FloatArray, pitch: float, em: float, digits: int = 2) -> list[str]:
    """What stands over each bar: every weight where bars ``pitch`` apart leave room, else the few largest that fit.

    A number wider than its column is over its neighbours' bars too, so it stands only over bars that are lower.
    """
    texts = [fixed(weight, digits) for weight in weights]
    reach = text_width(texts[0], em) + CLEARANCE
    if pitch >= reach:
        return texts
    kept: list[int] = []
    for index in np.argsort(-weights, kind="stable").tolist():
        if len(kept) < FEW and all(abs(index - other) * pitch >= reach for other in kept):
            kept.append(index)
    return [text if index in kept else "" for index, text in enumerate(texts)]


def text_width(text: str, em: float) -> float:
    """How wide a readout is, in scene units."""
    return float(Readout(text, em=em, color="#FFFFFF").width)


def blend(start: str, end: str, share: float) -> ManimColor:
    """A colour on the way from ``start`` to ``end``: the bars of scores on their way from one role to another."""
    return interpolate_color(ManimColor(start), ManimColor(end), share)


def number(value: float) -> str:
    """``value`` with as few decimals as it needs, two at most, and one from a hundred on."""
    return short(round(value, 2 if abs(value) < 100 else 1))


def digits_of(value: float) -> str:
    """A weight or a slope with two decimals, or with four where two would hide what is left of it."""
    return fixed(value, 2 if 0.01 <= value < 0.995 else 4)


def disc(centre: FloatArray, radius: float) -> FloatArray:
    """Corners (24, 3) of what looks like a disc."""
    angles = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    return centre + radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(24)], axis=-1)


def triangle(x: float, y: float) -> FloatArray:
    """The corners (3, 3) of a small triangle that points down at (x, y)."""
    return np.array([[x, y, 0.0], [x + 0.11, y + 0.17, 0.0], [x - 0.11, y + 0.17, 0.0]])


def box(left: float, bottom: float, width: float, height: float) -> FloatArray:
    """The corners (4, 3) of an upright rectangle."""
    right, top = left + width, bottom + height
    return np.array([[left, bottom, 0], [right, bottom, 0], [right, top, 0], [left, top, 0]])


class Gauge(VGroup):
    """Entropy as a level bar that is full at its greatest value, with its number underneath.

    ``still`` and ``moving`` are its parts; ``digits`` is the number of decimals.
    """

    def __init__(
        self, left: float, y: float, width: float, n: int, theme: Theme, color: str, *, digits: int, em: float, log: bool
    ) -> None:
        self.left, self.y, self.full_width = left, y, width
        self.digits, self.largest = digits, math.log(n)
        bottom = y - GAUGE_THICKNESS / 2
        track = Area(theme.faint).show(box(left, bottom, width, GAUGE_THICKNESS))
        self.level = Area(color)
        name = words("entropy", em=em, color=theme.muted)
        limit = fixed(self.largest, digits)
        bound = words(f"of log {n} = {limit}" if log else f"of {limit}", em=em, color=theme.muted)
        space = 0.3 * em
        number = text_width(limit, em)
        x = left + (width - name.width - bound.width - number - 2 * space) / 2
        baseline = y - 0.45
        place(name, x, baseline, "left")
        self.number_at = (x + name.width + space, baseline)
        place(bound, self.number_at[0] + number + space, baseline, "left")
        self.number = Readout(em=em, color=color, align="left")
        self.still = VGroup(track, name, bound)
        self.moving = VGroup(self.level, self.number)
        super().__init__(self.still, self.moving)

    def x(self, nats: float) -> float:
        """Where an entropy of ``nats`` ends."""
        return self.left + self.full_width * nats / self.largest

    def pointer(self, nats: float) -> FloatArray:
        """The corners of a small triangle that points at ``nats`` from above."""
        return triangle(self.x(nats), self.y + GAUGE_THICKNESS / 2 + 0.04)

    def show(self, nats: float) -> "Gauge":  # type: ignore[override]
        """Fill the gauge up to ``nats``."""
        bottom = self.y - GAUGE_THICKNESS / 2
        self.level.show(box(self.left, bottom, self.x(nats) - self.left, GAUGE_THICKNESS))
        self.number.show(fixed(nats, self.digits), *self.number_at)
        return self


class Column:
    """The weights of one query over its keys: a formula, a bar a key with a row of texts below, and the entropy gauge.

    ``still`` and ``moving`` are what to add to the scene, in that order; ``row`` holds the texts below the bars.
    """

    def __init__(
        self,
        scores: str,
        n: int,
        left: float,
        width: float,
        bottom: float,
        theme: Theme,
        color: str,
        *,
        em: float = LABEL,
        gauge_digits: int = 2,
        log: bool = True,
    ) -> None:
        self.n, self.em = n, em
        bars_width = min(width, WIDEST_PITCH * (n - 0.35))
        bars_left = left + (width - bars_width) / 2
        self.bars = WeightBars(n, bars_left, bottom, bars_width, BARS_TOP - bottom, theme, color=color, em=em)
        self.pitch = bars_width / (n - 0.35)
        self.middles = self.bars.middles()
        self.lefts = self.bars.bars.lefts
        self.heading = place(maths(scores, em=HEADING, color=color), left + width / 2, HEADING_BASELINE)
        self.row_baseline = bottom - 0.33
        self.row = [Readout(em=SMALL, color=theme.muted, weight="regular") for _ in range(n)]
        self.gauge = Gauge(bars_left, bottom - 0.7, bars_width, n, theme, color, digits=gauge_digits, em=em, log=log)
        self.still = VGroup(self.heading, self.bars.tracks, self.gauge.still)
        self.moving = VGroup(self.bars.bars, *self.bars.readouts, self.gauge.moving)

    def show(self, weights: FloatArray, texts: Sequence[str] | None = None) -> None:
        """Show ``weights`` (n,) and their entropy; ``texts`` on the bars, else what `weight_texts` says."""
        self.bars.show(weights, weight_texts(weights, self.pitch, self.em) if texts is None else texts)
        self.gauge.show(float(entropy(weights)))

    def show_row(self, texts: Sequence[str]) -> None:
        """Set the texts below the bars."""
        for readout, text, x in zip(self.row, texts, self.bars.middles(), strict=True):
            readout.show(text, x, self.row_baseline)

    def order(self, places: FloatArray) -> None:
        """Move the bars to ``places`` (n,), 0 for the first and n - 1 for the last."""
        self.bars.bars.lefts = self.lefts[0] + self.pitch * places

    def paint(self, color: ManimColor) -> None:
        """Give what stands for the weights another colour."""
        for part in (self.bars.bars, self.gauge.level, self.gauge.number):
            part.set_fill(color)


class SizeAxis(VGroup):
    """Sizes on a log axis, with a mark that moves along it."""

    def __init__(self, sizes: tuple[int, ...], left: float, y: float, width: float, theme: Theme) -> None:
        self.first, self.last = sizes[0], sizes[-1]
        self.left, self.y, self.full_width = left, y, width
        xs = {size: self.x(size) for size in sizes}
        line = Lines(theme.muted, width=2).show(
            np.array([[left, y, 0.0], [left + width, y, 0.0]]),
            *(np.array([[x, y - 0.08, 0.0], [x, y + 0.08, 0.0]]) for x in xs.values()),
        )
        labels: list[Readout] = []
        for size in (self.last, *sizes[:-1]):  # both ends first; the others where they fit between
            label = Readout(whole(size), xs[size], y - 0.42, em=SMALL, color=theme.muted, weight="regular")
            if all(abs(label.get_x() - other.get_x()) > (label.width + other.width) / 2 + CLEARANCE for other in labels):
                labels.append(label)
        self.labels = labels
        self.still = VGroup(line, *labels)
        self.mark = Area(theme.ink)
        super().__init__(self.still, self.mark)

    def x(self, d: float) -> float:
        """Where size ``d`` stands."""
        return self.left + self.full_width * math.log(d / self.first) / math.log(self.last / self.first)

    def show(self, d: float) -> "SizeAxis":  # type: ignore[override]
        """Move the mark to size ``d``."""
        self.mark.show(disc(np.array([self.x(d), self.y, 0.0]), 0.13))
        return self


class Rescaling(LessonScene):
    """One division keeps the weights spread at any size, gives saturated scores back their slope, and keeps the order."""

    TITLE = "Dividing by √d brings the spread back"
    SECONDS = 90
    USES = ("d_k", "sizes", "n_keys", "scores", "seed")

    def setup(self) -> None:
        super().setup()
        self.growing = rescaling_case(self.parameters)
        self.many = divisors_case(self.parameters)
        self.example = collapse_case()
        self.saturated = saturation_case(self.parameters)
        self.grown = ValueTracker(0)  # 0 at the smallest size, 1 at the largest, evenly on a log scale
        self.divided = ValueTracker(0)  # 0 undivided, 1 divided by sqrt(d)
        self.restored = ValueTracker(0)  # 0 multiplied, 1 plain again
        self.exponent = ValueTracker(0.5)  # a, where scores are divided by d to the power a
        self.sorted = ValueTracker(0)  # 0 in the order of the keys, 1 in the order of their weights

    def construct(self) -> None:
        self.let_d_grow()
        self.divide_an_example()
        self.bring_the_slope_back()
        self.divide_by_d()

    # What is on screen now: the trackers and core, nothing else.

    def size(self) -> float:
        """The size d."""
        first, last = self.growing.sizes[0], self.growing.sizes[-1]
        return float(np.clip(first * (last / first) ** self.grown.get_value(), first, last))

    def divisor(self) -> float:
        """What the example's scores are divided by on their way from raw to scaled."""
        return float(self.example.factor ** self.divided.get_value())

    def size_label(self, d: int) -> VGroup:
        """The size at the right end of the title's line."""
        value = Readout(whole(d), RIGHT_EDGE, TITLE_BASELINE, em=TITLE, color=self.theme.ink, align="right")
        name = maths("d =", em=TITLE, color=self.theme.ink)
        return VGroup(place(name, value.get_left()[0] - 0.12, TITLE_BASELINE, "right"), value)

    def follow(self, show: Callable[[], None], *moving: Mobject) -> VGroup:
        """Redraw ``moving`` by ``show`` at every frame from now on; the group it gives ends that by clear_updaters."""
        group = VGroup(*moving)
        self.add(group)
        return group.add_updater(lambda _: show())

    def copy_over(self, column: Column, away: float, *coming: Mobject) -> None:
        """Bring in ``column`` as a copy of the one that stands ``away`` to its right."""
        shapes = VGroup(column.bars.bars, column.gauge.level).shift(away * RIGHT)
        texts = VGroup(column.bars.tracks, column.gauge.still, *column.bars.readouts, column.gauge.number, *column.row)
        self.play(FadeIn(texts), *map(FadeIn, coming), shapes.animate.shift(-away * RIGHT), run_time=1.2)

    # Beats

    def let_d_grow(self) -> None:
        case, theme = self.growing, self.theme
        first, last, n = case.sizes[0], case.sizes[-1], case.n_keys
        self.beat("d grows")
        title = self.title("Dividing by $sqrt(d)$ keeps the weights more even")
        bottom, width = -0.45, RIGHT_EDGE - MIDDLE
        raw = Column("q dot k", n, LEFT_EDGE, width, bottom, theme, theme.raw)
        scaled = Column(r"q dot k \/ sqrt(d)", n, MIDDLE, width, bottom, theme, theme.scaled)
        keys = [str(key) for key in range(1, n + 1)]
        axis_y, axis_left = -2.35, LEFT_EDGE + 2.5
        axis = SizeAxis(case.sizes, axis_left, axis_y, RIGHT_EDGE - 0.3 - axis_left, theme)
        d_is = place(maths("d =", em=TITLE, color=theme.ink), LEFT_EDGE, axis_y - 0.16, "left")
        d = Readout(em=TITLE, color=theme.ink, align="left")
        for column in (raw, scaled):
            column.show_row(keys)
        key = place(words("key", em=SMALL, color=theme.muted), 0, raw.row_baseline)

        def show() -> None:
            raw.show(case.raw_weights(self.size()))
            scaled.show(case.scaled_weights(self.size()))
            axis.show(self.size())
            d.show(whole(self.size()), d_is.get_right()[0] + 0.12, axis_y - 0.16)

        show()
        self.say(f"One query meets {n} keys, each of d = {whole(first)} numbers. The bars are its weights.")
        self.play(
            *map(FadeIn, (title, VGroup(raw.heading, raw.bars.tracks, *raw.row), raw.bars.bars, *raw.bars.readouts)),
            *map(FadeIn, (d_is, d, axis.still, axis.mark)),
            run_time=1,
        )
        self.hold(1)
        self.say("On the right, the same scores are divided by √d before the softmax.")
        self.play(
            *map(FadeIn, (VGroup(scaled.heading, scaled.bars.tracks, *scaled.row, key), scaled.bars.bars)),
            *map(FadeIn, scaled.bars.readouts),
            run_time=1,
        )
        self.hold(1)
        self.say(f"Entropy says how evenly the weights are shared: at most log {n} = {fixed(case.uniform_entropy, 2)}.")
        self.play(*map(FadeIn, (raw.gauge.still, scaled.gauge.still, raw.gauge.moving, scaled.gauge.moving)), run_time=1)
        self.hold(1)
        self.say(f"Now let d grow to {whole(last)}: every score adds up more and more products.")
        moving = self.follow(show, raw.moving, scaled.moving, axis.mark, d)
        self.play(self.grown.animate.set_value(0.5), run_time=4.6, rate_func=rush_into)
        self.say("Undivided, scores spread out like √d. Divided, their spread stays 1.")
        self.play(self.grown.animate.set_value(1), run_time=4.6, rate_func=rush_from)
        moving.clear_updaters()
        self.hold(1)
        raw_max, scaled_max = float(case.raw_weights(last).max()), float(case.scaled_weights(last).max())
        self.say(f"At d = {whole(last)} the largest weight is {fixed(raw_max, 2)} undivided, {fixed(scaled_max, 2)} divided.")
        self.hold(1)
        raw_median, scaled_median = self.many.raw.entropy_median[-1], self.many.scaled.entropy_median[-1]
        self.say(
            f"That is one draw. Over {whole(self.many.draws)}, the median entropy is {fixed(raw_median, 2)} undivided, "
            f"{fixed(scaled_median, 2)} divided."
        )
        pointers = VGroup(
            Area(theme.ink).show(raw.gauge.pointer(float(raw_median)), scaled.gauge.pointer(float(scaled_median))),
            place(words(f"{whole(self.many.draws)} draws", em=SMALL, color=theme.ink), 0, raw.gauge.y - 0.45),
        )
        median = place(words("median of", em=SMALL, color=theme.ink), 0.1, raw.gauge.y - 0.15)
        sample = Area(theme.ink).show(triangle(median.get_left()[0] - 0.15, raw.gauge.y - 0.15))
        self.play(FadeIn(pointers), FadeIn(median), FadeIn(sample), run_time=0.6)
        self.hold(1)
        self.clear_board()

    def divide_an_example(self) -> None:
        case, theme = self.example, self.theme
        n = len(case.scores)
        self.beat("an example with numbers")
        title = self.title("One division brings the spread back")
        size = self.size_label(case.d)
        bottom, width = -1.15, RIGHT_EDGE - MIDDLE
        raw = Column("q dot k", n, LEFT_EDGE, width, bottom, theme, theme.raw, gauge_digits=4)
        scaled = Column(r"q dot k \/ sqrt(d)", n, MIDDLE, width, bottom, theme, theme.scaled, gauge_digits=4)

        def texts(weights: FloatArray) -> list[str]:
            return [fixed(weight, 4 if weight == weights.max() else 2) for weight in weights]

        raw.show(case.raw_weights, texts(case.raw_weights))
        raw.show_row([fixed(score, 2) for score in case.scores])
        score = place(words("score", em=SMALL, color=theme.muted), 0, raw.row_baseline)
        by = Readout(em=HEADING, color=theme.ink)
        arrow = VGroup(
            Lines(theme.ink).show(np.array([[-0.45, 0.3, 0.0], [0.25, 0.3, 0.0]])),
            Area(theme.ink).show(np.array([[0.2, 0.42, 0.0], [0.45, 0.3, 0.0], [0.2, 0.18, 0.0]])),
        )

        def show() -> None:
            scores = case.scores / self.divisor()
            weights = softmax(scores)
            scaled.show(weights, texts(weights))
            scaled.show_row([fixed(score, 2) for score in scores])
            scaled.paint(blend(theme.raw, theme.scaled, self.divided.get_value()))
            by.show(f"÷ {short(round(self.divisor(), 1))}", 0, 0.55)

        show()
        low, high = fixed(case.scores.min(), 2), fixed(case.scores.max(), 2)
        self.say(f"Another draw, {n} keys of size {case.d}. Its scores go from {low} to {high}.")
        self.play(*map(FadeIn, (title, size, score, VGroup(raw.still, *raw.row), raw.moving)), run_time=1)
        self.hold(1)
        self.say(
            f"Softmax gives key {case.top + 1} {fixed(case.raw_max, 4)} of the weight, "
            f"and the entropy is {fixed(case.raw_entropy, 4)}."
        )
        self.hold(1)
        self.say(f"Now divide every score by √{case.d} = {short(case.factor)}.")
        self.copy_over(scaled, LEFT_EDGE - MIDDLE, arrow, by)
        moving = self.follow(show, scaled.moving, *scaled.row, by)
        self.play(FadeIn(scaled.heading), self.divided.animate.set_value(1), run_time=4)
        moving.clear_updaters()
        self.hold(1)
        self.say(
            f"The largest weight is {fixed(case.scaled_max, 4)} now, the entropy {fixed(case.scaled_entropy, 4)} "
            f"of {fixed(case.uniform_entropy, 4)}."
        )
        self.hold(2)
        self.clear_board()

    def bring_the_slope_back(self) -> None:
        case, theme = self.saturated, self.theme
        n, factor = len(case.scores), number(case.factor)
        root = f"√{whole(self.parameters.d_k)} {'=' if case.factor.is_integer() else '≈'} {factor}"
        self.beat("the slope comes back")
        title = self.title("The weights and their slope come back")
        em = LABEL if n <= 5 else SMALL
        size = self.size_label(self.parameters.d_k)
        bottom, left, width = -1.7, LEFT_EDGE, 5.9
        bars_width = min(width, SCORE_PITCH * (n - 0.35))
        bars_left = left + (width - bars_width) / 2
        bars = WeightBars(n, bars_left, bottom, bars_width, BARS_TOP - bottom, theme, em=em)
        row = [Readout(em=em, color=theme.muted, weight="regular") for _ in range(n)]
        score = place(words("score", em=em, color=theme.muted), bars_left + bars_width + 0.2, bottom - 0.4, "left")
        times = words(f"every score × {factor}", em=HEADING, color=theme.raw, weight="semibold")
        by = Readout(f"÷ {factor}", em=HEADING, color=theme.scaled, align="left")
        by_left = left + width / 2 + (times.width + 0.14 - by.width) / 2
        place(times, by_left - 0.14, HEADING_BASELINE, "right")
        plane = Plane((0, 1), (0, 0.25), 1.7, bottom, 3.7, BARS_TOP - bottom)
        ends = np.array([0.0, 1.0])
        curve = VGroup(
            Lines(theme.faint, width=2).show(plane.points(ends, 0 * ends), plane.points(0 * ends, 0.25 * ends)),
            Lines(theme.ink).show(plane.points(case.curve_weights, case.curve_slopes)),
            place(words("slope $p (1 - p)$", em=HEADING, color=theme.ink), plane.x(0.5), HEADING_BASELINE),
            *(place(words(f"{end:g}", em=SMALL, color=theme.muted), plane.x(end), bottom - 0.4) for end in ends),
            place(words("largest weight $p$", em=SMALL, color=theme.muted), plane.x(0.5), bottom - 0.4),
        )
        dot = Area(theme.raw)
        slope_now = Readout(em=LABEL, color=theme.raw)

        def show() -> None:
            share = self.restored.get_value()
            divisor = case.factor**share
            scores = case.multiplied / divisor
            weights = softmax(scores)
            top = float(weights.max())
            steepness = float(slope(top))
            color = blend(theme.raw, theme.scaled, share)
            digits = 2 if top < 0.995 else 4
            bars.show(weights, weight_texts(weights, bars_width / (n - 0.35), em, digits))
            bars.bars.set_fill(color)
            for readout, value, x in zip(row, scores, bars.middles(), strict=True):
                readout.show(number(value) if share in (0, 1) else fixed(value, 1), x, bottom - 0.4)
            by.show(f"÷ {number(divisor) if share in (0, 1) else fixed(divisor, 1)}", by_left, HEADING_BASELINE)
            point = plane.point(top, steepness)
            dot.show(disc(point, 0.13)).set_fill(color)
            # Outside the curve: above its top, right of its end.
            slope_now.show(fixed(steepness, 2 if steepness >= 0.01 else 4), point[0] + 1.3 * (top - 0.5), point[1] + 0.22)
            slope_now.set_fill(color)

        show()
        self.say(f"The same cure for softmax: these scores were made {root} times bigger.")
        self.play(
            *map(FadeIn, (title, size, times, score, VGroup(bars.tracks, *row), bars.bars, *bars.readouts)), run_time=1
        )
        self.hold(1)
        self.say(f"The largest weight is {digits_of(case.multiplied_weights.max())}, and its slope {digits_of(case.multiplied_slope)}.")
        self.play(*map(FadeIn, (curve, dot, slope_now)), run_time=1)
        self.hold(1)
        plain = ", ".join(number(value) for value in case.scores) if n <= 3 else "what they were"
        self.say(f"Divide every score by {root}, and they are {plain} again.")
        self.play(FadeIn(by), run_time=0.6)
        moving = self.follow(show, bars.bars, *bars.readouts, *row, dot, slope_now, by)
        self.play(self.restored.animate.set_value(1), run_time=4)
        moving.clear_updaters()
        self.hold(1)
        self.say(f"The largest weight is {digits_of(case.weights.max())} again, and its slope is {digits_of(case.slope)}{self.steeper()}.")
        self.hold(2)
        self.clear_board()

    def steeper(self) -> str:
        """How the slope compares with the one before the division, where it is the greater."""
        flatter = self.saturated.flatter
        if flatter >= 1e6:
            return ", over a million times steeper"
        if flatter >= 1.05:
            return f", {significant(flatter, 3 if flatter >= 100 else 2)} times steeper"
        return ""

    def divide_by_d(self) -> None:
        case, theme = self.example, self.theme
        n = len(case.scores)
        self.beat("why the root")
        title = self.title("Why the root: dividing by $d$ is too much")
        size = self.size_label(case.d)
        bottom = -0.85
        lefts = np.linspace(LEFT_EDGE, RIGHT_EDGE - THIRDS, 3)
        raw, scaled, over = (
            Column(scores, n, left, THIRDS, bottom, theme, color, gauge_digits=4, log=False)
            for scores, left, color in zip(
                ("q dot k", r"q dot k \/ sqrt(d)", r"q dot k \/ d"),
                lefts,
                (theme.raw, theme.scaled, theme.over_scaled),
                strict=True,
            )
        )
        columns = (raw, scaled, over)
        divisors = [
            Readout(em=HEADING, color=color, align="right") for color in (theme.raw, theme.scaled, theme.over_scaled)
        ]
        keys = [str(key) for key in range(1, n + 1)]
        places = np.argsort(case.ranking)

        def texts(weights: FloatArray) -> list[str]:
            shown = (weights.max(), weights.min())
            return [fixed(weight, 2) if weight in shown else "" for weight in weights]

        def show() -> None:
            exponent = self.exponent.get_value()
            over_weights = softmax(case.scores / case.d**exponent)
            share = self.sorted.get_value()
            for column, weights in zip(columns, (case.raw_weights, case.scaled_weights, over_weights), strict=True):
                column.order((1 - share) * np.arange(n) + share * places)
                column.show(weights, texts(weights))
                column.show_row(keys)
            over.paint(blend(theme.scaled, theme.over_scaled, 2 * exponent - 1))
            for divisor, left, power in zip(divisors, lefts, (0, 0.5, exponent), strict=True):
                divisor.show(f"÷ {whole(case.d**power)}", left + THIRDS, HEADING_BASELINE)

        show()
        self.say("Why the root? See what happens when we divide by d itself.")
        self.play(
            *map(FadeIn, (title, size, VGroup(raw.still, *raw.row), VGroup(scaled.still, *scaled.row))),
            *map(FadeIn, (raw.moving, scaled.moving, *divisors[:2])),
            run_time=1,
        )
        self.hold(1)
        self.say(f"Take the middle weights, and let the divisor go on from √{case.d} = {short(case.factor)} to {case.d}.")
        self.copy_over(over, float(lefts[1] - lefts[2]), divisors[2])
        moving = self.follow(show, over.moving, divisors[2])
        self.play(FadeIn(over.heading), self.exponent.animate.set_value(1), run_time=4)
        moving.clear_updaters()
        self.hold(1)
        self.say(f"Now every weight is close to 1/{n} = {short(1 / n)}: the query hardly tells its keys apart.")
        self.hold(1)
        self.say("Sort the keys by weight: division never changes their order.")
        moving = self.follow(show, *(VGroup(column.moving, *column.row) for column in columns))
        self.play(self.sorted.animate.set_value(1), run_time=3)
        moving.clear_updaters()
        self.hold(1)
        spreads = (number(case.factor), "1", significant(1 / case.factor, 3))
        lines = VGroup(
            *(
                place(words(f"spread of a score: {spread}", em=LABEL, color=theme.ink), left + THIRDS / 2, bottom - 1.7)
                for spread, left in zip(spreads, lefts, strict=True)
            )
        )
        self.say("For entries of spread 1, only the root gives scores a spread of 1 at every d.")
        self.play(FadeIn(lines), run_time=1)
        self.hold(3)

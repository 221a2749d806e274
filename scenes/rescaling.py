"""How dividing the scores by sqrt(d) keeps the weights from collapsing, and why it is the root."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from manim import RIGHT, FadeIn, FadeOut, ValueTracker, VGroup, VMobject
from manim.utils.rate_functions import ease_in_sine, ease_out_sine

from core import entropy, slope, softmax
from core.cases import SaturationCase, collapse_case, divisors_case, rescaling_case, saturation_case
from core.numerals import fixed, short, significant, whole
from core.theme import Theme
from scenes.base import LEFT_EDGE, RIGHT_EDGE, TITLE_BASELINE, LessonScene
from scenes.parts import Area, Dots, FloatArray, Lines, Plane, WeightBars
from scenes.typesetting import HEADING, LABEL, SMALL, TITLE, Readout, maths, place, words

# All in scene units; the frame is 14.2 wide and 8 high, and the caption band ends at -3.0.
HEADING_BASELINE = 2.3
FULL = 1.75  # the height at which a bar of weight 1 ends
MIDDLE = 0.85  # half the gap between two columns
HALF = RIGHT_EDGE - MIDDLE  # the width of each of two columns
THIRD = 3.85  # and of each of three
GAP = 0.35  # between bars, as a part of a pitch: that from one bar to the next
WIDEST_PITCH = 1.25
WIDEST_SCORE_PITCH = 1.7
NARROWEST_GAUGE = 3.3
GAUGE_THICKNESS = 0.14
ROW = -0.33  # baselines below the foot of the bars
GAUGE = -0.7
CLEARANCE = 0.1  # between two numbers side by side
FEW = 4  # numbers over bars, where there is no room for all
DOT = 0.13
AXIS_LEFT, AXIS_Y, AXIS_WIDTH = LEFT_EDGE + 2.6, -2.35, RIGHT_EDGE - LEFT_EDGE - 2.9  # of sizes
CURVE = Plane((0, 1), (0, 0.25), left=1.7, bottom=-1.7, width=3.7, height=3.1)
SCORES_WIDTH = 5.9  # of the bars beside the curve

NO_BREAK = "\N{NO-BREAK SPACE}"


# Words and numbers


def number(value: float) -> str:
    """``value`` with as few decimals as it needs, two at most, and one from a hundred on."""
    return short(round(value, 2 if abs(value) < 100 else 1))


def moving_number(value: float, share: float) -> str:
    """A number that moves; but for both ends always with one decimal, since one that came and went would flicker."""
    return number(value) if share in (0, 1) else fixed(value, 1)


def plain(value: float) -> str:
    """A weight or a slope with two decimals, or with four where two would hide what is left of it."""
    return fixed(value, 2 if 0.01 <= value < 0.995 else 4)


def text_width(text: str, em: float) -> float:
    """How wide a readout is, in scene units."""
    return float(Readout(text, em=em, color="#FFFFFF").width)


def weight_texts(weights: FloatArray, pitch: float, em: float, digits: int = 2) -> list[str]:
    """What stands over each bar: every weight where bars ``pitch`` apart leave room, else the few largest that fit.

    A number wider than its column reaches over its neighbours, so it stands only where they are lower. Weights that
    round to 0 are not among the few.
    """
    texts = [fixed(weight, digits) for weight in weights]
    reach = text_width(texts[0], em) + CLEARANCE
    if pitch >= reach:
        return texts
    kept: list[int] = []
    for index in np.argsort(-weights, kind="stable").tolist():
        fits = all(abs(index - other) * pitch >= reach for other in kept)
        if fits and len(kept) < FEW and texts[index] != fixed(0, digits):
            kept.append(index)
    return [text if index in kept else "" for index, text in enumerate(texts)]


def restored_caption(case: SaturationCase) -> str:
    """What the division has brought back."""
    largest = plain(case.weights.max())
    if case.slope < 0.005:
        return f"The largest weight is {largest} all the same: these scores lie far apart by themselves."
    if case.flatter >= 1e6:
        return f"The largest is {largest} again, its slope {plain(case.slope)}, over a million times steeper."
    if case.flatter >= 1.05:
        steeper = f", {significant(case.flatter, 3 if case.flatter >= 100 else 2)} times steeper"
    else:
        steeper = ""
    return f"The largest weight is {largest} again, its slope {plain(case.slope)}{steeper}."


# Shapes


def box(left: float, bottom: float, width: float, height: float) -> FloatArray:
    """The corners, (4, 3), of an upright rectangle."""
    right, top = left + width, bottom + height
    return np.array([[left, bottom, 0], [right, bottom, 0], [right, top, 0], [left, top, 0]])


def triangle(x: float, y: float) -> FloatArray:
    """The corners, (3, 3), of a small triangle that points down at (x, y)."""
    return np.array([[x, y, 0], [x + 0.11, y + 0.17, 0], [x - 0.11, y + 0.17, 0]])


class Gauge(VGroup):
    """Entropy of the weights of ``n`` keys as a level, full at log ``n``, with its number underneath.

    ``digits`` is the number of decimals; a ``compact`` gauge does not say that its greatest value is a logarithm.
    """

    def __init__(
        self, middle: float, y: float, width: float, n: int, theme: Theme, color: str, digits: int, compact: bool
    ) -> None:
        self.full_width = max(width, NARROWEST_GAUGE)
        self.left, self.y = middle - self.full_width / 2, y
        self.digits, self.largest = digits, math.log(n)
        self.track = Area(theme.faint).show(self.corners(self.largest))
        self.level = Area(color)
        limit = fixed(self.largest, digits)
        name = words("entropy", em=LABEL, color=theme.muted)
        bound = words(f"of {limit}" if compact else f"of log {n} = {limit}", em=LABEL, color=theme.muted)
        space, number_width, baseline = 0.3 * LABEL, text_width(limit, LABEL), y - 0.45
        x = middle - (name.width + number_width + bound.width) / 2 - space
        self.number_at = (x + name.width + space, baseline)
        self.names = VGroup(
            place(name, x, baseline, "left"), place(bound, self.number_at[0] + number_width + space, baseline, "left")
        )
        self.number = Readout(em=LABEL, color=color, align="left")
        super().__init__(self.track, self.names, self.level, self.number)

    def x(self, nats: float) -> float:
        """Where an entropy of ``nats`` ends."""
        return self.left + self.full_width * nats / self.largest

    def corners(self, nats: float) -> FloatArray:
        """The corners, (4, 3), of the level of ``nats``."""
        return box(self.left, self.y - GAUGE_THICKNESS / 2, self.x(nats) - self.left, GAUGE_THICKNESS)

    def pointer(self, nats: float) -> FloatArray:
        """The corners, (3, 3), of a small triangle that points at ``nats`` from above."""
        return triangle(self.x(nats), self.y + GAUGE_THICKNESS / 2 + 0.04)

    def show(self, nats: float) -> "Gauge":  # type: ignore[override]
        """Fill the gauge up to ``nats``."""
        self.level.show(self.corners(nats))
        self.number.show(fixed(nats, self.digits), *self.number_at)
        return self


class Column:
    """The weights of one query over its keys: a formula, a bar a key, a text below each bar, and the entropy gauge.

    A ``compact`` one has its formula at the left, which leaves room at the right. ``chart`` is all but the gauge;
    ``shapes`` and ``numbers`` are what moves when the weights do, and ``row`` holds the texts below the bars.
    """

    def __init__(
        self,
        formula: str,
        n: int,
        left: float,
        width: float,
        bottom: float,
        theme: Theme,
        color: str,
        digits: int = 2,
        compact: bool = False,
        row_em: float = LABEL,
    ) -> None:
        bars_width, middle = min(width, WIDEST_PITCH * (n - GAP)), left + width / 2
        self.pitch = bars_width / (n - GAP)
        self.bars = WeightBars(
            n, middle - bars_width / 2, bottom, bars_width, FULL - bottom, theme, color=color, gap=GAP
        )
        self.lefts, self.color = self.bars.bars.lefts, color
        self.heading = maths(formula, em=TITLE, color=color)
        place(self.heading, left if compact else middle, HEADING_BASELINE, "left" if compact else "center")
        self.row_baseline = bottom + ROW
        self.row = [Readout(em=row_em, color=theme.muted, weight="regular") for _ in range(n)]
        self.gauge = Gauge(middle, bottom + GAUGE, bars_width, n, theme, color, digits, compact)
        self.shapes = VGroup(self.bars.bars, self.gauge.level)
        self.numbers = VGroup(*self.bars.readouts, self.gauge.number)
        self.chart = VGroup(self.heading, self.bars, *self.row)

    def show(self, weights: FloatArray, texts: Sequence[str] | None = None) -> None:
        """Show ``weights`` (n,) and their entropy; ``texts`` on the bars, else what `weight_texts` says."""
        self.bars.show(weights, weight_texts(weights, self.pitch, LABEL) if texts is None else texts)
        self.gauge.show(float(entropy(weights)))

    def show_row(self, texts: Sequence[str]) -> None:
        """Set the texts below the bars."""
        for readout, text, x in zip(self.row, texts, self.bars.middles(), strict=True):
            readout.show(text, x, self.row_baseline)

    def order(self, places: FloatArray) -> None:
        """Move the bars to ``places`` (n,), 0 for the first and n - 1 for the last."""
        self.bars.bars.lefts = self.lefts[0] + self.pitch * places


class SizeAxis(VGroup):
    """Sizes on a log axis, with a mark that moves along it; sizes that would stand too close have no label."""

    def __init__(self, sizes: tuple[int, ...], theme: Theme) -> None:
        self.sizes = sizes
        ticks = [np.array([[self.x(size), AXIS_Y + end, 0] for end in (-0.08, 0.08)]) for size in sizes]
        whole_line = np.array([[self.x(end), AXIS_Y, 0] for end in (sizes[0], sizes[-1])])
        line = Lines(theme.muted, width=2).show(whole_line, *ticks)
        self.labels = VGroup()
        for size in (sizes[-1], *sizes[:-1]):  # the ends first; the others where they fit between
            label = Readout(whole(size), self.x(size), AXIS_Y - 0.42, em=SMALL, color=theme.muted, weight="regular")
            if all(
                abs(label.get_x() - other.get_x()) >= (label.width + other.width) / 2 + CLEARANCE
                for other in self.labels
            ):
                self.labels.add(label)
        self.mark = Dots(DOT, theme.ink)
        super().__init__(line, self.labels, self.mark)

    def x(self, d: float) -> float:
        """Where size ``d`` stands."""
        first, last = self.sizes[0], self.sizes[-1]
        return AXIS_LEFT + AXIS_WIDTH * math.log(d / first) / math.log(last / first)

    def show(self, d: float) -> "SizeAxis":  # type: ignore[override]
        """Move the mark to size ``d``."""
        self.mark.show(np.array([[self.x(d), AXIS_Y, 0]]))
        return self


class Rescaling(LessonScene):
    """Raw weights beside weights of divided scores: as d grows, in an example, after saturation, and divided by d."""

    TITLE = "Dividing by √d brings the spread back"
    SECONDS = 89
    USES = ("d_k", "sizes", "n_keys", "scores", "seed")

    def setup(self) -> None:
        super().setup()
        self.growing = rescaling_case(self.parameters)
        self.many = divisors_case(self.parameters)
        self.example = collapse_case()
        self.saturated = saturation_case(self.parameters)
        self.grown = ValueTracker(0)  # 0 at the smallest size, 1 at the largest, evenly on a log scale
        self.divided = ValueTracker(0)  # the example: 0 raw, 1 divided by sqrt(d)
        self.restored = ValueTracker(0)  # the saturated scores: 0 multiplied, 1 as they were
        self.exponent = ValueTracker(0.5)  # a, where the example's scores are divided by d to the power a
        self.sorted = ValueTracker(0)  # 0 in the order of the keys, 1 in the order of their weights

    def construct(self) -> None:
        self.let_d_grow()
        self.divide_an_example()
        self.bring_the_slope_back()
        self.divide_by_d()

    # What is on screen now: the trackers and core, nothing else.

    def size(self) -> float:
        """The size d of query and keys while they grow."""
        first, last = self.growing.sizes[0], self.growing.sizes[-1]
        return float(np.clip(first * (last / first) ** self.grown.get_value(), first, last))

    def divisor(self) -> float:
        """What the example's scores are divided by, on their way from raw to scaled."""
        return float(self.example.factor ** self.divided.get_value())

    def restored_divisor(self) -> float:
        """What the multiplied scores are divided by, on their way back."""
        return float(self.saturated.factor ** self.restored.get_value())

    def last_divisor(self) -> float:
        """What the third column's scores are divided by, on their way from sqrt(d) to d."""
        return float(self.example.d ** self.exponent.get_value())

    def places(self) -> FloatArray:
        """Where the example's keys stand, (n,), on their way into the order of their weights."""
        share, ranks = self.sorted.get_value(), np.argsort(self.example.ranking)
        return (1 - share) * np.arange(len(ranks)) + share * ranks

    # Beats

    def let_d_grow(self) -> None:
        self.beat("d grows")
        case, theme = self.growing, self.theme
        first, last, n = case.sizes[0], case.sizes[-1], case.n_keys
        raw = Column("q dot k", n, LEFT_EDGE, HALF, -0.45, theme, theme.raw)
        scaled = Column(r"q dot k \/ sqrt(d)", n, MIDDLE, HALF, -0.45, theme, theme.scaled)
        for column in (raw, scaled):
            column.show_row([str(key) for key in range(1, n + 1)])
        key = place(words("key", em=LABEL, color=theme.muted), 0, raw.row_baseline)
        d_is = place(maths("d =", em=TITLE, color=theme.ink), LEFT_EDGE, AXIS_Y - 0.16, "left")
        d = Readout(em=TITLE, color=theme.ink, align="left")
        axis = SizeAxis(case.sizes, theme)

        def show() -> None:
            raw.show(case.raw_weights(self.size()))
            scaled.show(case.scaled_weights(self.size()))
            axis.show(self.size())
            d.show(whole(self.size()), d_is.get_right()[0] + 0.16, AXIS_Y - 0.16)

        show()
        self.say(f"One query meets {n} keys, each of d = {whole(first)} numbers. The bars are its weights.")
        title = self.title("Dividing by $sqrt(d)$ keeps the weights more even")
        self.play(FadeIn(title, d_is, d, axis), FadeIn(raw.chart), run_time=1)
        self.hold(1)
        self.say("On the right, the same scores are divided by √d before the softmax.")
        self.play(FadeIn(key, scaled.chart), run_time=1)
        self.hold(1)
        self.say(f"Entropy says how evenly the weights are shared: at most log {n} = {fixed(case.uniform_entropy, 2)}.")
        self.play(FadeIn(raw.gauge, scaled.gauge), run_time=1)
        self.hold(1)

        self.say(f"Now let d grow to {whole(last)}: every score adds up more and more products.")
        moving = self.follow(show, raw.shapes, raw.numbers, scaled.shapes, scaled.numbers, axis.mark, d)
        self.play(self.grown.animate.set_value(0.5), run_time=4.6, rate_func=ease_in_sine)
        self.say("Undivided, scores spread out like √d. Divided, their spread stays 1.")
        self.play(self.grown.animate.set_value(1), run_time=4.6, rate_func=ease_out_sine)
        moving.clear_updaters()
        self.hold(1)
        largest = [fixed(weights(last).max(), 2) for weights in (case.raw_weights, case.scaled_weights)]
        self.say(f"At d = {whole(last)} the largest weight is {largest[0]} undivided, {largest[1]} divided.")
        self.hold(1)

        # One draw need not collapse, so it is not left to speak for all.
        medians = [float(statistics.entropy_median[-1]) for statistics in (self.many.raw, self.many.scaled)]
        texts = [fixed(median, 2) for median in medians]
        self.say(
            f"That is one draw. Over {whole(self.many.draws)}, the median entropy is {texts[0]} undivided, "
            f"{texts[1]} divided."
        )
        lines = ("median of", f"{whole(self.many.draws)} draws")
        legend = VGroup(
            *(
                place(words(line, em=SMALL, color=theme.ink), x, raw.gauge.y + y)
                for line, x, y in zip(lines, (0.14, 0), (-0.15, -0.45), strict=True)
            )
        )
        pointers = Area(theme.ink).show(
            *(column.gauge.pointer(median) for column, median in zip((raw, scaled), medians, strict=True)),
            triangle(legend[0].get_left()[0] - 0.2, raw.gauge.y - 0.15),
        )
        self.play(FadeIn(pointers, legend), run_time=0.6)
        self.hold(1)

    def divide_an_example(self) -> None:
        self.beat("an example with numbers")
        self.clear_board()
        case, theme, n = self.example, self.theme, len(self.example.scores)
        raw = Column("q dot k", n, LEFT_EDGE, HALF, -1.15, theme, theme.raw, digits=4, row_em=SMALL)
        scaled = Column(r"q dot k \/ sqrt(d)", n, MIDDLE, HALF, -1.15, theme, theme.scaled, digits=4, row_em=SMALL)
        score = place(words("score", em=SMALL, color=theme.muted), 0, raw.row_baseline)
        by = Readout(em=HEADING, color=theme.ink)
        arrow = VGroup(
            Lines(theme.ink).show(np.array([[-0.45, 0.3, 0], [0.25, 0.3, 0]])),
            Area(theme.ink).show(np.array([[0.2, 0.42, 0], [0.45, 0.3, 0], [0.2, 0.18, 0]])),
        )

        def fill(column: Column, scores: FloatArray) -> None:
            weights = softmax(scores)
            column.show(weights, [fixed(weight, 4 if weight == weights.max() else 2) for weight in weights])
            column.show_row([fixed(score, 2) for score in scores])

        def show() -> None:
            fill(scaled, case.scores / self.divisor())
            by.show(f"÷ {moving_number(self.divisor(), self.divided.get_value())}", 0, 0.55)

        fill(raw, case.scores)
        show()
        low, high = fixed(case.scores.min(), 2), fixed(case.scores.max(), 2)
        self.say(f"Another draw, {n} keys of size {case.d}. Its scores go from {low} to {high}.")
        title = self.title("One division brings the spread back")
        self.play(FadeIn(title, self.size_label(case.d), score), FadeIn(raw.chart, raw.gauge), run_time=1)
        self.hold(1)
        self.say(
            f"Softmax gives one key a weight of {fixed(case.raw_max, 4)}. The entropy is {fixed(case.raw_entropy, 4)}."
        )
        self.hold(1)
        self.say(f"Now divide every score by √{case.d} = {short(case.factor)}.")
        self.copy_over(raw, scaled, arrow, by)
        moving = self.follow(show, scaled.shapes, scaled.numbers, *scaled.row, by)
        self.play(FadeIn(scaled.heading), self.divided.animate.set_value(1), run_time=4)
        moving.clear_updaters()
        self.hold(1)
        self.say(
            f"The largest weight is {fixed(case.scaled_max, 4)} now, the entropy {fixed(case.scaled_entropy, 4)} "
            f"of {fixed(case.uniform_entropy, 4)}."
        )
        self.hold(2)

    def bring_the_slope_back(self) -> None:
        self.beat("the slope comes back")
        self.clear_board()
        case, theme, n = self.saturated, self.theme, len(self.saturated.scores)
        d_k, factor = self.parameters.d_k, number(case.factor)
        root = f"√{whole(d_k)}{NO_BREAK}{'=' if case.factor.is_integer() else '≈'}{NO_BREAK}{factor}"
        em = LABEL if n <= 5 else SMALL
        bottom, width = CURVE.bottom, min(SCORES_WIDTH, WIDEST_SCORE_PITCH * (n - GAP))
        middle, row_baseline = LEFT_EDGE + SCORES_WIDTH / 2, bottom - 0.4
        bars = WeightBars(n, middle - width / 2, bottom, width, FULL - bottom, theme, em=em, gap=GAP)
        row = [Readout(em=em, color=theme.muted, weight="regular") for _ in range(n)]
        score = place(words("score", em=em, color=theme.muted), middle + width / 2 + 0.2, row_baseline, "left")
        by = Readout(f"÷ {factor}", em=HEADING, color=theme.scaled, align="left")
        times = words(f"every score × {factor}", em=HEADING, color=theme.raw, weight="semibold")
        by_left = middle + (times.width + 0.14 - by.width) / 2
        place(times, by_left - 0.14, HEADING_BASELINE, "right")
        dot, slope_now = Dots(DOT, theme.raw), Readout(em=HEADING, color=theme.raw)

        def show() -> None:
            share, divisor = self.restored.get_value(), self.restored_divisor()
            scores = case.multiplied / divisor
            weights = softmax(scores)
            p = float(weights[case.top])
            bars.show(weights, weight_texts(weights, width / (n - GAP), em, digits=2 if p < 0.995 else 4))
            for readout, value, x in zip(row, scores, bars.middles(), strict=True):
                readout.show(moving_number(value, share), x, row_baseline)
            by.show(f"÷ {moving_number(divisor, share)}", by_left, HEADING_BASELINE)
            x, y, _ = point = CURVE.point(p, float(slope(p)))
            dot.show(point[None])
            # Outside the curve: to its left, above its top, to its right.
            slope_now.show(plain(float(slope(p))), x + 1.6 * (p - 0.5), y + 0.26)

        show()
        self.say(f"Now scores that size {whole(d_k)} has made {root} times bigger.")
        title = self.title("The weights and their slope come back")
        self.play(FadeIn(title, self.size_label(d_k), times, score), FadeIn(bars, *row), run_time=1)
        self.hold(1)
        self.say(
            f"The largest weight is {plain(case.multiplied_weights.max())}, "
            f"and its slope {plain(case.multiplied_slope)}."
        )
        self.play(FadeIn(self.slope_curve()), FadeIn(dot, slope_now), run_time=1)
        self.hold(1)
        again = ", ".join(map(number, case.scores)) if n <= 3 else "what they were"
        self.say(f"Divide every score by {root}, and they are {again} again.")
        self.play(
            FadeIn(by), *(part.animate.set_fill(theme.scaled) for part in (bars.bars, dot, slope_now)), run_time=0.8
        )
        moving = self.follow(show, bars.bars, *bars.readouts, *row, dot, slope_now, by)
        self.play(self.restored.animate.set_value(1), run_time=4)
        moving.clear_updaters()
        self.hold(1)
        self.say(restored_caption(case))
        self.hold(2)

    def divide_by_d(self) -> None:
        self.beat("why the root")
        self.clear_board()
        case, theme, n = self.example, self.theme, len(self.example.scores)
        lefts = np.linspace(LEFT_EDGE, RIGHT_EDGE - THIRD, 3)
        colors = (theme.raw, theme.scaled, theme.over_scaled)
        raw, scaled, over = columns = [
            Column(formula, n, left, THIRD, -0.85, theme, color, digits=4, compact=True)
            for formula, left, color in zip(
                ("q dot k", r"q dot k \/ sqrt(d)", r"q dot k \/ d"), lefts, colors, strict=True
            )
        ]
        divisors = [Readout(em=HEADING, color=color, align="right") for color in colors]
        names = [
            place(words("key", em=LABEL, color=theme.muted), (left + THIRD + right) / 2, raw.row_baseline)
            for left, right in pairwise(lefts)
        ]

        def show() -> None:
            for column, readout, left, by in zip(
                columns, divisors, lefts, (1, case.factor, self.last_divisor()), strict=True
            ):
                weights = softmax(case.scores / by)
                ends = (weights.min(), weights.max())
                column.order(self.places())
                column.show(weights, [fixed(weight, 2) if weight in ends else "" for weight in weights])
                column.show_row([str(key) for key in range(1, n + 1)])
                readout.show(f"÷ {whole(by)}", left + THIRD, HEADING_BASELINE)

        show()
        self.say(f"Why the root? Let the divisor of the middle weights grow on, from {short(case.factor)} to {case.d}.")
        title = self.title("Why the root: dividing by $d$ is too much")
        self.play(
            FadeIn(title, self.size_label(case.d)),
            FadeIn(raw.chart, raw.gauge, scaled.chart, scaled.gauge, names[0], *divisors[:2]),
            run_time=1,
        )
        self.copy_over(scaled, over, divisors[2], names[1])
        moving = self.follow(show, over.shapes, over.numbers, divisors[2])
        self.play(FadeIn(over.heading), self.exponent.animate.set_value(1), run_time=4)
        moving.clear_updaters()
        self.hold(1)
        self.say(f"Now every weight is close to 1/{n} = {short(1 / n)}: the query hardly tells its keys apart.")
        self.hold(1)
        self.say("Sort the keys by weight: division never changes their order.")
        # Texts would run into each other on the way, so the bars go without them.
        texts = [text for column in columns for text in (*column.bars.readouts, *column.row)]
        self.play(FadeOut(*texts), run_time=0.6)
        moving = self.follow(show, *(column.shapes for column in columns))
        self.play(self.sorted.animate.set_value(1), run_time=2.4)
        moving.clear_updaters()
        self.play(FadeIn(*texts), run_time=0.6)
        self.hold(1)

        spread, over_spread = short(case.factor), significant(1 / case.factor, 3)
        spreads = (f"√{case.d} = {spread}", f"{spread} ÷ {spread} = 1", f"{spread} ÷ {case.d} = {over_spread}")
        self.say("For entries of spread 1, only the root gives scores a spread of 1 at every d.")
        lines = [
            place(
                words(
                    f"score spread {text}",
                    em=LABEL,
                    color=theme.ink if column is scaled else theme.muted,
                    weight="semibold" if column is scaled else "regular",
                ),
                left + THIRD / 2,
                -2.6,
            )
            for text, column, left in zip(spreads, columns, lefts, strict=True)
        ]
        self.play(FadeIn(*lines), run_time=1)
        self.hold(3)

    # Parts

    def size_label(self, d: int) -> VGroup:
        """The size, at the right end of the title's line."""
        value = Readout(whole(d), RIGHT_EDGE, TITLE_BASELINE, em=TITLE, color=self.theme.ink, align="right")
        d_is = maths("d =", em=TITLE, color=self.theme.ink)
        return VGroup(place(d_is, value.get_left()[0] - 0.16, TITLE_BASELINE, "right"), value)

    def slope_curve(self) -> VGroup:
        """The slope of a weight against the weight; no upright axis, since a number may stand in its place."""
        case, theme = self.saturated, self.theme
        ends, peak = case.curve_weights[[0, -1]], float(case.curve_slopes.max())
        below = CURVE.bottom - 0.4
        return VGroup(
            Lines(theme.muted, 2).show(np.array([CURVE.point(0, 0), CURVE.point(1, 0)])),
            Lines(theme.ink).show(CURVE.points(case.curve_weights, case.curve_slopes)),
            place(words("slope $p (1 - p)$", em=HEADING, color=theme.ink), CURVE.x(0.5), HEADING_BASELINE),
            place(words(number(peak), em=SMALL, color=theme.muted), CURVE.x(0.5), CURVE.y(peak) - 0.4),
            *(place(words(number(end), em=SMALL, color=theme.muted), CURVE.x(end), below) for end in ends),
            place(words("largest weight $p$", em=SMALL, color=theme.muted), CURVE.x(0.5), below),
        )

    def follow(self, show: Callable[[], None], *moving: VMobject) -> VGroup:
        """Redraw ``moving`` by ``show`` at every frame, until the group that this gives has its updaters cleared."""
        group = VGroup(*moving)
        self.add(group)
        return group.add_updater(lambda _: show())

    def copy_over(self, old: Column, new: Column, *coming: VMobject) -> None:
        """Bring in ``new``, which shows the same weights, as a copy of ``old``, and ``coming`` with it."""
        self.play(FadeIn(new.bars.tracks, new.gauge.track, *coming), run_time=0.6)
        way = (new.lefts[0] - old.lefts[0]) * RIGHT
        new.shapes.shift(-way).set_fill(old.color)
        self.play(new.shapes.animate.shift(way).set_fill(new.color), run_time=1)
        self.play(FadeIn(new.numbers, new.gauge.names, *new.row), run_time=0.4)

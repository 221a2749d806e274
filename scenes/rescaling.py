"""How dividing the scores by sqrt(d) keeps the weights from collapsing, and why it is the root."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from manim import RIGHT, FadeIn, Mobject, ValueTracker, VGroup, linear
from manim.utils.rate_functions import ease_in_sine, ease_out_sine

from core import entropy, slope, softmax
from core.cases import (
    CollapseCase,
    RescalingCase,
    SaturationCase,
    collapse_case,
    divisors_case,
    rescaling_case,
    saturation_case,
    spread_case,
)
from core.numerals import fixed, ratio_words, short, significant, whole
from core.theme import Theme
from scenes.base import LEFT_EDGE, RIGHT_EDGE, TITLE_BASELINE, LessonScene
from scenes.parts import (
    CENTRED,
    Area,
    Dots,
    FloatArray,
    Lines,
    LogPlot,
    Plane,
    SlopeCurve,
    WeightBars,
    attention_weights,
    boxes,
    dashes,
    spaced,
    times,
)
from scenes.typesetting import HEADING, LABEL, SMALL, TITLE, Readout, SetText, maths, place, words

# All in scene units; the frame is 14.2 wide and 8 high, and the caption band ends at -3.0.
HEADING_BASELINE = 2.3
FULL = 1.6  # the height at which a bar of weight 1 ends
MIDDLE = 0.85  # half the gap between two columns
HALF = RIGHT_EDGE - MIDDLE  # the width of each of two columns
THIRD = 3.85  # and of each of three
GAP = 0.35  # between bars, as a part of a pitch: that from one bar to the next
WIDEST_PITCH = 1.25
WIDEST_SCORE_PITCH = 1.7
NARROWEST_GAUGE = 3.3
GAUGE_THICKNESS = 0.14
ROW = -0.33  # baselines below the foot of the bars
GAUGE = -0.85
HALO = 9  # the width of the stroke of which half shows round a bar that goes past others, or a text by lines
SEEN = 0.02  # a bar that is lower is not seen, and has none
CLEARANCE = 0.1  # between two numbers side by side
KEY_CLEARANCE = 0.2  # between the numbers of two keys
FEW = 4  # numbers over bars, where there is no room for all
MANY = 5  # with more scores than this, texts are small
DOT = 0.13  # radii
SPREAD_DOT = 0.1
AXIS_LEFT, AXIS_Y, AXIS_WIDTH = LEFT_EDGE + 2.6, -2.35, RIGHT_EDGE - LEFT_EDGE - 2.9  # of sizes
CURVE = Plane((0, 1), (0, 0.25), left=1.7, bottom=-1.7, width=3.7, height=3.1)
SCORES_WIDTH = 5.9  # of the bars beside the curve
FALL = 0.4  # of the time in which all spreads are divided, that one of them takes
BESIDE = 0.15  # from a line to the text at its end, or beside it
ANSWERS, ANSWER_PITCH, ANSWER_SEAM = -0.3, 0.85, -0.9  # their first baseline, the next, and where their halves meet

SEVERAL, COUNTS = 3, 0.05  # so many keys are several, and a key counts from this weight on
NEARLY_ALL = 0.99  # a weight from here on is nearly all there is to give

# How columns of weights are headed.
# The brackets are escaped so that a root makes them no larger.
RAW, SCALED, OVER_SCALED = (rf'"softmax"\({scores}\)' for scores in ("q dot k", r"q dot k \/ sqrt(d)", r"q dot k \/ d"))


# Words and numbers


def number(value: float) -> str:
    """``value`` to two decimals or three digits, and no decimals that it does not need."""
    size = abs(value)
    return short(round(float(value), 2 if size < 10 else 1 if size < 100 else 0))


def moving_number(value: float, share: float) -> str:
    """A number that moves; but for both ends always with one decimal, since one that came and went would flicker."""
    return number(value) if share in (0, 1) else fixed(value, 1 if abs(value) < 100 else 0)


def entropy_text(nats: float, moving: bool = False) -> str:
    """An entropy with two decimals, or with four where two would hide what is left of it; never while it moves."""
    text, longer = fixed(nats, 2), fixed(nats, 4)
    return longer if text == fixed(0, 2) and longer != fixed(0, 4) and not moving else text


def share_words(weight: float) -> str:
    """A weight as a part of the whole."""
    names = {0.995: "all", 0.9: "nearly all", 0.55: "most", 0.45: "half", 0.37: "much", 0.3: "a third"}
    return next((name for least, name in names.items() if weight >= least), "a small part")


def weight_texts(weights: FloatArray, pitch: float, em: float, digits: int = 2) -> list[str]:
    """What stands over each bar: every weight where bars ``pitch`` apart leave room, else the few largest that fit.

    A number wider than its column reaches over its neighbours, so it stands only where they are lower. Weights that
    round to 0 are not among the few.
    """
    texts = [fixed(weight, digits) for weight in weights]
    reach = Readout.width_of(texts[0], em) + CLEARANCE
    if pitch >= reach:
        return texts
    kept: list[int] = []
    for index in np.argsort(-weights, kind="stable").tolist():
        fits = all(abs(index - other) * pitch >= reach for other in kept)
        if fits and len(kept) < FEW and texts[index] != fixed(0, digits):
            kept.append(index)
    return [text if index in kept else "" for index, text in enumerate(texts)]


def without_zeros(texts: Sequence[str]) -> list[str]:
    """``texts``, with "" for every number that has no digit but 0: a bar that cannot be seen says as much."""
    return [text if text.strip("0.") else "" for text in texts]


def key_texts(n: int, pitch: float) -> list[str]:
    """The numbers of keys 1 to ``n``, which stand ``pitch`` apart; every second one where all would be too near."""
    step = 1 if pitch >= Readout.width_of(str(n), LABEL, "regular") + KEY_CLEARANCE else 2
    return [str(key) if (key - 1) % step == 0 else "" for key in range(1, n + 1)]


def growing_title(case: RescalingCase) -> str:
    """What the division does to the weights at all sizes, true of this draw."""
    counting = min(np.count_nonzero(case.scaled_weights(size) >= COUNTS) for size in case.sizes)
    if counting >= SEVERAL:
        return "Divided by $sqrt(d)$, several keys keep their weight"
    return "Dividing by $sqrt(d)$ evens out the weights"


def saturated_caption(case: SaturationCase) -> str:
    """What the multiplied scores have done."""
    if case.multiplied_weights.max() >= NEARLY_ALL:
        return "One key takes nearly all the weight, and its slope is nearly 0."
    return "The largest weight, and the slope that it has there."


def restored_caption(case: SaturationCase) -> str:
    """What the division has brought back."""
    if case.weights.max() >= 0.995:
        return "One key takes nearly all the same: these scores lie far apart by themselves."
    slopes = ratio_words(case.times_smaller, "larger", "smaller", "about as large as before")
    return f"The weights are what they were, and the slope is {slopes}."


def raw_caption(case: CollapseCase) -> str:
    """What softmax makes of the example's raw scores."""
    others = "the others nothing" if case.raw_max >= 0.995 else "the others the rest"
    return f"Another draw, in numbers. One key gets {share_words(case.raw_max)} of the weight, {others}."


def scaled_caption(case: CollapseCase) -> str:
    """What it makes of them once they are divided."""
    others = np.count_nonzero(case.scaled_weights >= COUNTS) > 1
    return f"The best key keeps {share_words(case.scaled_max)} of the weight{'; others count again' if others else ''}."


# Shapes


def triangle(x: float, y: float) -> FloatArray:
    """The corners, (3, 3), of a small triangle that points down at (x, y)."""
    return np.array([[x, y, 0], [x + 0.11, y + 0.17, 0], [x - 0.11, y + 0.17, 0]])


class Gauge(VGroup):
    """Entropy of the weights of ``n`` keys as a level, full at log ``n``, with its number."""

    def __init__(self, middle: float, y: float, width: float, n: int, theme: Theme, color: str) -> None:
        self.full_width = max(width, NARROWEST_GAUGE)
        self.left, self.y = middle - self.full_width / 2, y
        self.largest = math.log(n)
        self.track = Area(theme.faint).show(self.corners(self.largest))
        self.level = Area(color)
        self.called = words("entropy", em=LABEL, color=theme.muted)
        self.number = Readout(em=LABEL, color=color, align="left")
        self.bound = Readout(em=LABEL, color=theme.muted, weight="regular", align="left")
        limit = fixed(self.largest, 2)
        self.of_limit, self.space, self.baseline = f"of {limit}", 0.3 * LABEL, y - 0.45
        whole_width = self.called.width + Readout.width_of(limit, LABEL) + Readout.width_of(self.of_limit, LABEL)
        place(self.called, middle - whole_width / 2 - self.space, self.baseline, "left")
        super().__init__(self.track, self.called, self.level, self.number, self.bound)

    def x(self, nats: float) -> float:
        """Where an entropy of ``nats`` ends."""
        return self.left + self.full_width * nats / self.largest

    def corners(self, nats: float) -> FloatArray:
        """The corners, (4, 3), of the level of ``nats``."""
        return boxes(self.left, self.y - GAUGE_THICKNESS / 2, self.x(nats) - self.left, GAUGE_THICKNESS)

    def pointer(self, nats: float) -> FloatArray:
        """The corners, (3, 3), of a small triangle that points at ``nats`` from above."""
        return triangle(self.x(nats), self.y + GAUGE_THICKNESS / 2 + 0.04)

    def show(self, nats: float, moving: bool = False) -> "Gauge":  # type: ignore[override]
        """Fill the gauge up to ``nats``."""
        self.level.show(self.corners(nats))
        self.number.show(entropy_text(nats, moving), self.called.get_right()[0] + self.space, self.baseline)
        self.bound.show(self.of_limit, self.number.get_right()[0] + self.space, self.baseline)
        return self


class Column:
    """The weights of one query over its keys: a formula, a bar a key, a text below each bar, and the entropy gauge.

    ``chart`` is all but the gauge; ``shapes`` and ``numbers`` are what moves when the weights do, and ``row`` holds the
    texts below the bars.
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
        heading_em: float = TITLE,
    ) -> None:
        bars_width, self.middle = min(width, WIDEST_PITCH * (n - GAP)), left + width / 2
        self.pitch = bars_width / (n - GAP)
        self.bars = WeightBars(
            n, self.middle - bars_width / 2, bottom, bars_width, FULL - bottom, theme, color=color, gap=GAP
        )
        self.lefts, self.theme, self.color = self.bars.bars.lefts, theme, color
        self.heading = place(maths(formula, em=heading_em, color=color), self.middle, HEADING_BASELINE)
        self.row_baseline = bottom + ROW
        self.row = [Readout(em=LABEL, color=theme.muted, weight="regular") for _ in range(n)]
        self.gauge = Gauge(self.middle, bottom + GAUGE, bars_width, n, theme, color)
        self.shapes = VGroup(self.bars.bars, self.gauge.level)
        self.numbers = VGroup(*self.bars.readouts, self.gauge.number, self.gauge.bound)
        self.chart = VGroup(self.heading, self.bars, *self.row)

    def show(self, weights: FloatArray, texts: Sequence[str] | None = None, moving: bool = False) -> None:
        """Show ``weights`` (n,) and their entropy; ``texts`` on the bars, else `weight_texts` without zeros."""
        self.bars.show(weights, without_zeros(weight_texts(weights, self.pitch, LABEL)) if texts is None else texts)
        self.gauge.show(float(entropy(weights)), moving)

    def show_row(self, texts: Sequence[str]) -> None:
        """Set the texts below the bars."""
        for readout, text, x in zip(self.row, texts, self.bars.middles(), strict=True):
            readout.show(text, x, self.row_baseline)

    def paint(self, color: str) -> "Column":
        """Give what moves the colour of a role."""
        for part in (self.shapes, self.gauge.number):
            part.set_fill(color)
        return self


class DividedBy(VGroup):
    """A heading around ``middle`` that says by which number, at most ``largest``, the scores are divided."""

    def __init__(self, middle: float, baseline: float, color: str, largest: int) -> None:
        self.before = maths(r'"softmax"\(q dot k \/', em=HEADING, color=color)
        self.number = Readout(em=HEADING, color=color, weight="regular", align="left")
        self.after = maths(r"\)", em=HEADING, color=color)
        width = self.before.width + Readout.width_of(whole(largest), HEADING) + self.after.width
        place(self.before, middle - width / 2, baseline, "left")
        self.baseline = baseline
        super().__init__(self.before, self.number, self.after)

    def show(self, divisor: float) -> "DividedBy":  # type: ignore[override]
        """Say ``divisor`` as a whole number."""
        self.number.show(whole(divisor), self.before.get_right()[0] + 0.06, self.baseline)
        place(self.after, self.number.get_right()[0] + 0.06, self.baseline, "left")
        return self


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
    """Scores divided by sqrt(d): their spread, softmax's weights and slope, and why it is the root and not d."""

    TITLE = "Dividing by √d keeps the spread of scores at 1"
    SECONDS = 84
    USES = ("d_k", "sizes", "n_keys", "scores", "pairs", "seed")

    def setup(self) -> None:
        super().setup()
        self.spread = spread_case(self.parameters)
        self.growing = rescaling_case(self.parameters)
        self.many = divisors_case(self.parameters)
        self.example = collapse_case()
        self.saturated = saturation_case(self.parameters)
        self.fallen = ValueTracker(0)  # the measured spreads: 0 raw, 1 all divided, one after another
        self.grown = ValueTracker(0)  # 0 at the smallest size, 1 at the largest, evenly on a log scale
        self.divided = ValueTracker(0)  # the example: 0 raw, 1 divided by sqrt(d)
        self.restored = ValueTracker(0)  # the saturated scores: 0 multiplied, 1 as they were
        self.exponent = ValueTracker(0.5)  # a, where the example's scores are divided by d to the power a

    def construct(self) -> None:
        self.divide_the_spreads()
        self.bring_the_slope_back()
        self.let_d_grow()
        self.divide_an_example()
        self.divide_by_d()
        self.answer()

    # What is on screen now: the trackers and core, nothing else.

    def spreads(self) -> tuple[FloatArray, FloatArray]:
        """The measured spreads, (n_sizes,), on their way from raw to scaled, and how far each of them is, 0 to 1."""
        case = self.spread
        starts = (1 - FALL) * np.linspace(0, 1, len(case.sizes))
        shares = np.clip((self.fallen.get_value() - starts) / FALL, 0, 1)
        shares[shares > 1 - 1e-9] = 1
        eased = shares**2 * (3 - 2 * shares)
        return case.raw_std ** (1 - eased) * case.scaled_std**eased, shares

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

    # Beats

    def divide_the_spreads(self) -> None:
        self.beat("every spread divided")
        case, theme = self.spread, self.theme
        plot = LogPlot(case.sizes, [*case.raw_std, *case.scaled_std, 1])
        last = len(case.sizes) - 1
        order = [last, *range(last)]  # in which sizes and divisors are given room
        low, high = plot.plane.x_range
        one = np.stack([plot.point(math.exp(end), 1) for end in (low, high)])
        frame = VGroup(plot.x_axis(theme, order), plot.y_axis(theme, [1, *case.law], [0, len(case.sizes)]))
        law, target = (Lines(theme.ink, 3).show(*pieces) for pieces in (plot.root_line(high), dashes(one)))
        raw_name = self.line_name("sqrt(d)", "raw scores", plot.plane.point(high, high / 2), theme.raw)
        scaled_name = self.line_name("1", "divided by $sqrt(d)$", one[1], theme.scaled)
        ways = Lines(theme.faint, 3)
        left = Dots(SPREAD_DOT, theme.ground, stroke_color=theme.raw, stroke_width=2.5)
        falling, fallen = Dots(SPREAD_DOT, theme.raw), Dots(SPREAD_DOT, theme.scaled)
        starts = np.array([plot.point(d, spread) for d, spread in zip(case.sizes, case.raw_std, strict=True)])

        def show() -> None:
            spreads, shares = self.spreads()
            places = np.array([plot.point(d, spread) for d, spread in zip(case.sizes, spreads, strict=True)])
            ways.show(*np.stack([starts, places], axis=1)[shares > 0])
            left.show(starts[shares > 0])
            falling.show(places[shares < 1])
            fallen.show(places[shares == 1])

        show()
        self.say("Raw scores spread out like √d.")
        self.play(FadeIn(self.title("Divide every score by $sqrt(d)$"), frame, law, raw_name, falling), run_time=1)
        self.hold(1)
        self.say("Divide each by its own √d, and every spread is 1, give or take chance.")
        self.play(FadeIn(target, *self.divisor_labels(plot, order)), run_time=0.8)
        moving = self.follow(show, ways, left, falling, fallen)
        self.play(self.fallen.animate.set_value(1), run_time=3.2, rate_func=linear)
        moving.clear_updaters()
        self.play(FadeIn(scaled_name), run_time=0.4)
        self.hold(1.4)

    def bring_the_slope_back(self) -> None:
        self.beat("the slope comes back")
        case, theme, n = self.saturated, self.theme, len(self.saturated.scores)
        d_k, factor = self.parameters.d_k, number(case.factor)
        self.say(f"Back to softmax, with every score √{whole(d_k)} times bigger.")
        self.clear_board()
        em = SMALL if n > MANY else LABEL
        bottom, width = CURVE.bottom, min(SCORES_WIDTH, WIDEST_SCORE_PITCH * (n - GAP))
        middle, row_baseline = LEFT_EDGE + SCORES_WIDTH / 2, bottom - 0.4
        bars = WeightBars(n, middle - width / 2, bottom, width, FULL - bottom, theme, em=em, gap=GAP)
        row = [Readout(em=em, color=theme.muted, weight="regular") for _ in range(n)]
        score = place(words("score", em=em, color=theme.muted), middle + width / 2 + 0.2, row_baseline, "left")
        by = Readout(f"÷ {factor}", em=HEADING, color=theme.scaled, align="left")
        multiplied = words(f"every score × {factor}", em=HEADING, color=theme.raw, weight="semibold")
        by_left = middle + (multiplied.width + 0.14 - by.width) / 2
        place(multiplied, by_left - 0.14, HEADING_BASELINE, "right")
        curve = SlopeCurve(CURVE, case.curve_weights, case.curve_slopes, theme)
        curve_heading = place(words("slope $p (1 - p)$", em=HEADING, color=theme.ink), CURVE.x(0.5), HEADING_BASELINE)

        def show() -> None:
            share, divisor = self.restored.get_value(), self.restored_divisor()
            scores = case.multiplied / divisor
            weights = softmax(scores)
            p = float(weights[case.top])
            texts = weight_texts(weights, width / (n - GAP), em, digits=2 if p < 0.995 else 4)
            bars.show(weights, without_zeros(texts) if n > MANY else texts)
            for readout, value, x in zip(row, scores, bars.middles(), strict=True):
                readout.show(moving_number(value, share), x, row_baseline)
            by.show(f"÷ {moving_number(divisor, share)}", by_left, HEADING_BASELINE)
            curve.show(p, float(slope(p)))

        show()
        title = self.title("The weights and their slope come back")
        self.play(FadeIn(title, self.size_label(d_k), multiplied, score), FadeIn(bars, *row), run_time=1)
        self.hold(1)
        self.say(saturated_caption(case))
        self.play(FadeIn(curve, curve_heading), run_time=1)
        self.hold(1)
        self.say("Now divide every score by √d.")
        moving_parts = (bars.bars, curve.dot, curve.number)
        self.play(FadeIn(by), *self.recolor(theme.scaled, *moving_parts), run_time=0.6)
        moving = self.follow(show, *moving_parts, *bars.readouts, *row, by)
        self.play(self.restored.animate.set_value(1), run_time=3.4)
        moving.clear_updaters()
        self.hold(0.4)
        self.say(restored_caption(case))
        self.hold(1)

    def let_d_grow(self) -> None:
        self.beat("d grows")
        case, theme, n = self.growing, self.theme, self.growing.n_keys
        self.say(f"Now random vectors: a query meets {n} keys. On the right scores are divided by √d.")
        self.clear_board()
        raw = Column(RAW, n, LEFT_EDGE, HALF, -0.45, theme, theme.raw)
        scaled = Column(SCALED, n, MIDDLE, HALF, -0.45, theme, theme.scaled)
        for column in (raw, scaled):
            column.show_row(key_texts(n, column.pitch))
        key = place(words("key", em=LABEL, color=theme.muted), 0, raw.row_baseline)
        d_is = place(maths("d =", em=TITLE, color=theme.ink), LEFT_EDGE, AXIS_Y - 0.16, "left")
        d = Readout(em=TITLE, color=theme.ink, align="left")
        axis = SizeAxis(case.sizes, theme)

        def show() -> None:
            moving = 0 < self.grown.get_value() < 1
            raw.show(case.raw_weights(self.size()), moving=moving)
            scaled.show(case.scaled_weights(self.size()), moving=moving)
            axis.show(self.size())
            d.show(whole(self.size()), d_is.get_right()[0] + 0.16, AXIS_Y - 0.16)

        show()
        self.play(FadeIn(self.title(growing_title(case)), d_is, d, axis, key), FadeIn(raw.chart), run_time=1)
        self.play(FadeIn(scaled.chart), run_time=1)
        self.hold(1)
        self.say("Entropy tells how even the weights are: 0 if one key takes all.")
        self.play(FadeIn(raw.gauge, scaled.gauge), run_time=1)
        self.hold(1)

        self.say("Now let d grow: every score adds up more and more products.")
        moving = self.follow(show, raw.shapes, raw.numbers, scaled.shapes, scaled.numbers, axis.mark, d)
        self.play(self.grown.animate.set_value(0.5), run_time=3.6, rate_func=ease_in_sine)
        self.say("Raw scores spread out like √d. Divided, their spread stays 1.")
        self.play(self.grown.animate.set_value(1), run_time=3.6, rate_func=ease_out_sine)
        moving.clear_updaters()
        self.hold(0.8)

        # One draw need not collapse, so it is not left to speak for all.
        medians = [float(statistics.entropy_median[-1]) for statistics in (self.many.raw, self.many.scaled)]
        self.say("That is one draw. The triangles mark the medians of many.")
        name = words(f"median of {whole(self.many.draws)} draws", em=LABEL, color=theme.ink)
        place(name, 0, AXIS_Y - 0.16)
        legend = VGroup(name, Area(theme.ink).show(triangle(name.get_left()[0] - 0.25, AXIS_Y - 0.16)))
        pointers = Area(theme.ink).show(
            *(column.gauge.pointer(median) for column, median in zip((raw, scaled), medians, strict=True))
        )
        self.play(*self.exchange(axis, legend), FadeIn(pointers), run_time=0.8)
        self.hold(1)

    def divide_an_example(self) -> None:
        self.beat("an example with numbers")
        case, theme, n = self.example, self.theme, len(self.example.scores)
        self.say(raw_caption(case))
        self.clear_board()
        raw = Column(RAW, n, LEFT_EDGE, HALF, -1.15, theme, theme.raw)
        scaled = Column(SCALED, n, MIDDLE, HALF, -1.15, theme, theme.scaled)
        score = place(words("score", em=LABEL, color=theme.muted), 0, raw.row_baseline)
        arrow = VGroup(
            Lines(theme.ink).show(np.array([[-0.45, 0.3, 0], [0.25, 0.3, 0]])),
            Area(theme.ink).show(np.array([[0.2, 0.42, 0], [0.45, 0.3, 0], [0.2, 0.18, 0]])),
            Readout(f"÷ {short(case.factor)}", 0, 0.55, em=HEADING, color=theme.ink),
            place(maths(f"sqrt({case.d})", em=LABEL, color=theme.muted), 0, -0.2),
        )

        def fill(column: Column, scores: FloatArray, moving: bool = False) -> None:
            column.show(softmax(scores), moving=moving)
            column.show_row([fixed(score, 1) for score in scores])

        def show() -> None:
            fill(scaled, case.scores / self.divisor(), moving=0 < self.divided.get_value() < 1)

        fill(raw, case.scores)
        show()
        title = self.title("Divided by $sqrt(d)$, several keys count again")
        self.play(FadeIn(title, self.size_label(case.d), score), FadeIn(raw.chart, raw.gauge), run_time=1)
        self.hold(1)
        self.say("Now divide every score by √d.")
        self.copy_over(raw, scaled, arrow)
        self.turn(scaled, scaled.heading)
        moving = self.follow(show, scaled.shapes, scaled.numbers, *scaled.row)
        self.play(self.divided.animate.set_value(1), run_time=3)
        moving.clear_updaters()
        self.hold(0.4)
        self.say(scaled_caption(case))
        self.hold(1)

    def divide_by_d(self) -> None:
        self.beat("why the root")
        self.say("Why the root, and not d itself? Divide by more and more.")
        self.clear_board()
        case, theme, n = self.example, self.theme, len(self.example.scores)
        lefts = np.linspace(LEFT_EDGE, RIGHT_EDGE - THIRD, 3)
        raw, scaled, over = columns = [
            Column(formula, n, left, THIRD, -0.85, theme, color, heading_em=HEADING)
            for formula, left, color in zip(
                (RAW, SCALED, OVER_SCALED), lefts, (theme.raw, theme.scaled, theme.over_scaled), strict=True
            )
        ]
        names = [
            place(words("key", em=LABEL, color=theme.muted), (left + THIRD + right) / 2, raw.row_baseline)
            for left, right in pairwise(lefts)
        ]
        heading = DividedBy(over.middle, HEADING_BASELINE, theme.over_scaled, case.d)

        def show() -> None:
            for column, by in zip(columns, (1, case.factor, self.last_divisor()), strict=True):
                weights = softmax(case.scores / by)
                ends = (weights.min(), weights.max())
                column.show(weights, without_zeros([fixed(w, 2) if w in ends else "" for w in weights]))
            heading.show(self.last_divisor())

        show()
        for column in columns:
            column.show_row(key_texts(n, column.pitch))
        title = self.title("Why the root: dividing by $d$ is too much")
        self.play(
            FadeIn(title, self.size_label(case.d)),
            FadeIn(raw.chart, raw.gauge, scaled.chart, scaled.gauge, names[0]),
            run_time=1,
        )
        self.copy_over(scaled, over, names[1])
        self.turn(over, heading)
        moving = self.follow(show, over.shapes, over.numbers, heading)
        self.play(self.exponent.animate.set_value(1), run_time=3)
        moving.clear_updaters()
        self.say("Now all weights are nearly equal: the query hardly tells its keys apart.")
        self.play(*self.exchange(heading, over.heading), run_time=0.6)
        self.hold(1)

        spread, over_spread = short(case.factor), significant(1 / case.factor, 3)
        spreads = (f"√{case.d} = {spread}", f"{spread} ÷ {spread} = 1", f"{spread} ÷ {case.d} = {over_spread}")
        self.say("Only the root brings the spread of scores to 1 at every d.")
        lines = [
            place(
                words(
                    f"score spread {text}",
                    em=LABEL,
                    color=theme.ink if column is scaled else theme.muted,
                    weight="semibold" if column is scaled else "regular",
                ),
                column.middle,
                -2.65,
            )
            for text, column in zip(spreads, columns, strict=True)
        ]
        self.play(FadeIn(*lines), run_time=0.8)
        self.hold(1)

    def answer(self) -> None:
        self.beat("the answer")
        self.say("So that is why attention divides by √d.")
        self.clear_board()
        formula = attention_weights(self.theme, self.theme.scaled)
        self.play(FadeIn(self.title("Why attention divides by $sqrt(d)$"), formula), run_time=0.8)
        self.hold(0.8)
        *steps, last = self.answers()
        for step in steps:
            self.play(FadeIn(step), run_time=0.6)
            self.hold(1.2)
        self.play(FadeIn(last), run_time=0.6)
        self.hold(1)
        self.say("A model starts out roughly this random. Training may widen its scores on purpose.")
        self.hold(3)

    # Parts

    def size_label(self, d: int) -> VGroup:
        """The size, at the right end of the title's line."""
        value = Readout(whole(d), RIGHT_EDGE, TITLE_BASELINE, em=TITLE, color=self.theme.ink, align="right")
        d_is = maths("d =", em=TITLE, color=self.theme.ink)
        return VGroup(place(d_is, value.get_left()[0] - 0.16, TITLE_BASELINE, "right"), value)

    def copy_over(self, old: Column, new: Column, *coming: Mobject) -> None:
        """Bring in ``new``, which shows the same weights, as a copy of ``old`` of its colour, then ``coming`` too."""
        self.play(FadeIn(new.bars.tracks), run_time=0.4)
        way, bars = (new.lefts[0] - old.lefts[0]) * RIGHT, new.paint(old.color).bars.bars
        heights = bars.heights
        bars.show(np.where(heights > SEEN, heights, 0))
        bars.set_stroke(self.theme.ground, HALO, background=True).shift(-way)  # it goes past bars of its colour
        self.play(bars.animate.shift(way), run_time=0.8)
        bars.show(heights)
        self.play(
            bars.animate.set_stroke(width=0, background=True),
            FadeIn(*new.bars.readouts, new.gauge, *new.row, *coming),
            run_time=0.6,
        )

    def turn(self, column: Column, heading: Mobject) -> None:
        """Give a copied ``column`` its own colour and ``heading``: what comes next is its own."""
        self.play(*self.recolor(column.color, column.shapes, column.gauge.number), FadeIn(heading), run_time=0.6)

    def answers(self) -> list[VGroup]:
        """The steps from d to the division, each a cause and what comes of it."""
        theme = self.theme
        steps = (
            ("$d$ products", "a spread of $sqrt(d)$", theme.raw),
            ("wide scores", "one key takes all, its slope is near 0", theme.raw),
            ("divided by $sqrt(d)$", "a spread of 1 at every $d$", theme.scaled),
        )
        return [
            VGroup(
                place(words(cause, em=HEADING, color=theme.muted), ANSWER_SEAM - GAP, y, "right"),
                place(words(effect, em=HEADING, color=color, weight="semibold"), ANSWER_SEAM + GAP, y, "left"),
            )
            for (cause, effect, color), y in zip(steps, ANSWERS - ANSWER_PITCH * np.arange(len(steps)), strict=True)
        ]

    # The spreads

    def divisor_labels(self, plot: LogPlot, order: Sequence[int]) -> list[SetText]:
        """What each measured spread is divided by, beside its way down, or as many as there is room for."""
        case, labels = self.spread, {}
        xs, one = [float(plot.point(d, 1)[0]) for d in case.sizes], float(plot.point(1, 1)[1])
        for index in order:
            label = words(f"÷ {times(case.law[index])}", color=self.theme.ink)
            _, middle, _ = plot.point(case.sizes[index], math.sqrt(case.raw_std[index] * case.scaled_std[index]))
            place(label, xs[index] + BESIDE, middle - CENTRED * LABEL, "left")
            left, right = label.get_left()[0] - SPREAD_DOT, label.get_right()[0] + SPREAD_DOT
            if abs(label.get_y() - one) > LABEL and not any(left < x < right for x in xs):
                labels[index] = label
        return [labels[index] for index in spaced(xs, list(labels), LogPlot.NUMBER_ROOM)]

    def line_name(self, formula: str, kind: str, point: FloatArray, color: str) -> VGroup:
        """What a line is, at its end, and below it whose spreads are on it."""
        x, y, _ = point
        upper, lower = y + 0.05, y - 0.35
        return VGroup(
            place(maths(formula, em=HEADING, color=self.theme.ink), x + BESIDE, upper, "left"),
            place(words(kind, color=color), x + BESIDE, lower, "left"),
        )

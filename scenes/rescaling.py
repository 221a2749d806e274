"""How dividing the scores by sqrt(d) keeps the weights from collapsing, and why it is the root."""

import math
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
from manim import RIGHT, FadeIn, FadeOut, Mobject, ValueTracker, VGroup, linear, smooth
from manim.utils.rate_functions import ease_in_sine, ease_out_sine

from core import entropy, slope, softmax
from core.cases import RescalingCase, SaturationCase, collapse_case, divisors_case, rescaling_case, saturation_case
from core.numerals import LARGE, fixed, ratio_words, short, significant, slope_words, whole
from core.theme import Theme
from scenes.base import LEFT_EDGE, RIGHT_EDGE, TITLE_BASELINE, LessonScene
from scenes.parts import Area, Dots, FloatArray, Lines, Plane, SlopeCurve, WeightBars, boxes
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
GAUGE = -0.85
LANE = 0.31  # how far below its row a key's number travels
HALO = 9  # the width of the stroke of which half shows round a bar that travels
SEEN = 0.02  # a bar that is lower is not seen, and has none
CLEARANCE = 0.1  # between two numbers side by side
FEW = 4  # numbers over bars, where there is no room for all
MANY = 5  # with more scores than this, texts are small
DOT = 0.13
AXIS_LEFT, AXIS_Y, AXIS_WIDTH = LEFT_EDGE + 2.6, -2.35, RIGHT_EDGE - LEFT_EDGE - 2.9  # of sizes
CURVE = Plane((0, 1), (0, 0.25), left=1.7, bottom=-1.7, width=3.7, height=3.1)
SCORES_WIDTH = 5.9  # of the bars beside the curve

# How columns of weights are headed.
# The brackets are escaped so that a root makes them no larger.
RAW, SCALED, OVER_SCALED = (rf'"softmax"\({scores}\)' for scores in ("q dot k", r"q dot k \/ sqrt(d)", r"q dot k \/ d"))


# Words and numbers


def number(value: float) -> str:
    """``value`` with as few decimals as it needs, two at most, and one from a hundred on."""
    return short(round(value, 2 if abs(value) < 100 else 1))


def moving_number(value: float, share: float) -> str:
    """A number that moves; but for both ends always with one decimal, since one that came and went would flicker."""
    return number(value) if share in (0, 1) else fixed(value, 1)


def plain(value: float) -> str:
    """A weight with two decimals, or with four where two would hide what is left of it."""
    return fixed(value, 2 if 0.01 <= value < 0.995 else 4)


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


def growing_title(case: RescalingCase) -> str:
    """What the division does to the weights at all sizes, true of this draw."""
    entropies = [entropy(case.scaled_weights(size)) for size in case.sizes]
    if min(entropies) > case.uniform_entropy / 2:
        return "Divided by $sqrt(d)$, the weights stay spread out"
    return "Dividing by $sqrt(d)$ evens out the weights"


def restored_caption(case: SaturationCase) -> str:
    """What the division has brought back."""
    largest = plain(case.weights.max())
    if case.slope < 0.005:
        return f"The largest weight is {largest} all the same: these scores lie far apart by themselves."
    name = "largest weight" if case.flatter < LARGE else "largest"  # which leaves room for words
    steeper = ratio_words(case.flatter, "steeper", "flatter", "about as steep as before")
    return f"The {name} is {largest} again, its slope {slope_words(case.slope)}, {steeper}."


def sorting_steps(ranking: Sequence[int]) -> list[tuple[int, list[int]]]:
    """The fewest moves that sort keys 0 to n - 1 into ``ranking``: each the key that moves, and all keys after it."""
    n = len(ranking)
    runs = (run for size in range(n, 0, -1) for run in combinations(ranking, size))
    stay = next(run for run in runs if list(run) == sorted(run))  # the most keys that are in order already
    order, steps = list(range(n)), []
    for place_in_ranking, key in enumerate(ranking):
        if key not in stay:
            order.remove(key)
            order.insert(order.index(ranking[place_in_ranking - 1]) + 1 if place_in_ranking else 0, key)
            steps.append((key, order.copy()))
    return steps


# Shapes


def triangle(x: float, y: float) -> FloatArray:
    """The corners, (3, 3), of a small triangle that points down at (x, y)."""
    return np.array([[x, y, 0], [x + 0.11, y + 0.17, 0], [x - 0.11, y + 0.17, 0]])


class Gauge(VGroup):
    """Entropy of the weights of ``n`` keys as a level, full at log ``n``, with its number, of ``digits`` decimals."""

    def __init__(self, middle: float, y: float, width: float, n: int, theme: Theme, color: str, digits: int) -> None:
        self.full_width = max(width, NARROWEST_GAUGE)
        self.left, self.y = middle - self.full_width / 2, y
        self.digits, self.largest = digits, math.log(n)
        self.track = Area(theme.faint).show(self.corners(self.largest))
        self.level = Area(color)
        limit = fixed(self.largest, digits)
        name = words("entropy", em=LABEL, color=theme.muted)
        bound = words(f"of {limit}", em=LABEL, color=theme.muted)
        space, number_width, baseline = 0.3 * LABEL, Readout.width_of(limit, LABEL), y - 0.45
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
        return boxes(self.left, self.y - GAUGE_THICKNESS / 2, self.x(nats) - self.left, GAUGE_THICKNESS)

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

    ``chart`` is all but the gauge; ``shapes`` and ``numbers`` are what moves when the weights do, ``row`` holds the
    texts below the bars, and ``carried`` is the bar of the key that is on its way to another place.
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
        self.carried = Area(color).set_stroke(theme.ground, HALO, background=True)
        self.gauge = Gauge(self.middle, bottom + GAUGE, bars_width, n, theme, color, digits)
        self.shapes = VGroup(self.bars.bars, self.gauge.level)
        self.numbers = VGroup(*self.bars.readouts, self.gauge.number)
        self.chart = VGroup(self.heading, self.bars, *self.row)

    def show(self, weights: FloatArray, texts: Sequence[str] | None = None) -> None:
        """Show ``weights`` (n,) and their entropy; ``texts`` on the bars, else `weight_texts` without zeros."""
        self.bars.show(weights, without_zeros(weight_texts(weights, self.pitch, LABEL)) if texts is None else texts)
        self.gauge.show(float(entropy(weights)))

    def show_row(self, texts: Sequence[str]) -> None:
        """Set the texts below the bars."""
        for readout, text, x in zip(self.row, texts, self.bars.middles(), strict=True):
            readout.show(text, x, self.row_baseline)

    def arrange(self, places: FloatArray, mover: int, dip: float) -> None:
        """Move the bars to ``places`` (n,), 0 for the first and n - 1 for the last, and the row with them.

        The bar of key ``mover`` is in front of all others, and its number lower by ``dip`` scene units.
        """
        bars = self.bars.bars
        bars.lefts = self.lefts[0] + self.pitch * places
        bars.show(bars.heights)
        self.show_row([readout.text for readout in self.row])
        number = self.row[mover]
        number.show(number.text, bars.middles()[mover], self.row_baseline - dip)
        for key, readout in enumerate(self.row):
            readout.set_fill(self.theme.ink if dip > 0 and key == mover else self.theme.muted)
        outline = boxes(bars.lefts[mover], bars.bottom, bars.bar_width, bars.heights[mover])
        self.carried.show(*([outline] if dip > 0 and bars.heights[mover] > SEEN else []))

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
        self.steps = sorting_steps(self.example.ranking.tolist())
        self.grown = ValueTracker(0)  # 0 at the smallest size, 1 at the largest, evenly on a log scale
        self.divided = ValueTracker(0)  # the example: 0 raw, 1 divided by sqrt(d)
        self.restored = ValueTracker(0)  # the saturated scores: 0 multiplied, 1 as they were
        self.exponent = ValueTracker(0.5)  # a, where the example's scores are divided by d to the power a
        self.sorted = ValueTracker(0)  # how many of the steps are done

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

    def arrangement(self) -> tuple[FloatArray, int, float]:
        """Where the example's keys stand, (n,), which one moves, and how far it is out of its row, 0 to 1."""
        step = min(int(self.sorted.get_value()), len(self.steps) - 1)
        share = self.sorted.get_value() - step
        mover, after = self.steps[step]
        before = self.steps[step - 1][1] if step else range(len(after))
        # It leaves its row, goes by the others in the middle half of the time, and comes in.
        slide = smooth(np.clip(2 * share - 0.5, 0, 1))
        dip = smooth(min(1, 4 * share)) - smooth(max(0, 4 * share - 3))
        return (1 - slide) * np.argsort(before) + slide * np.argsort(after), mover, dip

    # Beats

    def let_d_grow(self) -> None:
        self.beat("d grows")
        case, theme = self.growing, self.theme
        first, last, n = case.sizes[0], case.sizes[-1], case.n_keys
        raw = Column(RAW, n, LEFT_EDGE, HALF, -0.45, theme, theme.raw)
        scaled = Column(SCALED, n, MIDDLE, HALF, -0.45, theme, theme.scaled)
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
        self.say(f"One query meets {n} keys of {whole(first)} numbers each. The bars are the keys' weights.")
        self.play(FadeIn(self.title(growing_title(case)), d_is, d, axis), FadeIn(raw.chart), run_time=1)
        self.hold(1)
        self.say("On the right, scores are divided by √d before the softmax.")
        self.play(FadeIn(key, scaled.chart), run_time=1)
        self.hold(1)
        self.say(
            f"Entropy tells how even they are: 0 if one takes all, log {n} = {fixed(case.uniform_entropy, 2)} "
            "if all are alike."
        )
        self.play(FadeIn(raw.gauge, scaled.gauge), run_time=1)
        self.hold(1)

        self.say(f"Now let d grow to {whole(last)}: every score adds up more and more products.")
        moving = self.follow(show, raw.shapes, raw.numbers, scaled.shapes, scaled.numbers, axis.mark, d)
        self.play(self.grown.animate.set_value(0.5), run_time=4, rate_func=ease_in_sine)
        self.say("Raw scores spread out like √d. Divided, their spread stays 1.")
        self.play(self.grown.animate.set_value(1), run_time=4, rate_func=ease_out_sine)
        moving.clear_updaters()
        self.hold(1)

        # One draw need not collapse, so it is not left to speak for all.
        medians = [float(statistics.entropy_median[-1]) for statistics in (self.many.raw, self.many.scaled)]
        texts = [fixed(median, 2) for median in medians]
        self.say(
            f"That is one draw. Over {whole(self.many.draws)}, the median entropy is {texts[0]} raw, "
            f"{texts[1]} divided."
        )
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
        self.clear_board()
        case, theme, n = self.example, self.theme, len(self.example.scores)
        raw = Column(RAW, n, LEFT_EDGE, HALF, -1.15, theme, theme.raw, digits=4)
        scaled = Column(SCALED, n, MIDDLE, HALF, -1.15, theme, theme.scaled, digits=4)
        score = place(words("score", em=LABEL, color=theme.muted), 0, raw.row_baseline)
        arrow = VGroup(
            Lines(theme.ink).show(np.array([[-0.45, 0.3, 0], [0.25, 0.3, 0]])),
            Area(theme.ink).show(np.array([[0.2, 0.42, 0], [0.45, 0.3, 0], [0.2, 0.18, 0]])),
            Readout(f"÷ {short(case.factor)}", 0, 0.55, em=HEADING, color=theme.ink),
            place(maths(f"sqrt({case.d})", em=LABEL, color=theme.muted), 0, -0.2),
        )

        def fill(column: Column, scores: FloatArray) -> None:
            column.show(softmax(scores))
            column.show_row([fixed(score, 1) for score in scores])

        def show() -> None:
            fill(scaled, case.scores / self.divisor())

        fill(raw, case.scores)
        show()
        low, high = fixed(case.scores.min(), 1), fixed(case.scores.max(), 1)
        self.say(f"Another draw, at d = {case.d}. Its scores go from {low} to {high}.")
        title = self.title("One division brings the spread back")
        self.play(FadeIn(title, self.size_label(case.d), score), FadeIn(raw.chart, raw.gauge), run_time=1)
        self.hold(1)
        self.say(
            f"Softmax gives one key a weight of {fixed(case.raw_max, 4)}. The entropy is {fixed(case.raw_entropy, 4)}."
        )
        self.hold(1)
        self.say(f"Now divide every score by √{case.d} = {short(case.factor)}.")
        self.copy_over(raw, scaled, arrow)
        self.turn(scaled, scaled.heading)
        moving = self.follow(show, scaled.shapes, scaled.numbers, *scaled.row)
        self.play(self.divided.animate.set_value(1), run_time=3.4)
        moving.clear_updaters()
        self.hold(1)
        self.say(
            f"The largest weight is {fixed(case.scaled_max, 4)} now, the entropy {fixed(case.scaled_entropy, 4)} "
            f"of {fixed(case.uniform_entropy, 4)}."
        )
        self.hold(1)

    def bring_the_slope_back(self) -> None:
        self.beat("the slope comes back")
        self.clear_board()
        case, theme, n = self.saturated, self.theme, len(self.saturated.scores)
        d_k, factor = self.parameters.d_k, number(case.factor)
        root = f"√{whole(d_k)} {'=' if case.factor.is_integer() else '≈'} {factor}"
        em = SMALL if n > MANY else LABEL
        bottom, width = CURVE.bottom, min(SCORES_WIDTH, WIDEST_SCORE_PITCH * (n - GAP))
        middle, row_baseline = LEFT_EDGE + SCORES_WIDTH / 2, bottom - 0.4
        bars = WeightBars(n, middle - width / 2, bottom, width, FULL - bottom, theme, em=em, gap=GAP)
        row = [Readout(em=em, color=theme.muted, weight="regular") for _ in range(n)]
        score = place(words("score", em=em, color=theme.muted), middle + width / 2 + 0.2, row_baseline, "left")
        by = Readout(f"÷ {factor}", em=HEADING, color=theme.scaled, align="left")
        times = words(f"every score × {factor}", em=HEADING, color=theme.raw, weight="semibold")
        by_left = middle + (times.width + 0.14 - by.width) / 2
        place(times, by_left - 0.14, HEADING_BASELINE, "right")
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
        known = f"the scores {', '.join(map(number, case.scores))}" if n <= 3 else f"{n} scores"
        self.say(f"Take {known}, made {factor} times bigger by {whole(d_k)} products.")
        title = self.title("The weights and their slope come back")
        self.play(FadeIn(title, self.size_label(d_k), times, score), FadeIn(bars, *row), run_time=1)
        self.hold(1)
        self.say(
            f"The largest weight is {plain(case.multiplied_weights.max())}, "
            f"and its slope {slope_words(case.multiplied_slope)}."
        )
        self.play(FadeIn(curve, curve_heading), run_time=1)
        self.hold(1)
        again = ", ".join(map(number, case.scores)) if n <= 3 else "what they were"
        self.say(f"Divide every score by {root}, and they are {again} again.")
        self.play(FadeIn(by), run_time=0.6)
        moving_parts = (bars.bars, curve.dot, curve.number)
        self.play(*(part.animate.set_fill(theme.scaled) for part in moving_parts), run_time=0.2)
        moving = self.follow(show, *moving_parts, *bars.readouts, *row, by)
        self.play(self.restored.animate.set_value(1), run_time=3.6)
        moving.clear_updaters()
        self.hold(1)
        self.say(restored_caption(case))
        self.hold(1)

    def divide_by_d(self) -> None:
        self.beat("why the root")
        self.clear_board()
        case, theme, n = self.example, self.theme, len(self.example.scores)
        lefts = np.linspace(LEFT_EDGE, RIGHT_EDGE - THIRD, 3)
        raw, scaled, over = columns = [
            Column(formula, n, left, THIRD, -0.85, theme, color, digits=4, heading_em=HEADING)
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

        def arrange() -> None:
            places, mover, dip = self.arrangement()
            for column in columns:
                column.arrange(places, mover, LANE * dip)

        show()
        for column in columns:
            column.show_row([str(key) for key in range(1, n + 1)])
        self.say(f"Why the root, and not d itself? Divide by more and more: from {short(case.factor)} up to {case.d}.")
        title = self.title("Why the root: dividing by $d$ is too much")
        self.play(
            FadeIn(title, self.size_label(case.d)),
            FadeIn(raw.chart, raw.gauge, scaled.chart, scaled.gauge, names[0]),
            run_time=1,
        )
        self.copy_over(scaled, over, names[1])
        self.turn(over, heading)
        moving = self.follow(show, over.shapes, over.numbers, heading)
        self.play(self.exponent.animate.set_value(1), run_time=3.6)
        moving.clear_updaters()
        self.play(*self.exchange(heading, over.heading), run_time=0.6)
        self.say(f"Now every weight is near 1/{n}: the query hardly tells its keys apart.")
        self.hold(1)

        self.say("Sort the keys by weight: every column keeps the same order.")
        # Numbers of weights would run into each other on the way; those of keys go one after the other.
        texts = [text for column in columns for text in column.bars.readouts if text.text]
        self.play(FadeOut(*texts), run_time=0.4)
        travelling = [part for column in columns for part in (column.bars.bars, column.carried, *column.row)]
        moving = self.follow(arrange, *travelling)
        self.play(self.sorted.animate.set_value(len(self.steps)), run_time=1.2 * len(self.steps), rate_func=linear)
        moving.clear_updaters()
        show()
        self.play(FadeIn(*texts), run_time=0.4)
        self.hold(1)

        spread, over_spread = short(case.factor), significant(1 / case.factor, 3)
        spreads = (f"√{case.d} = {spread}", f"{spread} ÷ {spread} = 1", f"{spread} ÷ {case.d} = {over_spread}")
        self.say("If entries have spread 1, scores have √d. Only the root makes that 1 at every d.")
        lines = [
            place(
                words(
                    f"typical spread {text}",
                    em=LABEL,
                    color=theme.ink if column is scaled else theme.muted,
                    weight="semibold" if column is scaled else "regular",
                ),
                column.middle,
                -2.65,
            )
            for text, column in zip(spreads, columns, strict=True)
        ]
        self.play(FadeIn(*lines), run_time=1)
        self.hold(1)
        self.say("So attention divides by √d: at every size softmax stays soft, and learning goes on.")
        self.play(*self.exchange(title, self.title("So attention divides every score by $sqrt(d)$")), run_time=0.8)
        self.hold(3)

    # Parts

    def size_label(self, d: int) -> VGroup:
        """The size, at the right end of the title's line."""
        value = Readout(whole(d), RIGHT_EDGE, TITLE_BASELINE, em=TITLE, color=self.theme.ink, align="right")
        d_is = maths("d =", em=TITLE, color=self.theme.ink)
        return VGroup(place(d_is, value.get_left()[0] - 0.16, TITLE_BASELINE, "right"), value)

    def copy_over(self, old: Column, new: Column, *coming: Mobject) -> None:
        """Bring in ``new``, which shows the same weights, as a copy of ``old`` of its colour, and ``coming`` too."""
        self.play(FadeIn(new.bars.tracks, new.gauge.track, *coming), run_time=0.6)
        way = (new.lefts[0] - old.lefts[0]) * RIGHT
        new.paint(old.color).shapes.shift(-way)
        self.play(new.shapes.animate.shift(way), run_time=0.8)
        self.play(FadeIn(new.numbers, new.gauge.names, *new.row), run_time=0.4)

    def turn(self, column: Column, heading: Mobject) -> None:
        """Give a copied ``column`` its own colour and ``heading``: what comes next is its own."""
        own = (part.animate.set_fill(column.color) for part in (column.shapes, column.gauge.number))
        self.play(*own, run_time=0.2)
        self.play(FadeIn(heading), run_time=0.4)

"""What softmax does to large scores: one key takes everything, and the slope that learning needs is gone."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from manim import (
    UP,
    Create,
    FadeIn,
    FadeOut,
    Mobject,
    ReplacementTransform,
    ValueTracker,
    VGroup,
    linear,
    smooth,
    squish_rate_func,
)

from core.attention import softmax
from core.cases import SaturationCase, saturation_case
from core.numerals import fixed, short, significant, whole
from core.theme import Theme
from scenes.base import LessonScene
from scenes.parts import Area, Bars, Dots, FloatArray, Lines, Plane, WeightBars, boxes
from scenes.typesetting import HEADING, LABEL, SMALL, TEXT_FONT, TITLE, Readout, maths, place, words

# Scene units; the frame is 14.2 wide and 8 high, and the caption band ends at -3.0.
BASE = -2.15  # where bars stand
FULL = 3.6  # a bar of weight 1, and a stack of all exponentials
ROW = BASE - 0.5  # baseline of the scores under bars
HEADINGS = 2.3  # baseline
LEFT_MIDDLE, LEFT_WIDTH = -3.8, 5.3  # the scores, and what is made of them
STACK_MIDDLE = -0.35
RIGHT_MIDDLE, RIGHT_WIDTH = 3.55, 6.1  # the weights, which stay here all along
WIDEST_PITCH = 1.7  # from one bar's middle to the next
GAP = 0.35  # of a pitch; the rest is the bar
SEAM = 0.03  # between bars stacked on each other
DOT = 0.13  # radius
ABOVE = 0.4  # from a bar's top to the baseline of its number, in em

CURVE = Plane((0, 1), (0, 0.25), left=-5.9, bottom=-0.6, width=5.0, height=2.15)
ARROWS_LEFT, ARROW_ROWS, ARROW_LENGTH = -3.0, (-1.75, -2.5), 2.6  # an arrow of gradient 1 is this long

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


# Words and numbers


def at_most(value: float, digits: int) -> str:
    """``value`` with as few decimals as it needs, ``digits`` at most."""
    return short(round(float(value), digits))  # NumPy's own rounding of 12.95 gives 13.0


def number_text(value: float, moving: bool = False) -> str:
    """A number to two decimals or three digits; while it moves with one decimal always, lest they come and go."""
    size = abs(value)
    return (
        fixed(value, 1 if size < 100 else 0) if moving else at_most(value, 2 if size < 10 else 1 if size < 100 else 0)
    )


def exponential_text(value: float, digits: int = 3, moving: bool = False) -> str:
    """An exponential with up to ``digits`` decimals, fewer the larger it is; never just "0", since it is not."""
    digits = digits if value < 100 else 1 if value < 1000 else 0
    return fixed(value, digits) if moving or value < 0.5 * 10**-digits else at_most(value, digits)


def exponential_unit(case: SaturationCase) -> tuple[float, str, int]:
    """The unit in which exponentials are short enough for their columns, its name if it is not 1, and decimals."""
    digits = 3 if len(case.scores) <= 6 else 2
    if case.total < 0.1:
        return 1e-3, "thousandths", digits
    if digits == 2 and case.exponentials.max() >= 10_000:
        return 1e3, "thousands", digits
    return 1.0, "", digits


def weight_texts(weights: FloatArray) -> list[str]:
    """Weights with two decimals, or with four where two would call the largest 1."""
    digits = 2 if weights.max() < 0.995 else 4
    return [fixed(weight, digits) for weight in weights]


def slope_text(value: float) -> str:
    """A slope with two decimals, or with four where two would hide what is left of it."""
    return fixed(value, 2 if value >= 0.01 else 4)


def ratio_text(ratio: float) -> str:
    """A ratio of at least 1 with one decimal, or to three digits; "1" if it is nearer to 1 than to 1.1."""
    return at_most(ratio, 1) if ratio < 10 else significant(ratio, 3)


def weight_caption(case: SaturationCase) -> str:
    """What became of the top weight."""
    before, after = (weight_texts(weights)[case.top] for weights in (case.weights, case.multiplied_weights))
    if case.multiplied_weights[case.top] < 0.99:
        return f"The top weight {f'went from {before} to {after}' if before != after else f'stays at {after}'}."
    if before == after:
        return f"The top weight was {before} already: softmax could give it no more."
    return f"The top weight went from {before} to {after}. Softmax gives all or nothing."


def slope_caption(case: SaturationCase) -> str:
    """What became of the slope, and so of learning."""
    ratio = case.flatter
    if math.isinf(ratio):
        return "Flatter than a float can tell: no mistake can move this score any more."
    if ratio >= 1e6:
        power = f"10{str(round(math.log10(ratio))).translate(SUPERSCRIPTS)}"
        return f"About {power} times flatter: the same mistake moves the score that much less."
    times = f"{ratio_text(max(ratio, 1 / ratio))} times"
    if times == "1 times":
        return "The slope is about what it was: softmax is not saturated yet."
    if ratio < 1:
        return f"{times} steeper: the top weight has come nearer to one half."
    return f"{times} flatter: the same mistake now moves the score {times} less."


def slope_verdict(ratio: float) -> str:
    """How much less of a gradient gets through, as Typst markup."""
    if math.isinf(ratio):
        return "too small for a float"
    if ratio >= 1e6:
        return f"$10^{round(math.log10(ratio))}$ times less"
    times = ratio_text(max(ratio, 1 / ratio))
    return "about as much" if times == "1" else f"{times} times {'less' if ratio > 1 else 'more'}"


def stretch_words(case: SaturationCase) -> str:
    """What multiplying the scores does to the weights."""
    if weight_texts(case.weights) == weight_texts(softmax(case.shift * case.scores)):
        return "The gaps grow, but these weights hardly move."
    return "The gaps grow, and the weights move."


# Shapes


def columns(n: int, middle: float, width: float) -> tuple[FloatArray, float]:
    """Where ``n`` bars have their left edges, (n,), and how wide one is; they fill ``width`` unless they are few."""
    pitch = min(WIDEST_PITCH, width / (n - GAP))
    bar = pitch * (1 - GAP)
    return middle + pitch * (np.arange(n) - (n - 1) / 2) - bar / 2, bar


def last_first(progress: float, n: int) -> FloatArray:
    """How far each of ``n`` movements is, (n,), when all are ``progress`` done; the last begins first."""
    lag = 0.4  # of a movement, before the next begins
    length = 1 / (1 + lag * (n - 1))
    t = np.clip((progress - lag * length * np.arange(n)[::-1]) / length, 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def on_the_way(start: FloatArray, end: FloatArray, progress: ValueTracker) -> FloatArray:
    """Shapes between ``start`` and ``end``, both (n, corners, 3); the last arrives first."""
    done = last_first(progress.get_value(), len(start))[:, None, None]
    return start + done * (end - start)


def arrow(left: float, middle: float, length: float) -> FloatArray:
    """The corners, (7, 3), of an arrow to the right; the shortest are all head, and smaller for that."""
    head = min(length, 0.3)
    half = 0.5 * head  # of the head's thickness
    neck = left + length - head
    upper = [(left, half / 3), (neck, half / 3), (neck, half), (left + length, 0)]
    lower = [(x, -y) for x, y in upper[-2::-1]]
    return np.array([(x, middle + y, 0) for x, y in upper + lower])


class ScoreRow(VGroup):
    """Scores as numbers in a row."""

    def __init__(self, middles: FloatArray, baseline: float, em: float, theme: Theme) -> None:
        self.middles, self.baseline = middles, baseline
        self.readouts = [Readout(em=em, color=theme.raw) for _ in middles]
        super().__init__(*self.readouts)

    def show(self, texts: list[str]) -> "ScoreRow":  # type: ignore[override]
        for readout, text, x in zip(self.readouts, texts, self.middles, strict=True):
            readout.show(text, x, self.baseline)
        return self


class ScoreScale(VGroup):
    """Scores as dots over their columns, on one scale that holds 0, hung from the height of the largest."""

    def __init__(self, middles: FloatArray, bar: float, values: FloatArray, theme: Theme) -> None:
        """``values`` are all the scores that will ever be shown, in any shape."""
        self.middles = middles
        self.ends = np.array([middles[0] - bar / 2, middles[-1] + bar / 2])
        self.plane = Plane((0, 1), (min(0, values.min()), max(0, values.max())), 0, BASE, 1, FULL)
        zero = float(self.plane.y(0))
        self.zero = Lines(theme.muted, 2).show(self.across(zero))
        label = Readout("0", em=LABEL, color=theme.muted, weight="regular", align="right")
        self.still = VGroup(self.zero, label.show("0", self.ends[0] - 0.15, zero - 0.1))
        self.level, self.gaps, self.dots = Lines(theme.raw, 2), Lines(theme.raw, 6), Dots(DOT, theme.raw)
        super().__init__(self.still, self.level, self.gaps, self.dots)

    def across(self, y: float) -> FloatArray:
        return np.array([[x, y, 0] for x in self.ends])

    def show(self, scores: FloatArray) -> "ScoreScale":  # type: ignore[override]
        dots = np.stack([self.middles, self.plane.y(scores), np.zeros(len(scores))], axis=-1)
        top = float(dots[:, 1].max())
        self.level.show(self.across(top))
        self.gaps.show(*(np.array([[x, top, 0], [x, y, 0]]) for x, y, _ in dots))
        self.dots.show(dots)
        return self


class SlopeCurve(VGroup):
    """The slope p(1 - p) against the weight p, with a dot on it and its height beside it."""

    def __init__(self, weights: FloatArray, slopes: FloatArray, theme: Theme) -> None:
        highest = float(slopes.max())
        axes = Lines(theme.muted, 2).show(np.array([CURVE.point(0, highest), CURVE.point(0, 0), CURVE.point(1, 0)]))
        below = CURVE.bottom - 0.4
        style: dict[str, Any] = {"color": theme.muted, "weight": "regular"}
        ticks = [Readout(at_most(p, 2), CURVE.x(p), below, **style) for p in weights[[0, -1]]]
        peak = Readout(at_most(highest, 2), CURVE.left - 0.15, CURVE.y(highest) - 0.1, align="right", **style)
        name = place(words("top weight $p$", color=theme.muted), CURVE.x(0.5), below)
        self.axes = VGroup(axes, *ticks, peak, name)
        self.curve = Lines(theme.ink).show(CURVE.points(weights, slopes))
        self.dot = Dots(DOT, theme.raw)
        self.number = Readout(em=HEADING, color=theme.raw)
        super().__init__(self.axes, self.curve, self.dot, self.number)

    def show(self, p: float, slope: float) -> "SlopeCurve":  # type: ignore[override]
        x, y, _ = middle = CURVE.point(p, slope)
        self.dot.show(middle[None])
        beside = max(x + 0.7 * (2 * p - 1), CURVE.left + 0.45)  # outside the curve, clear of the axis
        self.number.show(slope_text(slope), beside, y + 0.25)
        return self


class Gradients(VGroup):
    """A gradient of 1 at the weight, and below it what the slope lets through to the score, as arrows."""

    def __init__(self, theme: Theme) -> None:
        upper, lower = ARROW_ROWS
        self.names = (
            place(words("gradient at the weight", color=theme.ink), CURVE.left, upper, "left"),
            place(words("gradient at its score", color=theme.ink), CURVE.left, lower, "left"),
        )
        self.sent = Area(theme.ink).show(arrow(ARROWS_LEFT, upper + 0.1, ARROW_LENGTH))
        self.passed = Area(theme.raw)
        super().__init__(*self.names, self.sent, self.passed)

    def show(self, slope: float) -> "Gradients":  # type: ignore[override]
        self.passed.show(arrow(ARROWS_LEFT, ARROW_ROWS[1] + 0.1, ARROW_LENGTH * slope))
        return self


class SoftmaxSaturation(LessonScene):
    """The same scores, sqrt(d_k) times bigger: softmax gives one key everything, and its slope dies."""

    TITLE = "Softmax saturates"
    SECONDS = 70
    USES = ("d_k", "scores")

    def setup(self) -> None:
        super().setup()
        self.case = saturation_case(self.parameters)
        self.n = len(self.case.scores)
        self.growth = ValueTracker(0)  # from the scores (0) to the scores sqrt(d_k) times bigger (1)
        self.stretch = ValueTracker(1)
        self.shift = ValueTracker(0)
        self.em = HEADING if self.n <= 5 else LABEL if self.n <= 6 else SMALL
        self.lefts, self.bar = columns(self.n, LEFT_MIDDLE, LEFT_WIDTH)
        self.middles = self.lefts + self.bar / 2
        lefts, bar = columns(self.n, RIGHT_MIDDLE, RIGHT_WIDTH)
        box = (lefts[0], BASE, lefts[-1] + bar - lefts[0], FULL)
        self.bars = WeightBars(self.n, *box, self.theme, em=self.em, gap=GAP)
        self.weights_heading = self.heading("weights", RIGHT_MIDDLE)

    def construct(self) -> None:
        self.turn_scores_into_weights()
        self.multiply_the_scores()
        self.watch_the_slope_die()
        self.compare_adding_with_multiplying()

    # What is on screen now: the trackers and core, nothing else.

    def factor(self) -> float:
        """How many times bigger the scores are; equal steps of growth multiply by equal factors."""
        return float(self.case.factor ** self.growth.get_value() * self.stretch.get_value())

    def scores(self) -> FloatArray:
        return self.case.scores * self.factor() + self.shift.get_value()

    def weights(self) -> FloatArray:
        return softmax(self.scores())

    def top_weight(self) -> float:
        return float(self.weights()[self.case.top])

    def slope(self) -> float:
        """p(1 - p) of the top weight, with 1 - p as the sum of the others: exact however near 1 p is."""
        return self.top_weight() * float(np.delete(self.weights(), self.case.top).sum())

    def moving(self) -> bool:
        """Whether a tracker is between the two numbers at which it rests."""
        step = self.case.shift
        rests = ((self.growth, (0, 1)), (self.stretch, (1, step)), (self.shift, (0, step)))
        return any(min(abs(tracker.get_value() - rest) for rest in places) > 1e-9 for tracker, places in rests)

    def score_texts(self) -> list[str]:
        return [number_text(score, self.moving()) for score in self.scores()]

    # Beats

    def turn_scores_into_weights(self) -> None:
        self.beat("scores become weights")
        middle = BASE + FULL / 2
        self.say(f"A query has scored {NUMBERS[self.n]} keys. Softmax turns the scores into weights.")
        heading = self.heading("scores $s$", LEFT_MIDDLE)
        self.row = ScoreRow(self.middles, middle, self.em, self.theme).show(self.score_texts())
        formula = maths(
            f'#text(font: "{TEXT_FONT}")[weight] = {{{{ e^s : power }}}} / {{{{ sum e^s : total }}}}',
            em=1.4 * TITLE,
            color=self.theme.muted,
        )
        formula.move_to((RIGHT_MIDDLE, middle, 0))
        self.play(FadeIn(self.title("Softmax turns scores into weights")), run_time=0.6)
        self.play(FadeIn(heading, self.row, shift=0.2 * UP), run_time=0.8)
        self.play(FadeIn(formula), run_time=0.6)
        self.hold(1)
        # The exponentials are drawn so that their sum is as high as a weight of 1: a share keeps its height.
        heights = FULL * self.case.weights
        below = np.append(np.cumsum(heights[:0:-1])[::-1], 0)  # the last stands at the bottom of the stack
        seams = np.where(below > 0, np.minimum(SEAM, heights / 2), 0)
        apart = boxes(self.lefts, BASE, self.bar, heights)
        stacked = boxes(STACK_MIDDLE - self.bar / 2, BASE + below + seams, self.bar, heights - seams)
        shares = boxes(self.bars.bars.lefts, BASE, self.bars.bars.bar_width, heights)
        self.raise_e_to_each(heights, heading, formula)
        tiles = self.add_them_up(apart, stacked, formula)
        self.divide_by_the_sum(stacked, shares, formula, tiles)

    def raise_e_to_each(self, heights: FloatArray, heading: Mobject, formula: Any) -> None:
        unit, unit_name, digits = exponential_unit(self.case)
        raised = ValueTracker(0)
        bars = Bars(self.lefts, self.bar, BASE, self.theme.raw)
        numbers = [Readout(em=self.em, color=self.theme.ink) for _ in range(self.n)]

        def show(_: Mobject) -> None:
            done = raised.get_value()
            bars.show(heights * done)
            tops = BASE + bars.heights + ABOVE * self.em
            for number, value, x, y in zip(numbers, self.case.exponentials * done, self.middles, tops, strict=True):
                number.show(exponential_text(value / unit, digits, done < 1), x, y)
                number.set_fill(opacity=min(1, 5 * done))

        self.say("First it raises e to each score, which makes every number positive.")
        self.play(
            *self.exchange(
                heading, self.heading(", ".join(filter(None, ["exponentials $e^s$", unit_name])), LEFT_MIDDLE)
            ),
            self.row.animate.shift((ROW - self.row.baseline) * UP),
            formula.select("power").animate.set_color(self.theme.ink),
            run_time=1,
        )
        self.row.baseline = ROW
        self.follow(show, bars, *numbers)
        self.play(raised.animate.set_value(1), run_time=1.8)
        bars.clear_updaters()
        self.hold(1)
        self.outline(bars)  # seen when the tiles that cover them leave

    def add_them_up(self, apart: FloatArray, stacked: FloatArray, formula: Any) -> Area:
        unit, unit_name, _ = exponential_unit(self.case)
        text = exponential_text(self.case.total / unit)
        total = Readout(text, STACK_MIDDLE, BASE + FULL + ABOVE * self.em, em=self.em, color=self.theme.ink)
        gathered = ValueTracker(0)
        tiles = Area(self.theme.raw)
        self.say(f"Then it adds them up: {' '.join(filter(None, [text, unit_name]))}.")
        self.follow(lambda _: tiles.show(*on_the_way(apart, stacked, gathered)), tiles)
        self.play(gathered.animate.set_value(1), rate_func=linear, run_time=2)
        tiles.clear_updaters()
        self.play(
            FadeIn(total, self.heading("sum", STACK_MIDDLE), shift=0.2 * UP),
            formula.select("total").animate.set_color(self.theme.ink),
            run_time=0.6,
        )
        self.hold(1)
        return tiles

    def divide_by_the_sum(self, stacked: FloatArray, shares: FloatArray, formula: Mobject, tiles: Area) -> None:
        divided = ValueTracker(0)
        self.say("Each one divided by that sum is a weight: its share of the whole.")
        self.bars.show(self.case.weights, weight_texts(self.case.weights))
        self.play(*self.exchange(formula, self.bars.tracks), FadeIn(self.weights_heading), run_time=0.8)
        self.add(self.outline(Area(self.theme.raw).show(*stacked)))
        self.follow(lambda _: tiles.show(*on_the_way(stacked, shares, divided)), tiles)
        self.play(divided.animate.set_value(1), rate_func=linear, run_time=2.2)
        self.remove(tiles)
        self.add(self.bars.bars)
        self.play(FadeIn(*self.bars.readouts, shift=0.2 * UP), run_time=0.6)
        self.add(self.bars)
        self.hold(2)

    def multiply_the_scores(self) -> None:
        self.beat("every score bigger")
        case, d_k = self.case, self.parameters.d_k
        times = number_text(case.factor)
        self.say(
            f"A score of {whole(d_k)} products spreads √{whole(d_k)} "
            f"{'=' if math.isclose(case.factor, round(case.factor)) else '≈'} {times} times as far as one product."
        )
        self.clear_board(self.row, self.bars, self.weights_heading)
        scale = ScoreScale(self.middles, self.bar, np.array([case.scores, case.multiplied]), self.theme)
        scale.show(self.scores())
        heading = self.live_heading(lambda: f"scores × {number_text(self.factor(), self.moving())}")
        self.play(
            FadeIn(self.title(f"The same scores, {times} times bigger"), heading, scale, self.softmax_arrow()),
            run_time=0.8,
        )
        self.hold(1)
        self.say(f"Make every score {times} times bigger. The lines are the gaps to the largest.")
        self.follow(lambda _: scale.show(self.scores()), scale)
        row = self.row
        self.follow(lambda _: row.show(self.score_texts()), row)
        self.follow(lambda _: self.bars.show(self.weights(), weight_texts(self.weights())), self.bars)
        self.play(self.growth.animate.set_value(1), run_time=5)
        self.hold(1)
        self.say(weight_caption(case))
        self.hold(2)

    def watch_the_slope_die(self) -> None:
        self.beat("the slope")
        curve = SlopeCurve(self.case.curve_weights, self.case.curve_slopes, self.theme)
        gradients = Gradients(self.theme)
        self.draw_the_slope(curve)
        self.send_a_gradient_back(gradients)
        self.grow_again(curve, gradients)

    def draw_the_slope(self, curve: SlopeCurve) -> None:
        self.say("How much does the top weight move when its score does? That is its slope.")
        self.clear_board(self.bars, self.weights_heading)
        self.row = row = ScoreRow(self.bars.middles(), ROW, self.em, self.theme).show(self.score_texts())
        self.play(FadeIn(self.title("Learning passes through a slope"), row), run_time=0.8)
        self.follow(lambda _: row.show(self.score_texts()), row)
        self.play(FadeIn(curve.axes), self.growth.animate.set_value(0), run_time=1.6)
        self.hold(1)
        self.say("It is p(1 − p), which is steepest at one half and flat at both ends.")
        curve.show(self.top_weight(), self.slope())
        self.play(FadeIn(self.heading("slope $p (1 - p)$", LEFT_MIDDLE)), Create(curve.curve), run_time=1.4)
        self.play(FadeIn(curve.dot, scale=0.3), FadeIn(curve.number), run_time=0.6)
        self.hold(1)

    def send_a_gradient_back(self, gradients: Gradients) -> None:
        gradients.show(self.slope())
        self.say("A mistake sends a gradient back to the score. The slope multiplies it on the way.")
        self.play(FadeIn(gradients.names[0], gradients.sent), run_time=0.8)
        arriving = ReplacementTransform(gradients.sent.copy(), gradients.passed)
        self.play(FadeIn(gradients.names[1]), arriving, run_time=1)
        self.hold(2)

    def grow_again(self, curve: SlopeCurve, gradients: Gradients) -> None:
        case = self.case
        dot, number, passed = (part.copy() for part in (curve.dot, curve.number, gradients.passed))
        self.say(f"Once more, every score {number_text(case.factor)} times bigger.")
        self.follow(lambda _: curve.show(self.top_weight(), self.slope()), curve.dot, curve.number)
        self.follow(lambda _: gradients.show(self.slope()), gradients.passed)
        self.play(self.growth.animate.set_value(1), run_time=5)
        self.hold(0.6)
        self.say(slope_caption(case))
        # What was there before is shown hollow, unless what is there now covers it.
        before = VGroup()
        if np.linalg.norm(dot.get_center() - curve.dot.get_center()) > 2.5 * DOT:
            before.add(self.outline(dot))
        if abs(number.get_x() - curve.number.get_x()) > 1 or abs(number.get_y() - curve.number.get_y()) > HEADING:
            before.add(number)
        if case.flatter > 4:
            before.add(self.outline(passed))
        em = HEADING if self.n <= 3 else LABEL  # more bars begin further left
        verdict = words(slope_verdict(case.flatter), em=em, color=self.theme.raw, weight="semibold")
        tip = ARROWS_LEFT + ARROW_LENGTH * max(case.slope, case.multiplied_slope)
        self.play(FadeIn(place(verdict, tip + 0.25, ARROW_ROWS[1], "left"), before), run_time=0.6)
        self.hold(2)

    def compare_adding_with_multiplying(self) -> None:
        self.beat("add or multiply")
        case, step = self.case, number_text(self.case.shift)
        self.say("One last test, on the first scores again.")
        self.clear_board(self.row, self.bars, self.weights_heading)
        self.play(FadeIn(self.title("Only the gaps between scores count")), run_time=0.6)
        self.play(self.growth.animate.set_value(0), run_time=1)
        values = np.array([case.scores, case.shifted, case.shift * case.scores])
        scale = ScoreScale(self.middles, self.bar, values, self.theme).show(self.scores())
        row = ScoreRow(self.middles, ROW, self.em, self.theme).show(self.score_texts())
        added = self.live_heading(lambda: f"scores + {number_text(self.shift.get_value(), self.moving())}")
        self.play(FadeOut(self.row.clear_updaters()), FadeIn(scale, row, added, self.softmax_arrow()), run_time=0.8)
        self.hold(0.4)
        self.follow(lambda _: scale.show(self.scores()), scale)
        self.follow(lambda _: row.show(self.score_texts()), row)
        self.say(f"Add {step} to every score. The gaps stay as they are, and no weight moves.")
        self.play(self.shift.animate.set_value(case.shift), run_time=2.4)
        self.hold(1)
        self.play(self.shift.animate.set_value(0), run_time=1.4)

        self.say(f"Multiply every score by {step}. {stretch_words(case)}")
        times = self.live_heading(lambda: f"scores × {number_text(self.factor(), self.moving())}")
        self.play(*self.exchange(added.clear_updaters(), times), run_time=0.8)
        self.play(self.stretch.animate.set_value(case.shift), run_time=2.6)
        self.hold(1)
        self.say("So what must be kept in check is how far apart the scores are: their spread.")
        self.hold(2.4)

    # Parts

    def heading(self, markup: str, x: float) -> Any:
        return place(words(markup, em=HEADING, color=self.theme.muted), x, HEADINGS)

    def live_heading(self, text: Callable[[], str]) -> Readout:
        """A heading over the scores that says ``text()`` at every frame."""
        readout = Readout(text(), LEFT_MIDDLE, HEADINGS, em=HEADING, color=self.theme.muted, weight="regular")
        readout.add_updater(lambda readout: readout.show(text(), LEFT_MIDDLE, HEADINGS))
        return readout

    def softmax_arrow(self) -> VGroup:
        """What leads from the scores to the weights."""
        middle = BASE + FULL / 2
        shaft = Area(self.theme.muted).show(arrow(STACK_MIDDLE - 0.45, middle - 0.25, 0.9))
        return VGroup(place(words("softmax", color=self.theme.muted), STACK_MIDDLE, middle), shaft)

    def outline(self, mark: Any) -> Any:
        """Make ``mark`` hollow: where something was."""
        return mark.set_fill(opacity=0).set_stroke(self.theme.raw, 2.5)

    def follow(self, update: Callable[[Mobject], object], *moving: Mobject) -> None:
        """Redraw ``moving`` by ``update`` at every frame, until their updaters are cleared."""
        moving[0].add_updater(update)
        update(moving[0])
        self.add(*moving)

    def exchange(self, old: Mobject, new: Mobject) -> tuple[FadeOut, FadeIn]:
        """``old`` goes, then ``new`` comes in its place, within one run time."""
        return (
            FadeOut(old, rate_func=squish_rate_func(smooth, 0, 0.5)),
            FadeIn(new, rate_func=squish_rate_func(smooth, 0.5, 1)),
        )

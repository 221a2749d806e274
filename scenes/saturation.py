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
from core.numerals import fixed, ratio_words, short, slope_words, whole
from core.theme import Theme
from scenes.base import RIGHT_EDGE, LessonScene
from scenes.parts import Area, Bars, Dots, FloatArray, Lines, Plane, SlopeCurve, WeightBars, boxes, up_to
from scenes.typesetting import HEADING, LABEL, SMALL, TEXT_FONT, Readout, maths, place, words

# Scene units; the frame is 14.2 wide and 8 high, and the caption band ends at -3.0.
BASE = -2.15  # where bars stand
FULL = 3.6  # a bar of weight 1, and a stack of all exponentials
ROW = BASE - 0.5  # baseline of the scores under bars
HEADINGS = 2.3  # baseline
WIDTH = 5.3  # of all columns
LEFT_MIDDLE = -3.8  # the scores, and what is made of them
STACK_MIDDLE = -0.35
RIGHT_MIDDLE = 3.6  # the weights
WIDEST_PITCH = 1.7  # from one bar's middle to the next
GAP = 0.35  # of a pitch; the rest is the bar
SEAM = 0.03  # between bars stacked on each other
CLEARANCE = 0.5  # of a bar that flies over others
DOT = SlopeCurve.DOT  # radius
ABOVE = 0.4  # from a bar's top to the baseline of its number, in em

LEAST_REACH = 6  # to either side, of the scores at which the largest weight is drawn
TANGENT = 1.8  # its length
CURVE = Plane((0, 1), (0, 0.25), left=2.0, bottom=-0.85, width=3.0, height=2.35)
ARROWS_LEFT, ARROW_ROWS, ARROW_LENGTH = 3.4, (-1.88, -2.35, -2.82), 2.2  # an arrow of gradient 1 is this long
SHORTEST, THINNEST = 0.06, 0.2  # of an arrow: what is less is drawn so, to be seen at all
NEARLY_ALL = 0.9  # a weight from here on is nearly all there is to give
NEARLY_NONE = 0.01  # a slope below is near 0
MANY = 5  # from so many weights on, numbers of four decimals would run into each other

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


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


def exponential_form(case: SaturationCase) -> tuple[float, str, int]:
    """How exponentials are short enough for their columns: their unit, its name if it is not 1, and decimals."""
    digits, largest = (3 if len(case.scores) <= 6 else 2), float(case.exponentials.max())
    if case.total < 0.1:
        return 1e-3, "thousandth", digits
    if len(case.scores) > 6 and largest >= 10_000:
        return 1e3, "thousand", digits
    return 1.0, "", digits if largest < 100 else 1 if largest < 1000 else 0


def exponential_texts(case: SaturationCase) -> list[str]:
    """Exponentials, all with as many decimals; "" for one of which these would show only zeros, since it is not 0."""
    unit, _, digits = exponential_form(case)
    texts = [fixed(value / unit, digits) for value in case.exponentials]
    return ["" if text == fixed(0, digits) else text for text in texts]


def total_text(case: SaturationCase) -> str:
    """The sum of the exponentials, in the form that they have."""
    unit, _, digits = exponential_form(case)
    return fixed(case.total / unit, digits)


def weight_texts(weights: FloatArray) -> list[str]:
    """Weights with two decimals, or with four where two would call the largest 1: all of few, or else that one.

    Of many, one that would be all zeros is "": a bar that cannot be seen says as much.
    """
    digits = 2 if weights.max() < 0.995 else 4
    if len(weights) < MANY:
        return [fixed(weight, digits) for weight in weights]
    texts = [fixed(weight, digits if weight == weights.max() else 2) for weight in weights]
    return ["" if text == fixed(0, 2) else text for text in texts]


def growth_title(case: SaturationCase) -> str:
    """What bigger scores do, as far as these scores show it."""
    if case.multiplied_weights[case.top] < NEARLY_ALL:
        return "Bigger scores, less even weights"
    return "Bigger scores: nearly all goes to one key"


def weight_caption(case: SaturationCase) -> str:
    """What became of the weights."""
    before, after = (weight_texts(weights)[case.top] for weights in (case.weights, case.multiplied_weights))
    if case.multiplied_weights[case.top] < NEARLY_ALL:
        return (
            "The weights hardly move." if before == after else "The largest weight grows, but the others still count."
        )
    if before == after:
        return "Nearly all went to that key already: softmax could hardly give it more."
    return "Softmax gives nearly all to one key: the others are hardly heard."


def slope_title(case: SaturationCase) -> str:
    """What a slope does for learning, and what these scores show of it."""
    if case.multiplied_slope < NEARLY_NONE:
        return "A slope near 0 stalls learning"
    return "The slope is what lets a score learn"


def slope_caption(case: SaturationCase) -> str:
    """What became of the slope, and so of learning."""
    said = ratio_words(case.times_smaller, "smaller", "larger", "")
    said = said[:1].upper() + said[1:]
    if not said:
        return "The slope is about what it was: softmax is not saturated yet."
    if case.times_smaller < 1:
        return f"{said}: the largest weight has come nearer to one half."
    return f"{said}: the same mistake moves the score that much less."


def slope_verdict(case: SaturationCase) -> str:
    """How much less of a gradient gets through."""
    said = ratio_words(case.times_smaller, "less", "more")
    return said.replace("about 10", "10")  # a power of ten is plainly not exact


def spread_caption(case: SaturationCase, d_k: int) -> str:
    """How much larger the spread of scores is that are sums of ``d_k`` products."""
    root = f"√{whole(d_k)} {'=' if math.isclose(case.factor, round(case.factor)) else '≈'} {number_text(case.factor)}"
    if 0.5 <= case.scores.std() <= 2:
        return f"These scores have a spread near 1. Scores of {whole(d_k)} products have {root}."
    return f"A score of {whole(d_k)} products spreads {root} times as far as one product."


def stretch_words(case: SaturationCase) -> str:
    """What multiplying the scores does to the weights."""
    if weight_texts(case.weights) == weight_texts(softmax(case.shift * case.scores)):
        return "The gaps grow, but these weights hardly move."
    return "Now the gaps grow, and the weights move with them."


# Shapes


def columns(n: int, middle: float) -> tuple[FloatArray, float]:
    """Where ``n`` bars have their left edges, (n,), and how wide one is; they fill WIDTH unless they are few."""
    pitch = min(WIDEST_PITCH, WIDTH / (n - GAP))
    bar = pitch * (1 - GAP)
    return middle + pitch * (np.arange(n) - (n - 1) / 2) - bar / 2, bar


def eased(progress: Any, start: float, end: float) -> Any:
    """How far a part of a movement is, smoothly from 0 at ``start`` to 1 at ``end``."""
    t = np.clip((np.asarray(progress) - start) / (end - start), 0, 1)
    return t * t * (3 - 2 * t)


def last_first(progress: float, n: int) -> FloatArray:
    """How far each of ``n`` movements is, (n, 1), when all are ``progress`` done; the last begins first."""
    lag = 0.4  # of a movement, before the next begins
    length = 1 / (1 + lag * (n - 1))
    return np.clip((progress - lag * length * np.arange(n)[::-1, None]) / length, 0, 1)


def onto_the_stack(apart: FloatArray, stacked: FloatArray, progress: float) -> FloatArray:
    """Boxes on their way, (n, 4, 3): each up to its level, across above all others, and down; none meets another."""
    done, way = last_first(progress, len(apart)), stacked - apart
    lift = CLEARANCE * (eased(done, 0, 0.4) - eased(done, 0.75, 1))
    shapes = apart.copy()
    shapes[..., 0] += eased(done, 0.3, 0.8) * way[..., 0]
    shapes[..., 1] += eased(done, 0, 0.4) * way[..., 1] + lift
    return shapes


def off_the_stack(stacked: FloatArray, shares: FloatArray, progress: float) -> FloatArray:
    """Boxes on their way, (n, 4, 3): each across to its column, and down."""
    done, way = last_first(progress, len(stacked)), shares - stacked
    shapes = stacked.copy()
    shapes[..., 0] += eased(done, 0, 0.8) * way[..., 0]
    shapes[..., 1] += eased(done, 0.4, 1) * way[..., 1]
    return shapes


def arrow(left: float, middle: float, length: float) -> FloatArray:
    """The corners, (7, 3), of an arrow to the right; the shortest are all head."""
    head = min(length, 0.3)
    half = max(0.5 * head, THINNEST / 2)  # of the head's thickness
    neck = left + length - head
    upper = [(left, half / 3), (neck, half / 3), (neck, half), (left + length, 0)]
    lower = [(x, -y) for x, y in upper[-2::-1]]
    return np.array([(x, middle + y, 0) for x, y in upper + lower])


def fitting(text: str, width: float, color: str) -> Any:
    """``text`` as large as ``width`` allows, but no larger than a heading."""
    for em in (HEADING, LABEL, SMALL):
        shape = words(text, em=em, color=color, weight="semibold")
        if shape.width <= width:
            break
    return shape


class ScoreRow(VGroup):
    """Scores as numbers in a row; ``label``, which says what they are, stands beside it and is shown apart from it."""

    def __init__(self, lefts: FloatArray, bar: float, em: float, theme: Theme) -> None:
        self.middles = lefts + bar / 2
        self.readouts = [Readout(em=em, color=theme.muted, weight="regular") for _ in lefts]
        self.label: Any = place(words("score", em=em, color=theme.muted), lefts[-1] + bar + 0.25, ROW, "left")
        super().__init__(*self.readouts)

    def show(self, texts: list[str]) -> "ScoreRow":  # type: ignore[override]
        for readout, text, x in zip(self.readouts, texts, self.middles, strict=True):
            readout.show(text, x, ROW)
        return self


class ScoreScale(VGroup):
    """Scores as dots over their columns, on one scale that holds 0: standing on 0 or hung from the largest."""

    def __init__(self, middles: FloatArray, bar: float, values: FloatArray, theme: Theme, hung: bool) -> None:
        """``values`` are all the scores that will ever be shown, in any shape."""
        self.hung = hung
        self.middles = middles
        self.ends = np.array([middles[0] - bar / 2, middles[-1] + bar / 2])
        self.plane = Plane((0, 1), (min(0, values.min()), max(0, values.max())), 0, BASE, 1, FULL)
        zero = float(self.plane.y(0))
        self.zero = Lines(theme.muted, 2).show(self.across(zero))
        label = Readout("0", em=LABEL, color=theme.muted, weight="regular", align="right")
        self.still = VGroup(self.zero, label.show("0", self.ends[0] - 0.15, zero - 0.1))
        color = theme.scaled
        self.level, self.stems, self.dots = Lines(color, 2), Lines(color, 6), Dots(DOT, color)
        self.marks = (self.level, self.stems, self.dots)
        super().__init__(self.still, *self.marks)

    def across(self, y: float) -> FloatArray:
        return np.array([[x, y, 0] for x in self.ends])

    def show(self, scores: FloatArray) -> "ScoreScale":  # type: ignore[override]
        dots = np.stack([self.middles, self.plane.y(scores), np.zeros(len(scores))], axis=-1)
        top = float(dots[:, 1].max()) if self.hung else float(self.plane.y(0))
        if self.hung:
            self.level.show(self.across(top))
        self.stems.show(*(np.array([[x, top, 0], [x, y, 0]]) for x, y, _ in dots))
        self.dots.show(dots)
        return self


class WeightCurve(VGroup):
    """The largest weight against its own score, all others as they are, and the tangent at one place.

    A place is told by its lead: the score less the logarithm of the sum of the others' exponentials, which is 0 where
    the weight is one half. ``lead`` is that of the case, and ``room`` is how far the score may rise from there.
    ``axis``, ``curve``, ``tangent`` and ``dot`` are its parts.
    """

    def __init__(self, case: SaturationCase, theme: Theme) -> None:
        others = np.delete(case.scores, case.top)
        self.lead = float(case.scores[case.top] - np.logaddexp.reduce(others))
        reach = max(LEAST_REACH, 1.2 * abs(self.lead))
        self.room = 0.8 * (reach - self.lead)
        self.plane = Plane((-reach, reach), (0, 1), CURVE.left, CURVE.bottom, CURVE.width, CURVE.height)
        left, right, top = self.plane.left, self.plane.left + self.plane.width, self.plane.bottom + self.plane.height
        corners = np.array([[left, top, 0], [left, self.plane.bottom, 0], [right, self.plane.bottom, 0]])
        style: dict[str, Any] = {"color": theme.muted, "weight": "regular", "align": "right"}
        self.axis = VGroup(
            Lines(theme.muted, 2).show(corners),
            *(Readout(whole(p), left - 0.15, self.plane.y(p) - 0.1, **style) for p in (0, 1)),
            place(words("its score", color=theme.muted), (left + right) / 2, self.plane.bottom - 0.42),
        )
        leads = np.linspace(-reach, reach, 161)
        self.curve = Lines(theme.ink).show(self.plane.points(leads, np.array([self.weight(lead) for lead in leads])))
        self.tangent = Lines(theme.scaled, 5)
        self.dot = Dots(DOT, theme.scaled)
        self.theme = theme
        super().__init__(self.axis, self.curve, self.tangent, self.dot)

    def weight(self, lead: float) -> float:
        """The largest weight when its score is so far ahead."""
        return float(softmax([lead, 0])[0])

    def show(self, lead: float) -> "WeightCurve":  # type: ignore[override]
        """Put the dot and its tangent where the score is so far ahead."""
        p = self.weight(lead)
        middle = self.plane.point(lead, p)
        way = self.plane.point(1, p * (1 - p)) - self.plane.point(0, 0)
        half = TANGENT / 2 * way / np.linalg.norm(way)
        self.tangent.show(np.array([middle - half, middle + half]))
        self.dot.show(middle[None])
        return self

    def label(self, slope: float) -> Readout:
        """``slope`` as a number, above the dot and left of it, where the curve never is."""
        x, y, _ = self.dot.get_center()
        return Readout(slope_words(slope), x - 0.3, y + 0.15, em=HEADING, color=self.theme.scaled, align="right")


class Gradients(VGroup):
    """A gradient of 1 at the weight, and below it what the slope lets through to the score, as arrows.

    ``before`` names a third row, for what came through at first.
    """

    def __init__(self, theme: Theme) -> None:
        upper, lower, lowest = ARROW_ROWS
        self.names = (
            place(words("gradient at the weight", color=theme.ink), ARROWS_LEFT - 0.2, upper, "right"),
            place(words("gradient at its score", color=theme.ink), ARROWS_LEFT - 0.2, lower, "right"),
        )
        self.before = place(words("before", color=theme.muted), ARROWS_LEFT - 0.2, lowest, "right")
        self.sent = Area(theme.ink).show(arrow(ARROWS_LEFT, upper + 0.1, ARROW_LENGTH))
        self.passed = Area(theme.scaled)
        super().__init__(*self.names, self.sent, self.passed)

    def show(self, slope: float) -> "Gradients":  # type: ignore[override]
        self.passed.show(arrow(ARROWS_LEFT, ARROW_ROWS[1] + 0.1, max(ARROW_LENGTH * slope, SHORTEST)))
        return self


class SoftmaxSaturation(LessonScene):
    """The same scores, sqrt(d_k) times bigger: softmax gives one key nearly everything, and its slope dies."""

    TITLE = "Softmax saturates"
    SECONDS = 73
    USES = ("d_k", "scores")

    def setup(self) -> None:
        super().setup()
        self.case = saturation_case(self.parameters)
        self.n = len(self.case.scores)
        self.growth = ValueTracker(0)  # from the scores (0) to the scores sqrt(d_k) times bigger (1)
        self.stretch = ValueTracker(1)
        self.shift = ValueTracker(0)
        self.rise = ValueTracker(0)  # of the largest score alone
        self.em = HEADING if self.n <= 5 else LABEL if self.n <= 6 else SMALL
        self.lefts, self.bar = columns(self.n, LEFT_MIDDLE)
        self.middles = self.lefts + self.bar / 2

    def construct(self) -> None:
        self.turn_scores_into_weights()
        self.compare_adding_with_multiplying()
        self.multiply_the_scores()
        self.watch_the_slope_die()

    # What is on screen now: the trackers and core, nothing else.

    def factor(self) -> float:
        """How many times bigger the scores are; equal steps of growth multiply by equal factors."""
        return float(self.case.factor ** self.growth.get_value() * self.stretch.get_value())

    def scores(self) -> FloatArray:
        rise = self.rise.get_value() * (np.arange(self.n) == self.case.top)
        return self.case.scores * self.factor() + self.shift.get_value() + rise

    def weights(self) -> FloatArray:
        return softmax(self.scores())

    def largest_weight(self) -> float:
        return float(self.weights()[self.case.top])

    def slope(self) -> float:
        """p(1 - p) of the largest weight, with 1 - p as the sum of the others: exact however near 1 p is."""
        return self.largest_weight() * float(np.delete(self.weights(), self.case.top).sum())

    def moving(self) -> bool:
        """Whether a tracker is off the numbers at which it rests."""
        step = self.case.shift
        rests = ((self.growth, (0, 1)), (self.stretch, (1, step)), (self.shift, (0, step)), (self.rise, (0,)))
        return any(min(abs(tracker.get_value() - rest) for rest in places) > 1e-9 for tracker, places in rests)

    def score_texts(self) -> list[str]:
        return [number_text(score, self.moving()) for score in self.scores()]

    # Beats

    def turn_scores_into_weights(self) -> None:
        self.beat("scores become weights")
        self.say(f"A query has scored {NUMBERS[self.n]} keys. Softmax turns the scores into weights.")
        heading, bars_heading = self.heading("scores $s$", LEFT_MIDDLE), self.heading("weights", RIGHT_MIDDLE)
        self.row, self.bars = self.score_row(), self.weight_bars(RIGHT_MIDDLE)
        scale, arrow = self.score_scale(self.case.scores, hung=False), self.softmax_arrow()
        self.play(
            FadeIn(self.title("Softmax turns scores into weights"), heading, scale, self.row, self.row.label),
            run_time=0.8,
        )
        self.play(FadeIn(arrow, bars_heading, self.bars.tracks), run_time=0.8)
        self.hold(1)

        self.say("First it raises e to each score, which makes every number positive.")
        formula = maths(
            f'#text(font: "{TEXT_FONT}")[weight] = {{{{ e^s : power }}}} \\/ {{{{ sum e^s : total }}}}',
            em=HEADING,
            color=self.theme.muted,
        )
        place(formula, RIGHT_MIDDLE, HEADINGS).select("power").set_color(self.theme.ink)
        raised = ValueTracker(0)
        exponentials = Bars(self.lefts, self.bar, BASE, self.theme.scaled)
        exponentials.show(self.exponential_heights(0))
        _, unit_name, _ = exponential_form(self.case)
        powers_heading = f"exponentials $e^s${f', in {unit_name}s' if unit_name else ''}"
        self.play(
            FadeOut(scale, arrow),
            *self.exchange(heading, self.heading(powers_heading, LEFT_MIDDLE)),
            *self.exchange(bars_heading, formula),
            FadeIn(exponentials, rate_func=squish_rate_func(smooth, 0.5, 1)),
            run_time=1,
        )
        rising = self.follow(lambda: exponentials.show(self.exponential_heights(raised.get_value())), exponentials)
        self.play(raised.animate.set_value(1), run_time=2)
        rising.clear_updaters()
        tops = BASE + exponentials.heights + ABOVE * self.em
        numbers = VGroup(
            *(
                Readout(text, x, y, em=self.em, color=self.theme.ink)
                for text, x, y in zip(exponential_texts(self.case), self.middles, tops, strict=True)
            )
        )
        self.play(FadeIn(numbers), run_time=0.6)
        self.hold(1)
        self.share_out(exponentials, numbers, formula)

    def share_out(self, exponentials: Bars, numbers: VGroup, formula: Any) -> None:
        # The exponentials are drawn so that their sum is as high as a weight of 1: a share keeps its height.
        heights = FULL * self.case.weights
        below = np.append(np.cumsum(heights[:0:-1])[::-1], 0)  # the last stands at the bottom of the stack
        seams = np.where(below > 0, np.minimum(SEAM, heights / 2), 0)
        apart = boxes(self.lefts, BASE, self.bar, heights)
        stacked = boxes(STACK_MIDDLE - self.bar / 2, BASE + below + seams, self.bar, heights - seams)
        shares = boxes(self.bars.bars.lefts, BASE, self.bar, heights)
        tiles, gathered, divided = Area(self.theme.scaled), ValueTracker(0), ValueTracker(0)

        text = total_text(self.case)
        self.say("Then it adds them all up.")
        self.play(FadeOut(numbers, self.row.label), run_time=0.4)  # out of the way of the bars, and of the sum
        self.outline(exponentials)
        flying = self.follow(lambda: tiles.show(*onto_the_stack(apart, stacked, gathered.get_value())), tiles)
        self.play(gathered.animate.set_value(1), rate_func=linear, run_time=2.2)
        flying.clear_updaters()
        total = Readout(text, STACK_MIDDLE, BASE + FULL + ABOVE * self.em, em=self.em, color=self.theme.ink)
        self.play(
            FadeIn(total, numbers, self.heading("sum", STACK_MIDDLE)),
            formula.select("total").animate.set_color(self.theme.ink),
            run_time=0.6,
        )
        self.hold(1)

        self.say("Each one divided by that sum is a weight: its share of the whole.")
        self.add(self.outline(Area(self.theme.scaled).show(*stacked)))
        flying = self.follow(lambda: tiles.show(*off_the_stack(stacked, shares, divided.get_value())), tiles)
        self.play(divided.animate.set_value(1), rate_func=linear, run_time=2.2)
        self.remove(flying)
        self.show_weights()
        self.add(self.bars.bars)
        self.play(FadeIn(*self.bars.readouts, shift=0.2 * UP), run_time=0.6)
        self.add(self.bars)
        self.hold(1.4)

    def compare_adding_with_multiplying(self) -> None:
        self.beat("add or multiply")
        case, step, raw = self.case, number_text(self.case.shift), self.theme.raw
        self.say("The lines are the gaps to the largest score.")
        self.clear_board(self.row, self.bars)
        self.gap_title = self.title("Only the gaps between scores count")
        self.scale = self.score_scale(case.scores, case.shifted, case.shift * case.scores)
        heading = self.heading("scores", LEFT_MIDDLE)
        self.play(
            FadeIn(self.gap_title, heading, self.scale, self.row.label),
            FadeIn(self.softmax_arrow(), self.heading("weights", RIGHT_MIDDLE)),
            run_time=0.8,
        )
        self.hold(1)
        self.say(f"Add {step} to every score. The gaps stay as they are, and no weight moves.")
        added = self.live_heading(lambda: f"every score + {number_text(self.shift.get_value(), self.moving())}")
        self.play(*self.exchange(heading, added), run_time=0.6)
        moving = self.follow(lambda: self.show_all(self.scale), self.scale, self.row, self.bars)
        self.play(self.shift.animate.set_value(case.shift), run_time=2)
        self.hold(1)

        self.say(f"Take that back, and multiply every score by {step}.")
        self.play(self.shift.animate.set_value(0), run_time=1.4)
        moving.clear_updaters()
        self.hold(0.4)
        self.say(stretch_words(case))
        self.times = self.live_heading(lambda: f"every score × {number_text(self.factor(), self.moving())}", raw)
        self.play(
            *self.exchange(added.clear_updaters(), self.times),
            *self.recolor(raw, *self.scale.marks, self.bars.bars),
            run_time=0.6,
        )
        moving = self.follow(lambda: self.show_all(self.scale), self.scale, self.row, self.bars)
        self.play(self.stretch.animate.set_value(case.shift), run_time=2.2)
        moving.clear_updaters()
        self.hold(0.4)
        self.say("So what counts is how far apart the scores are: their spread.")
        self.hold(2)

    def multiply_the_scores(self) -> None:
        self.beat("every score bigger")
        case, scaled, raw = self.case, self.theme.scaled, self.theme.raw
        self.say(spread_caption(case, self.parameters.d_k))
        moving = self.follow(lambda: self.show_all(self.scale), self.scale, self.row, self.bars)
        self.play(self.stretch.animate.set_value(1), run_time=1.2)
        moving.clear_updaters()
        heading, scale = self.heading("scores", LEFT_MIDDLE), self.score_scale(case.scores, case.multiplied)
        self.play(
            *self.exchange(self.gap_title, self.title(growth_title(case))),
            *self.exchange(self.times.clear_updaters(), heading),
            *self.exchange(self.scale, scale),
            *self.recolor(scaled, self.bars.bars),
            run_time=1,
        )
        self.hold(1)
        self.say(f"Make every score {number_text(case.factor)} times bigger.")
        live = self.live_heading(lambda: f"every score × {number_text(self.factor(), self.moving())}", raw)
        self.play(
            *self.exchange(heading, live),
            *self.recolor(raw, *scale.marks, self.bars.bars),
            run_time=0.6,
        )
        moving = self.follow(lambda: self.show_all(scale), scale, self.row, self.bars)
        self.play(self.growth.animate.set_value(1), run_time=4)
        moving.clear_updaters()
        live.clear_updaters()
        self.hold(0.4)
        self.say(weight_caption(case))
        self.hold(2)

    def watch_the_slope_die(self) -> None:
        self.beat("the slope")
        self.say("Back to the first scores.")
        self.clear_board()
        self.growth.set_value(0)
        self.row, self.bars = self.score_row(), self.weight_bars(LEFT_MIDDLE)
        heading = self.heading("weights", LEFT_MIDDLE)
        self.show_weights()
        self.play(
            FadeIn(self.title(slope_title(self.case)), heading, self.row, self.row.label, self.bars), run_time=0.8
        )
        self.hold(0.4)
        curve = SlopeCurve(CURVE, self.case.curve_weights, self.case.curve_slopes, self.theme, self.theme.scaled)
        gradients = Gradients(self.theme)
        self.draw_the_slope(curve)
        self.send_a_gradient_back(curve, gradients)
        self.grow_again(curve, gradients, heading)
        self.say("Next: dividing every score by √d keeps their spread near 1.")
        self.hold(2)

    def draw_the_slope(self, curve: SlopeCurve) -> None:
        weight = WeightCurve(self.case, self.theme)
        weight.show(weight.lead)
        name, slope_name = (self.heading(text, CURVE.x(0.5)) for text in ("largest weight $p$", "slope $p (1 - p)$"))
        self.say("How much does the largest weight move when its score does? That is its slope.")
        self.play(FadeIn(weight.axis, name), run_time=0.6)
        self.play(Create(weight.curve), run_time=1)
        self.play(FadeIn(weight.tangent, weight.dot), run_time=0.4)

        def show() -> None:
            self.show_weights()
            self.row.show(self.score_texts())
            weight.show(weight.lead + self.rise.get_value())

        moving = self.follow(show, self.row, self.bars, weight.tangent, weight.dot)
        self.play(self.rise.animate.set_value(weight.room), run_time=1.4)
        self.play(self.rise.animate.set_value(0), run_time=1.4)
        moving.clear_updaters()
        number = weight.label(self.slope())
        self.play(FadeIn(number), run_time=0.4)
        self.hold(1)

        self.say("It is p(1 − p): largest at one half, and 0 at both ends.")
        curve.show(self.largest_weight(), self.slope())
        drawn = ValueTracker(0)
        line = self.follow(lambda: curve.curve.show(self.points_up_to(drawn.get_value())), curve.curve)
        self.play(
            *self.exchange(VGroup(weight.axis, weight.curve, weight.tangent), curve.axis),
            *self.exchange(name, slope_name),
            ReplacementTransform(weight.dot, curve.dot),
            ReplacementTransform(number, curve.number),
            run_time=1,
        )
        self.play(drawn.animate.set_value(1), run_time=1.2)
        line.clear_updaters()
        self.play(FadeIn(curve.peak), run_time=0.4)
        self.hold(1)

    def send_a_gradient_back(self, curve: SlopeCurve, gradients: Gradients) -> None:
        gradients.show(self.slope())
        self.say("A mistake sends back a correction, the gradient. The slope shrinks it.")
        self.play(FadeOut(curve.peak), FadeIn(gradients.names[0], gradients.sent), run_time=0.8)
        arriving = ReplacementTransform(gradients.sent.copy(), gradients.passed)
        self.play(FadeIn(gradients.names[1]), arriving, run_time=1)
        self.hold(2)

    def grow_again(self, curve: SlopeCurve, gradients: Gradients, heading: Mobject) -> None:
        case, raw = self.case, self.theme.raw
        before = [part.copy() for part in (curve.dot, curve.number)]
        passed = self.outline(gradients.passed.copy())
        self.say(f"Once more, every score {number_text(case.factor)} times bigger.")
        live = self.live_heading(lambda: f"every score × {number_text(self.factor(), self.moving())}", raw)
        self.play(
            *self.exchange(heading, live),
            *self.recolor(raw, self.bars.bars, curve.dot, curve.number, gradients.passed),
            FadeIn(gradients.before),
            passed.animate.shift((ARROW_ROWS[2] - ARROW_ROWS[1]) * UP),
            run_time=0.6,
        )

        def show() -> None:
            self.show_weights()
            self.row.show(self.score_texts())
            curve.show(self.largest_weight(), self.slope())
            gradients.show(self.slope())

        moving = self.follow(show, self.row, self.bars, curve.dot, curve.number, gradients.passed)
        self.play(self.growth.animate.set_value(1), run_time=3)
        moving.clear_updaters()
        live.clear_updaters()
        self.say(slope_caption(case))
        tip = gradients.passed.get_right()[0]
        verdict = fitting(slope_verdict(case), RIGHT_EDGE + 0.2 - tip - 0.25, raw)
        place(verdict, tip + 0.25, ARROW_ROWS[1], "left")
        self.play(FadeIn(verdict, *self.left_behind(before, curve)), run_time=0.6)
        self.hold(2)

    def left_behind(self, before: list[Any], curve: SlopeCurve) -> list[Mobject]:
        """What was there ``before``, hollow, unless what is there now covers it."""
        dot, number = before
        left: list[Mobject] = []
        if np.linalg.norm(dot.get_center() - curve.dot.get_center()) > 2.5 * DOT:
            left.append(self.outline(dot))
        apart = np.abs(number.get_center() - curve.number.get_center())[:2]
        reach = np.array([number.width + curve.number.width, number.height + curve.number.height]) / 2 + 0.15
        if (apart > reach).any():
            left.append(number)
        return left

    # Parts

    def points_up_to(self, weight: float) -> FloatArray:
        """The corners, (n, 3), of the curve of slopes, from a weight of 0 up to ``weight``."""
        return CURVE.points(*up_to(self.case.curve_weights, self.case.curve_slopes, weight))

    def score_row(self) -> ScoreRow:
        return ScoreRow(self.lefts, self.bar, self.em, self.theme).show(self.score_texts())

    def score_scale(self, *scores: FloatArray, hung: bool = True) -> ScoreScale:
        """The scores now, on a scale that holds all of ``scores``, each (n,)."""
        return ScoreScale(self.middles, self.bar, np.array(scores), self.theme, hung).show(self.scores())

    def weight_bars(self, middle: float) -> WeightBars:
        lefts, bar = columns(self.n, middle)
        box = (lefts[0], BASE, lefts[-1] + bar - lefts[0], FULL)
        return WeightBars(self.n, *box, self.theme, color=self.theme.scaled, em=self.em, gap=GAP)

    def show_weights(self) -> None:
        self.bars.show(self.weights(), weight_texts(self.weights()))

    def show_all(self, scale: ScoreScale) -> None:
        scale.show(self.scores())
        self.row.show(self.score_texts())
        self.show_weights()

    def exponential_heights(self, raised: float) -> FloatArray:
        """How high e to the power of ``raised`` times each score is, (n,), from 1 to the exponentials.

        Where 1 is more than the exponentials will be, the scale shrinks with what is drawn, so that it fits.
        """
        powers = np.exp(raised * self.case.scores)
        return np.asarray(FULL * powers / max(powers.sum(), self.case.total))

    def heading(self, markup: str, x: float) -> Any:
        return place(words(markup, em=HEADING, color=self.theme.muted), x, HEADINGS)

    def live_heading(self, text: Callable[[], str], color: str | None = None) -> Readout:
        """A heading over the left columns that says ``text()`` at every frame; muted unless it has a colour."""
        readout = Readout(
            text(),
            LEFT_MIDDLE,
            HEADINGS,
            em=HEADING,
            color=color or self.theme.muted,
            weight="semibold" if color else "regular",
        )
        readout.add_updater(lambda readout: readout.show(text(), LEFT_MIDDLE, HEADINGS))
        return readout

    def softmax_arrow(self) -> VGroup:
        """What leads from the scores to the weights."""
        middle = BASE + FULL / 2
        shaft = Area(self.theme.muted).show(arrow(STACK_MIDDLE - 0.45, middle - 0.25, 0.9))
        return VGroup(place(words("softmax", color=self.theme.muted), STACK_MIDDLE, middle), shaft)

    def outline(self, mark: Any) -> Any:
        """Make ``mark`` hollow: where something was."""
        return mark.set_fill(opacity=0).set_stroke(self.theme.scaled, 2.5)

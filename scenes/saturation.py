"""What softmax does to large scores: one key takes everything, and the slope that learning needs is gone."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from manim import DOWN, UP, Animation, Create, FadeIn, FadeOut, Mobject, ValueTracker, VGroup, linear

from core.attention import softmax
from core.cases import SaturationCase, saturation_case
from core.numerals import fixed, significant, whole
from scenes.base import LessonScene
from scenes.parts import Area, Bars, Dots, FloatArray, Lines, Plane, WeightBars
from scenes.typesetting import HEADING, LABEL, SMALL, Readout, place, words

# Scene units; the frame is 14.2 wide and 8 high, and the caption band ends at -3.0.
BASE = -2.15  # where bars stand
FULL = 3.5  # a bar of weight 1, and a stack of all exponentials
ROW = BASE - 0.45  # baseline of numbers under bars
HEADINGS = 2.25  # baseline
LEFT_MIDDLE, LEFT_WIDTH = -3.85, 5.5  # the scores, and what is made of them
STACK_MIDDLE, STACK_WIDTH = -0.35, 0.9
RIGHT_MIDDLE, RIGHT_WIDTH = 3.55, 6.1  # the weights, which stay here all along
WIDEST_COLUMN = 1.5
GAP = 0.35  # of a column; the rest is its bar
SEAM = 0.03  # between what is stacked

CURVE = Plane((0, 1), (0, 0.25), left=-6.2, bottom=-0.6, width=5.0, height=2.2)
ARROWS_LEFT, ARROW_ROWS, ARROW_LENGTH = -3.2, (-1.75, -2.5), 2.6  # an arrow of gradient 1 is this long

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


class SoftmaxSaturation(LessonScene):
    """The same scores, sqrt(d_k) times bigger: softmax gives one key everything, and its slope dies."""

    TITLE = "Softmax saturates"
    SECONDS = 72
    USES = ("d_k", "scores")

    def setup(self) -> None:
        super().setup()
        self.case = saturation_case(self.parameters)
        self.n = len(self.case.scores)
        self.growth = ValueTracker(0)  # from the scores (0) to the scores sqrt(d_k) times bigger (1)
        self.stretch = ValueTracker(1)
        self.shift = ValueTracker(0)
        self.em = LABEL if self.n <= 6 else SMALL
        self.left_middles, self.left_width = columns(self.n, LEFT_MIDDLE, LEFT_WIDTH)
        right_middles, self.right_width = columns(self.n, RIGHT_MIDDLE, RIGHT_WIDTH)
        self.bars = WeightBars(
            self.n,
            right_middles[0] - self.right_width / 2,
            BASE,
            right_middles[-1] - right_middles[0] + self.right_width,
            FULL,
            self.theme,
            em=self.em,
            gap=GAP,
        )

    def construct(self) -> None:
        self.turn_scores_into_weights()
        self.multiply_the_scores()
        self.watch_the_slope_die()
        self.compare_adding_with_multiplying()

    # What is on screen now, from trackers and core alone

    def factor(self) -> float:
        """How many times bigger than the case's the scores are; equal steps of growth are equal factors."""
        return float(self.case.factor ** self.growth.get_value() * self.stretch.get_value())

    def scores(self) -> FloatArray:
        return self.case.scores * self.factor() + self.shift.get_value()

    def weights(self) -> FloatArray:
        return softmax(self.scores())

    def score_texts(self) -> list[str]:
        trackers = (self.growth, self.stretch, self.shift)
        moving = any(abs(tracker.get_value() - round(tracker.get_value())) > 1e-9 for tracker in trackers)
        return [score_text(score, moving) for score in self.scores()]

    # Beats

    def turn_scores_into_weights(self) -> None:
        self.beat("scores become weights")
        case = self.case
        powers, gather, divide = ValueTracker(0), ValueTracker(0), ValueTracker(0)
        width = self.left_width
        lefts = self.left_middles - width / 2
        heights = FULL * case.weights  # of the exponentials as well, since their sum is as high as weight 1
        starts = boxes(lefts, width, BASE, heights)
        stacked = boxes(
            STACK_MIDDLE - STACK_WIDTH / 2,
            STACK_WIDTH,
            BASE + np.concatenate([[0], np.cumsum(heights)[:-1]]),
            np.maximum(heights - SEAM, heights / 2),
        )
        ends = boxes(self.bars.bars.lefts, self.right_width, BASE, heights)

        title = self.title("Softmax turns scores into weights")
        self.heading_title = title
        score_heading = self.heading("score $s$", LEFT_MIDDLE)
        scores = [
            Readout(score_text(score, False), x, ROW, em=self.em, color=self.theme.raw)
            for score, x in zip(case.scores, self.left_middles, strict=True)
        ]
        self.say(f"A query has scored {NUMBERS[self.n]} keys. Softmax turns the scores into weights.")
        self.play(FadeIn(title), run_time=0.6)
        self.play(FadeIn(score_heading), *(FadeIn(score, shift=0.15 * UP) for score in scores), run_time=0.8)
        self.hold(2)

        exponentials = Bars(lefts, width, BASE, self.theme.raw)
        numbers = [Readout(em=self.em, color=self.theme.ink) for _ in scores]
        compact = self.n > 5

        def raise_bars(_: Mobject) -> None:
            done = powers.get_value()
            exponentials.show(heights * done)
            for number, value, x, height in zip(
                numbers, case.exponentials, self.left_middles, exponentials.heights, strict=True
            ):
                number.show(exponential_text(value * done, compact, done < 1), x, BASE + height + 0.4 * self.em)

        exponentials.add_updater(raise_bars)
        raise_bars(exponentials)
        power_heading = self.heading("exponential $e^s$", LEFT_MIDDLE)
        self.say("First it raises e to each score, which makes every number positive.")
        self.add(exponentials, *numbers)
        self.play(FadeOut(score_heading), FadeIn(power_heading), powers.animate.set_value(1), run_time=2)
        exponentials.clear_updaters()
        self.hold(2)

        tiles = Area(self.theme.raw)
        tiles.add_updater(
            lambda tiles: tiles.show(*corners(between(starts, stacked, in_turn(gather.get_value(), self.n))))
        )
        tiles.update()
        total = Readout(
            exponential_text(case.total, False, False),
            STACK_MIDDLE,
            BASE + FULL + 0.4 * LABEL,
            em=LABEL,
            color=self.theme.ink,
        )
        total_heading = self.heading("sum", STACK_MIDDLE)
        self.say(f"Then it adds them up: {total.text}.")
        self.add(tiles)
        self.play(gather.animate.set_value(1), rate_func=linear, run_time=1.8)
        tiles.clear_updaters()
        self.play(FadeIn(total, shift=0.15 * UP), FadeIn(total_heading), run_time=0.6)
        self.hold(1.2)

        shares = Area(self.theme.raw)
        shares.add_updater(
            lambda shares: shares.show(*corners(between(stacked, ends, in_turn(divide.get_value(), self.n))))
        )
        shares.update()
        weight_heading = self.heading("weight $e^s div$ sum", RIGHT_MIDDLE)
        self.say("Each divided by the sum is a weight: its share of the whole.")
        self.bars.show(case.weights, weight_texts(case.weights))
        self.play(FadeIn(self.bars.tracks), FadeIn(weight_heading), run_time=0.6)
        self.add(shares)
        self.play(divide.animate.set_value(1), rate_func=linear, run_time=2)
        shares.clear_updaters()
        self.remove(shares)
        self.add(self.bars.bars)
        self.play(*(FadeIn(readout, shift=0.15 * UP) for readout in self.bars.readouts), run_time=0.6)
        self.hold(2.4)
        self.leaving = [exponentials, *numbers, tiles, total, total_heading, power_heading, *scores]
        self.weight_heading = weight_heading

    def multiply_the_scores(self) -> None:
        self.beat("every score bigger")
        case = self.case
        chart = self.score_chart(np.concatenate([case.scores, case.multiplied]))
        heading = self.live(lambda: f"scores × {factor_text(self.factor())}", LEFT_MIDDLE)
        weight_heading = self.heading("weights", RIGHT_MIDDLE)
        times = trimmed(case.factor)
        equals = "=" if abs(case.factor - float(times)) < 1e-9 else "≈"
        self.say(
            f"Vectors of {self.parameters.d_k:,} numbers give scores about √{self.parameters.d_k:,} {equals} {times} "
            "times as large."
        )
        self.play(
            *self.retitle(f"The same scores, {times} times bigger"),
            *(FadeOut(mobject) for mobject in self.leaving),
            FadeOut(self.weight_heading),
            FadeIn(weight_heading),
            run_time=0.8,
        )
        self.play(FadeIn(chart), FadeIn(heading), run_time=0.8)
        self.hold(1.6)
        self.say("Stretch them all by that much. Every gap between them grows too.")
        self.follow_the_scores()
        self.play(self.growth.animate.set_value(1), run_time=5)
        self.hold(1.2)
        start, end = (weight_texts(weights)[case.top] for weights in (case.weights, case.multiplied_weights))
        verdict = " Softmax has become all or nothing." if case.multiplied_weights[case.top] > 0.99 else ""
        self.say(f"The top weight has gone from {start} to {end}.{verdict}")
        self.hold(2.4)
        self.leaving = [*chart, heading]

    def watch_the_slope_die(self) -> None:
        self.beat("the slope")
        case, theme = self.case, self.theme
        self.say("How far can the top weight still move when its score moves? That is a slope.")
        under = self.live_scores_under_bars()
        self.play(
            *self.retitle("Learning has to pass through the slope"),
            *(FadeOut(mobject.clear_updaters()) for mobject in self.leaving),
            run_time=0.8,
        )
        self.play(FadeIn(under), self.growth.animate.set_value(0), run_time=1.4)
        self.hold(1)

        axes = Lines(theme.muted, 2).show(
            np.array([CURVE.point(0, 0.25), CURVE.point(0, 0), CURVE.point(1, 0)]),
        )
        curve = Lines(theme.ink).show(CURVE.points(case.curve_weights, case.curve_slopes))
        heading = self.heading("slope $p (1 - p)$", LEFT_MIDDLE)
        below = CURVE.y(0) - 0.4
        ticks = [
            Readout(trimmed(value), CURVE.x(value), below, em=LABEL, color=theme.muted, weight="regular")
            for value in (case.curve_weights[0], case.curve_weights[-1])
        ]
        label = place(words("top weight $p$", color=theme.muted), CURVE.x(0.5), below)
        dot = Dots(0.11, theme.raw)
        number = Readout(em=LABEL, color=theme.raw)

        def follow(_: Mobject) -> None:
            p = float(self.weights()[case.top])
            height = self.slope_now()
            middle = CURVE.point(p, height)
            dot.show(middle[None])
            number.show(slope_text(height), middle[0] + 0.6 * (2 * p - 1), middle[1] + 0.22)

        dot.add_updater(follow)
        follow(dot)
        self.say("It is p(1 − p): steepest at one half, flat at both ends.")
        self.play(FadeIn(axes, *ticks, label, heading), Create(curve), run_time=1.4)
        self.play(FadeIn(dot, scale=0.4), FadeIn(number), run_time=0.6)
        self.hold(1.4)

        names = [
            place(words(text, color=theme.ink), CURVE.x(0), y, "left")
            for text, y in zip(("gradient at the weight", "gradient at its score"), ARROW_ROWS, strict=True)
        ]
        arrow = Area(theme.ink).show(arrow_outline(ARROWS_LEFT, ARROW_ROWS[0] + 0.1, ARROW_LENGTH))
        passed = Area(theme.raw)

        def shrink(_: Mobject) -> None:
            passed.show(arrow_outline(ARROWS_LEFT, ARROW_ROWS[1] + 0.1, ARROW_LENGTH * self.slope_now()))

        passed.add_updater(shrink)
        shrink(passed)
        self.say("A mistake sends a gradient back, and this slope multiplies it on the way.")
        self.play(FadeIn(names[0]), FadeIn(arrow, shift=0.2 * DOWN), run_time=0.8)
        self.play(FadeIn(names[1]), FadeIn(passed, shift=0.2 * DOWN), run_time=0.8)
        self.hold(2.4)
        self.say(f"Now make the scores {trimmed(case.factor)} times bigger again.")
        self.play(self.growth.animate.set_value(1), run_time=5)
        self.hold(0.8)
        verdict = words(times_markup(case.flatter), em=HEADING, color=theme.raw, weight="semibold")
        place(verdict, ARROWS_LEFT + ARROW_LENGTH * case.multiplied_slope + 0.2, ARROW_ROWS[1], "left")
        self.say(slope_caption(case))
        self.play(FadeIn(verdict), run_time=0.6)
        self.hold(2.4)
        self.leaving = [axes, *ticks, label, heading, curve, dot, number, *names, arrow, passed, verdict, under]

    def compare_adding_with_multiplying(self) -> None:
        self.beat("add or multiply")
        case = self.case
        step = case.shift
        chart = self.score_chart(np.concatenate([case.scores, case.shifted, step * case.scores]))
        added = self.live(lambda: f"scores + {factor_text(self.shift.get_value())}", LEFT_MIDDLE)
        self.say("One last test, with the scores we began with.")
        self.play(
            *self.retitle("Only the gaps between scores count"),
            *(FadeOut(mobject.clear_updaters()) for mobject in self.leaving),
            run_time=0.8,
        )
        self.play(self.growth.animate.set_value(0), run_time=1)
        self.play(FadeIn(chart), FadeIn(added), run_time=0.8)
        self.say(f"Add {trimmed(step)} to every score. The gaps stay as they are, and no weight moves.")
        self.play(self.shift.animate.set_value(step), run_time=2.4)
        self.hold(1.4)
        self.play(self.shift.animate.set_value(0), run_time=1.4)
        times = self.live(lambda: f"scores × {factor_text(self.factor())}", LEFT_MIDDLE)
        self.say(f"Multiply every score by {trimmed(step)}. The gaps grow, and the weights move apart.")
        self.play(FadeOut(added.clear_updaters()), FadeIn(times), run_time=0.6)
        self.play(self.stretch.animate.set_value(step), run_time=2.4)
        self.hold(1.4)
        self.say("So what needs keeping in check is how far apart the scores are: their spread.")
        self.hold(3)

    # Parts

    def heading(self, markup: str, x: float) -> Any:
        return place(words(markup, em=HEADING, color=self.theme.muted), x, HEADINGS)

    def live(self, text: Callable[[], str], x: float) -> Readout:
        """A heading that says ``text()`` at every frame."""
        readout = Readout(text(), x, HEADINGS, em=HEADING, color=self.theme.muted, weight="regular")
        readout.add_updater(lambda readout: readout.show(text(), x, HEADINGS))
        return readout

    def retitle(self, markup: str) -> list[Animation]:
        old, self.heading_title = self.heading_title, self.title(markup)
        return [FadeOut(old), FadeIn(self.heading_title)]

    def slope_now(self) -> float:
        """p(1 - p) of the top weight, with 1 - p as the sum of the others: exact however near 1 p is."""
        weights = self.weights()
        return float(weights[self.case.top] * np.delete(weights, self.case.top).sum())

    def follow_the_scores(self) -> None:
        """Keep the weight bars in step with the scores from now on."""
        if not self.bars.has_time_based_updater() and not self.bars.updaters:
            self.remove(self.bars.tracks, self.bars.bars, *self.bars.readouts)
            self.add(self.bars)
            self.bars.add_updater(lambda bars: bars.show(self.weights(), weight_texts(self.weights())))

    def live_scores_under_bars(self) -> VGroup:
        readouts = VGroup(*(Readout(em=self.em, color=self.theme.raw) for _ in range(self.n)))

        def show(_: Mobject) -> None:
            for readout, text, x in zip(readouts, self.score_texts(), self.bars.middles(), strict=True):
                readout.show(text, x, ROW)

        readouts.add_updater(show)
        show(readouts)
        return readouts

    def score_chart(self, values: FloatArray) -> VGroup:
        """Scores on one upright scale that holds ``values`` and 0, each hung as far below the top one as it lags."""
        plane = Plane((0, 1), (min(0, values.min()), max(0, values.max())), LEFT_MIDDLE, BASE, 1, FULL)
        left, right = self.left_middles[0] - self.left_width / 2, self.left_middles[-1] + self.left_width / 2
        zero = Lines(self.theme.muted, 2).show(np.array([[left - 0.1, plane.y(0), 0], [right + 0.1, plane.y(0), 0]]))
        zero_label = Readout("0", left - 0.25, plane.y(0) - 0.1, em=LABEL, color=self.theme.muted, weight="regular")
        level = Lines(self.theme.muted, 2)
        gaps = Lines(self.theme.raw, 4)
        dots = Dots(0.11, self.theme.raw)
        numbers = [Readout(em=self.em, color=self.theme.ink) for _ in range(self.n)]
        group = VGroup(zero, zero_label, level, gaps, dots, *numbers)

        def show(_: Mobject) -> None:
            scores = self.scores()
            middles = np.stack([self.left_middles, plane.y(scores), np.zeros(self.n)], axis=-1)
            top = float(middles[self.case.top, 1])
            heads = middles * [1, 0, 1] + [0, top, 0]
            level.show(np.array([[left - 0.1, top, 0], [right + 0.1, top, 0]]))
            gaps.show(*(np.stack([head, middle]) for head, middle in zip(heads, middles, strict=True)))
            dots.show(middles)
            for i, (number, text) in enumerate(zip(numbers, self.score_texts(), strict=True)):
                above = i == self.case.top
                number.show(text, middles[i, 0], middles[i, 1] + (0.22 if above else -0.22 - 0.7 * self.em))

        group.add_updater(show)
        show(group)
        return group


def columns(n: int, middle: float, width: float) -> tuple[FloatArray, float]:
    """Where ``n`` columns stand around ``middle``, (n,), and how wide a bar in one is; scene units."""
    pitch = min(WIDEST_COLUMN, width / (n - GAP))
    return middle + pitch * (np.arange(n) - (n - 1) / 2), pitch * (1 - GAP)


def boxes(left: Any, width: Any, bottom: Any, height: Any) -> FloatArray:
    """Boxes as (n, 4): left, width, bottom, height."""
    return np.stack(np.broadcast_arrays(left, width, bottom, height), axis=-1).astype(float)


def between(start: FloatArray, end: FloatArray, progress: FloatArray) -> FloatArray:
    """``start``, (n, 4), on the way to ``end``: ``progress``, (n,), from 0 to 1."""
    return start + progress[:, None] * (end - start)


def corners(boxes: FloatArray) -> FloatArray:
    """The corners, (n, 4, 3), of ``boxes``, (n, 4)."""
    left, width, bottom, height = boxes.T
    xs = np.stack([left, left + width, left + width, left], axis=-1)
    ys = np.stack([bottom, bottom, bottom + height, bottom + height], axis=-1)
    return np.stack([xs, ys, np.zeros_like(xs)], axis=-1)


def in_turn(progress: float, n: int) -> FloatArray:
    """How far each of ``n`` movements is, (n,), that begin one after the other, when all are ``progress`` done."""
    lag = 0.4  # of a movement, before the next begins
    length = 1 / (1 + lag * (n - 1))
    t = np.clip((progress - lag * length * np.arange(n)) / length, 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def arrow_outline(left: float, middle: float, length: float) -> FloatArray:
    """An arrow to the right, (7, 3) corners; a short one is all head, of no more than its length."""
    head = min(length, 0.28)
    thick = 0.16 * head / 0.28
    neck = left + length - head
    upper = [(left, thick / 3), (neck, thick / 3), (neck, thick), (left + length, 0)]
    lower = [(x, -y) for x, y in reversed(upper[:-1])]
    return np.array([(x, middle + y, 0) for x, y in upper + lower])


def trimmed(value: float, digits: int = 2) -> str:
    """``value`` with at most ``digits`` decimals, none of them a 0 at the end."""
    text = fixed(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def factor_text(value: float) -> str:
    return trimmed(value) if abs(value - round(value)) < 1e-9 else fixed(value, 1)


def score_text(score: float, moving: bool) -> str:
    """A score as it is; with one decimal always while it moves, so that it does not flicker."""
    return fixed(score, 1) if moving else trimmed(score)


def exponential_text(value: float, compact: bool, moving: bool) -> str:
    if value >= 1000:
        return whole(value)
    if value >= 100:
        return fixed(value, 1)
    text = fixed(value, 3)
    if moving:
        return text
    return significant(value, 1) if value < 0.001 else trimmed(value, 3)


def weight_texts(weights: FloatArray) -> list[str]:
    """Two decimals, or four where two would call the top weight 1."""
    digits = 4 if weights.max() >= 0.995 else 2
    return [fixed(weight, digits) for weight in weights]


def slope_text(value: float) -> str:
    return fixed(value, 2 if value >= 0.01 else 4)


def times_markup(ratio: float) -> str:
    """How many times less, as Typst markup."""
    if math.isinf(ratio):
        return "too little for a float"
    if ratio >= 1e6:
        return f"$10^{math.floor(math.log10(ratio))}$ times less"
    return f"{significant(ratio, 3)} times less"


def slope_caption(case: SaturationCase) -> str:
    return (
        f"{significant(case.flatter, 3)} times flatter: the same mistake now moves the score "
        f"{significant(case.flatter, 3)} times less."
    )

"""Why scores spread like the square root of their size: one product, a sum of them, and the sum at every size."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from manim import (
    RIGHT,
    UP,
    AnimationGroup,
    ApplyMethod,
    Dot,
    FadeIn,
    FadeOut,
    GrowFromCenter,
    LaggedStart,
    Mobject,
    ValueTracker,
    VGroup,
    linear,
    smooth,
    squish_rate_func,
)

from core.cases import DensityCase, ProductCase, density_case, product_case, spread_case, walks_case
from core.numerals import fixed, short, significant, whole
from core.spread import score_density
from scenes.base import LEFT_EDGE, MARGIN, RIGHT_EDGE, LessonScene
from scenes.parts import (
    CENTRED,
    FORMULA_EM,
    TICK_DROP,
    TICK_LENGTH,
    Area,
    Bars,
    Dots,
    FloatArray,
    Lines,
    LogPlot,
    Plane,
    attention_weights,
    boxes,
    bracket,
    dashes,
    spaced,
    ticks,
    times,
    up_to,
)
from scenes.typesetting import HEADING, LABEL, SMALL, TITLE, Readout, SetText, maths, place, words

# What is measured is raw orange, what theory says is ink. All lengths are in scene units; the frame is 14.2 wide
# and 8 high, and the caption band ends at -3.0.
MAIN, MIDDLING, THIN, HAIR, FINEST = 4.0, 3.0, 2.0, 0.8, 0.5  # stroke widths
SOFT = 0.7  # opacity of what lies behind a main curve: still 3:1 on either ground
HALO = 8  # stroke width of the ground that is left round a text, or a line, that stands on other lines
DOT, SMALL_DOT = 0.1, 0.07  # radii
WIDEST = 64 / 9 - MARGIN  # no text goes further right
SLIT = 0.08  # part of a histogram's bin that stays empty

# The question
SUM_BASELINE = 0.4
CELLS = {"-1": -2.05, "-2": -0.35, "dots": 1.35, "-d": 3.05}  # middles of the numbers of a vector
CELL_WIDTH, CELL_HEIGHT = 1.4, 0.9
VECTORS = {"q": -0.2, "k": -1.25}  # middles of their rows
VECTOR_NAME = -3.5
SUNK = 0.26  # CENTRED, for letters with an index
IN_TURN = {"q": (0, 0.75), "k": (0.25, 1)}  # when, in the time of the motion, their numbers go to the sum
APART_IN_TURN = {"q": (0, 0.65), "k": (0, 0.65), "qk": (0.35, 1)}  # and when they leave it, their product last
LENGTH_BRACKET, LENGTH_BASELINE = -1.93, -2.44

# One product, many products
PRODUCTS = {"left": -6.2, "bottom": -1.5, "width": 12.4}
LOW, HIGH = 2.6, 3.9  # heights of the plot below the factors and without them
DENSEST = 1.1  # density at the top of the plot, at least; the exact law goes on to infinity at 0
ROW = {"q": -3.4, "times": -1.7, "k": 0.0, "equals": 1.7, "qk": 3.4}  # where the factors and their product stand
SYMBOLS_BASELINE, NUMBERS_BASELINE = 2.2, 1.45
COUNT_PLACE = (-1.5, -0.25)
THEORY_PLACE = (0.55, 1.7)
BRACKET, BRACKET_BASELINE = -2.1, -2.56
SLOW_DRAWS, QUICK_DRAWS = 4, 43  # draws that are watched one at a time, and those of the many others that are seen
LEAST_FACTOR = 0.1  # of a draw that is watched
BEFORE_FALL = 0.4  # of the time of a draw, after which its product falls
FLIGHT = 5  # quick draws that are falling at once

# One score, many scores
WALKS = {"left": -5.8, "bottom": -2.25, "width": 9.7, "height": 4.4}
SLOW_STEPS, FIRST_VIEW = 6, 8  # steps that are watched one at a time, and those that the plot first has room for
END_GAP, END_PITCH = 0.28, 0.46  # from the plot to what stands at its right, and from one text there to the next
FADING = 0.15  # how far outside the plot a number of an axis comes in
CROWDED = {"x": (0.13, 0.2), "y": (0.25, 0.32)}  # of an axis: how near to 0 a number that goes is gone, and starts to

# Every size
DENSITIES = {"left": -5.3, "bottom": -0.4, "width": 10.6, "height": 2.55}
WINDOW, REACH = 2.5, 4.5  # standard deviations of the largest size that are in view, and of each that are drawn
OVERSHOOT = 1.2  # plots; how high bars may be
LIVE_X, LIVE_BASELINES = 4.9, (2.2, 1.6)
NOTE_BASELINES = (2.2, 1.84)
ROWS, ROW_PITCH = (-1.2, -2.7), 0.37  # the first bracket and the lowest that any may be; from one to the next at most
ROW_GAP = 0.2  # from a bracket, or a dot, to its numbers

# The root law
LIFT = 1.9  # how far the brackets rise, off the axis that comes in below


def fold(ratio: float) -> str:
    """``ratio`` as it is spoken: "twice", "16 times"."""
    text = times(ratio)
    return "twice" if float(text.replace(",", "")) == 1 + 1 else f"{text} times"


def root_value(d: int) -> str:
    """What sqrt(``d``) is: "= 8" where it is whole, else to three digits, "≈ 11.3"."""
    root = math.isqrt(d)
    return f"= {root}" if root**2 == d else f"≈ {significant(math.sqrt(d), 3)}"


def root_formula(d: int) -> str:
    """sqrt(``d``) and what it is, as a Typst formula."""
    relation, value = root_value(d).split()
    return f'sqrt("{whole(d)}") {"=" if relation == "=" else "approx"} "{value}"'


def shown_draws(product: ProductCase) -> np.ndarray:
    """The draws whose numbers are shown, (SLOW_DRAWS + QUICK_DRAWS,), in the order of the stream.

    Their products fall inside the plot, and their factors as printed multiply to their product as printed, so that a
    viewer who checks one does not meet a rounding error. No factor of a slow draw is nearly 0, if that can be had.
    """
    printed = np.round(product.queries, 2) * np.round(product.keys, 2)
    agree = np.abs(printed - np.round(product.products, 2)) < 0.0049
    (fit,) = np.nonzero(agree & (np.abs(product.products) < product.edges[-1]))
    least = np.minimum(np.abs(product.queries[fit]), np.abs(product.keys[fit]))
    clear = fit[: len(fit) // 2][least[: len(fit) // 2] >= LEAST_FACTOR]
    slow = (clear if len(clear) >= SLOW_DRAWS else fit)[:SLOW_DRAWS]
    rest = fit[fit > slow[-1]]
    spread_out = np.linspace(0, len(rest) - 1, QUICK_DRAWS).round().astype(int)
    return np.concatenate([slow, rest[spread_out]])


def zoom(factor: float) -> Callable[[float], float]:
    """A rate at which to grow ``factor`` times: by equal factors in equal times, but for a smooth start and end."""
    if factor == 1:
        return smooth
    return lambda t: float((factor ** smooth(t) - 1) / (factor - 1))


def apart(places: Sequence[float], room: float) -> FloatArray:
    """``places``, in ascending order, moved as little as it takes for them to be ``room`` apart."""
    runs: list[list[float]] = []  # of places that touch: their middle, less what is below them, and how many they are
    for index, at in enumerate(places):
        runs.append([at - index * room, 1])
        while len(runs) > 1 and runs[-2][0] > runs[-1][0]:
            (middle, count), (other, more) = runs.pop(-2), runs.pop()
            runs.append([(count * middle + more * other) / (count + more), count + more])
    return np.concatenate([np.full(int(count), middle) for middle, count in runs]) + room * np.arange(len(places))


def root_ticks(d: int, reach: float) -> list[float]:
    """Numbers of an axis from -``reach`` to ``reach``: multiples of sqrt(``d``) where it is whole, else round ones."""
    root = math.isqrt(d)
    if root**2 != d:
        return ticks(reach)
    step = root * math.ceil(reach / root / 4)  # four to each side at most
    most = int(reach / step)
    return [float(step * number) for number in range(-most, most + 1)]


def halves(number: int, least: int) -> list[int]:
    """Half of ``number``, half of that and so on, rounded down, as long as they are ``least`` or more."""
    return [half for power in range(1, number.bit_length()) if (half := number >> power) >= least]


def rest_of(text: SetText, *parts: VGroup) -> VGroup:
    """The shapes of ``text`` that belong to none of its ``parts``."""
    taken = {id(shape) for part in parts for shape in part}
    return VGroup(*(shape for shape in text if id(shape) not in taken))


def product_plane(case: ProductCase, height: float) -> Plane:
    """Where products and their densities are drawn, ``height`` scene units high."""
    top = max(DENSEST, 1.05 * float(case.heights.max()))
    return Plane((case.edges[0], case.edges[-1]), (0, top), **PRODUCTS, height=height)


def score_plane(case: DensityCase) -> Plane:
    """Where scores and their densities are drawn, as shares of the peak of the exact law."""
    reach = WINDOW * float(case.std_law[-1])
    # Few pairs make ragged bars, and the plot has to hold them.
    peaks = [float(score_density(0.0, d)) for d in case.sizes]
    highest = max(float(heights.max()) / peak for heights, peak in zip(case.heights, peaks, strict=True))
    return Plane((-reach, reach), (0, max(1.0, highest / OVERSHOOT)), **DENSITIES)


class DotProductGrowth(LessonScene):
    """A score is a sum of d products, most of which cancel: its spread is the square root of d."""

    TITLE = "Scores spread like the square root of their size"
    SECONDS = 79
    USES = ("d_k", "sizes", "pairs", "seed")

    def setup(self) -> None:
        super().setup()
        self.product = product_case(self.parameters)
        self.walk = walks_case(self.parameters)
        self.density = density_case(self.parameters)
        self.spread = spread_case(self.parameters)
        self.heading: Mobject | None = None

        self.height = ValueTracker(LOW)  # of the plot of products
        self.shown = shown_draws(self.product)
        watched = self.shown[:SLOW_DRAWS]
        order = np.concatenate([watched, np.delete(np.arange(len(self.product.products)), watched)])
        self.bins = np.digitize(self.product.products[order], self.product.edges) - 1  # in the order they pile up
        self.draws = ValueTracker(0)  # of those shown
        self.revealed = ValueTracker(0)  # share of the exact law's curve

        self.room = ValueTracker(self.first_room())  # of the plot of walks, for products
        self.added = ValueTracker(0)  # products in the score that is followed
        self.others = ValueTracker(0)  # and in all other scores
        self.root = ValueTracker(0)  # products up to which the envelope is drawn
        self.straight = ValueTracker(0)  # and the line of steps that all go one way

        self.score_plane = score_plane(self.density)
        self.size = ValueTracker(math.log(self.density.sizes[0]))
        self.measured = ValueTracker(0)  # how far the bars and the bracket of a size have come out

        self.plot = LogPlot(self.spread.sizes, self.spread.raw_std)
        self.line = ValueTracker(self.plot.plane.x_range[0])  # logarithm of the size up to which the law is drawn
        self.across, self.upward = ValueTracker(0), ValueTracker(0)  # how far the two legs of the step have come

    def construct(self) -> None:
        self.ask()
        self.draw_one_product()
        self.pile_up_many()
        self.follow_one_score()
        self.add_the_others()
        self.go_through_the_sizes()
        self.put_the_spreads_on_a_line()

    # Beats

    def ask(self) -> None:
        self.beat("the question")
        self.asked = attention_weights(self.theme, self.theme.ink)
        self.say("Attention divides every score by √d. Why?")
        self.play(*self.change_title("Why divide by $sqrt(d)$?"), FadeIn(self.asked), run_time=0.8)
        self.hold(1)

        self.formula = self.sum_of_products()
        self.cells = {name: self.formula.select(name) for name in ("q-1", "q-2", "q-d", "k-1", "k-2", "k-d")}
        self.ways_home = {name: self.into_cell(name, cell) for name, cell in self.cells.items()}
        self.frames = self.vector_frames()
        self.say("A query q and a key k hold d numbers each.")
        self.play(FadeIn(self.frames, *self.cells.values()), run_time=0.8)
        self.hold(1)

    def draw_one_product(self) -> None:
        self.beat("one product")
        score = [self.asked.select(part) for part in ("q", "dot", "k")]
        ends = [self.formula.select(part) for part in ("q", "dot", "k")]
        around = rest_of(self.asked, *score)
        signs = rest_of(self.formula, *ends, *self.cells.values())
        self.remove(self.asked)
        self.add(around, *score)
        self.say("A score is their dot product: a sum of d products.")
        self.play(
            *self.change_title("A score is a sum of products"),
            FadeOut(around, self.frames, rate_func=squish_rate_func(smooth, 0, 0.4)),
            *(  # at once, to be out of the way
                ApplyMethod(
                    part.shift, end.get_center() - part.get_center(), rate_func=squish_rate_func(smooth, 0, 0.55)
                )
                for part, end in zip(score, ends, strict=True)
            ),
            *(
                ApplyMethod(cell.shift, self.ways_home[name], rate_func=squish_rate_func(smooth, *IN_TURN[name[0]]))
                for name, cell in self.cells.items()
            ),
            FadeIn(signs, rate_func=squish_rate_func(smooth, 0.6, 1)),
            run_time=1.4,
        )
        self.hold(0.6)

        self.say("Multiply two random numbers, each of mean 0 and spread 1.")
        query, key = self.cells["q-1"], self.cells["k-1"]
        pair = VGroup(query.copy(), key.copy())
        self.add(pair)
        rest = [signs, *score, *(cell for cell in self.cells.values() if cell not in (query, key))]
        self.play(
            *self.change_title("One product: mean 0, spread 1"),
            FadeOut(*rest, rate_func=squish_rate_func(smooth, 0, 0.4)),
            *(
                ApplyMethod(
                    part.shift,
                    np.array([ROW[x] - part.get_x(), SYMBOLS_BASELINE - SUM_BASELINE, 0]),
                    rate_func=squish_rate_func(smooth, *APART_IN_TURN[x]),
                )
                for part, x in ((query, "q"), (key, "k"), (pair, "qk"))
            ),
            run_time=1.2,
        )
        multiplied = [
            place(maths(sign, em=TITLE, color=self.theme.ink), ROW[x], NUMBERS_BASELINE)
            for sign, x in (("times", "times"), ("=", "equals"))
        ]
        self.make_products()
        self.play(
            FadeIn(self.number_line(self.product_plane(), ticks(self.product.edges[-1])), *multiplied, self.count),
            run_time=0.6,
        )
        self.factors = [query, key, pair, *multiplied, *self.numbers]
        self.add(self.bars, self.falling, self.count, *self.numbers)
        self.play(self.draws.animate.set_value(1), run_time=1.6, rate_func=linear)
        self.hold(0.2)
        self.say("Spread (standard deviation) is the typical distance from the mean.")
        for draw in range(1, SLOW_DRAWS):
            self.play(self.draws.animate.set_value(draw + 1), run_time=1, rate_func=linear)
        self.hold(0.4)

    def pile_up_many(self) -> None:
        self.beat("many products")
        case = self.product
        self.say("Again and again: the products pile up around 0, on either side alike.")
        self.play(self.draws.animate.set_value(len(self.shown)), run_time=3.4)
        self.settle(self.falling, self.count, *self.numbers)
        self.remove(self.falling)
        self.play(FadeOut(*self.factors), self.height.animate.set_value(HIGH), run_time=0.8)
        self.settle(self.bars)

        law = Lines(self.theme.ink, MAIN).add_updater(lambda lines: lines.show(*self.law_branches()))
        name = self.label("theory", *THEORY_PLACE, "left", color=self.theme.ink)
        left, right = self.product_plane().x([case.mean - case.std, case.mean + case.std])
        spread = Lines(self.theme.raw, MAIN).show(*bracket(left, right, BRACKET))
        numbers = self.label(
            f"mean {fixed(case.mean, 2)}, spread {fixed(case.std, 2)}",
            (left + right) / 2,
            BRACKET_BASELINE,
            color=self.theme.raw,
        )
        self.say(f"In theory: mean 0, spread 1. The {whole(len(case.products))} products follow the curve.")
        self.add(law)
        self.play(self.revealed.animate.set_value(1), FadeIn(name), run_time=1.4)
        self.settle(law)
        self.play(FadeIn(spread, scale=0.2), FadeIn(numbers), run_time=0.8)
        self.hold(1)

    def follow_one_score(self) -> None:
        self.beat("one score")
        case = self.walk
        self.keep_title_only()
        self.make_walks()
        self.say("Add such products one by one: each moves the running score a step up or down.")
        self.play(
            *self.change_title(f"A score adds $d$ products, and {'most' if case.d_k > 4 else 'some'} of them cancel"),
            FadeIn(self.walk_frame(), *(self.put_mark(*mark) for mark in self.marks)),
            run_time=0.8,
        )
        for text, *mark in self.marks:
            text.add_updater(lambda text, mark=mark: self.put_mark(text, *mark))
        halo, *walker = self.walker
        self.add(self.band, self.crowd, halo, self.envelope, *walker)  # so the halo leaves the envelope whole
        slow = SLOW_STEPS if case.d_k > FIRST_VIEW else case.d_k
        for added in range(1, slow + 1):
            self.play(self.added.animate.set_value(added), run_time=0.4)
        if slow < case.d_k:
            self.play(
                self.added.animate.set_value(case.d_k),
                self.room.animate.set_value(case.d_k),
                run_time=2.8,
                rate_func=zoom(case.d_k / self.first_room()),
            )
        self.settle(*(text for text, *_ in self.marks), *self.walker)
        self.hold(0.2)
        self.say(self.steps_caption())
        self.hold(1)

    def add_the_others(self) -> None:
        self.beat("many scores")
        case = self.walk
        self.say(f"{len(case.ends)} scores, each from its own query and key.")
        self.play(self.others.animate.set_value(case.d_k), run_time=1)
        self.settle(self.crowd)
        self.hold(1.6)

        roots, beside, straight = self.end_labels()
        self.say("Variance (spread squared) adds up: 1 from each product, d in all.")
        self.play(FadeIn(self.sum_of_variances()), self.crowd.animate.set_stroke(width=FINEST), run_time=0.8)
        self.play(
            self.root.animate.set_value(case.d_k),
            ApplyMethod(self.score.shift, beside, rate_func=squish_rate_func(smooth, 0, 0.5)),
            run_time=1.8,
        )
        self.settle(self.band, self.envelope)
        self.hold(0.2)

        root = f"√{whole(case.d_k)} {root_value(case.d_k)}"
        self.say(f"Theory says a spread of {root}; these {len(case.ends)} scores have {significant(case.ends_std, 3)}.")
        self.play(FadeIn(*roots), run_time=0.6)
        self.hold(0.8)

        self.say(f"{whole(case.d_k)} steps of 1, all one way, would reach {whole(case.d_k)}. But ups and downs cancel.")
        line = Lines(self.theme.muted, MIDDLING)
        line.add_updater(
            lambda lines: lines.show(*dashes(self.field().points(*[np.array([0, self.straight.get_value()])] * 2)))
        )
        self.add(line)
        self.play(self.straight.animate.set_value(self.straight_end()), run_time=1, rate_func=linear)
        self.settle(line)
        self.play(FadeIn(straight), run_time=0.4)
        self.hold(1)

    def go_through_the_sizes(self) -> None:
        self.beat("every size")
        case = self.density
        self.keep_title_only()
        self.make_densities()
        note = zip(("each curve drawn", "to the same height"), NOTE_BASELINES, strict=True)
        self.say(f"With {whole(case.sizes[0])} numbers in a vector, scores follow this curve.")
        self.play(
            *self.change_title("The longer the vectors, the wider the scores"),
            FadeIn(self.number_line(self.score_plane, ticks(self.score_plane.x_range[1])), self.axis_name()),
            FadeIn(*(self.label(line, LEFT_EDGE, baseline, "left") for line, baseline in note)),
            FadeIn(*self.live_names(), *self.densities),
            run_time=0.8,
        )
        self.add(*self.densities)
        self.hold(1)
        typical = short(round(float(case.measured_std[0]), 1))
        self.say(f"{whole(self.parameters.pairs)} scores, typically about {typical} from 0.")
        bars = self.measure(0)
        for index, caption in enumerate(self.size_captions(), start=1):
            if caption:
                self.say(caption)
            self.play(
                self.size.animate.set_value(math.log(case.sizes[index])),
                FadeOut(bars, rate_func=squish_rate_func(smooth, 0, 0.4)),
                run_time=1.2,
            )
            bars = self.measure(index)
        self.settle(*self.densities)
        self.hold(0.4)

    def put_the_spreads_on_a_line(self) -> None:
        self.beat("the root law")
        case, plane = self.spread, self.plot.plane
        dots = [
            Dot(self.plot.point(d, std), radius=DOT, color=self.theme.raw)
            for d, std in zip(case.sizes, case.raw_std, strict=True)
        ]
        numbered = spaced([dot.get_x() for dot in dots], self.label_order(), LogPlot.NUMBER_ROOM)
        numbers = {index: self.row_numbers[index] for index in numbered}
        self.keep_title_only(*self.brackets, *numbers.values())
        self.say("Put every measured spread above its size, both on logarithmic scales.")
        self.play(
            *self.change_title("The spread of a score is $sqrt(d)$"),
            FadeIn(self.plot.x_axis(self.theme, self.label_order()), rate_func=squish_rate_func(smooth, 0.5, 1)),
            *(mobject.animate.shift(LIFT * UP) for mobject in (*self.brackets, *numbers.values())),
            run_time=0.8,
        )
        goals = [dot.get_center() for dot in dots]
        for line, dot in zip(self.brackets, dots, strict=True):
            dot.move_to((0, line.get_y(), 0))
        self.play(
            *(line.animate.scale(0.01) for line in self.brackets),
            *(GrowFromCenter(dot) for dot in dots),
            *(number.animate.set_x(-ROW_GAP, RIGHT) for number in numbers.values()),
            run_time=0.8,
        )
        self.remove(*self.brackets)
        self.bring_to_front(*numbers.values())
        # Each goes above its size first and then up or down to its spread, so none runs into another.
        sideways: list[Any] = []
        upwards: list[Any] = []
        for index, (dot, goal) in enumerate(zip(dots, goals, strict=True)):
            way = (goal - dot.get_center()) * (1, 0, 0)
            moving: list[Any] = [dot, *([numbers[index]] if index in numbers else [])]
            sideways.append(AnimationGroup(*(mobject.animate.shift(way) for mobject in moving)))
        self.play(LaggedStart(*sideways, lag_ratio=0.15), run_time=1.2)
        for index, (dot, goal) in enumerate(zip(dots, goals, strict=True)):
            moves: list[Any] = [dot.animate.move_to(goal)]
            if index in numbers:
                half, right = numbers[index].width / 2, goal[0] - ROW_GAP
                _, highest = self.heights(goals, right - 2 * half, goal[0])
                moves.append(numbers[index].animate.move_to(np.array([right - half, highest + 0.28, 0])))
            upwards.append(AnimationGroup(*moves))
        self.play(LaggedStart(*upwards, lag_ratio=0.15), run_time=1.2)
        # No height was a spread until now.
        self.play(FadeIn(self.plot.y_axis(self.theme, case.law, self.label_order())), run_time=0.6)
        self.hold(0.2)

        self.say("Give or take chance, they lie on one line: √d.")
        law = Lines(self.theme.ink, MIDDLING).add_updater(lambda lines: lines.show(*self.root_line()))
        self.add(law)
        self.bring_to_back(law)
        self.play(self.line.animate.set_value(plane.x_range[1]), run_time=1.4)
        self.settle(law)
        end = self.law_end()
        name = maths("sqrt(d)", em=HEADING, color=self.theme.ink)
        self.play(FadeIn(place(name, end[0] + 0.15, end[1] - CENTRED * HEADING, "left")), run_time=0.4)
        self.hold(1)

        start, end = (goals[case.sizes.index(d)] for d in (case.from_size, case.to_size))
        corner = np.array([end[0], start[1], 0])
        step = Lines(self.theme.ink, MAIN).add_updater(lambda lines: lines.show(*self.step(start, corner, end)))
        more_label, *wider_labels = self.step_labels(start, end, goals)
        more, wider = times(case.size_ratio), times(case.spread_ratio)
        self.say(
            f"{more} times the numbers, from {whole(case.from_size)} to {whole(case.to_size)}: "
            f"only {wider} times the spread."
        )
        self.add(step)
        self.bring_to_back(step)
        self.play(self.across.animate.set_value(1), FadeIn(more_label), run_time=1.2)
        self.play(self.upward.animate.set_value(1), FadeIn(*wider_labels), run_time=1.2)
        self.settle(step)
        self.hold(1)
        self.say("Next: what softmax makes of scores so far apart.")
        self.hold(1)

    # Parts of every beat

    def change_title(self, markup: str) -> list[FadeIn | FadeOut]:
        """The old title goes, then a new one comes in its place, within one run time."""
        old, self.heading = self.heading, self.title(markup)
        return self.exchange(old, self.heading)

    def keep_title_only(self, *keep: Mobject) -> None:
        """Clear the board of all but the title and ``keep``."""
        self.clear_board(*([self.heading] if self.heading else []), *keep)

    def settle(self, *moving: Mobject) -> None:
        """Let ``moving`` stay as it is from now on."""
        for mobject in moving:
            mobject.clear_updaters()

    def label(
        self,
        markup: str,
        x: float,
        y: float,
        align: Literal["left", "center", "right"] = "center",
        *,
        em: float = LABEL,
        color: str | None = None,
        halo: bool = False,
    ) -> SetText:
        """Text at a place, muted unless another colour is given; a ``halo`` keeps lines off it."""
        text = words(markup, em=em, color=color or self.theme.muted)
        if halo:
            text.set_stroke(self.theme.ground, HALO, background=True)
        return place(text, x, y, align)

    def number_line(self, plane: Plane, marks: Sequence[float]) -> VGroup:
        """The lower edge of ``plane`` as an axis with numbers."""
        foot, right = plane.bottom, plane.left + plane.width
        line = Lines(self.theme.muted, THIN).show(
            np.array([[plane.left, foot, 0], [right, foot, 0]]),
            *(np.array([[plane.x(mark), foot, 0], [plane.x(mark), foot - TICK_LENGTH, 0]]) for mark in marks),
        )
        numbers = (self.label(short(mark), plane.x(mark), foot - TICK_DROP, em=SMALL) for mark in marks)
        return VGroup(line, *numbers)

    # One product, many products

    def into_cell(self, name: str, part: VGroup) -> FloatArray:
        """Put a number of a vector, ``part`` of the sum, in its cell; gives the way back, (3,)."""
        vector, number = name.split("-")
        row = VECTORS[vector] - SUNK * FORMULA_EM
        way = np.array([CELLS[f"-{number}"] - part.get_x(), row - SUM_BASELINE, 0])
        part.shift(way)
        return -way

    def vector_frames(self) -> VGroup:
        """The cells of a query and a key, and how many there are."""
        theme = self.theme
        lefts = np.array(list(CELLS.values())) - CELL_WIDTH / 2
        parts = VGroup()
        for vector, color in (("q", theme.query), ("k", theme.key)):
            middle = VECTORS[vector]
            cells = boxes(lefts, middle - CELL_HEIGHT / 2, CELL_WIDTH, CELL_HEIGHT)
            baseline = middle - SUNK * FORMULA_EM
            parts.add(
                Lines(color, THIN).show(*(np.concatenate([cell, cell[:1]]) for cell in cells)),
                place(maths(f"{vector} =", em=FORMULA_EM, color=color), VECTOR_NAME, baseline),
                place(maths("dots.c", em=FORMULA_EM, color=color), CELLS["dots"], baseline),
            )
        ends = lefts[0], lefts[-1] + CELL_WIDTH
        parts.add(
            Lines(theme.ink, THIN).show(*bracket(*ends, LENGTH_BRACKET)),
            self.label("$d$ numbers, $d_k$ in papers", (ends[0] + ends[1]) / 2, LENGTH_BASELINE, color=theme.ink),
        )
        return parts

    def sum_of_products(self) -> SetText:
        """A score as the sum of products that it is."""
        formula = maths(
            "{{ q : q }} {{ dot : dot }} {{ k : k }} = {{ q_1 : q-1 }} {{ k_1 : k-1 }}"
            " + {{ q_2 : q-2 }} {{ k_2 : k-2 }} + dots.c + {{ q_d : q-d }} {{ k_d : k-d }}",
            em=FORMULA_EM,
            color=self.theme.ink,
        )
        for number in ("", "-1", "-2", "-d"):
            formula.select(f"q{number}").set_color(self.theme.query)
            formula.select(f"k{number}").set_color(self.theme.key)
        return place(formula, 0, SUM_BASELINE)

    def product_plane(self) -> Plane:
        """Where products and their densities are drawn now."""
        return product_plane(self.product, self.height.get_value())

    def make_products(self) -> None:
        """The pile of products, those that are falling, and the numbers of the draw that is on screen."""
        case, plane, theme = self.product, self.product_plane(), self.theme
        edges = plane.x(case.edges)
        width = edges[1] - edges[0]
        self.bars = Bars(edges[:-1] + SLIT / 2 * width, (1 - SLIT) * width, plane.bottom, theme.raw, SOFT)
        self.bars.add_updater(lambda bars: bars.show(self.product_plane().y(self.pile()) - plane.bottom))
        self.falling = Dots(SMALL_DOT, theme.raw).add_updater(lambda dots: dots.show(self.falling_products()))
        self.count = Readout(em=LABEL, color=theme.raw, weight="regular", align="right")
        self.count.add_updater(lambda text: text.show(self.count_text(), *COUNT_PLACE))
        self.numbers = [
            self.drawn_number(case.queries, ROW["q"], theme.query, 0),
            self.drawn_number(case.keys, ROW["k"], theme.key, 0),
            self.drawn_number(case.products, ROW["qk"], theme.raw, BEFORE_FALL - 0.1),
        ]
        self.count.update()

    def drawn_number(self, values: FloatArray, x: float, color: str, after: float) -> Readout:
        """A number of the draw that is on screen; a slow draw shows it ``after`` that part of its time."""

        def show(readout: Any) -> None:
            draws = self.draws.get_value()
            current = max(math.ceil(draws) - 1, 0)
            seen = current >= SLOW_DRAWS or draws - current > after
            readout.show(fixed(values[self.shown[current]], 2) if seen else "", x, NUMBERS_BASELINE)

        readout = Readout(em=TITLE, color=color)
        readout.add_updater(show)
        return readout

    def drawn(self) -> int:
        """How many products have been drawn by now: slow draws one by one, then ever more of all others."""
        draws = self.draws.get_value()
        quick = max(0.0, draws - SLOW_DRAWS) / (len(self.shown) - SLOW_DRAWS)
        return int(min(draws, SLOW_DRAWS)) + round((len(self.bins) - SLOW_DRAWS) * quick**2)

    def count_text(self) -> str:
        """How many products have been drawn by now, in words."""
        return f"{whole(self.drawn())} {'product' if self.drawn() == 1 else 'products'}"

    def pile(self) -> FloatArray:
        """How high the bars are, as densities of all products, when only those drawn by now have landed."""
        n_bins = len(self.product.heights)
        landed = self.bins[: self.drawn()]
        counts = np.bincount(landed[(landed >= 0) & (landed < n_bins)], minlength=n_bins)
        return counts / (len(self.bins) * np.diff(self.product.edges))

    def falling_products(self) -> FloatArray:
        """Where the products on their way from the row of numbers to the pile are, (n, 3): they fall freely."""
        case, plane, draws = self.product, self.product_plane(), self.draws.get_value()
        number = np.arange(len(self.shown))
        slow = number < SLOW_DRAWS
        start = number + BEFORE_FALL
        end = np.where(slow, number + 1, np.minimum(start + FLIGHT, len(number)))
        part = (draws - start) / (end - start)
        products = case.products[self.shown]
        heights = plane.y(self.pile())[np.digitize(products, case.edges) - 1]
        # The first few stay where they land until the pile covers them.
        stay = slow & (heights - plane.bottom < 2 * SMALL_DOT)
        part = np.where(stay, np.minimum(part, 1), part)
        seen = (part > 0) & ((part < 1) | stay)
        x, y = ROW["qk"], NUMBERS_BASELINE - 0.2
        xs = x + (plane.x(products) - x) * part
        ys = y + (np.where(stay, plane.bottom, heights) + SMALL_DOT - y) * part**2
        return np.stack([xs, ys, np.zeros_like(xs)], axis=-1)[seen]

    def law_branches(self) -> list[FloatArray]:
        """The exact law of one product, either side of 0, as far as it is revealed and inside the plot."""
        case, plane = self.product, self.product_plane()
        end = case.grid[0] + self.revealed.get_value() * (case.grid[-1] - case.grid[0])
        paths = []
        for side in (case.grid < 0, case.grid > 0):
            shown = side & (case.law <= plane.y_range[1])
            xs, ys = case.grid[shown], case.law[shown]
            if end > xs[0]:
                paths.append(plane.points(*up_to(xs, ys, min(end, xs[-1]))))
        return paths

    # One score, many scores

    def field(self) -> Plane:
        """Where walks are drawn now: the plot grows as it makes room for more products."""
        case, room = self.walk, self.room.get_value()
        so_far = np.maximum.accumulate(np.abs(case.walks[case.followed]))
        first = self.first_room()
        least = max(1.5 * float(np.interp(first, case.positions, so_far)), math.sqrt(first))
        most = self.top_score()
        # Walks spread like the root of their steps, and so does the plot.
        grown = (
            most if first == case.d_k else float(np.interp(math.sqrt(room), np.sqrt([first, case.d_k]), [least, most]))
        )
        reach = max(grown, 1.05 * float(np.interp(room, case.positions, so_far)))
        return Plane((0, room), (-reach, reach), **WALKS)

    def first_room(self) -> int:
        """How many products the plot has room for at first."""
        return int(self.walk.positions[min(FIRST_VIEW, len(self.walk.positions) - 1)])

    def top_score(self) -> float:
        """The score at the top of the plot once it has room for every product."""
        return 1.05 * max(float(np.abs(self.walk.walks).max()), 2 * self.walk.spread_at_end)

    def digits(self) -> int:
        """Decimals of a running score: fewer where scores are large."""
        return 2 if self.walk.spread_at_end < 10 else 1

    def walk_frame(self) -> VGroup:
        """The axes and what they are called."""
        field = self.field()
        foot, right, top, middle = field.bottom, field.left + field.width, field.bottom + field.height, field.y(0)
        lines = Lines(self.theme.muted, THIN).show(
            np.array([[field.left, foot, 0], [field.left, top, 0]]),
            np.array([[field.left, middle, 0], [right, middle, 0]]),
        )
        score = self.label("running score", LEFT_EDGE, top + 0.28, "left")
        added = self.label("products added", right + 0.5, foot - TICK_DROP, "left")
        return VGroup(lines, score, added)

    def make_walks(self) -> None:
        """The walk that is followed and its head, all others, the envelope, and the numbers of the axes."""
        theme = self.theme
        self.marks = [(words(short(mark[1]), em=SMALL, color=theme.muted), *mark) for mark in self.mark_values()]
        self.band = Area(theme.faint).add_updater(lambda area: area.show(self.inside_envelope()))
        self.crowd = Lines(theme.raw, HAIR, SOFT).add_updater(lambda lines: lines.show(*self.other_walks()))
        self.envelope = Lines(theme.ink, MIDDLING).add_updater(lambda lines: lines.show(*self.envelope_dashes()))
        halo = Lines(theme.ground, MAIN + HALO).add_updater(lambda lines: lines.show(self.followed_walk()))
        followed = Lines(theme.raw, MAIN + 1).add_updater(lambda lines: lines.show(self.followed_walk()))
        head = Dot(radius=DOT, color=theme.raw).add_updater(lambda dot: dot.move_to(self.followed_walk()[-1]))
        self.score = Readout(em=HEADING, color=theme.raw, align="left").add_updater(self.show_score)
        self.score.set_stroke(theme.ground, HALO, background=True)
        self.walker = [halo, followed, head, self.score]
        for mobject in self.walker:
            mobject.update()

    def mark_values(self) -> list[tuple[str, float, bool]]:
        """The axis and the value of every number that an axis ever has, and whether it goes as the plot grows."""
        d = self.walk.d_k
        counts = sorted({round(d * quarter / 4) for quarter in range(1, 5)} - {0})
        scores = root_ticks(d, self.top_score())
        marks = [*(("x", float(x), False) for x in counts), *(("y", y, False) for y in scores)]
        if d <= FIRST_VIEW:
            return marks
        first = sorted({*range(2, FIRST_VIEW + 1, 2), *halves(counts[0], FIRST_VIEW)} - set(counts))
        between = halves(int(min(score for score in scores if score > 0)), 1)
        marks += [("x", float(x), True) for x in first]
        return marks + [("y", float(side * y), True) for y in between for side in (1, -1)]

    def put_mark(self, mark: Any, axis: str, value: float, goes: bool) -> Mobject:
        """Put a number of an axis where it belongs.

        It comes in at the edge of the plot once there is room for it; one that ``goes`` does so when it is so near to
        0 that others have come in beyond it.
        """
        field = self.field()
        if axis == "x":
            place(mark, field.x(value), field.bottom - TICK_DROP)
            inside, size = field.x(value) - field.left, field.width
        else:
            place(mark, field.left - 0.15, field.y(value) - CENTRED * SMALL, "right")
            inside, size = abs(field.y(value) - field.y(0)), field.height / 2
        # What is outside at first waits there unseen until the plot grows.
        growing = min(1.0, 20 * (self.room.get_value() / self.first_room() - 1))
        opacity = 1.0 if inside <= size else growing * max(0.0, 1 - (inside - size) / FADING)
        if goes:
            gone, whole_until = (part * size for part in CROWDED[axis])
            opacity *= min(1.0, max(0.0, (inside - gone) / (whole_until - gone)))
            if axis == "x" and value > self.walk.d_k / 8:  # the plot does not grow enough to crowd it out
                opacity *= 1 - growing
        return mark.set_opacity(opacity)

    def followed_walk(self) -> FloatArray:
        """The followed walk as far as it has come, (n, 3) scene points, at least one."""
        walk = self.walk.walks[self.walk.followed]
        return self.field().points(*up_to(self.walk.positions, walk, self.added.get_value()))

    def show_score(self, readout: Any) -> None:
        """Print the running score beside the head of its walk."""
        case = self.walk
        score = float(np.interp(self.added.get_value(), case.positions, case.walks[case.followed]))
        x, y, _ = self.followed_walk()[-1]
        readout.show(fixed(score, self.digits()), x + 0.22, y - CENTRED * HEADING)

    def other_walks(self) -> list[FloatArray]:
        """All walks but the followed one, as far as they have come."""
        case, field, end = self.walk, self.field(), self.others.get_value()
        others = np.delete(case.walks, case.followed, axis=0)
        return [field.points(*up_to(case.positions, walk, end)) for walk in others] if end > 0 else []

    def envelope_edge(self) -> tuple[FloatArray, FloatArray]:
        """sqrt(x) against x as far as it has come, closer together near 0, where it is steep."""
        xs = self.root.get_value() * np.linspace(0, 1, 121) ** 2
        return xs, np.sqrt(xs)

    def envelope_dashes(self) -> list[FloatArray]:
        xs, ys = self.envelope_edge()
        return [piece for side in (1, -1) for piece in dashes(self.field().points(xs, side * ys))]

    def inside_envelope(self) -> FloatArray:
        xs, ys = self.envelope_edge()
        return self.field().points(np.concatenate([xs, xs[::-1]]), np.concatenate([ys, -ys[::-1]]))

    def end_labels(self) -> tuple[list[SetText], FloatArray, SetText]:
        """What stands beside the ends of the lines, as large as there is room for.

        The labels of the envelope's two ends, how far the running score has to move, (3,), to stand between them, and
        the label of the straight line.
        """
        case, field = self.walk, self.field()
        end, root = float(case.ends[case.followed]), case.spread_at_end
        x = field.left + field.width + END_GAP
        straight, inside = self.straight_end(), self.straight_end() == case.d_k
        # The score makes room for the label of its root, on the side of it that it is on.
        level = float(field.y(end)) + math.copysign(END_PITCH, end) * (1 if abs(end) > root else -1)
        wished = sorted([(-root, float(field.y(-root))), (end, level), (root, float(field.y(root)))])
        beyond = [(straight, float(field.y(straight)))] if inside else []
        values, heights = zip(*wished, *beyond, strict=True)
        places = dict(zip(values, apart(heights, END_PITCH), strict=True))
        low, middle, high = places[-root], places[end], places[root]
        formulas = ((f"+{root_formula(case.d_k)}", high), (f'-sqrt("{whole(case.d_k)}")', low))
        for em in (HEADING, LABEL, SMALL):
            roots = [
                place(maths(formula, em=em, color=self.theme.ink), x, y - CENTRED * em, "left")
                for formula, y in formulas
            ]
            if max(label.get_right()[0] for label in roots) <= WIDEST:
                break
        way = np.array([x - self.score.get_left()[0], middle - self.score.get_y(), 0])
        if inside:
            return roots, way, self.label("every step up by 1", x, places[straight] - CENTRED * LABEL, "left")
        top = field.bottom + field.height
        return roots, way, self.label("every step up by 1", field.x(straight) + 0.2, top - 0.2, "left", halo=True)

    def sum_of_variances(self) -> SetText:
        """Why the spread is a root, above the plot."""
        field = self.field()
        markup = "variance $1 + 1 + dots.c + 1 = d$, so the spread is $sqrt(d)$"
        return self.label(markup, RIGHT_EDGE, field.bottom + field.height + 0.28, "right", color=self.theme.ink)

    def steps_caption(self) -> str:
        """How the followed score came about."""
        case = self.walk
        end = float(case.ends[case.followed])
        fewer = min(case.steps_up, case.steps_down)
        much = "most" if 4 * fewer > case.d_k and abs(end) < case.d_k / 2 else "some" if fewer else "none"
        steps = f"{whole(case.steps_up)} {'step' if case.steps_up == 1 else 'steps'} up, {whole(case.steps_down)} down"
        if fewer:
            steps += ", big and small"
        return f"{steps}: {much} cancel, and it ends at {fixed(end, self.digits())}."

    def straight_end(self) -> float:
        """How many steps of 1 the line goes: all of them, or as many as the plot has room for."""
        return min(float(self.walk.d_k), self.field().y_range[1])

    # Every size

    def d(self) -> float:
        """The size on screen now. The law knows sizes between whole ones too."""
        return math.exp(self.size.get_value())

    def make_densities(self) -> None:
        """The exact law at the size on screen, those of sizes passed, and what the size and its root are."""
        theme = self.theme
        self.curves = {math.log(d): self.density_curve(d) for d in self.density.sizes}
        passed = Lines(theme.muted, THIN).add_updater(lambda lines: lines.show(*self.passed_curves()))
        curve = Lines(theme.ink, MAIN).add_updater(lambda lines: lines.show(self.density_curve(self.d())))
        sides = Lines(theme.ink, THIN).add_updater(lambda lines: lines.show(*self.spread_sides()))
        self.size_now, self.root_now = (
            Readout(em=HEADING, color=theme.ink, weight="regular", align="left") for _ in range(2)
        )
        x, (upper, lower) = LIVE_X + 0.15, LIVE_BASELINES
        self.size_now.add_updater(lambda text: text.show(whole(self.d()), x, upper))
        self.root_now.add_updater(lambda text: text.show(fixed(math.sqrt(self.d()), 2), x, lower))
        self.densities = [passed, curve, sides, self.size_now, self.root_now]
        for mobject in self.densities:
            mobject.update()
        self.brackets: list[Lines] = []
        self.row_numbers: list[SetText] = []

    def axis_name(self) -> SetText:
        plane = self.score_plane
        return self.label("score $q dot k$", WIDEST, plane.bottom - CENTRED * LABEL, "right")

    def size_captions(self) -> list[str]:
        """What is said of the step from each size to the next; nothing from the second time on that it is the same."""
        captions: list[str] = []
        said, repeats = 0.0, 0
        for before, after in pairwise(self.density.sizes):
            ratio = after / before
            repeats = repeats + 1 if ratio == said else 0
            said = ratio
            step = f"{fold(ratio).capitalize()} as many numbers: {fold(math.sqrt(ratio))} the spread."
            captions.append([step, "And again.", ""][min(repeats, 2)])
        return captions

    def live_names(self) -> list[SetText]:
        return [
            place(maths(formula, em=HEADING, color=self.theme.ink), LIVE_X, baseline, "right")
            for formula, baseline in zip(("d =", "sqrt(d) ="), LIVE_BASELINES, strict=True)
        ]

    def density_curve(self, d: float) -> FloatArray:
        """The exact law at size ``d``, (n, 3) scene points, as a share of its peak."""
        plane = self.score_plane
        xs = np.clip(math.sqrt(d) * np.linspace(-REACH, REACH, 181), *plane.x_range)
        xs = np.unique([*plane.x_range, *xs])
        return plane.points(xs, score_density(xs, d) / score_density(0.0, d))

    def passed_curves(self) -> list[FloatArray]:
        """The exact laws of the sizes below that on screen."""
        return [curve for size, curve in self.curves.items() if size < self.size.get_value() - 1e-9]

    def spread_sides(self) -> list[FloatArray]:
        """Upright lines under the curve, one standard deviation of the law either side of 0."""
        spread, d = math.sqrt(self.d()), self.d()
        height = float(score_density(spread, d) / score_density(0.0, d))
        return [self.score_plane.points(np.array([x, x]), np.array([0, height])) for x in (-spread, spread)]

    def measure(self, index: int) -> Bars:
        """Raise the measured histogram of one size, and draw its measured spread as a bracket; gives the bars."""
        case, plane, theme = self.density, self.score_plane, self.theme
        d, spread = case.sizes[index], float(case.measured_std[index])
        y = self.row(index)
        self.measured.set_value(0)
        edges = plane.x(case.edges[index])
        width = edges[1] - edges[0]
        inside = (edges[:-1] >= plane.left - 1e-9) & (edges[1:] <= plane.left + plane.width + 1e-9)
        heights = plane.y(case.heights[index][inside] / float(score_density(0.0, d))) - plane.bottom
        bars = Bars(edges[:-1][inside] + SLIT / 2 * width, (1 - SLIT) * width, plane.bottom, theme.raw, SOFT)
        bars.add_updater(lambda bars: bars.show(self.measured.get_value() * heights))
        left, right = plane.x([-spread, spread])
        line = Lines(theme.raw, MAIN)
        line.add_updater(  # it opens from the frame's middle, where a score of 0 is
            lambda lines: lines.show(*bracket(self.measured.get_value() * left, self.measured.get_value() * right, y))
        )
        baseline = y - CENTRED * LABEL
        size = self.label(f"$d =$ {whole(d)}", right + ROW_GAP, baseline, "left", color=theme.ink)
        number = words(fixed(spread, 2), color=theme.raw, weight="semibold")
        number.set_stroke(theme.ground, HALO, background=True)
        texts = [size, place(number, left - ROW_GAP, baseline, "right")]
        if index == 0:
            texts.append(self.label("measured spread", number.get_left()[0] - 0.15, baseline, "right"))
        self.add(bars, line)
        self.bring_to_back(bars)  # behind the curve,
        self.bring_to_back(self.densities[0])  # and before those of sizes passed
        self.play(self.measured.animate.set_value(1), *(FadeIn(text) for text in texts), run_time=0.6)
        self.settle(bars, line)
        self.brackets.append(line)
        self.row_numbers.append(number)
        self.hold(0.4)
        return bars

    def row(self, index: int) -> float:
        """The height of a size's bracket."""
        pitch = min(ROW_PITCH, (ROWS[0] - ROWS[1]) / (len(self.density.sizes) - 1))
        return ROWS[0] - pitch * index

    # The root law

    def label_order(self) -> list[int]:
        """Indices of the sizes, those first whose labels the step needs."""
        case = self.spread
        step = [case.sizes.index(case.to_size), case.sizes.index(case.from_size)]
        return [*step, *(index for index in range(len(case.sizes)) if index not in step)]

    def law_end(self) -> FloatArray:
        """Where the line of the law ends, on the right."""
        last = self.plot.plane.x_range[1]
        return self.plot.plane.point(last, last / 2)

    def root_line(self) -> list[FloatArray]:
        """sqrt(d) against d as far as it has come."""
        return self.plot.root_line(self.line.get_value())

    def step(self, start: FloatArray, corner: FloatArray, end: FloatArray) -> list[FloatArray]:
        """The two legs of a step as far as they have come."""
        legs = zip(pairwise([start, corner, end]), (self.across, self.upward), strict=True)
        return [np.array([a, a + tracker.get_value() * (b - a)]) for (a, b), tracker in legs]

    def heights(self, dots: Sequence[FloatArray], left: float, right: float) -> tuple[float, float]:
        """The lowest and the highest of the dots, by their middles, that reach between ``left`` and ``right``."""
        heights = [float(y) for x, y, _ in dots if left - DOT < x < right + DOT]
        return min(heights), max(heights)

    def step_labels(self, start: FloatArray, end: FloatArray, dots: Sequence[FloatArray]) -> list[SetText]:
        """How many times the numbers and the spread grow, beside the legs that show it."""
        case, theme = self.spread, self.theme
        numbers = self.label(
            f"{times(case.size_ratio)} times the numbers", 0, 0, em=HEADING, color=theme.ink, halo=True
        )
        x = max((start[0] + end[0]) / 2, start[0] + numbers.width / 2)
        lowest, _ = self.heights(dots, start[0], x + numbers.width / 2)
        place(numbers, x, lowest - 0.42)
        x, lower = end[0] + 0.2, max((start[1] + end[1]) / 2 - 0.36, start[1] + 0.1)
        spread = f"{times(case.spread_ratio)} times the spread"
        return [
            numbers,
            self.label(spread, x, lower + 0.38, "left", em=HEADING, color=theme.ink, halo=True),
            self.label(f"measured {fixed(case.measured_ratio, 2)}", x, lower, "left", color=theme.raw, halo=True),
        ]

"""How dividing the scores by sqrt(d) keeps the weights from collapsing, and why by the root."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from manim import RIGHT, FadeIn, FadeOut, ManimColor, ValueTracker, VGroup, interpolate_color, linear, rush_from, rush_into

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
WIDEST_PITCH = 1.25  # from one bar to the next
GAUGE_THICKNESS = 0.14
CLEARANCE = 0.1  # between two numbers side by side
FEW = 4  # numbers over bars, where there is no room for all
COLLAPSED = 0.95  # a largest weight from here on leaves the other keys next to nothing


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
        angles = np.linspace(0, 2 * math.pi, 24, endpoint=False)
        circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(24)], axis=-1)
        self.mark.show(0.13 * circle + np.array([self.x(d), self.y, 0.0]))
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
        moving = VGroup(raw.moving, scaled.moving, axis.mark, d)
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
        self.add(moving)
        moving.add_updater(lambda _: show())
        self.play(self.grown.animate.set_value(0.5), run_time=5, rate_func=rush_into)
        self.say("Undivided, scores spread out like √d. Divided, their spread stays 1.")
        self.play(self.grown.animate.set_value(1), run_time=5, rate_func=rush_from)
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
        self.hold(1)
        self.clear_board()

    def divide_an_example(self) -> None:
        case, theme = self.example, self.theme
        n = len(case.scores)
        self.beat("an example with numbers")
        title = self.title("One division brings the spread back")
        size = place(maths(f"d = {case.d}", em=TITLE, color=theme.ink), RIGHT_EDGE, TITLE_BASELINE, "right")
        bottom, width = -0.95, RIGHT_EDGE - MIDDLE
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
        tracks = VGroup(scaled.bars.tracks, scaled.gauge.still)
        moving = VGroup(scaled.moving, *scaled.row, by)
        self.play(FadeIn(tracks), FadeIn(arrow), FadeIn(moving, shift=RIGHT), run_time=1)
        moving.add_updater(lambda _: show())
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
        self.beat("the slope comes back")
        self.hold(1)

    def divide_by_d(self) -> None:
        self.beat("why the root")
        self.hold(1)

"""Why a score spreads like the square root of its size: one product, a sum of them, and the sum at every size."""

import math
from collections.abc import Sequence

import numpy as np
from manim import (
    Dot,
    FadeIn,
    FadeOut,
    LaggedStart,
    Mobject,
    ReplacementTransform,
    ValueTracker,
    VGroup,
    linear,
    smooth,
)

from core.cases import ProductCase, density_case, product_case, spread_case, walks_case
from core.numerals import fixed, short, significant, whole
from core.spread import score_density
from scenes.base import LEFT_EDGE, RIGHT_EDGE, LessonScene
from scenes.parts import Area, Bars, FloatArray, Lines, Plane
from scenes.typesetting import HEADING, LABEL, SMALL, TITLE, Readout, maths, place, words

# All lengths are in scene units: the frame is 14.2 wide and 8 high, its middle is (0, 0).
MAIN, THIN, CROWD = 4.0, 2.0, 1.5  # stroke widths
SOFT = 0.7  # opacity of what lies behind a main curve; still 3:1 on either ground
DASH, GAP = 0.14, 0.11
CAP = 0.1  # half the height of a bracket's ends
DOT = 0.1  # radius
SMALL_DOT = 0.07

# One product
FORMULA_BASELINE = 0.4
ROW = {"q": -3.4, "times": -1.7, "k": 0.0, "equals": 1.7, "qk": 3.4}  # where the factors and their product stand
SYMBOLS_BASELINE, NUMBERS_BASELINE = 2.15, 1.45
PRODUCT_TOP = 1.25  # density at the top of the plot; the exact law goes on up to infinity at 0
SLOW_DRAWS = 3  # shown one at a time
QUICK_DRAWS = 36  # of all the others, those that are seen to fall
FLIGHT = 4  # quick draws that are falling at once

# Adding products
WALKS_BOX = {"left": -5.8, "bottom": -2.25, "width": 9.4, "height": 4.7}
SLOW_STEPS = 4  # of the followed walk, shown one at a time

# Every size
WINDOW = 2.5  # standard deviations of the largest size that the score axis shows either side of 0
REACH = 4.5  # standard deviations either side of 0 that a curve is drawn to
DENSITY_BOX = {"left": -6.2, "bottom": -0.4, "width": 12.4, "height": 2.55}
LIVE_X, LIVE_BASELINES = 4.3, (1.75, 1.15)
ROWS_TOP, ROWS_BOTTOM, ROW_PITCH = -1.2, -2.7, 0.37

# The root law
PLANE_MIDDLE = (-0.9, 0.05)
LOG_WIDTH = 7.6  # from the smallest to the largest size; a decade is as long upwards as sideways
LOG_PAD = 0.45
LABEL_ROOM = 1.0  # from one number to the next along the sizes, so that they do not touch


def dashes(path: FloatArray) -> list[FloatArray]:
    """The pieces of ``path``, (n, 3) scene points, that a dashed line shows."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    if lengths[-1] == 0:
        return []

    def point(at: float) -> FloatArray:
        return np.array([np.interp(at, lengths, path[:, axis]) for axis in range(3)])

    pieces = []
    for start in np.arange(0, lengths[-1], DASH + GAP):
        end = min(start + DASH, lengths[-1])
        inner = path[(lengths > start) & (lengths < end)]
        pieces.append(np.concatenate([[point(start)], inner, [point(end)]]))
    return pieces


def up_to(xs: FloatArray, ys: FloatArray, end: float) -> tuple[FloatArray, FloatArray]:
    """The polyline through ``xs`` (increasing, (n,)) and ``ys`` (n,), cut at x = ``end``."""
    kept = xs < end
    return np.append(xs[kept], end), np.append(ys[kept], np.interp(end, xs, ys))


def bracket(left: float, right: float, y: float) -> list[FloatArray]:
    """A level bar from ``left`` to ``right`` with an upright cap at each end."""
    ends = [np.array([[x, y - CAP, 0.0], [x, y + CAP, 0.0]]) for x in (left, right)]
    return [np.array([[left, y, 0.0], [right, y, 0.0]]), *ends]


def discs(centres: FloatArray, radius: float) -> list[FloatArray]:
    """Round outlines at ``centres``, (n, 3)."""
    angles = np.linspace(0, 2 * math.pi, 16, endpoint=False)
    rim = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(16)], axis=-1)
    return [centre + rim for centre in centres]


def tick_step(reach: float) -> float:
    """The largest of 1, 2, 4, 5 times a power of ten that goes at least twice into ``reach``."""
    power = 10.0 ** math.floor(math.log10(reach / 2))
    return max(step * power for step in (1, 2, 4, 5) if step * power <= reach / 2)


def ticks(reach: float) -> list[float]:
    """Round numbers from -``reach`` to ``reach``, 0 among them."""
    step = tick_step(reach)
    most = math.floor(reach / step + 1e-9)
    return [step * number for number in range(-most, most + 1)]


def spaced(places: Sequence[float], order: Sequence[int], room: float) -> list[bool]:
    """Which of ``places`` may carry a label, taken in ``order``, so that no two are nearer than ``room``."""
    kept: list[int] = []
    for index in order:
        if all(abs(places[index] - places[other]) >= room for other in kept):
            kept.append(index)
    return [index in kept for index in range(len(places))]


def times(ratio: float) -> str:
    """A ratio in words for reading: whole where it is whole, else to three digits."""
    return whole(ratio) if ratio == round(ratio) or ratio >= 1000 else significant(ratio, 3)


def is_square(d: int) -> bool:
    """Whether sqrt(``d``) is a whole number."""
    return math.isqrt(d) ** 2 == d


def root_value(d: int) -> str:
    """sqrt(``d``) with its sign of equality, as in "= 8" or "≈ 11.3"."""
    return f"= {math.isqrt(d)}" if is_square(d) else f"≈ {significant(math.sqrt(d), 3)}"


def root_markup(d: int, sign: str = "") -> str:
    """``sign`` sqrt(``d``) and its value as a Typst formula."""
    relation, value = root_value(d).split()
    return f'{sign} sqrt("{whole(d)}") {"=" if relation == "=" else "approx"} {sign} "{value}"'


def shown_draws(product: ProductCase) -> np.ndarray:
    """The draws whose numbers are shown, (SLOW_DRAWS + QUICK_DRAWS,), in the order of the stream.

    They fall inside the plot, and their printed factors multiply to their printed product, so that a viewer who
    checks finds no rounding in the way.
    """
    printed = np.round(product.queries, 2) * np.round(product.keys, 2)
    agree = np.round(printed, 2) == np.round(product.products, 2)
    inside = np.abs(product.products) < product.edges[-1]
    (fit,) = np.nonzero(agree & inside)
    # As many as there are, should a very short stream hold fewer.
    spread_out = np.linspace(SLOW_DRAWS, len(fit) - 1, QUICK_DRAWS).round().astype(int)
    return np.concatenate([fit[:SLOW_DRAWS], fit[spread_out]])


class DotProductGrowth(LessonScene):
    """A score is a sum of d products, most of which cancel: its spread is the square root of d."""

    TITLE = "Why scores grow: a sum of d products spreads like √d"
    SECONDS = 75
    USES = ("d_k", "sizes", "pairs", "seed")

    def setup(self) -> None:
        super().setup()
        self.product = product_case(self.parameters)
        self.walk = walks_case(self.parameters)
        self.density = density_case(self.parameters)
        self.spread = spread_case(self.parameters)
        self.heading: Mobject | None = None

    def construct(self) -> None:
        self.show_the_sum()
        self.draw_one_product()
        self.draw_many_products()
        self.follow_one_score()
        self.add_the_others()
        self.go_through_the_sizes()
        self.put_the_spreads_on_the_line()

    def change_title(self, markup: str) -> list[FadeIn | FadeOut]:
        """The animations that put a new title in the place of the old one."""
        old, self.heading = self.heading, self.title(markup)
        return [*([FadeOut(old)] if old else []), FadeIn(self.heading)]

    # One product

    def show_the_sum(self) -> None:
        self.beat("one product")
        theme = self.theme
        self.formula = maths(
            "{{ q : q }} dot {{ k : k }} = {{ q_1 : q-1 }} {{ k_1 : k-1 }} + {{ q_2 : q-2 }} {{ k_2 : k-2 }}"
            " + dots.c + {{ q_d : q-d }} {{ k_d : k-d }}",
            em=1.3 * TITLE,
            color=theme.ink,
        )
        for number in ("", "-1", "-2", "-d"):
            self.formula.select(f"q{number}").set_color(theme.query)
            self.formula.select(f"k{number}").set_color(theme.key)
        place(self.formula, 0, FORMULA_BASELINE)
        self.say("A score is a dot product: numbers of a query times numbers of a key, added up.")
        self.play(*self.change_title("A score is a sum of products"), FadeIn(self.formula), run_time=0.8)
        self.hold(1)

    def draw_one_product(self) -> None:
        theme, case = self.theme, self.product
        self.plane = Plane(
            (case.edges[0], case.edges[-1]), (0, PRODUCT_TOP), left=-6.2, bottom=-1.75, width=12.4, height=2.85
        )
        self.draws = ValueTracker(0)
        self.shown = shown_draws(case)
        # The draws that are watched come first, then the rest of the stream.
        order = np.concatenate([self.shown[:SLOW_DRAWS], np.delete(np.arange(len(case.products)), self.shown[:SLOW_DRAWS])])
        self.bins = np.digitize(case.products[order], case.edges) - 1

        axis = self.number_line(self.plane, ticks(case.edges[-1]))
        times_sign = place(maths("times", em=TITLE, color=theme.ink), ROW["times"], NUMBERS_BASELINE)
        equals = place(maths("=", em=TITLE, color=theme.ink), ROW["equals"], NUMBERS_BASELINE)
        query, key = self.formula.select("q-1"), self.formula.select("k-1")
        rest = VGroup(*(part for part in self.formula if part not in [*query, *key]))
        factor_q, factor_k = VGroup(*query), VGroup(*key)
        pair = VGroup(factor_q, factor_k).copy()
        self.remove(self.formula)
        self.add(rest, factor_q, factor_k, pair)
        scale = 1 / 1.3
        baseline = FORMULA_BASELINE

        def moved(group: VGroup, x: float) -> Mobject:
            target = group.copy().scale(scale, about_point=[group.get_x(), baseline, 0])
            return target.shift([x - target.get_x(), SYMBOLS_BASELINE - baseline, 0])

        self.say("Take one product of two random numbers, each with mean 0 and spread 1.")
        self.play(
            *self.change_title("One product: mean 0, spread 1"),
            FadeOut(rest),
            factor_q.animate.become(moved(factor_q, ROW["q"])),
            factor_k.animate.become(moved(factor_k, ROW["k"])),
            pair.animate.become(moved(pair, ROW["qk"])),
            run_time=1.2,
        )
        self.play(FadeIn(axis), FadeIn(times_sign), FadeIn(equals), run_time=0.6)

        self.bars = Bars(
            self.plane.x(case.edges[:-1]) + 0.02, 12.4 / (len(case.edges) - 1) - 0.04, -1.75, theme.raw, SOFT
        )
        self.bars.add_updater(lambda bars: bars.show(self.plane.height * self.pile() / PRODUCT_TOP))
        self.falling = Area(theme.raw)
        self.falling.add_updater(lambda area: area.show(*discs(self.falling_dots(), SMALL_DOT)))
        self.numbers = [
            self.drawn_number(case.queries, ROW["q"], theme.query, 0.0),
            self.drawn_number(case.keys, ROW["k"], theme.key, 0.0),
            self.drawn_number(case.products, ROW["qk"], theme.raw, 0.3),
        ]
        self.add(self.bars, self.falling, *self.numbers)
        for number, seconds in zip(range(1, SLOW_DRAWS + 1), (2.0, 1.6, 1.6), strict=True):
            self.play(self.draws.animate.set_value(number), run_time=seconds, rate_func=linear)

    def draw_many_products(self) -> None:
        theme, case = self.theme, self.product
        many = len(case.products)
        counter = Readout(em=LABEL, color=theme.raw, weight="regular", align="right")
        counter.add_updater(lambda text: text.show(f"{whole(self.drawn())} products", RIGHT_EDGE, -0.2))
        self.add(counter)
        self.say("Again and again: the products pile up around 0, on either side alike.")
        self.play(self.draws.animate.set_value(len(self.shown)), run_time=4, rate_func=smooth)
        for mobject in (self.bars, self.falling, counter, *self.numbers):
            mobject.clear_updaters()

        reveal = ValueTracker(0)
        branches = [(case.grid < 0) & (case.law < PRODUCT_TOP), (case.grid > 0) & (case.law < PRODUCT_TOP)]
        law = Lines(theme.ink, MAIN)

        def show_law(lines: Lines) -> None:
            end = case.grid[0] + reveal.get_value() * np.ptp(case.grid)
            cut = [up_to(case.grid[part], case.law[part], min(end, case.grid[part][-1])) for part in branches if end > case.grid[part][0]]
            lines.show(*(self.plane.points(xs, ys) for xs, ys in cut))

        law.add_updater(show_law)
        self.add(law)
        law_name = place(words("exact law", em=LABEL, color=theme.ink), 0.35, self.plane.y(1.0), "left")
        spread = Lines(theme.raw, MAIN)
        spread.show(*bracket(*self.plane.x([case.mean - case.std, case.mean + case.std]), -2.32))
        numbers = words(f"mean {fixed(case.mean, 2)}, spread {fixed(case.std, 2)}", em=LABEL, color=theme.raw)
        place(numbers, float(self.plane.x(case.mean)), -2.78)
        self.say(f"Mean {fixed(case.mean, 2)}; spread, that is standard deviation, {fixed(case.std, 2)}. The exact law: 0 and 1.")
        self.play(reveal.animate.set_value(1), FadeIn(law_name), run_time=1.4)
        self.play(FadeIn(spread, scale=0.2), FadeIn(numbers), run_time=0.8)
        law.clear_updaters()
        self.hold(1)

    def number_line(self, plane: Plane, marks: Sequence[float]) -> VGroup:
        """A level axis with round numbers under it."""
        theme = self.theme
        line = Lines(theme.muted, THIN).show(
            np.array([[plane.left, plane.bottom, 0], [plane.left + plane.width, plane.bottom, 0]]),
            *(np.array([[plane.x(x), plane.bottom, 0], [plane.x(x), plane.bottom - 0.08, 0]]) for x in marks),
        )
        numbers = [place(words(short(x), em=SMALL, color=theme.muted), plane.x(x), plane.bottom - 0.36) for x in marks]
        return VGroup(line, *numbers)

    def drawn_number(self, values: FloatArray, x: float, color: str, after: float) -> Readout:
        """A readout of the draw that is on screen, seen from ``after`` (0 to 1) of its time on."""
        readout = Readout(em=TITLE, color=color)

        def show(text: Readout) -> None:
            now = self.draws.get_value()
            current = math.ceil(now) - 1
            if current >= SLOW_DRAWS or now - current > after:
                text.show(fixed(values[self.shown[max(current, 0)]], 2), x, NUMBERS_BASELINE)
            else:
                text.show("", x, NUMBERS_BASELINE)

        readout.add_updater(show)
        return readout

    def drawn(self) -> int:
        """How many products have been drawn by now."""
        now = self.draws.get_value()
        quick = max(0.0, (now - SLOW_DRAWS) / (len(self.shown) - SLOW_DRAWS))
        return round(min(now, SLOW_DRAWS) + (len(self.product.products) - SLOW_DRAWS) * quick**2)

    def pile(self) -> FloatArray:
        """Height of each bar, as a density of all products, when only those drawn by now have landed."""
        case, n_bins = self.product, len(self.product.heights)
        bins = self.bins[: self.drawn()]
        counts = np.bincount(bins[(bins >= 0) & (bins < n_bins)], minlength=n_bins)
        return counts / (len(case.products) * np.diff(case.edges))

    def falling_dots(self) -> FloatArray:
        """Where the products on their way to the line are now, (n, 3): thrown from their number, falling freely."""
        now, last = self.draws.get_value(), len(self.shown)
        start = np.arange(last) + 0.4
        end = np.where(np.arange(last) < SLOW_DRAWS, start + 0.6, np.minimum(start + FLIGHT, last))
        part = (now - start) / (end - start)
        # The first few stay where they land until the others come.
        stay = (np.arange(last) < SLOW_DRAWS) & (now <= SLOW_DRAWS)
        seen = (part > 0) & ((part < 1) | stay)
        part = np.minimum(part[seen], 1)
        products = self.product.products[self.shown[seen]]
        tops = self.plane.y(self.pile()[np.digitize(products, self.product.edges) - 1]) + SMALL_DOT
        from_y = NUMBERS_BASELINE - 0.2
        xs = ROW["qk"] + (self.plane.x(products) - ROW["qk"]) * part
        return np.stack([xs, from_y + (tops - from_y) * part**2, np.zeros_like(xs)], axis=-1)

    # Adding products

    def follow_one_score(self) -> None:
        self.beat("adding products")
        theme, case = self.theme, self.walk
        if self.heading:
            self.clear_board(self.heading)
        reach = 1.05 * max(float(np.abs(case.walks).max()), 2 * case.spread_at_end)
        self.field = Plane((0, case.d_k), (-reach, reach), **WALKS_BOX)
        field = self.field
        right, top = field.left + field.width, field.bottom + field.height
        frame = Lines(theme.muted, THIN).show(
            np.array([[field.left, field.bottom, 0], [field.left, top, 0]]),
            np.array([[field.left, field.y(0), 0], [right, field.y(0), 0]]),
        )
        marks = sorted({round(case.d_k * part / 4) for part in range(1, 5)} - {0})
        labels = [place(words(short(y), em=SMALL, color=theme.muted), field.left - 0.15, field.y(y) - 0.09, "right") for y in ticks(reach)]
        labels += [place(words(whole(x), em=SMALL, color=theme.muted), field.x(x), field.bottom - 0.4) for x in marks]
        labels.append(place(words("running score", em=LABEL, color=theme.muted), LEFT_EDGE, top + 0.22, "left"))
        labels.append(place(words("products added", em=LABEL, color=theme.muted), field.left, field.bottom - 0.4, "left"))

        self.added, self.others, self.root = ValueTracker(0), ValueTracker(0), ValueTracker(0)
        self.band = Area(theme.faint, 0.6).add_updater(lambda area: area.show(self.inside_envelope()))
        self.crowd = Lines(theme.raw, CROWD, SOFT).add_updater(lambda lines: lines.show(*self.other_walks()))
        self.envelope = Lines(theme.ink, 3).add_updater(lambda lines: lines.show(*self.envelope_dashes()))
        self.followed = Lines(theme.raw, MAIN).add_updater(lambda lines: lines.show(self.followed_walk()))
        self.head = Dot(radius=DOT, color=theme.raw).add_updater(lambda dot: dot.move_to(self.followed_walk()[-1]))
        self.score = Readout(em=LABEL, color=theme.raw, align="left").add_updater(self.show_score)
        self.say("Add such products one by one: each moves the running score a step up or down.")
        self.play(
            *self.change_title(f"A score adds $d$ products, and {'most' if case.d_k > 4 else 'some'} of them cancel"),
            FadeIn(frame, *labels),
            run_time=0.8,
        )
        self.add(self.band, self.crowd, self.envelope, self.followed, self.head, self.score)
        steps = min(SLOW_STEPS, len(case.positions) - 1)
        for position in case.positions[1 : steps + 1]:
            self.play(self.added.animate.set_value(position), run_time=0.4, rate_func=smooth)
        if steps < len(case.positions) - 1:
            self.play(self.added.animate.set_value(case.d_k), run_time=4, rate_func=smooth)
        for mobject in (self.followed, self.head, self.score):
            mobject.clear_updaters()
        end = fixed(case.ends[case.followed], self.digits())
        self.say(f"After {whole(case.d_k)} steps this score is {end}: {whole(case.steps_up)} went up, {whole(case.steps_down)} down.")
        self.hold(1)

    def add_the_others(self) -> None:
        theme, case, field = self.theme, self.walk, self.field
        right = field.left + field.width
        self.say(f"Other queries and keys walk other ways. Here are {len(case.ends)} scores.")
        self.play(self.others.animate.set_value(case.d_k), run_time=3, rate_func=smooth)
        self.crowd.clear_updaters()
        self.hold(0.4)

        self.say(f"Dashed: the spread after d steps is √d, here √{whole(case.d_k)} {root_value(case.d_k)}.")
        self.play(self.root.animate.set_value(case.d_k), run_time=2, rate_func=smooth)
        self.band.clear_updaters()
        self.envelope.clear_updaters()
        roots = [
            place(maths(root_markup(case.d_k, sign), color=theme.ink), right + 1.15, field.y(side * case.spread_at_end) - 0.09, "left")
            for sign, side in (("", 1), ("-", -1))
        ]
        self.play(FadeIn(*roots), run_time=0.6)
        self.hold(1)

        reach = field.y_range[1]
        end = min(case.d_k, reach)
        straight = ValueTracker(0)
        line = Lines(theme.muted, 3).add_updater(
            lambda lines: lines.show(
                *dashes(field.points(*[np.array([0, straight.get_value()])] * 2))
            )
        )
        self.add(line)
        name = words("every step up by 1", em=LABEL, color=theme.muted)
        if end < case.d_k:
            place(name, field.x(end) + 0.2, field.bottom + field.height - 0.2, "left")
        else:
            place(name, field.x(end), field.y(end) + 0.2)
        self.say(f"{whole(case.d_k)} steps of 1, all one way, would reach {whole(case.d_k)}. But ups and downs cancel.")
        self.play(straight.animate.set_value(end), run_time=1, rate_func=linear)
        self.play(FadeIn(name), run_time=0.4)
        line.clear_updaters()
        self.hold(1)

    def digits(self) -> int:
        """Decimals of a running score: fewer where scores are large."""
        return 2 if self.walk.spread_at_end < 10 else 1

    def followed_walk(self) -> FloatArray:
        """The followed walk as far as it has come, (n, 3) scene points, at least one."""
        case = self.walk
        return self.field.points(*up_to(case.positions, case.walks[case.followed], self.added.get_value()))

    def other_walks(self) -> list[FloatArray]:
        case, end = self.walk, self.others.get_value()
        if end == 0:
            return []
        return [
            self.field.points(*up_to(case.positions, walk, end))
            for index, walk in enumerate(case.walks)
            if index != case.followed
        ]

    def envelope_curve(self) -> tuple[FloatArray, FloatArray]:
        """sqrt(x) at every x up to where it has come; close together near 0, where it is steep."""
        xs = self.root.get_value() * np.linspace(0, 1, 121) ** 2
        return xs, np.sqrt(xs)

    def envelope_dashes(self) -> list[FloatArray]:
        xs, ys = self.envelope_curve()
        return [piece for side in (1, -1) for piece in dashes(self.field.points(xs, side * ys))]

    def inside_envelope(self) -> FloatArray:
        xs, ys = self.envelope_curve()
        return np.concatenate([self.field.points(xs, ys), self.field.points(xs, -ys)[::-1]])

    def show_score(self, readout: Readout) -> None:
        case, now = self.walk, self.added.get_value()
        score = float(np.interp(now, case.positions, case.walks[case.followed]))
        x, y, _ = self.followed_walk()[-1]
        readout.show(fixed(score, self.digits()), x + 0.2, y - 0.09)

    # Every size

    def go_through_the_sizes(self) -> None:
        self.beat("every size")
        theme, case = self.theme, self.density
        if self.heading:
            self.clear_board(self.heading)
        reach = WINDOW * case.std_law[-1]
        self.scores = Plane((-reach, reach), (0, 1), **DENSITY_BOX)
        plane = self.scores
        axis = self.number_line(plane, ticks(reach))
        score = place(maths("{{ q : q }} dot {{ k : k }}", color=theme.ink), plane.left + plane.width, plane.bottom + 0.3, "right")
        score.select("q").set_color(theme.query)
        score.select("k").set_color(theme.key)
        note = place(words("each curve at the same height", em=SMALL, color=theme.muted), LEFT_EDGE, 1.75, "left")

        self.size = ValueTracker(math.log(case.sizes[0]))
        self.measured = ValueTracker(0)
        self.passed = Lines(theme.muted, THIN).add_updater(lambda lines: lines.show(*self.passed_curves()))
        self.curve = Lines(theme.ink, MAIN).add_updater(lambda lines: lines.show(self.density_curve(self.d())))
        self.sides = Lines(theme.ink, THIN).add_updater(lambda lines: lines.show(*self.spread_sides()))
        em = HEADING
        live = [
            place(maths("d =", em=em, color=theme.ink), LIVE_X, LIVE_BASELINES[0], "right"),
            place(maths("sqrt(d) =", em=em, color=theme.ink), LIVE_X, LIVE_BASELINES[1], "right"),
        ]
        self.d_now = Readout(em=em, color=theme.ink, weight="regular", align="left")
        self.d_now.add_updater(lambda text: text.show(whole(self.d()), LIVE_X + 0.15, LIVE_BASELINES[0]))
        self.root_now = Readout(em=em, color=theme.ink, weight="regular", align="left")
        self.root_now.add_updater(lambda text: text.show(fixed(math.sqrt(self.d()), 2), LIVE_X + 0.15, LIVE_BASELINES[1]))
        moving = [self.passed, self.curve, self.sides, self.d_now, self.root_now]
        for mobject in moving:
            mobject.update()
        self.say(f"So the longer the vectors, the wider the scores. The exact law at d = {whole(case.sizes[0])}:")
        self.play(
            *self.change_title("The longer the vectors, the wider the scores"),
            FadeIn(axis, score, note, *live, *moving),
            run_time=0.8,
        )
        self.hold(1)
        pitch = min(ROW_PITCH, (ROWS_TOP - ROWS_BOTTOM) / (len(case.sizes) - 1))
        self.rows: list[tuple[Lines, Mobject, Mobject, Mobject]] = []
        bars: Bars | None = None
        for index, d in enumerate(case.sizes):
            if bars:
                self.play(
                    self.size.animate.set_value(math.log(d)), FadeOut(bars, run_time=0.6, rate_func=linear), run_time=1.6
                )
            bars = self.measure(index, ROWS_TOP - pitch * index)
        self.say(
            f"From {whole(case.sizes[0])} to {whole(case.sizes[-1])} numbers the spread goes from "
            f"{fixed(case.measured_std[0], 2)} to {fixed(case.measured_std[-1], 2)}."
        )
        self.hold(1)

    def measure(self, index: int, y: float) -> Bars:
        """Raise the measured histogram of one size, and its spread as a bracket at height ``y``."""
        theme, case, plane = self.theme, self.density, self.scores
        d, spread = case.sizes[index], case.measured_std[index]
        edges = plane.x(case.edges[index])
        heights = plane.height * case.heights[index] / float(score_density(0.0, d))
        inside = (edges[:-1] >= plane.left - 1e-9) & (edges[1:] <= plane.left + plane.width + 1e-9)
        bars = Bars(edges[:-1][inside] + 0.04 * (edges[1] - edges[0]), 0.92 * (edges[1] - edges[0]), plane.bottom, theme.raw, SOFT)
        self.measured.set_value(0)
        bars.add_updater(lambda shape: shape.show(self.measured.get_value() * heights[inside]))
        left, right = plane.x([-spread, spread])
        line = Lines(theme.raw, MAIN).add_updater(
            lambda lines: lines.show(*bracket(self.measured.get_value() * left, self.measured.get_value() * right, y))
        )
        size = place(words(whole(d), color=theme.ink), left - 0.2, y - 0.09, "right")
        equation = place(maths("d =", color=theme.ink), size.get_left()[0] - 0.1, y - 0.09, "right")
        number = place(words(fixed(spread, 2), color=theme.raw, weight="semibold"), right + 0.2, y - 0.09, "left")
        entry: list[Mobject] = [size, equation, number]
        if index == 0:
            self.unit = place(words("measured spread", color=theme.muted), number.get_right()[0] + 0.15, y - 0.09, "left")
            entry.append(self.unit)
            self.say(
                f"Bars: {whole(self.parameters.pairs)} measured scores. Bracket: their spread to either side, {fixed(spread, 2)}."
            )
        else:
            self.say(f"At d = {whole(d)} the spread is {fixed(spread, 2)}.")
        self.add(line)
        self.add(bars)
        self.bring_to_back(bars)
        self.play(self.measured.animate.set_value(1), FadeIn(*entry), run_time=0.8)
        bars.clear_updaters()
        line.clear_updaters()
        self.rows.append((line, size, equation, number))
        self.hold(0.6)
        return bars

    def d(self) -> float:
        """The size on screen now; between whole sizes the law goes on."""
        return math.exp(self.size.get_value())

    def density_curve(self, d: float) -> FloatArray:
        """The exact law at size ``d`` as (n, 3) scene points, its peak at the top of the plot."""
        plane = self.scores
        xs = math.sqrt(d) * np.linspace(-REACH, REACH, 181)
        xs = np.unique(np.clip(xs, *plane.x_range))
        ys = score_density(xs, d) / float(score_density(0.0, d))
        ends = np.array(plane.x_range)
        return plane.points(np.concatenate([ends[:1], xs, ends[1:]]), np.concatenate([ys[:1], ys, ys[-1:]]))

    def passed_curves(self) -> list[FloatArray]:
        return [self.density_curve(size) for size in self.density.sizes if math.log(size) < self.size.get_value() - 1e-9]

    def spread_sides(self) -> list[FloatArray]:
        """Upright lines from the axis to the curve, one standard deviation either side of 0."""
        plane, d = self.scores, self.d()
        height = float(score_density(math.sqrt(d), d) / score_density(0.0, d))
        return [plane.points(np.array([x, x]), np.array([0, height])) for x in (-math.sqrt(d), math.sqrt(d))]

    # The root law

    def put_the_spreads_on_the_line(self) -> None:
        self.beat("the root law")
        theme, case = self.theme, self.spread
        first, last = math.log(case.sizes[0]), math.log(case.sizes[-1])
        unit = LOG_WIDTH / (last - first)  # scene units a factor of e, in both directions
        pad = LOG_PAD / unit
        height = LOG_WIDTH / 2 + 2 * LOG_PAD
        self.loglog = Plane(
            (first - pad, last + pad),
            (first / 2 - pad, last / 2 + pad),
            left=PLANE_MIDDLE[0] - LOG_WIDTH / 2 - LOG_PAD,
            bottom=PLANE_MIDDLE[1] - height / 2,
            width=LOG_WIDTH + 2 * LOG_PAD,
            height=height,
        )
        plane = self.loglog
        right, top = plane.left + plane.width, plane.bottom + plane.height
        xs = [float(plane.x(math.log(d))) for d in case.sizes]
        ends = [case.sizes.index(case.to_size), case.sizes.index(case.from_size)]
        order = [*ends, *(index for index in range(len(xs)) if index not in ends)]
        labelled = spaced(xs, order, LABEL_ROOM)
        laws = [float(plane.y(math.log(law))) for law in case.law]
        y_labelled = spaced(laws, order, 0.35)

        frame = Lines(theme.muted, THIN).show(
            np.array([[plane.left, top, 0], [plane.left, plane.bottom, 0], [right, plane.bottom, 0]]),
            *(np.array([[x, plane.bottom, 0], [x, plane.bottom - 0.08, 0]]) for x in xs),
            *(np.array([[plane.left, y, 0], [plane.left - 0.08, y, 0]]) for y in laws),
        )
        names = [
            place(words("spread", color=theme.muted), LEFT_EDGE, top + 0.1, "left"),
            place(maths("d", color=theme.muted), right + 0.2, plane.bottom - 0.09, "left"),
        ]
        names += [
            place(words(times(law), em=SMALL, color=theme.muted), plane.left - 0.18, y - 0.09, "right")
            for law, y, kept in zip(case.law, laws, y_labelled, strict=True)
            if kept
        ]
        self.dots = [
            Dot(plane.point(math.log(d), math.log(std)), radius=DOT, color=theme.raw)
            for d, std in zip(case.sizes, case.raw_std, strict=True)
        ]
        rows = VGroup(*(mobject for row in self.rows for mobject in row))
        landings = []
        going: list[Mobject] = []
        for (line, size, equation, number), dot, x, kept in zip(self.rows, self.dots, xs, labelled, strict=True):
            going.append(equation)
            moves = [ReplacementTransform(line, dot, path_arc=0.3)]
            if kept:
                size.save_state()
                moves.append(size.animate.move_to([x, plane.bottom - 0.33, 0]))
                moves.append(number.animate.move_to([x - 0.2 - number.width / 2, dot.get_y() + 0.28, 0]))
            else:
                going += [size, number]
            landings.append(moves)
        self.clear_board(*filter(None, [self.heading]), rows)
        self.say("Put every measured spread above its size, both on logarithmic scales.")
        self.play(
            *self.change_title("The spread of a score is $sqrt(d)$"),
            FadeIn(frame, *names),
            *(FadeOut(mobject) for mobject in going),
            run_time=0.8,
        )
        self.play(LaggedStart(*(move for moves in landings for move in moves), lag_ratio=0.1, run_time=3))
        self.hold(1)

        line_end = ValueTracker(first - pad)
        law_line = Lines(theme.ink, 3)
        law_line.add_updater(
            lambda lines: lines.show(
                *dashes(plane.points(*(np.array([first - pad, line_end.get_value()]) * half for half in (1, 0.5))))
            )
        )
        self.add(law_line)
        self.bring_to_back(law_line)
        law_name = place(maths("sqrt(d)", em=HEADING, color=theme.ink), right + 0.15, float(plane.y((last + pad) / 2)) - 0.1, "left")
        self.say("Give or take chance, they lie on one straight line: √d.")
        self.play(line_end.animate.set_value(last + pad), run_time=1.4)
        self.play(FadeIn(law_name), run_time=0.4)
        law_line.clear_updaters()
        self.hold(1)
        self.show_the_step(ends)

    def show_the_step(self, ends: list[int]) -> None:
        """A right-angled step between the dots of two sizes: so many times the numbers, so many times the spread."""
        theme, case = self.theme, self.spread
        end, start = (self.dots[index].get_center() for index in ends)
        corner = np.array([end[0], start[1], 0.0])
        across, upward = ValueTracker(0), ValueTracker(0)
        step = Lines(theme.ink, MAIN)
        step.add_updater(
            lambda lines: lines.show(
                np.array([start, start + across.get_value() * (corner - start)]),
                np.array([corner, corner + upward.get_value() * (end - corner)]),
            )
        )
        self.add(step)
        self.bring_to_back(step)
        more = place(words(f"{times(case.size_ratio)} times the numbers", color=theme.ink), (start[0] + end[0]) / 2, start[1] - 0.38)
        low = max((corner[1] + end[1]) / 2 - 0.36, corner[1] + 0.1)
        wider = place(words(f"{times(case.spread_ratio)} times the spread", color=theme.ink), end[0] + 0.2, low + 0.38, "left")
        seen = place(words(f"measured {fixed(case.measured_ratio, 2)}", color=theme.raw), end[0] + 0.2, low, "left")
        self.say(
            f"From {whole(case.from_size)} to {whole(case.to_size)}: {times(case.size_ratio)} times the numbers, "
            f"{times(case.spread_ratio)} times the spread."
        )
        self.play(across.animate.set_value(1), FadeIn(more), run_time=1.2)
        self.play(upward.animate.set_value(1), FadeIn(wider, seen), run_time=1.2)
        step.clear_updaters()
        self.hold(1)
        self.say("A raw score grows like the root of its size. Next: what softmax makes of that.")
        self.hold(1)

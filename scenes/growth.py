"""Why a score spreads like the square root of its size: one product, a sum of them, and the sum at every size."""

import math
from collections.abc import Sequence

import numpy as np
from manim import (
    AnimationGroup,
    Dot,
    FadeIn,
    FadeOut,
    GrowFromPoint,
    LaggedStart,
    Mobject,
    ValueTracker,
    VGroup,
    linear,
    smooth,
    squish_rate_func,
)

from core.cases import ProductCase, density_case, product_case, spread_case, walks_case
from core.numerals import fixed, short, significant, whole
from core.spread import score_density
from scenes.base import LEFT_EDGE, MARGIN, LessonScene
from scenes.parts import Area, Bars, FloatArray, Lines, Plane
from scenes.typesetting import HEADING, LABEL, SMALL, TITLE, Readout, maths, place, words

# All lengths are in scene units: the frame is 14.2 wide and 8 high, its middle is (0, 0).
MAIN, THIN, CROWD = 4.0, 2.0, 1.0  # stroke widths
SOFT = 0.7  # opacity of what lies behind a main curve; still 3:1 on either ground
DASH, GAP = 0.14, 0.11
WIDEST = 64 / 9 - MARGIN  # no text goes further right
HALO = 8  # stroke width of the ground round a text that stands on lines
CAP = 0.1  # half the height of a bracket's ends
DOT = 0.1  # radius
SMALL_DOT = 0.07

# One product
PRODUCT_BOX = {"left": -6.2, "bottom": -1.75, "width": 12.4, "height": 2.85}
FORMULA_BASELINE = 0.4
ROW = {"q": -3.4, "times": -1.7, "k": 0.0, "equals": 1.7, "qk": 3.4}  # where the factors and their product stand
SYMBOLS_BASELINE, NUMBERS_BASELINE = 2.15, 1.45
PRODUCT_TOP = 1.1  # density at the top of the plot, at least; the exact law goes on up to infinity at 0
SLOW_DRAWS = 3  # shown one at a time
QUICK_DRAWS = 44  # of all the others, those that are seen to fall
FLIGHT = 5  # quick draws that are falling at once

# Adding products
WALKS_BOX = {"left": -5.8, "bottom": -2.25, "width": 9.1, "height": 4.7}
SLOW_STEPS, FIRST_VIEW = (
    6,
    8,
)  # steps of the followed walk that are shown one at a time; steps the plot first has room for

# Every size
WINDOW = 2.5  # standard deviations of the largest size that the score axis shows either side of 0
REACH = 4.5  # standard deviations either side of 0 that a curve is drawn to
DENSITY_BOX = {"left": -6.0, "bottom": -0.4, "width": 12.0, "height": 2.55}
LIVE_X, LIVE_BASELINES = 4.9, (2.2, 1.6)
OVERSHOOT = 1.2  # how far bars may rise above the top of the plot, in plots
ROWS_TOP, ROWS_BOTTOM, ROW_PITCH = -1.2, -2.7, 0.37

# The root law
LOG_LEFT, LOG_BOTTOM = -5.7, -2.3
LOG_WIDTH, LOG_HEIGHT = (
    7.4,
    3.7,
)  # from the smallest to the largest size and spread: a decade is as long upwards as sideways
LOG_PADS = (0.9, 0.5, 0.75, 0.45)  # room to the left, to the right, below and above that
LIFT = 1.9  # how far the brackets rise, out of the way of the sizes
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
    if ratio == round(ratio) or ratio >= 1000:
        return whole(ratio)
    text = significant(ratio, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_square(d: int) -> bool:
    """Whether sqrt(``d``) is a whole number."""
    return math.isqrt(d) ** 2 == d


def root_value(d: int) -> str:
    """sqrt(``d``) with its sign of equality, as in "= 8" or "≈ 11.3"."""
    return f"= {math.isqrt(d)}" if is_square(d) else f"≈ {significant(math.sqrt(d), 3)}"


def root_markup(d: int) -> str:
    """sqrt(``d``) and its value as a Typst formula."""
    relation, value = root_value(d).split()
    return f'sqrt("{whole(d)}") {"=" if relation == "=" else "approx"} "{value}"'


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
        arrival = FadeIn(self.heading, rate_func=squish_rate_func(smooth, 0.5, 1) if old else smooth)
        return [*([FadeOut(old, rate_func=squish_rate_func(smooth, 0, 0.5))] if old else []), arrival]

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
        self.say("The score of a query and a key is their dot product: a sum of products.")
        self.play(*self.change_title("A score is a sum of products"), FadeIn(self.formula), run_time=0.8)
        self.hold(1)

    def draw_one_product(self) -> None:
        theme, case = self.theme, self.product
        top = max(PRODUCT_TOP, 1.05 * float(case.heights.max()))
        self.plane = Plane((case.edges[0], case.edges[-1]), (0, top), **PRODUCT_BOX)
        self.draws = ValueTracker(0)
        self.shown = shown_draws(case)
        # The draws that are watched come first, then the rest of the stream.
        order = np.concatenate(
            [self.shown[:SLOW_DRAWS], np.delete(np.arange(len(case.products)), self.shown[:SLOW_DRAWS])]
        )
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

        lefts = self.plane.x(case.edges)
        wide = lefts[1] - lefts[0]
        self.bars = Bars(lefts[:-1] + 0.04 * wide, 0.92 * wide, self.plane.bottom, theme.raw, SOFT)
        self.bars.add_updater(lambda bars: bars.show(self.plane.y(self.pile()) - self.plane.bottom))
        self.falling = Area(theme.raw)
        self.falling.add_updater(lambda area: area.show(*discs(self.falling_dots(), SMALL_DOT)))
        self.numbers = [
            self.drawn_number(case.queries, ROW["q"], theme.query, 0.0),
            self.drawn_number(case.keys, ROW["k"], theme.key, 0.0),
            self.drawn_number(case.products, ROW["qk"], theme.raw, 0.3),
        ]
        self.add(self.bars, self.falling, *self.numbers)
        for number, seconds in zip(range(1, SLOW_DRAWS + 1), (1.6, 1.0, 1.0), strict=True):
            self.play(self.draws.animate.set_value(number), run_time=seconds, rate_func=linear)

    def draw_many_products(self) -> None:
        theme, case = self.theme, self.product
        many = len(case.products)
        counter = Readout(em=LABEL, color=theme.raw, weight="regular", align="left")
        counter.add_updater(lambda text: text.show(f"{whole(self.drawn())} products", 1.5, -0.5))
        self.add(counter)
        self.say("Again and again: the products pile up around 0, on either side alike.")
        self.play(self.draws.animate.set_value(len(self.shown)), run_time=4, rate_func=smooth)
        for mobject in (self.bars, self.falling, counter, *self.numbers):
            mobject.clear_updaters()

        reveal = ValueTracker(0)
        branches = [
            (case.grid < 0) & (case.law < self.plane.y_range[1]),
            (case.grid > 0) & (case.law < self.plane.y_range[1]),
        ]
        law = Lines(theme.ink, MAIN)

        def show_law(lines: Lines) -> None:
            end = case.grid[0] + reveal.get_value() * np.ptp(case.grid)
            cut = [
                up_to(case.grid[part], case.law[part], min(end, case.grid[part][-1]))
                for part in branches
                if end > case.grid[part][0]
            ]
            lines.show(*(self.plane.points(xs, ys) for xs, ys in cut))

        law.add_updater(show_law)
        self.add(law)
        law_name = place(words("exact law", em=LABEL, color=theme.ink), 0.5, 0.7, "left")
        spread = Lines(theme.raw, MAIN)
        spread.show(*bracket(*self.plane.x([case.mean - case.std, case.mean + case.std]), -2.32))
        numbers = words(f"mean {fixed(case.mean, 2)}, spread {fixed(case.std, 2)}", em=LABEL, color=theme.raw)
        place(numbers, float(self.plane.x(case.mean)), -2.78)
        self.say(
            f"Mean {fixed(case.mean, 2)}; spread, that is standard deviation, {fixed(case.std, 2)}. The exact law: 0 and 1."
        )
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
        self.view = ValueTracker(self.first_view())  # how many products the plot has room for
        self.added, self.others, self.root = ValueTracker(0), ValueTracker(0), ValueTracker(0)
        frame = Lines(theme.muted, THIN).show(*self.walk_axes())
        box = self.field()
        names = [
            place(words("running score", color=theme.muted), LEFT_EDGE, box.bottom + box.height + 0.22, "left"),
            place(words("products added", color=theme.muted), box.left + box.width + 0.5, box.bottom - 0.4, "left"),
        ]
        counts = sorted({round(case.d_k * part / 4) for part in range(1, 5)} - {0})
        marks = [(words(whole(x), em=SMALL, color=theme.muted), "x", x) for x in counts]
        marks += [(words(short(y), em=SMALL, color=theme.muted), "y", y) for y in ticks(self.reach(case.d_k))]

        self.band = Area(theme.faint, 0.6).add_updater(lambda area: area.show(self.inside_envelope()))
        self.crowd = Lines(theme.raw, CROWD, SOFT).add_updater(lambda lines: lines.show(*self.other_walks()))
        self.envelope = Lines(theme.ink, 3).add_updater(lambda lines: lines.show(*self.envelope_dashes()))
        # The ground shows through round the followed walk, so that it stands out from the crowd.
        halo = Lines(theme.ground, 3 * MAIN).add_updater(lambda lines: lines.show(self.followed_walk()))
        self.followed = Lines(theme.raw, 1.25 * MAIN).add_updater(lambda lines: lines.show(self.followed_walk()))
        self.head = Dot(radius=DOT, color=theme.raw).add_updater(lambda dot: dot.move_to(self.followed_walk()[-1]))
        self.score = Readout(em=HEADING, color=theme.raw, align="left").add_updater(self.show_score)
        self.score.set_stroke(theme.ground, width=HALO, background=True)  # keeps the zero line off its digits
        walking = [halo, self.followed, self.head, self.score]
        for mobject in walking:
            mobject.update()
        self.say("Add such products one by one: each moves the running score a step up or down.")
        self.play(
            *self.change_title(f"A score adds $d$ products, and {'most' if case.d_k > 4 else 'some'} of them cancel"),
            FadeIn(frame, *names, *(self.put_mark(*mark) for mark in marks)),
            run_time=0.8,
        )
        for text, axis, value in marks:
            text.add_updater(lambda text, axis=axis, value=value: self.put_mark(text, axis, value))
        self.add(self.band, self.crowd, self.envelope, *walking)
        steps = min(SLOW_STEPS, len(case.positions) - 1)
        for position in case.positions[1 : steps + 1]:
            self.play(self.added.animate.set_value(position), run_time=0.4, rate_func=smooth)
        if steps < len(case.positions) - 1:
            self.play(
                self.added.animate.set_value(case.d_k),
                self.view.animate.set_value(case.d_k),
                run_time=3.4,
                rate_func=smooth,
            )
        for mobject in [*(text for text, _, _ in marks), *walking]:
            mobject.clear_updaters()
        self.hold(0.2)
        end = fixed(case.ends[case.followed], self.digits())
        steps = f"{whole(case.steps_up)} step{'' if case.steps_up == 1 else 's'} went"
        self.say(f"{steps} up and {whole(case.steps_down)} down: after {whole(case.d_k)} it stands at {end}.")
        self.hold(1)

    def add_the_others(self) -> None:
        theme, case, field = self.theme, self.walk, self.field()
        right = field.left + field.width
        self.say(f"{len(case.ends)} scores, each of its own query and key.")
        self.play(self.others.animate.set_value(case.d_k), run_time=2.6, rate_func=smooth)
        self.crowd.clear_updaters()
        self.hold(0.2)

        self.say(f"Dashed: the spread after d steps is √d, here √{whole(case.d_k)} {root_value(case.d_k)}.")
        self.play(self.root.animate.set_value(case.d_k), run_time=1.8, rate_func=smooth)
        self.band.clear_updaters()
        self.envelope.clear_updaters()
        x = max(right + 0.25, float(self.score.get_right()[0]) + 0.35)
        formulas = (root_markup(case.d_k), f'-sqrt("{whole(case.d_k)}")')
        for em in (HEADING, LABEL, SMALL):
            ends = [
                place(maths(formula, em=em, color=theme.ink), x, field.y(side * case.spread_at_end) - 0.12, "left")
                for formula, side in zip(formulas, (1, -1), strict=True)
            ]
            if max(end.get_right()[0] for end in ends) <= WIDEST:
                break
        self.play(FadeIn(*ends), run_time=0.6)
        self.hold(0.8)

        top = field.y_range[1]
        end = min(case.d_k, top)
        straight = ValueTracker(0)
        line = Lines(theme.muted, 3)
        line.add_updater(lambda lines: lines.show(*dashes(field.points(*[np.array([0, straight.get_value()])] * 2))))
        self.add(line)
        name = words("every step up by 1", color=theme.muted).set_stroke(theme.ground, width=HALO, background=True)
        if end < case.d_k:
            place(name, field.x(end) + 0.2, field.bottom + field.height - 0.2, "left")
        else:
            place(name, field.x(end), field.y(end) + 0.2)
        self.say(f"{whole(case.d_k)} steps of 1, all one way, would reach {whole(case.d_k)}. But ups and downs cancel.")
        self.play(straight.animate.set_value(end), run_time=1, rate_func=linear)
        self.play(FadeIn(name), run_time=0.4)
        line.clear_updaters()
        self.hold(1)

    def reach(self, view: float) -> float:
        """The running score at the top of the plot when it has room for ``view`` products."""
        case = self.walk
        near, so_far = self.first_view(), np.maximum.accumulate(np.abs(case.walks[case.followed]))

        def followed(view: float) -> float:
            return float(np.interp(view, case.positions, so_far))

        every = 1.05 * max(float(np.abs(case.walks).max()), 2 * case.spread_at_end)
        if case.d_k == near:
            return every
        first = max(1.5 * followed(near), math.sqrt(near))
        return max(float(np.interp(view, [near, case.d_k], [first, every])), 1.05 * followed(view))

    def first_view(self) -> int:
        """How many products the plot has room for at first."""
        return int(self.walk.positions[min(FIRST_VIEW, len(self.walk.positions) - 1)])

    def field(self) -> Plane:
        """Where walks are drawn now: the plot widens as it gets room for more products."""
        view = self.view.get_value()
        reach = self.reach(view)
        return Plane((0, view), (-reach, reach), **WALKS_BOX)

    def walk_axes(self) -> list[FloatArray]:
        field = self.field()
        top, right, zero = field.bottom + field.height, field.left + field.width, field.y(0)
        return [
            np.array([[field.left, field.bottom, 0], [field.left, top, 0]]),
            np.array([[field.left, zero, 0], [right, zero, 0]]),
        ]

    def put_mark(self, mark: Mobject, axis: str, value: float) -> Mobject:
        """Put a number of an axis where it belongs; it comes in at the edge of the plot once there is room for it."""
        field = self.field()
        if axis == "x":
            place(mark, field.x(value), field.bottom - 0.4)
            room = field.left + field.width - field.x(value)
        else:
            place(mark, field.left - 0.15, field.y(value) - 0.09, "right")
            room = field.height / 2 - abs(field.y(value) - field.y(0))
        return mark.set_opacity(min(1.0, max(0.0, 1 + room / 0.4)))

    def digits(self) -> int:
        """Decimals of a running score: fewer where scores are large."""
        return 2 if self.walk.spread_at_end < 10 else 1

    def followed_walk(self) -> FloatArray:
        """The followed walk as far as it has come, (n, 3) scene points, at least one."""
        case = self.walk
        return self.field().points(*up_to(case.positions, case.walks[case.followed], self.added.get_value()))

    def other_walks(self) -> list[FloatArray]:
        case, end = self.walk, self.others.get_value()
        if end == 0:
            return []
        field = self.field()
        return [
            field.points(*up_to(case.positions, walk, end))
            for index, walk in enumerate(case.walks)
            if index != case.followed
        ]

    def envelope_curve(self) -> tuple[FloatArray, FloatArray]:
        """sqrt(x) at every x up to where it has come; close together near 0, where it is steep."""
        xs = self.root.get_value() * np.linspace(0, 1, 121) ** 2
        return xs, np.sqrt(xs)

    def envelope_dashes(self) -> list[FloatArray]:
        xs, ys = self.envelope_curve()
        return [piece for side in (1, -1) for piece in dashes(self.field().points(xs, side * ys))]

    def inside_envelope(self) -> FloatArray:
        xs, ys = self.envelope_curve()
        return np.concatenate([self.field().points(xs, ys), self.field().points(xs, -ys)[::-1]])

    def show_score(self, readout: Readout) -> None:
        case, now = self.walk, self.added.get_value()
        score = float(np.interp(now, case.positions, case.walks[case.followed]))
        x, y, _ = self.followed_walk()[-1]
        readout.show(fixed(score, self.digits()), x + 0.22, y - 0.12)

    # Every size

    def go_through_the_sizes(self) -> None:
        self.beat("every size")
        theme, case = self.theme, self.density
        if self.heading:
            self.clear_board(self.heading)
        reach = WINDOW * case.std_law[-1]
        # Every law is drawn as high as the plot; few pairs make ragged bars, which may need it a little lower.
        peaks = [float(score_density(0.0, d)) for d in case.sizes]
        raggedest = max(float(heights.max()) / peak for heights, peak in zip(case.heights, peaks, strict=True))
        self.scores = Plane((-reach, reach), (0, max(1.0, raggedest / OVERSHOOT)), **DENSITY_BOX)
        plane = self.scores
        axis = self.number_line(plane, ticks(reach))
        score = place(
            maths("{{ q : q }} dot {{ k : k }}", color=theme.ink),
            plane.left + plane.width + 0.12,
            plane.bottom - 0.09,
            "left",
        )
        score.select("q").set_color(theme.query)
        score.select("k").set_color(theme.key)
        note = [
            place(words(line, color=theme.muted), LEFT_EDGE, baseline, "left")
            for line, baseline in (("each curve drawn", 2.2), ("to the same height", 1.84))
        ]

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
        self.root_now.add_updater(
            lambda text: text.show(fixed(math.sqrt(self.d()), 2), LIVE_X + 0.15, LIVE_BASELINES[1])
        )
        moving = [self.passed, self.curve, self.sides, self.d_now, self.root_now]
        for mobject in moving:
            mobject.update()
        self.say(f"Now the exact law of a score at d = {whole(case.sizes[0])}.")
        self.play(
            *self.change_title("The longer the vectors, the wider the scores"),
            FadeIn(axis, score, *note, *live, *moving),
            run_time=0.8,
        )
        self.hold(1)
        pitch = min(ROW_PITCH, (ROWS_TOP - ROWS_BOTTOM) / (len(case.sizes) - 1))
        self.rows: list[tuple[Lines, Mobject]] = []  # brackets and their numbers
        bars: Bars | None = None
        for index, d in enumerate(case.sizes):
            if bars:
                self.play(
                    self.size.animate.set_value(math.log(d)),
                    FadeOut(bars, run_time=0.6, rate_func=linear),
                    run_time=1.4,
                )
            bars = self.measure(index, ROWS_TOP - pitch * index)
        self.hold(0.8)

    def measure(self, index: int, y: float) -> Bars:
        """Raise the measured histogram of one size, and its spread as a bracket at height ``y``."""
        theme, case, plane = self.theme, self.density, self.scores
        d, spread = case.sizes[index], case.measured_std[index]
        edges = plane.x(case.edges[index])
        heights = plane.y(case.heights[index] / float(score_density(0.0, d))) - plane.bottom
        inside = (edges[:-1] >= plane.left - 1e-9) & (edges[1:] <= plane.left + plane.width + 1e-9)
        bars = Bars(
            edges[:-1][inside] + 0.04 * (edges[1] - edges[0]),
            0.92 * (edges[1] - edges[0]),
            plane.bottom,
            theme.raw,
            SOFT,
        )
        self.measured.set_value(0)
        bars.add_updater(lambda shape: shape.show(self.measured.get_value() * heights[inside]))
        left, right = plane.x([-spread, spread])
        line = Lines(theme.raw, MAIN).add_updater(
            lambda lines: lines.show(*bracket(self.measured.get_value() * left, self.measured.get_value() * right, y))
        )
        size = place(words(f"$d =$ {whole(d)}", color=theme.ink), left - 0.2, y - 0.09, "right")
        number = place(words(fixed(spread, 2), color=theme.raw, weight="semibold"), right + 0.2, y - 0.09, "left")
        number.set_stroke(theme.ground, width=HALO, background=True)
        entry: list[Mobject] = [size, number]
        if index == 0:
            self.unit = place(
                words("measured spread", color=theme.muted), number.get_right()[0] + 0.15, y - 0.09, "left"
            )
            entry.append(self.unit)
            self.say(
                f"Bars: {whole(self.parameters.pairs)} measured scores. Bracket: their spread to either side, {fixed(spread, 2)}."
            )
        else:
            self.say(f"At {whole(d)} it is {fixed(spread, 2)}.")
        self.add(line)
        self.add(bars)
        self.bring_to_back(bars)
        self.play(self.measured.animate.set_value(1), *(FadeIn(text) for text in entry), run_time=0.8)
        bars.clear_updaters()
        line.clear_updaters()
        self.rows.append((line, number))
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
        return [
            self.density_curve(size) for size in self.density.sizes if math.log(size) < self.size.get_value() - 1e-9
        ]

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
        before, after, below, above = LOG_PADS
        unit = LOG_WIDTH / (last - first)  # scene units a factor of e
        start, stop = first - before / unit, last + after / unit
        # Of few pairs the measured spreads may lie well off the law; they have to fit too.
        spreads = np.log(np.concatenate([case.law, case.raw_std]))
        low, high = float(spreads.min()), float(spreads.max())
        upward = LOG_HEIGHT / (high - low)
        self.loglog = Plane(
            (start, stop),
            (low - below / upward, high + above / upward),
            left=LOG_LEFT,
            bottom=LOG_BOTTOM,
            width=before + LOG_WIDTH + after,
            height=below + LOG_HEIGHT + above,
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
        names += [
            place(words(whole(d), color=theme.ink), x, plane.bottom - 0.42)
            for d, x, kept in zip(case.sizes, xs, labelled, strict=True)
            if kept
        ]
        flights, lines, staying = [], VGroup(), VGroup()
        for (line, number), dot, kept in zip(self.rows, self.dots, labelled, strict=True):
            moves = [
                line.animate.shift([0, LIFT, 0]).scale(0.01).move_to(dot),
                GrowFromPoint(dot, line.get_center() + [0, LIFT, 0]),
            ]
            lines.add(line)
            if kept:
                moves.append(number.animate.move_to(dot.get_center() + [-0.2 - number.width / 2, 0.28, 0]))
                staying.add(number)
            flights.append(AnimationGroup(*moves))
        self.clear_board(*filter(None, [self.heading]), lines, staying)
        self.say("Put every measured spread above its size, both on logarithmic scales.")
        self.play(
            *self.change_title("The spread of a score is $sqrt(d)$"),
            FadeIn(frame, *names),
            *(mobject.animate.shift([0, LIFT, 0]) for mobject in [*lines, *staying]),
            run_time=0.8,
        )
        self.play(LaggedStart(*flights, lag_ratio=0.25, run_time=3))
        self.remove(*lines)
        self.hold(1)

        line_end = ValueTracker(start)
        law_line = Lines(theme.ink, 3)
        law_line.add_updater(
            lambda lines: lines.show(
                *dashes(plane.points(*(np.array([start, line_end.get_value()]) * half for half in (1, 0.5))))
            )
        )
        self.add(law_line)
        self.bring_to_back(law_line)
        law_name = place(
            maths("sqrt(d)", em=HEADING, color=theme.ink), right + 0.15, float(plane.y(stop / 2)) - 0.1, "left"
        )
        self.say("Give or take chance, they lie on one straight line: √d.")
        self.play(line_end.animate.set_value(stop), run_time=1.4)
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
        more = words(f"{times(case.size_ratio)} times the numbers", em=HEADING, color=theme.ink)
        place(more, max((start[0] + end[0]) / 2, start[0] + more.width / 2), start[1] - 0.42)
        low = max((corner[1] + end[1]) / 2 - 0.36, corner[1] + 0.1)
        wider = place(
            words(f"{times(case.spread_ratio)} times the spread", em=HEADING, color=theme.ink),
            end[0] + 0.2,
            low + 0.38,
            "left",
        )
        seen = place(
            words(f"measured {fixed(case.measured_ratio, 2)}", em=LABEL, color=theme.raw), end[0] + 0.2, low, "left"
        )
        for text in (wider, seen):
            text.set_stroke(theme.ground, width=HALO, background=True)
        self.say(
            f"From {whole(case.from_size)} to {whole(case.to_size)} numbers, {times(case.size_ratio)} times as many, "
            f"the spread grows {times(case.spread_ratio)} times."
        )
        self.play(across.animate.set_value(1), FadeIn(more), run_time=1.2)
        self.play(upward.animate.set_value(1), FadeIn(wider, seen), run_time=1.2)
        step.clear_updaters()
        self.hold(1)
        self.say("So raw scores spread out like √d. Next: what softmax makes of that.")
        self.hold(1)

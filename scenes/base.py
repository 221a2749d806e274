"""What every scene of the lesson has: parameters, a theme, beats, captions and holds."""

import math
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from manim import (
    Animation,
    FadeIn,
    FadeOut,
    Mobject,
    Scene,
    VGroup,
    VMobject,
    Wait,
    config,
    smooth,
    squish_rate_func,
)

from core.parameters import Parameters
from core.theme import DARK, Theme
from scenes import typesetting
from scenes.typesetting import LABEL, TITLE, place, words

MARGIN = 0.3  # scene units; nothing comes nearer to the frame's edge
LEFT_EDGE = -64 / 9 + 0.5  # where titles start; the frame is 128/9 wide and 8 high
RIGHT_EDGE = -LEFT_EDGE
TITLE_BASELINE = 3.2
CAPTION_TOP = -3.0  # below is the caption band: 1.0 unit that only captions use
CAPTION_LINE = 42  # characters in a line of a caption
CAPTION_LINES = 2
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
FORMULA_SPACE = re.compile(r" (?=[=≈×÷+−·<>≤≥] )|(?<= [=≈×÷+−·<>≤≥]) |(?<=\blike) (?=√)")  # a line does not end here
READING_SPEED = 17  # characters a second that a viewer reads
POINT_DECIMALS = 9  # of scene units, kept between animations
TICK = 1 / 5  # seconds; every run time is a whole number of them, so of frames at 15, 30 and 60 a second


@dataclass(frozen=True)
class Beat:
    """A step of the lesson: its name, the first animation that belongs to it, and the method that begins it."""

    name: str
    start: int
    method: str


@dataclass(frozen=True)
class Cue:
    """A caption: its lines and the first animation during which it stands."""

    lines: tuple[str, ...]
    start: int


class LessonScene(Scene):
    """A scene of the lesson.

    ``construct`` lists beats; a beat calls ``beat``, ``say``, ``play`` and ends on ``hold``. An updater reads trackers
    and ``core`` and nothing else, so what is on screen never depends on which animations were rendered before.
    """

    TITLE: ClassVar[str]  # what the scene shows, in a line, for lists
    SECONDS: ClassVar[float]  # about how long its film is
    USES: ClassVar[tuple[str, ...]]  # the parameters it depends on

    def __init__(
        self, parameters: Parameters | None = None, theme: Theme = DARK, burn_captions: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        self.parameters = parameters or Parameters()
        self.theme = theme
        self.burn_captions = burn_captions
        self.beats: list[Beat] = []
        self.cues: list[Cue] = []
        self.elapsed = 0.0  # seconds of film before the next animation
        self._caption: Mobject | None = None
        self._read_at = 0.0  # when the caption on screen will have been read

    def setup(self) -> None:
        self.camera.background_color = self.theme.ground  # type: ignore[union-attr]  # the Cairo camera

    def tear_down(self) -> None:
        whole = config.upto_animation_number in (-1, math.inf)  # Manim's option -n ends a scene early
        if whole and self.elapsed + 1e-9 < self._read_at:
            raise RuntimeError(f"{type(self).__name__} ends before its last caption can be read; hold longer")

    def beat(self, name: str) -> None:
        """Begin a step of the lesson, a section of the film."""
        self.next_section(name)
        self.beats.append(Beat(name, self.renderer.num_plays, sys._getframe(1).f_code.co_name))

    def say(self, text: str) -> None:
        """Caption what follows, up to the next caption.

        Raises
        ------
        ValueError
            ``text`` takes more than two lines of 42 characters.
        RuntimeError
            The caption before it has not been up for long enough to be read.
        """
        lines = caption_lines(text)
        if self.elapsed + 1e-9 < self._read_at:
            raise RuntimeError(f"the caption before {text!r} goes before it can be read; hold longer")
        self.cues.append(Cue(lines, self.renderer.num_plays))
        self._read_at = self.elapsed + sum(map(len, lines)) / READING_SPEED
        if self.burn_captions:
            if self._caption:
                self.remove(self._caption)
            self._caption = caption(lines, self.theme)
            self.add(self._caption)
            self.bring_to_back(self._caption)

    def hold(self, seconds: float = 1.0) -> None:
        """Freeze the finished picture for ``seconds``, longer where the caption needs longer to be read."""
        ticks = max(round(seconds / TICK), math.ceil((self._read_at - self.elapsed) / TICK - 1e-9))
        self.wait(ticks * TICK, frozen_frame=True)

    def play(self, *animations: Any, **options: Any) -> None:
        super().play(*animations, **options)
        # A wait leaves an empty mobject on the scene, and the names of later segments would depend on it.
        waited: list[Any] = [animation.mobject for animation in self.animations or () if isinstance(animation, Wait)]
        self.remove(*waited)
        # A skipped animation ends on its last state before the updaters ran; this makes both ways end alike, down to
        # the last bit of what was moved step by step.
        self.update_mobjects(0)
        for mobject in self.get_mobject_family_members():
            mobject.points = mobject.points.round(POINT_DECIMALS)
        self.elapsed = round(self.elapsed + self.duration, 6)

    def get_run_time(self, animations: list[Animation]) -> float:
        """The run time of ``animations`` in seconds.

        Raises
        ------
        ValueError
            It is not a whole number of fifths of a second, so captions would drift between frame rates.
        """
        seconds: float = super().get_run_time(animations)
        if abs(seconds / TICK - round(seconds / TICK)) > 1e-6:
            raise ValueError(f"a run time of {seconds:g} s is not a whole number of fifths of a second")
        return round(seconds / TICK) * TICK

    def get_time_progression(self, run_time: float, *args: Any, **options: Any) -> Iterable[float]:
        """The times in seconds at which frames are drawn: exactly ``run_time`` times the frame rate of them."""
        progression = super().get_time_progression(run_time, *args, **options)
        if self.renderer.skip_animations:
            points = getattr(self.renderer, "points", ())  # a rehearsal looks at some moments on the way
            progression.iterable = [*(point * run_time for point in points), run_time]
        else:
            progression.iterable = np.arange(round(run_time * config.frame_rate)) / config.frame_rate
        return progression

    def title(self, markup: str) -> Mobject:
        """A title where titles stand, in Typst markup."""
        return place(
            words(markup, em=TITLE, color=self.theme.ink, weight="semibold"), LEFT_EDGE, TITLE_BASELINE, "left"
        )

    def exchange(self, old: Mobject | None, new: Mobject) -> list[FadeIn | FadeOut]:
        """``old``, if there is one, goes, then ``new`` comes in its place, within one run time."""
        if old is None:
            return [FadeIn(new)]
        going = FadeOut(old, rate_func=squish_rate_func(smooth, 0, 0.5))
        return [going, FadeIn(new, rate_func=squish_rate_func(smooth, 0.5, 1))]

    def recolor(self, color: str, *marks: Any) -> list[Any]:
        """``marks`` take the colour of another role half-way, at once: between two roles lie others' colours."""
        return [mark.animate(rate_func=lambda t: float(t >= 0.5)).set_color(color) for mark in marks]

    def follow(self, show: Callable[[], object], *moving: VMobject) -> VGroup:
        """Redraw ``moving`` by ``show`` at every frame, until the group that this gives has its updaters cleared."""
        show()
        group = VGroup(*moving)
        self.add(group)
        return group.add_updater(lambda _: show())

    def clear_board(self, *keep: Mobject, run_time: float = 0.6) -> None:
        """Fade everything out but ``keep`` and the caption."""
        kept = {id(member) for mobject in (*keep, *filter(None, [self._caption])) for member in mobject.get_family()}
        going = [mobject for mobject in self.mobjects if id(mobject) not in kept]
        if going:
            for mobject in going:
                mobject.clear_updaters()
            self.play(*(FadeOut(mobject) for mobject in going), run_time=run_time)


def caption_lines(text: str) -> tuple[str, ...]:
    """``text`` in as few lines as it takes, of lengths as even as can be, and never broken inside a formula.

    Raises
    ------
    ValueError
        It takes more than two lines of 42 characters, or none.
    """
    bound = FORMULA_SPACE.sub(NO_BREAK_SPACE, text)

    def wrapped(width: int) -> list[str]:
        return textwrap.wrap(bound, width, break_long_words=False, break_on_hyphens=False)

    lines = wrapped(CAPTION_LINE)
    if not 1 <= len(lines) <= CAPTION_LINES or max(map(len, lines)) > CAPTION_LINE:
        raise ValueError(f"a caption has {CAPTION_LINES} lines of {CAPTION_LINE} characters at most: {text!r}")
    evenest = next(even for width in range(1, CAPTION_LINE + 1) if len(even := wrapped(width)) == len(lines))
    return tuple(line.replace(NO_BREAK_SPACE, " ") for line in evenest)


def caption(lines: tuple[str, ...], theme: Theme) -> Mobject:
    """A caption as it is burnt into the film, in the middle of the caption band."""
    markup = " \\ ".join(typesetting.plain(line) for line in lines)
    text = words(f"#set align(center)\n#set par(leading: 0.45em)\n{markup}", em=LABEL, color=theme.ink)
    middle = (CAPTION_TOP - typesetting.FRAME_HEIGHT / 2 + MARGIN) / 2
    text.move_to((0, middle, 0))
    return text

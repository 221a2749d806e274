"""A scene with every kind of motion in a few seconds, which stands still half-way when it is told to."""

import os
import time
from pathlib import Path

import numpy as np
from manim import Circle, Dot, FadeIn, Square, Transform, ValueTracker

from core.numerals import fixed, whole
from scenes.base import LessonScene
from scenes.typesetting import HEADING, SMALL, Readout, maths, place, words

HALT = "ROOTDK_TEST_HALT"  # a file that does not exist: the first process to come by writes its number there and stays


def halt(turned: float) -> None:
    """Stand still in the middle of a segment, for ever, so that a test can end this process there."""
    path = os.environ.get(HALT)
    if path and 0.4 < turned < 0.6 and not Path(path).exists():
        try:
            with open(path, "x") as file:
                file.write(f"{os.getpid()}\n")
        except FileExistsError:
            return  # another process was first
        while True:
            time.sleep(60)


class Moving(LessonScene):
    TITLE = "Shapes move"
    SECONDS = 18.0
    USES = ("d_k",)

    def setup(self):
        super().setup()
        self.turned = ValueTracker(0.0)

    def construct(self):
        self.show_shapes()
        self.turn_one()
        self.look_again()

    def show_shapes(self):
        self.beat("shapes")
        self.say("A square & a circle: 1 < 2.")
        square = Square(2.5, color=self.theme.query, fill_opacity=0.7, stroke_width=6).shift([-3, 0.5, 0])
        square.set_stroke(self.theme.ink, width=14, background=True)
        circle = Circle(1.2, fill_opacity=1, stroke_width=3).shift([3, 0.5, 0]).set_z_index(2)
        circle.set_fill(color=[self.theme.raw, self.theme.scaled])
        formula = place(maths("{{ q : query }} dot k", em=HEADING, color=self.theme.ink), 0, 2.5)
        self.play(FadeIn(square), FadeIn(circle), FadeIn(formula), run_time=0.4)
        self.play(Transform(square, Circle(1.5, color=self.theme.key).shift([-2, 0, 0])), run_time=0.4)
        self.hold(0.6)

    def turn_one(self):
        self.beat("turns")
        self.say("One turns, and a number says how far: √2 é.")
        dot = Dot(radius=0.4, color=self.theme.value).set_z_index(1)
        readout = Readout("0.00", 0, -1, color=self.theme.ink)

        def turn(mobject):
            turned = self.turned.get_value()
            halt(turned)
            mobject.move_to([3 * np.cos(turned * np.pi), 3 * np.sin(turned * np.pi), 0])

        dot.add_updater(turn)
        readout.add_updater(lambda text: text.show(fixed(self.turned.get_value(), 2), 0, -1))
        self.add(readout, dot)
        self.play(self.turned.animate.set_value(1.0), run_time=1.0)
        dot.clear_updaters()
        readout.clear_updaters()
        self.hold(9.4)

    def look_again(self):
        self.beat("again")
        self.say("Nothing has changed.")
        self.hold(1.2)
        self.hold(1.2)  # the same picture for the same time: its segment is made once
        self.say("Now a word has.")
        number = place(words(whole(self.parameters.d_k), em=SMALL, color=self.theme.muted), 0, -2)
        self.add(number)
        self.hold(1.2)
        self.remove(number)
        self.hold(1.2)  # the first picture again
        self.add(number)
        self.hold(1.2)

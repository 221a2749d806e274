"""A scene of three seconds, for tests of how films are made and written."""

from manim import Dot, FadeIn

from core.numerals import whole
from scenes.base import LessonScene
from scenes.typesetting import HEADING, place, words


class Opening(LessonScene):
    TITLE = "A dot comes"
    SECONDS = 2.4
    USES = ("d_k",)

    def construct(self):
        self.show_a_dot()
        self.show_a_number()

    def show_a_dot(self):
        self.beat("a dot")
        self.say("Here is a dot.")
        self.play(FadeIn(Dot(color=self.theme.raw)), run_time=0.4)
        self.hold(0.8)

    def show_a_number(self):
        self.beat("a number")
        self.say("And a number.")
        self.add(place(words(whole(self.parameters.d_k), em=HEADING, color=self.theme.ink), 0, 1))
        self.hold(0.8)

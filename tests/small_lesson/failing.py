"""A scene that fails in its second beat."""

from manim import Dot, FadeIn

from scenes.base import LessonScene


class Failing(LessonScene):
    TITLE = "Nothing comes of it"
    SECONDS = 2.0
    USES = ()

    def construct(self):
        self.go_well()
        self.go_wrong()

    def go_well(self):
        self.beat("well")
        self.play(FadeIn(Dot()), run_time=0.4)
        self.hold(0.6)

    def go_wrong(self):
        self.beat("wrong")
        self.play(FadeIn(Dot(color=self.theme.raw)), run_time=0.4)
        raise ValueError("the numbers do not add up")

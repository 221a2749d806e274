"""A second scene of a second, for tests of how scenes are joined."""

from manim import Dot, FadeOut

from scenes.base import LessonScene


class Closing(LessonScene):
    TITLE = "The dot goes"
    SECONDS = 1.0
    USES = ("seed",)

    def construct(self):
        self.beat("gone")
        self.say("It goes.")
        dot = Dot(color=self.theme.scaled)
        self.add(dot)
        self.play(FadeOut(dot), run_time=0.4)
        self.hold(0.6)

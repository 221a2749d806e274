"""Manim's camera, doing only the work that changes the picture: the pixels are the same."""

from typing import Any

import cairo
import numpy as np
from manim import Camera, VMobject

STILL = (
    1e-10  # scene units; a fade computes each point anew and moves it by rounding errors, far below Cairo's 1/256 px
)
KEPT_PATHS = 4096  # shapes whose outline is remembered; far more than are ever on screen


class FilmCamera(Camera):
    """Remembers the outlines of shapes that have not changed, and leaves out strokes and fills that cannot be seen.

    Handing Cairo an outline point by point is what takes Manim most of its time; a remembered one is handed over whole.
    """

    __slots__ = ("_outlines",)  # kept out of __dict__, which Manim's hash covers: the names of segments would not last

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._outlines: dict[int, tuple[np.ndarray, cairo.Path]] = {}
        super().__init__(*arguments, **options)

    def init_background(self) -> None:
        """Fill the background; a transparent one with nothing, since Cairo takes colours as multiplied by opacity."""
        super().init_background()
        if not self.background_opacity:
            self.background = np.zeros_like(self.background)

    def display_vectorized(self, vmobject: VMobject, ctx: cairo.Context) -> "FilmCamera":
        """Draw a shape, unless nothing of it could be seen."""
        fill = self.get_fill_rgbas(vmobject)
        strokes = [
            background
            for background in (True, False)
            if vmobject.get_stroke_width(background)
            and self.get_stroke_rgbas(vmobject, background=background)[:, 3].any()
        ]
        filled = bool(fill[:, 3].any())
        if not filled and not strokes:
            return self
        self._outline(vmobject, ctx)
        if True in strokes:
            self.apply_stroke(ctx, vmobject, background=True)
        if filled:
            self.apply_fill(ctx, vmobject)
        if False in strokes:
            self.apply_stroke(ctx, vmobject)
        return self

    def _outline(self, vmobject: VMobject, ctx: cairo.Context) -> None:
        points = vmobject.points
        known = self._outlines.get(id(vmobject))
        if known is not None and known[0].shape == points.shape and np.abs(known[0] - points).max(initial=0) < STILL:
            ctx.new_path()
            ctx.append_path(known[1])
            return
        self.set_cairo_context_path(ctx, vmobject)
        if known is None and len(self._outlines) >= KEPT_PATHS:
            self._outlines.clear()
        self._outlines[id(vmobject)] = (points.copy(), ctx.copy_path())

"""Manim's camera, doing only the work that changes the picture: the pixels are the same."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import cairo
import numpy as np
from manim import Camera, VMobject

STILL = (
    1e-10  # scene units; a fade computes each point anew and moves it by rounding errors, far below Cairo's 1/256 px
)
KEPT_OUTLINES = 4096  # far more than are ever on screen
KEPT_BYTES = 64 * 2**20  # of coverage
SPARE = 2  # pixels around a shape that its antialiased edge may reach into
SPARSE = 16  # a shape with this many times as many pixels round it as inside it is drawn pixel by pixel
OPAQUE = 0xFF00 / 0xFFFF  # from here on Cairo takes a colour to be opaque

Rgbas = np.ndarray  # (n, 4) from 0 to 1; more than one make a gradient
Part = str | tuple[float, Any, Any]  # what is drawn of a shape: "fill", or a stroke's width, joints and ends


class Coverage:
    """How much of every pixel something covers, and how to colour that as Cairo would."""

    def __init__(self, pixels: np.ndarray, left: int, top: int, frame_width: int) -> None:
        """``pixels``, (height, width) from 0 to 255, is a part of a frame whose upper left pixel is given."""

        def places(where: np.ndarray) -> np.ndarray:
            """Indices of pixels in the frame."""
            ys, xs = np.nonzero(where)
            return (top + ys) * frame_width + left + xs

        self.left, self.top = left, top
        self.all = _stencil(pixels)
        edge = (pixels > 0) & (pixels < 255)
        self.edge = places(edge)
        self.covered = pixels[edge, None].astype(np.uint16)
        inside = pixels == 255
        # Where little is inside a large box, as with a frame, it is quicker named than looked for.
        self.inside = places(inside) if SPARSE * np.count_nonzero(inside) < inside.size else None
        self.solid = _stencil(255 * inside.astype(np.uint8)) if self.inside is None else None
        self.bytes = 2 * pixels.size + 20 * len(self.edge)
        self._edge_colour: tuple[int, np.ndarray] | None = None

    def colour(self, ctx: cairo.Context, rgba: np.ndarray) -> None:
        """Colour what is covered; ``rgba`` has numbers from 0 to 1, in the order in which the frame keeps them."""
        opaque = rgba[3] >= 1
        stencil = self.solid if opaque else self.all
        if stencil:
            ctx.save()
            ctx.identity_matrix()
            ctx.set_source_rgba(*rgba)
            ctx.mask_surface(stencil, self.left, self.top)
            ctx.restore()
        if opaque:
            # At the edges of opaque shapes Cairo rounds otherwise than where it draws through a mask.
            frame = np.frombuffer(ctx.get_target().get_data(), np.uint32)
            colour = _opaque_pixel(*rgba[:3])
            if self._edge_colour is None or self._edge_colour[0] != colour:
                self._edge_colour = colour, _share(np.array([colour], np.uint32), self.covered)
            mixed = _share(frame[self.edge], 255 - self.covered) + self._edge_colour[1]
            frame[self.edge] = mixed.astype(np.uint8).view(np.uint32)[:, 0]
            if self.inside is not None:
                frame[self.inside] = colour


def _stencil(pixels: np.ndarray) -> cairo.ImageSurface:
    height, width = pixels.shape
    stride = cairo.Format.A8.stride_for_width(width)
    rows = np.zeros((height, stride), np.uint8)
    rows[:, :width] = pixels
    return cairo.ImageSurface.create_for_data(rows, cairo.FORMAT_A8, width, height, stride)  # type: ignore[arg-type]


def _share(pixels: np.ndarray, part: np.ndarray) -> np.ndarray:
    """``part`` 255ths of each channel of ``pixels``, rounded as Cairo's image backend does; (n, 4)."""
    product = pixels.view(np.uint8).reshape(-1, 4) * part + np.uint16(127)
    return (product + (product >> 8)) >> 8


@cache
def _opaque_pixel(red: float, green: float, blue: float) -> int:
    """What Cairo makes of an opaque colour inside a shape."""
    surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, 3, 3)
    ctx = cairo.Context(surface)
    ctx.set_source_rgb(red, green, blue)
    ctx.arc(1.5, 1.5, 9, 0, 7)
    ctx.fill()
    return int(np.frombuffer(surface.get_data(), np.uint32)[4])


@dataclass(frozen=True)
class Outline:
    """A shape as it was drawn last: its points, them as a path, and what its parts cover where that is known."""

    points: np.ndarray
    path: cairo.Path
    coverage: dict[Part, Coverage | None] = field(default_factory=dict)

    def fits(self, points: np.ndarray) -> bool:
        """Whether a shape of these points covers the same."""
        return self.points.shape == points.shape and float(np.abs(self.points - points).max(initial=0)) < STILL


class FilmCamera(Camera):
    """Remembers what shapes cover as long as they stand still, and leaves out what cannot be seen.

    Handing Cairo an outline point by point, and finding out which pixels it covers, is what takes Manim most of its
    time. Neither depends on colours, so shapes that fade or stand before something that moves are drawn from memory.
    """

    # Kept out of __dict__, which Manim's hash covers: the names of segments would not last.
    __slots__ = ("_kept_bytes", "_outlines", "_stencil", "_stencil_surface")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._outlines: dict[int, Outline] = {}
        self._kept_bytes = 0
        self._stencil: cairo.Context | None = None
        super().__init__(*arguments, **options)

    def init_background(self) -> None:
        """Fill the background; a transparent one with nothing, since Cairo takes colours as multiplied by opacity."""
        super().init_background()
        if not self.background_opacity:
            self.background = np.zeros_like(self.background)

    def display_vectorized(self, vmobject: VMobject, ctx: cairo.Context) -> "FilmCamera":
        """Draw a shape, unless nothing of it could be seen."""
        # In the order in which they are drawn. A stroke's key says whether it is in the background.
        parts: list[tuple[bool | None, Rgbas]] = []
        for background in (True, None, False):
            if background is None:
                rgbas = self.get_fill_rgbas(vmobject)
            elif vmobject.get_stroke_width(background):
                rgbas = self.get_stroke_rgbas(vmobject, background=background)
            else:
                continue
            if rgbas[:, 3].any():
                parts.append((background, rgbas))
        if not parts:
            return self
        outline = self._outlines.get(id(vmobject))
        if outline is not None and outline.fits(vmobject.points):
            for background, rgbas in parts:
                self._draw_from_memory(vmobject, ctx, outline, background, rgbas)
            return self
        self.set_cairo_context_path(ctx, vmobject)
        for background, _ in parts:
            self._draw(vmobject, ctx, background)
        if len(self._outlines) >= KEPT_OUTLINES or self._kept_bytes > KEPT_BYTES:
            self._outlines.clear()
            self._kept_bytes = 0
        self._outlines[id(vmobject)] = Outline(vmobject.points.copy(), ctx.copy_path())
        return self

    def set_cairo_context_color(self, ctx: cairo.Context, rgbas: Any, vmobject: VMobject) -> "FilmCamera":
        """Set the colour to draw with; a stencil is cut whatever the colour."""
        if ctx is self._stencil:
            ctx.set_source_rgba(0, 0, 0, 1)
        else:
            super().set_cairo_context_color(ctx, rgbas, vmobject)
        return self

    def _draw(self, vmobject: VMobject, ctx: cairo.Context, background: bool | None) -> None:
        if background is None:
            self.apply_fill(ctx, vmobject)
        else:
            self.apply_stroke(ctx, vmobject, background=background)

    def _draw_from_memory(
        self, vmobject: VMobject, ctx: cairo.Context, outline: Outline, background: bool | None, rgbas: Rgbas
    ) -> None:
        if len(rgbas) > 1 or OPAQUE <= rgbas[0][3] < 1 or not _coverage_is_exact():
            ctx.new_path()
            ctx.append_path(outline.path)
            self._draw(vmobject, ctx, background)
            return
        part: Part = "fill"
        if background is not None:
            part = (float(vmobject.get_stroke_width(background)), vmobject.joint_type, vmobject.cap_style)
        if part not in outline.coverage:
            outline.coverage[part] = self._covered(vmobject, ctx, outline, background)
        coverage = outline.coverage[part]
        if coverage:
            coverage.colour(ctx, rgbas[0][[2, 1, 0, 3]])

    def _covered(
        self, vmobject: VMobject, ctx: cairo.Context, outline: Outline, background: bool | None
    ) -> Coverage | None:
        """What a part of a shape covers, found out by drawing it; None when that is outside the frame."""
        if self._stencil is None:
            self._stencil_surface = cairo.ImageSurface(cairo.FORMAT_A8, self.pixel_width, self.pixel_height)
            self._stencil = cairo.Context(self._stencil_surface)
            self._stencil.set_matrix(ctx.get_matrix())
        stencil = self._stencil
        stencil.new_path()
        stencil.append_path(outline.path)
        self._draw(vmobject, stencil, background)
        box = stencil.fill_extents() if background is None else stencil.stroke_extents()
        corners = np.array([stencil.user_to_device(*corner) for corner in (box[:2], box[2:])])
        size = self.pixel_width, self.pixel_height
        left, top = (int(edge) for edge in np.clip(np.floor(corners.min(axis=0)) - SPARE, 0, size))
        right, bottom = (int(edge) for edge in np.clip(np.ceil(corners.max(axis=0)) + SPARE, 0, size))
        if left >= right or top >= bottom:
            return None
        self._stencil_surface.flush()
        frame = np.frombuffer(self._stencil_surface.get_data(), np.uint8).reshape(self.pixel_height, -1)
        coverage = Coverage(frame[top:bottom, left:right], left, top, self.pixel_width)
        frame[top:bottom, left:right] = 0
        self._stencil_surface.mark_dirty()
        self._kept_bytes += coverage.bytes
        return coverage


@cache
def _coverage_is_exact() -> bool:
    """Whether this Cairo draws from memory to the bit as it draws at first: how it rounds is nowhere promised."""
    size = 64
    across = np.linspace(0, 255, size * size * 4).astype(np.uint8).reshape(size, size, 4)
    across[..., 3] = 255
    stencil = cairo.ImageSurface(cairo.FORMAT_A8, size, size)

    def cut(ctx: cairo.Context) -> None:
        ctx.move_to(3, 5)
        ctx.curve_to(80, 20, -20, 40, 60, 61)
        ctx.set_line_width(9.3)
        ctx.stroke()

    cut(cairo.Context(stencil))
    covered = np.frombuffer(stencil.get_data(), np.uint8).reshape(size, -1)[:, :size]
    coverage = Coverage(covered, 0, 0, size)
    for opacity in (1.0, 0.7, 0.2):
        rgba = np.array([0.9, 0.6, 0.25, opacity])
        frames = [across.copy(), across.copy()]
        contexts = [
            cairo.Context(cairo.ImageSurface.create_for_data(frame, cairo.FORMAT_ARGB32, size, size))  # type: ignore[arg-type]
            for frame in frames
        ]
        contexts[0].set_source_rgba(*rgba)
        cut(contexts[0])
        coverage.colour(contexts[1], rgba)
        if not np.array_equal(frames[0], frames[1]):
            return False
    return True

"""The only place that sets text: Typst, Source Sans Pro for words, New Computer Modern for mathematics.

Fonts installed on the machine are never looked at, so the letters are the same everywhere. Sizes are given in
em, in scene units (the frame is 8 high).
"""

from scenes import loading  # noqa: F401  # before Manim, which is imported in many places

# isort: split

import atexit
import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import font_source_sans_pro
import numpy as np
import typst
from manim import DL, LEFT, RIGHT, MathTypst, Typst, VGroup, VMobject
from manim.mobject.text import typst_mobject

from core import theme as sizes
from files import whole

FRAME_HEIGHT = 8.0  # scene units
TITLE = sizes.TITLE * FRAME_HEIGHT  # em, in scene units
HEADING = sizes.HEADING * FRAME_HEIGHT
LABEL = sizes.LABEL * FRAME_HEIGHT
SMALL = sizes.SMALL * FRAME_HEIGHT

TEXT_FONT = "Source Sans Pro"
MATHS_FONT = "New Computer Modern Math"  # comes inside the typst wheel
WEIGHTS = {"regular": 400, "semibold": 600, "bold": 700}
COMPILED_EM = 10  # pt; every text is compiled at this size and scaled by Manim
STROKE_WIDTHS_PER_UNIT = 100  # a stroke of width 1 is 0.01 units thick
UNITS_PER_FONT_POINT = 1 / 96  # Manim shows a text compiled at 10 pt with font_size 96 at 1 unit an em
# A speck of ink that stands on the baseline and takes no room; it is found by its label and taken out again.
MARK = "#[#h(0pt)#box(rect(width: 0.01pt, height: 0.01pt, fill: black, stroke: none))<{label}>#h(-0.01pt)]"
READOUT_CHARACTERS = "0123456789.,−+×÷=%()abcdefghijklmnopqrstuvwxyz"

Weight = Literal["regular", "semibold", "bold"]


class MissingFontError(RuntimeError):
    """A font of the lesson is not installed."""


class MissingGlyphError(ValueError):
    """A text has a character that its font cannot draw."""


@cache
def fonts() -> typst.Fonts:
    """The fonts that texts are set in: those of the wheels, none of the machine's.

    Raises
    ------
    MissingFontError
        The wheel that should bring a font does not have it.
    """
    found = typst.Fonts(include_system_fonts=False, font_paths=[font_source_sans_pro.font_directory])
    for family in (TEXT_FONT, MATHS_FONT):
        if family not in found.families():
            raise MissingFontError(f"the font {family} is missing; run ./bootstrap to install it again")
    return found


def _preamble(weight: Weight) -> str:
    return (
        f'#set text(font: "{TEXT_FONT}", weight: {WEIGHTS[weight]}, fallback: false, number-width: "tabular")\n'
        f'#show math.equation: set text(font: "{MATHS_FONT}", weight: 400, fallback: false)\n'
    )


def _source(markup: str, preamble: str) -> str:
    return (
        "#set page(width: auto, height: auto, margin: 0pt, fill: none)\n"
        f"#set text(size: {COMPILED_EM}pt)\n{preamble}\n{markup}\n"
    )


def _compile(source: str) -> bytes:
    svg, warnings = typst.compile_with_warnings(source.encode(), format="svg", font_paths=fonts())
    if warnings:
        raise MissingFontError(f"Typst warns of {source.splitlines()[-1]!r}: {warnings[0].message}")
    return svg


@cache
def _missing_glyphs() -> frozenset[str]:
    """The symbols that Typst draws for a character the fonts lack."""
    lacking = "\N{LATIN SUBSCRIPT SMALL LETTER K}"
    sources = (_source(lacking, _preamble(weight)) for weight in get_args(Weight))
    return frozenset(symbol for source in sources for symbol in _symbols(_compile(source)))


def _symbols(svg: bytes) -> set[str]:
    return set(re.findall(r'<use xlink:href="#(\w+)"', svg.decode()))


@cache
def _svg(source: str) -> bytes:
    svg = _compile(source)
    if _symbols(svg) & _missing_glyphs():
        raise MissingGlyphError(f"the lesson's fonts lack a character of {source.splitlines()[-1]!r}")
    return svg


_folders: list[Path] = []


@cache
def _own_folder() -> Path:
    """A folder for the texts of this process alone, until it ends: those who share one meet half-written files."""
    folder = tempfile.mkdtemp(prefix="rootdk-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@contextmanager
def texts_in(folder: Path) -> Iterator[None]:
    """Keep the files of texts in ``folder``."""
    _folders.append(folder)
    try:
        yield
    finally:
        _folders.pop()


def _write_svg(markup: str, preamble: str = "", font_paths: object = None, **_: object) -> Path:
    """Compile ``markup`` and give a file that holds the result, whatever stood there before.

    Stands in for Manim's own function, which trusts any file it finds, writes in place and leaves the fonts out
    of the name. Here the name is the content's hash and the content is checked. Manim writes a file of its own beside
    it when it reads it, so every process has a folder of its own.
    """
    svg = _svg(_source(markup, preamble))
    folder: Path = _folders[-1] if _folders else _own_folder()
    path = folder / f"{hashlib.sha256(svg).hexdigest()[:32]}.svg"
    try:
        if path.read_bytes() == svg:
            return path
    except OSError:
        pass
    with whole(path) as part:
        part.write_bytes(svg)
    return path


@contextmanager
def _own_compiler() -> Iterator[None]:
    original = typst_mobject.typst_to_svg_file  # type: ignore[attr-defined]
    typst_mobject.typst_to_svg_file = _write_svg  # type: ignore[attr-defined, assignment]
    try:
        yield
    finally:
        typst_mobject.typst_to_svg_file = original  # type: ignore[attr-defined]


class SetText(VGroup):
    """Text set by Typst, in as few shapes as it has colours and named parts: every shape costs time at every frame.

    ``source`` is its Typst source and ``em`` its size in scene units; its baseline is ``baseline_above_bottom`` above
    its lower edge. Scaling is not meant: it would leave the type sizes.
    """

    def __init__(self, source: str, em: float) -> None:
        super().__init__()
        self.source = source
        self.em = em
        self.baseline_above_bottom = 0.0
        self.parts: dict[str, list[int]] = {}

    def select(self, name: str) -> VGroup:
        """The shapes of the part called ``name``; a ``KeyError`` when there is none."""
        return VGroup(*(self.submobjects[index] for index in self.parts[name]))


def _take_mark(text: Typst, label: str = "baseline") -> np.ndarray:
    """Take a mark out of ``text`` and say where it stood, (3,)."""
    (mark,) = text.select(label)
    text.remove(mark)
    return np.asarray(mark.get_corner(DL))


def _typst(kind: type[Typst], source: str, em: float, color: str, weight: Weight) -> Typst:
    with _own_compiler():
        # Without Manim's cache, which would copy every glyph once more: texts are hardly ever set twice.
        return kind(
            source,
            font_size=em / UNITS_PER_FONT_POINT,
            color=color,
            typst_preamble=_preamble(weight),
            use_svg_cache=False,
        )


def _set(kind: type[Typst], source: str, em: float, color: str, weight: Weight) -> SetText:
    glyphs = _typst(kind, f"{source}{MARK.format(label='baseline')}", em, color, weight)
    baseline = _take_mark(glyphs)[1]
    names: dict[int, list[str]] = {id(glyph): [] for glyph in glyphs}
    for name in glyphs._label_aliases:  # what the names stand for is only kept there
        for glyph in glyphs.select(name):
            names.get(id(glyph), []).append(name)
    text = SetText(source, em)
    shapes: dict[Any, VMobject] = {}
    for glyph in glyphs:
        # A drawn line, such as a fraction's, keeps its stroke; letters of one part and colour become one shape.
        alone = id(glyph) if glyph.get_stroke_width() > 0 else None
        key = (tuple(names[id(glyph)]), glyph.get_fill_color().to_hex(), alone)
        if key not in shapes:
            shapes[key] = VMobject().match_style(glyph)
            if alone:  # Manim makes it thicker the wider the picture is in pixels, and forgets to at the second time
                points: Any = glyph._typst_source_stroke_width
                shapes[key].set_stroke(width=points / COMPILED_EM * em * STROKE_WIDTHS_PER_UNIT)
            text.add(shapes[key])
            for name in names[id(glyph)]:
                text.parts.setdefault(name, []).append(len(text.submobjects) - 1)
        shapes[key].append_points(glyph.points)
    text.baseline_above_bottom = float(baseline - text.get_bottom()[1])
    return text


def _check_mathematics(source: str) -> None:
    # The mathematics font draws nothing at all for a character it lacks, so only names of symbols are let through.
    if not source.isascii():
        raise MissingGlyphError(f"write the symbols of {source!r} by their Typst names")


def words(markup: str, *, em: float = LABEL, color: str, weight: Weight = "regular") -> SetText:
    """Set Typst markup (``$...$`` for mathematics); parts labelled ``#box[...]<name>`` are found by ``select("name")``.

    Raises
    ------
    MissingGlyphError
        A character that the fonts lack.
    """
    for formula in re.findall(r"\$[^$]*\$", markup):
        _check_mathematics(formula)
    return _set(Typst, markup, em, color, weight)


def maths(expression: str, *, em: float = LABEL, color: str) -> SetText:
    """Set a Typst formula; parts written ``{{ part : name }}`` are found by ``select("name")``.

    Raises
    ------
    MissingGlyphError
        A character that the fonts lack.
    """
    _check_mathematics(expression)
    return _set(MathTypst, expression, em, color, "regular")


def plain(text: str) -> str:
    """Typst markup that shows ``text`` as it is, whatever it holds."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'#"{quoted}"'


def place(text: Any, x: float, y: float, align: Literal["left", "center", "right"] = "center") -> Any:
    """Put ``text`` with its baseline at height ``y``, its left edge, centre or right edge at ``x``; gives ``text``."""
    text.set_y(y - text.baseline_above_bottom, direction=[0, -1, 0])
    text.set_x(x, direction={"left": LEFT, "center": [0, 0, 0], "right": RIGHT}[align])
    return text


@cache
def _glyphs(weight: Weight) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Outlines ((n, 3) Bezier points, baseline at 0) and advances of READOUT_CHARACTERS, at 1 unit an em."""
    mark = MARK.format(label="start-{}")
    boxes = "".join(f"{mark.format(i)}#box[{character}]<glyph-{i}>" for i, character in enumerate(READOUT_CHARACTERS))
    end = mark.format("end") + "0 " + mark.format("spaced")
    text = _typst(Typst, boxes + end, 1.0, "#FFFFFF", weight)
    starts = [_take_mark(text, f"start-{i}") for i in range(len(READOUT_CHARACTERS))]
    end_start, spaced_start = _take_mark(text, "start-end"), _take_mark(text, "start-spaced")
    outlines = {c: text.select(f"glyph-{i}")[0].points - starts[i] for i, c in enumerate(READOUT_CHARACTERS)}
    steps = np.diff([*(start[0] for start in starts), end_start[0]])
    advances = dict(zip(READOUT_CHARACTERS, steps.tolist(), strict=True))
    advances[" "] = float(spaced_start[0] - end_start[0] - advances["0"])
    return outlines, advances


@lru_cache(maxsize=4096)
def _line(text: str, weight: Weight) -> tuple[np.ndarray, float]:
    """The outline, (n, 3) Bezier points from 0 on, and the advance of a line of READOUT_CHARACTERS, at 1 unit an em."""
    outlines, advances = _glyphs(weight)
    unknown = set(text) - set(advances)
    if unknown:
        raise MissingGlyphError(f"a readout cannot show {sorted(unknown)} of {text!r}")
    pieces, pen = [np.zeros((0, 3))], 0.0
    for character in text:
        if character != " ":
            pieces.append(outlines[character] + np.array([pen, 0.0, 0.0]))
        pen += advances[character]
    return np.concatenate(pieces), pen


class Readout(VMobject):
    """A short text that may change at every frame: one shape, put together from outlines made once.

    ``show(text, x, y)`` sets what it says and where its baseline stands.
    """

    def __init__(
        self,
        text: str = "",
        x: float = 0.0,
        y: float = 0.0,
        *,
        em: float = LABEL,
        color: str,
        weight: Weight = "semibold",
        align: Literal["left", "center", "right"] = "center",
    ) -> None:
        super().__init__(fill_color=color, fill_opacity=1, stroke_width=0)
        self.em = em
        self.weight: Weight = weight
        self.align = align
        self.text: str = ""
        self._shown: tuple[str, float, float] | None = None
        self.show(text, x, y)

    def show(self, text: str, x: float, y: float) -> "Readout":  # type: ignore[override]
        """Say ``text`` with the baseline at ``y`` and the left edge, centre or right edge at ``x``.

        Raises
        ------
        MissingGlyphError
            A character outside READOUT_CHARACTERS and the space.
        """
        if self._shown == (text, x, y):
            return self
        outline, advance = _line(text, self.weight)
        left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[self.align] * self.em * advance
        self.set_points(self.em * outline + np.array([left, y, 0.0]))
        self.text, self._shown = text, (text, x, y)
        return self

    @staticmethod
    def width_of(text: str, em: float, weight: Weight = "semibold") -> float:
        """How wide ``text`` would be, in scene units; 0 where there is nothing to see."""
        outline, _ = _line(text, weight)
        return em * float(np.ptp(outline[:, 0])) if len(outline) else 0.0

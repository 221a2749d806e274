"""How matplotlib is set while figures are drawn: the lesson's fonts, and settings that make files come out the same.

Words are set in Source Sans Pro, mathematics in Computer Modern, which matplotlib brings along and the films use too.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import font_source_sans_pro
import matplotlib
from matplotlib.font_manager import fontManager

TEXT_FONT = "Source Sans Pro"
WEIGHTS = {"regular": 400, "semibold": 600}
FONT_FILES = ("SourceSansPro-Regular.ttf", "SourceSansPro-Semibold.ttf")

SETTINGS = {
    "font.family": [TEXT_FONT],
    "mathtext.fontset": "cm",
    "text.hinting": "none",  # a text then takes the same room at every resolution and in every format
    "pdf.fonttype": 42,  # TrueType, embedded
    "svg.fonttype": "path",  # outlines: no reader needs the fonts
    "svg.hashsalt": "rootdk",  # else ids are random
}

# What is matplotlib's own business on a machine: the window system, the clock, folders.
_LEFT_ALONE = ("backend", "interactive", "timezone", "toolbar", "savefig.directory", "date.epoch", "docstring.hardcopy")


class MissingFontError(RuntimeError):
    """A font of the lesson is not installed."""


class MissingGlyphError(ValueError):
    """A text has a character that its font cannot draw."""


@cache
def register_fonts() -> None:
    """Make Source Sans Pro known to matplotlib, ahead of any copy that is installed on the machine.

    Raises
    ------
    MissingFontError
        The wheel that should bring the font does not have it.
    """
    for name in FONT_FILES:
        path = Path(font_source_sans_pro.font_directory, name)
        if not path.is_file():
            raise MissingFontError(f"the font {name} is missing; run ./bootstrap to install it again")
        known = list(fontManager.ttflist)
        fontManager.addfont(path)
        # Of fonts that fit equally well, matplotlib takes the first.
        fontManager.ttflist[:] = fontManager.ttflist[len(known) :] + known


class _Strict(logging.Handler):
    """Turns matplotlib's complaints about fonts and glyphs, which nobody would see, into errors."""

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.name.endswith("mathtext"):
            raise MissingGlyphError(message)
        if message.startswith("findfont"):
            raise MissingFontError(message)


@contextmanager
def lesson_style() -> Iterator[None]:
    """Set matplotlib for drawing and writing figures; its settings are as they were when the block ends.

    They start from matplotlib's own defaults, so that what a user has set elsewhere does not change a figure.

    Raises
    ------
    MissingFontError, MissingGlyphError
        Within the block, a text could not be set as it should be.
    """
    register_fonts()
    settings: dict[Any, Any] = {
        name: value for name, value in matplotlib.rcParamsDefault.items() if not name.startswith(_LEFT_ALONE)
    }
    strict, matplotlib_log, fonttools_log = (
        _Strict(logging.WARNING),
        *map(logging.getLogger, ("matplotlib", "fontTools")),
    )
    level = fonttools_log.level
    matplotlib_log.addHandler(strict)
    fonttools_log.setLevel(logging.ERROR)  # it remarks on the dates in Computer Modern's files
    try:
        with matplotlib.rc_context(settings | SETTINGS), warnings.catch_warnings():
            warnings.filterwarnings("error", message=r"Glyph \d+ .* missing", category=UserWarning)
            yield
    except UserWarning as warning:
        raise MissingGlyphError(str(warning)) from warning
    finally:
        fonttools_log.setLevel(level)
        matplotlib_log.removeHandler(strict)

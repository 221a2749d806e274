"""The only place that writes figure files.

A file is named by its figure, size and theme, ``walks-slide-dark.png``, with ``-transparent`` where it is: no variant
takes another's place, and a figure drawn again with other parameters takes its own on every slide it is linked from.
"""

import fcntl
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.sax.saxutils import escape

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from core.parameters import Parameters
from core.theme import DARK, Theme
from figures import DPI, DPI_RANGE, FORMATS, ORDER, SIZES
from figures.page import POINTS, add_axes, write_title
from figures.style import lesson_style
from files import whole

INDEX = "figures.json"

Report = Callable[[str, int, int], None]  # the figure that comes next or came last, files done, files in all


def export(
    names: Sequence[str],
    parameters: Parameters,
    *,
    formats: Sequence[str] = ("png",),
    size: str = "slide",
    theme: Theme = DARK,
    transparent: bool = False,
    dpi: int | None = None,
    out: Path,
    report: Report | None = None,
) -> Iterator[Path]:
    """Write figures to the folder ``out`` and give each file's path as soon as it is whole, that of the index last.

    The index, ``figures.json``, lists all figure files in ``out``, those of earlier runs too.

    Parameters
    ----------
    names : of figures, each of `figures.ORDER`
    formats : each of `figures.FORMATS`
    size : one of `figures.SIZES`
    transparent : leave the ground out
    dpi : pixels an inch of a PNG; those of `figures.DPI` when None

    Raises
    ------
    ValueError
        A name, format, size or dpi is none of those there are. Nothing is written then.
    MissingFontError, MissingGlyphError
        A text cannot be set as it should be.
    OSError
        A file cannot be written.
    """
    for what, values, allowed in (("figure", names, ORDER), ("format", formats, FORMATS), ("size", [size], SIZES)):
        for value in values:
            if value not in allowed:
                raise ValueError(f"{what} {value!r} is not one of {', '.join(allowed)}")
    dots = DPI[size] if dpi is None else dpi
    if isinstance(dots, bool) or not isinstance(dots, int) or not DPI_RANGE[0] <= dots <= DPI_RANGE[1]:
        raise ValueError(f"dpi must be a whole number from {DPI_RANGE[0]} to {DPI_RANGE[1]}, not {dots!r}")
    look = Look(size, theme, transparent)
    files = [(name, form) for name in dict.fromkeys(names) for form in dict.fromkeys(formats)]
    return _write(files, parameters, look, dots, out, report or (lambda name, done, total: None))


@dataclass(frozen=True)
class Look:
    """Which variant of a figure."""

    size: str = "slide"
    theme: Theme = DARK
    transparent: bool = False

    def stem(self, name: str) -> str:
        """The name of this variant's file, without the format."""
        return "-".join([name, self.size, self.theme.name, *(["transparent"] if self.transparent else [])])


def figure_module(name: str) -> ModuleType:
    """A figure's module: TITLE, USES, ``case``, ``alt_text`` and ``draw_<name>``, and MARGINS if that takes ``ax``.

    Where TITLE does not hold for every case, ``title`` gives one that does.
    """
    return import_module(f"figures.{name.replace('-', '_')}")


def title_of(name: str, parameters: Parameters) -> str:
    """What a figure shows of these parameters, in a short line."""
    module = figure_module(name)
    title: str = module.title(module.case(parameters)) if hasattr(module, "title") else module.TITLE
    return title


def compose(name: str, parameters: Parameters, look: Look) -> Figure:
    """Draw a whole figure, with its title and ground, at its exact size; to be called within `lesson_style`."""
    module = figure_module(name)
    figure = Figure(SIZES[look.size], dpi=POINTS, facecolor="none" if look.transparent else look.theme.ground)
    FigureCanvasAgg(figure)
    write_title(figure, title_of(name, parameters), look.theme)
    draw = getattr(module, f"draw_{name.replace('-', '_')}")
    draw(
        add_axes(figure, module.MARGINS) if hasattr(module, "MARGINS") else figure, module.case(parameters), look.theme
    )
    return figure


def _write(
    files: Sequence[tuple[str, str]], parameters: Parameters, look: Look, dpi: int, out: Path, report: Report
) -> Iterator[Path]:
    for done, (name, form) in enumerate(files):
        report(name, done, len(files))
        module = figure_module(name)
        title, alt = title_of(name, parameters), module.alt_text(module.case(parameters))
        with lesson_style():  # not while the path is handed out: what the caller draws then is the caller's
            # Drawn anew for every format, so that a file does not depend on which others were asked for.
            content = encode(compose(name, parameters, look), form, look.stem(name), title, alt, dpi)
        path = out / f"{look.stem(name)}.{form}"
        width, height = SIZES[look.size]
        entry = {
            "file": path.name,
            "name": name,
            "title": title,
            "alt": alt,
            "format": form,
            "size": look.size,
            "inches": [round(width, 3), height],
            "pixels": [_pixels(width, dpi), _pixels(height, dpi)] if form == "png" else None,
            "theme": look.theme.name,
            "transparent": look.transparent,
            "parameters": {field: getattr(parameters, field) for field in module.USES},
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        out.mkdir(parents=True, exist_ok=True)
        with _alone_in(out):  # so that what the index says of a file and the file are of one run
            with whole(path) as part:
                part.write_bytes(content)
            _update_index(out, entry)
        yield path
    if files:
        report(files[-1][0], len(files), len(files))
        yield out / INDEX


def encode(figure: Figure, form: str, stem: str, title: str, alt: str, dpi: int) -> bytes:
    """A figure as a file of format ``form`` that carries its title and alt text and nothing about where it was made."""
    metadata: dict[str, dict[str, str | None]] = {
        "png": {"Title": title, "Description": alt, "Software": None},
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"Title": title, "Subject": alt, "CreationDate": None, "Creator": None, "Producer": None},
    }
    if form == "png":
        # matplotlib cuts parts of pixels off: whole ones, and a little more lest rounding lose one.
        width, height = ((_pixels(inches, dpi) + 0.01) / dpi for inches in figure.get_size_inches())
        figure.set_size_inches(width, height)
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, dpi=dpi, metadata=metadata[form])
    return _with_alt_text(buffer.getvalue(), stem, title, alt) if form == "svg" else buffer.getvalue()


def _pixels(inches: float, dpi: int) -> int:
    return round(inches * dpi)


def _with_alt_text(svg: bytes, stem: str, title: str, alt: str) -> bytes:
    """``svg`` as an image with a name and a description, which screen readers say."""
    ids = f"{stem}-title", f"{stem}-desc"
    root = re.search(rb"<svg [^>]*>\n", svg)
    if root is None:
        raise ValueError(f"{stem}.svg has no svg element")
    opening = f'{root[0].decode()[:-2]} role="img" aria-labelledby="{" ".join(ids)}">\n'
    words = f' <title id="{ids[0]}">{escape(title)}</title>\n <desc id="{ids[1]}">{escape(alt)}</desc>\n'
    return svg[: root.start()] + (opening + words).encode() + svg[root.end() :]


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process that writes figures to ``folder`` is in this block."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _update_index(out: Path, entry: dict[str, Any]) -> None:
    """Put ``entry`` in the index, beside those of other files that are still there."""
    entries = {old["file"]: old for old in _read_index(out / INDEX) if (out / old["file"]).is_file()}
    entries[entry["file"]] = entry
    ordered = sorted(entries.values(), key=lambda entry: (ORDER.index(entry["name"]), entry["file"]))
    with whole(out / INDEX) as part:
        part.write_text(json.dumps(ordered, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_index(path: Path) -> list[dict[str, Any]]:
    """The entries of an index; none where there is no file, or it is not one of ours."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [entry for entry in entries if entry["name"] in ORDER and isinstance(entry["file"], str)]
    except (FileNotFoundError, ValueError, TypeError, KeyError, RecursionError):
        return []

"""Whether this machine can render, found out by trying."""

import importlib
import importlib.metadata
import platform
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenes.rendering import Encoding

HERE = Path(__file__).parent
PYTHONS = ((3, 11), (3, 14))
# Distributions, and what is imported to load each.
PACKAGES = {
    "av": "av",
    "click": "click",
    "font-source-sans-pro": "font_source_sans_pro",
    "manim": "scenes.loading",
    "matplotlib": "figures.loading",
    "numpy": "numpy",
    "rich": "rich",
    "typst": "typst",
}
ROOM = 2**30  # bytes; a lesson in high quality takes about as much with its segments
FRAME = (320, 180, 15)  # of the trial: pixels and frames a second


@dataclass(frozen=True)
class Finding:
    """What was looked at and what is there; where rendering would fail, also how to mend it."""

    subject: str
    detail: str
    ok: bool = True
    remedy: str = ""


def examine(out: Path) -> Iterator[Finding]:
    """Look at all that rendering needs, one thing after another; files are tried in ``out`` and taken away again."""
    with _left_as_found(out):
        yield from _findings(out)


@contextmanager
def _left_as_found(out: Path) -> Iterator[None]:
    """Take away the folders that come to be in here: ``out``, those above it, and matplotlib's list of fonts below."""
    fonts = out / ".cache" / "matplotlib"  # where the command line has matplotlib put it
    made = [folder for folder in (fonts, *fonts.parents) if not folder.exists()]
    try:
        yield
    finally:
        if fonts in made:
            shutil.rmtree(fonts, ignore_errors=True)
        for folder in made[1:]:
            with suppress(OSError):  # somebody else has put something there
                folder.rmdir()


def _findings(out: Path) -> Iterator[Finding]:
    yield _python()
    tested = tested_versions(HERE / "constraints.txt")
    for name, module in PACKAGES.items():
        yield _tried(name, partial(_package, name, module, tested), _pip(name, tested))
    yield _tried("fonts", _fonts, _pip("font-source-sans-pro", tested))
    folder = _tried("folder", lambda: _folder(out), "choose a folder that can be written: --out DIR")
    yield folder
    if not folder.ok:
        return
    yield _room(out)
    with tempfile.TemporaryDirectory(dir=out, prefix=".doctor-") as scratch:
        yield _tried("picture", lambda: _picture(Path(scratch)), _anew())
        yield from _films(Path(scratch), _pip("av", tested))
        yield _tried("figure", lambda: _figure(Path(scratch)), _pip("matplotlib", tested))


def tested_versions(constraints: Path) -> dict[str, str]:
    """The versions that the project was tested with, by name; none when the file did not come along."""
    if not constraints.is_file():
        return {}
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", constraints.read_text(encoding="utf-8"), re.MULTILINE))


def _tried(subject: str, check: Callable[[], str], remedy: str) -> Finding:
    try:
        return Finding(subject, check())
    except Exception as error:
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Finding(subject, detail, ok=False, remedy=remedy)


def _pip(name: str, tested: dict[str, str]) -> str:
    version = f"=={tested[name]}" if name in tested else ""
    return f"{shlex.quote(sys.executable)} -m pip install --force-reinstall --no-deps {name}{version}"


def _anew() -> str:
    """How to install everything again, system libraries among it."""
    return f"cd {shlex.quote(str(HERE))} && rm -rf .venv && ./bootstrap"


def _python() -> Finding:
    oldest, newest = (".".join(map(str, version)) for version in PYTHONS)
    ok = PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]
    return Finding("Python", f"{platform.python_version()}, of {oldest} to {newest}", ok, "" if ok else _anew())


def _package(name: str, module: str, tested: dict[str, str]) -> str:
    importlib.import_module(module)
    version = importlib.metadata.version(name)
    expected = tested.get(name, version)
    return version if version == expected else f"{version}, tested with {expected}"


def _fonts() -> str:
    from scenes.typesetting import MATHS_FONT, TEXT_FONT, fonts

    fonts()
    return f"{TEXT_FONT}, {MATHS_FONT}"


def _folder(out: Path) -> str:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=out):
        return f"{out} can be written"


def _room(out: Path) -> Finding:
    free = shutil.disk_usage(out).free
    remedy = f"make room there for {ROOM / 2**30:.0f} GB, or choose another folder: --out DIR"
    ok = free >= ROOM
    return Finding("disk", f"{free / 2**30:.1f} GB free in {out}", ok, "" if ok else remedy)


def _picture(scratch: Path) -> str:
    """Set a line of text with a formula, and draw it."""
    from core.parameters import Parameters
    from scenes.base import LessonScene
    from scenes.rendering import FilmOptions, rehearse

    class Trial(LessonScene):
        def construct(self) -> None:
            self.add(self.title("A score is $q dot k$"))
            self.hold()

    pictures: list[Any] = []
    rehearse(Trial, Parameters(), FilmOptions(), lambda moment: pictures.append(moment.picture()), cache=scratch)
    if len(pictures[0].getcolors(pictures[0].width * pictures[0].height)) < 2:
        raise RuntimeError("the picture of a line of text is empty")
    return "text and a formula set by Typst, drawn by Manim"


def _figure(scratch: Path) -> str:
    from core.parameters import Parameters
    from figures import FORMATS, ORDER
    from figures.export import export

    list(export(ORDER[:1], Parameters(), formats=FORMATS, size="column", out=scratch))
    return f"{', '.join(FORMATS)} drawn by matplotlib"


def _films(scratch: Path, remedy: str) -> Iterator[Finding]:
    try:
        from scenes.rendering import ENCODINGS
    except Exception:  # said already: rendering cannot even be imported
        return
    for (form, transparent), encoding in ENCODINGS.items():
        path = scratch / f"{form}{transparent}.{encoding.container}"
        kind = f"transparent {form}" if transparent else form
        check = _gif if form == "gif" else _encoded
        yield _tried(f"{kind} film", partial(check, path, encoding), remedy)


def _encoded(path: Path, encoding: "Encoding") -> str:
    """Write a film of one frame, and read it again."""
    import av
    import numpy as np

    width, height, rate = FRAME
    with av.open(path, "w") as film:
        stream: Any = film.add_stream(encoding.codec, rate=rate, options=dict(encoding.options))
        stream.width, stream.height, stream.pix_fmt = width, height, encoding.pixel_format
        frame = av.VideoFrame.from_ndarray(np.full((height, width, 4), 128, np.uint8), format="rgba")
        film.mux(stream.encode(frame.reformat(format=encoding.pixel_format)))
        film.mux(stream.encode(None))
    with av.open(path) as film:
        if sum(1 for _ in film.decode(video=0)) != 1:
            raise RuntimeError(f"{encoding.codec} lost a frame")
    return f"encoded with {encoding.codec}"


def _gif(path: Path, encoding: "Encoding") -> str:
    """Write a GIF of one frame, which is drawn from a film of another kind."""
    from scenes.films import Take, write_film
    from scenes.segments import Quality

    _encoded(path, encoding)
    takes = [Take("trial", "Trial", (path,), (), ())]
    list(write_film(takes, Quality(*FRAME), "gif", path.with_name("trial"), embed=False, beside=False))
    return "encoded with gif"

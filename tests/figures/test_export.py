"""Figure files: exact sizes, the same bytes everywhere, fonts and alt text inside, whole or not there."""

import dataclasses
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib
import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from PIL import Image

import figures.export as export_module
import figures.style
from core.numerals import fixed, whole
from core.parameters import Parameters
from core.theme import DARK, LIGHT, THEMES
from figures import DPI, FORMATS, ORDER, SIZES, slope
from figures.export import INDEX, Look, export, figure_module
from figures.page import POINTS
from figures.style import MissingFontError, MissingGlyphError, lesson_style, register_fonts

FEW = Parameters(pairs=200, sizes=(4, 64))
ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"

# Run with a folder, to which it writes all figures in all formats, as on another day.
PROGRAM = """
import datetime, sys, time
from pathlib import Path
really = time.time
time.time = lambda: really() + 400 * 86400
class Later(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)
    today = utcnow = now
datetime.datetime = Later
from tests.figures.test_export import draw_everything
draw_everything(Path(sys.argv[1]))
"""


def draw_everything(out: Path) -> None:
    for _ in export(ORDER, Parameters(pairs=200), formats=FORMATS, size="column", dpi=100, out=out):
        pass


def draw(out: Path, names=("slope",), **options) -> list[Path]:
    return list(export(names, options.pop("parameters", FEW), out=out, **options))


def index(out: Path) -> dict[str, dict]:
    return {entry["file"]: entry for entry in json.loads((out / INDEX).read_text(encoding="utf-8"))}


def pdf_objects(path: Path) -> list[bytes]:
    return re.findall(rb"\d+ 0 obj\n(.*?)\nendobj", path.read_bytes(), re.DOTALL)


def pdf_text(path: Path, key: str) -> str:
    """A text of a PDF's information dictionary."""
    raw = path.read_bytes()
    start = raw.index(f"/{key} (".encode()) + len(key) + 3
    text, escapes = bytearray(), {b"n": b"\n", b"r": b"\r"}
    position = start
    while (byte := raw[position : position + 1]) != b")":
        if byte == b"\\":
            position += 1
            byte = escapes.get(raw[position : position + 1], raw[position : position + 1])
        text += byte
        position += 1
    return text.decode("utf-16" if text.startswith(b"\xfe\xff") else "ascii")


@pytest.fixture(scope="module")
def everything(tmp_path_factory) -> tuple[Path, Path]:
    """All figures in all formats, drawn twice: here and now; and on another day, elsewhere, with other settings."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # which all processes of this run share: the first one draws, the others wait for it
    folders = root / "here", root / "there"
    with (root / "figures.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folders[1] / INDEX).exists() or not (folders[0] / INDEX).exists():
            _draw_twice(*folders)
    return folders


def _draw_twice(here: Path, there: Path) -> None:
    settings = here.parent / "matplotlibrc"
    settings.write_text(
        "savefig.bbox: tight\naxes.grid: True\nfont.size: 30\nsvg.fonttype: none\ntimezone: Asia/Tokyo\n"
    )
    other = {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "2", "MATPLOTLIBRC": str(settings), "LC_ALL": "tr_TR.UTF-8"}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(there)], cwd=ROOT, env=os.environ | other) as run:
        draw_everything(here)
    assert run.returncode == 0


def test_files_are_the_same_to_the_byte_whatever_the_day_the_place_and_the_settings(everything):
    here, there = everything
    names = sorted(path.name for path in here.iterdir())
    assert names == sorted(path.name for path in there.iterdir())
    assert len(names) == len(ORDER) * len(FORMATS) + 1
    assert [name for name in names if (here / name).read_bytes() != (there / name).read_bytes()] == []


def test_pdfs_embed_truetype_fonts_and_no_others(everything):
    """Type 42 is TrueType. Read from the files' own objects, and by pdffonts where that is installed."""
    paths = sorted(everything[0].glob("*.pdf"))
    assert len(paths) == len(ORDER)
    for path in paths:
        objects = pdf_objects(path)
        subtypes = {
            kind
            for each in objects
            if b"/Type /Font\n" in each or b"/Type /Font " in each
            for kind in re.findall(rb"/Subtype /(\w+)", each)
        }
        assert subtypes == {b"Type0", b"CIDFontType2"}
        descriptors = [each for each in objects if b"/FontDescriptor" in each and b"/FontName" in each]
        assert descriptors
        assert all(b"/FontFile2 " in each for each in descriptors)
        if shutil.which("pdffonts"):
            listing = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout
            rows = listing.splitlines()[2:]
            assert rows
            assert all(re.search(r" CID TrueType +\S+ +yes ", row) for row in rows), listing


def test_no_file_says_when_or_with_what_it_was_made(everything):
    for path in everything[0].iterdir():
        raw = path.read_bytes().lower()
        assert not re.search(
            rb"creationdate|moddate|/producer|/creator|matplotlib(?!\.axis_)|<metadata|software", raw
        ), path.name


@pytest.mark.parametrize("name", ORDER)
def test_every_format_carries_the_alt_text(everything, name):
    module = figure_module(name)
    alt = module.alt_text(module.case(Parameters(pairs=200)))
    stem = Look("column").stem(name)
    here = everything[0]
    with Image.open(here / f"{stem}.png") as picture:
        assert (picture.text["Title"], picture.text["Description"]) == (module.TITLE, alt)
    assert (pdf_text(here / f"{stem}.pdf", "Title"), pdf_text(here / f"{stem}.pdf", "Subject")) == (module.TITLE, alt)
    svg = ElementTree.parse(here / f"{stem}.svg").getroot()
    title, description = list(svg)[:2]
    assert (title.tag, title.text, description.tag, description.text) == (
        f"{SVG}title",
        module.TITLE,
        f"{SVG}desc",
        alt,
    )
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]
    assert {entry["alt"] for entry in index(here).values() if entry["name"] == name} == {alt}
    assert 2 <= len(re.findall(r"[.:] [A-Z]|\.$", alt)) <= 5


def test_alt_texts_hold_the_figures_numbers():
    def alt(name):
        return figure_module(name).alt_text(figure_module(name).case(Parameters()))

    walks, spread = figure_module("walks").case(Parameters()), figure_module("spread").case(Parameters())
    for number in (fixed(walks.ends_std, 2), str(walks.steps_up), str(walks.steps_down), "60", "64", "end at ±8"):
        assert number in alt("walks")
    for d, law, raw, scaled in zip(spread.sizes, spread.law, spread.raw_std, spread.scaled_std, strict=True):
        assert f"{fixed(law, 2)} at d = {whole(d)}" in alt("density")
        assert f"{fixed(raw, 2)} at d = {whole(d)}" in alt("spread")
        assert f"{fixed(scaled, 2)} at d = {whole(d)}" in alt("spread")
    for number in ("8.00 in theory", f"{fixed(spread.raw_std[2], 2)} measured", "10,000"):
        assert number in alt("density")
    for number in ("2, 1, 0", "0.67, 0.24, 0.09", "16, 8, 0", "0.9997, 0.0003, 0.0000"):
        assert number in alt("saturation")
    for number in ("0.67", "0.22", "0.9997", "0.0003", "664 times smaller"):
        assert number in alt("slope")
    lesson = "−3.12 13.41 −27.00 12.41 2.39 24.29 −1.23 −2.77, −0.20 0.84 −1.69 0.78 0.15 1.52 −0.08 −0.17, "
    lesson += "0.0634 0.1781 0.0142 0.1673 0.0894 0.3514 0.0713 0.0648 1.0000 0.0003 1.7909 2.0794"
    for number in lesson.replace(",", "").split():
        assert number in alt("rescaling")
    case = figure_module("divisors").case(Parameters())
    for statistics in (case.raw, case.scaled, case.over_scaled):
        first, last = (fixed(statistics.max_weight_median[index], 2) for index in (0, -1))
        assert f"from {first} to {last}" in alt("divisors")
        first, last = (fixed(statistics.entropy_median[index], 2) for index in (0, -1))
        assert f"from {first} to {last}" in alt("entropy")
    assert "1/8" in alt("divisors")
    assert "log 8 = 2.08" in alt("entropy")


def test_an_svg_is_drawn_in_outlines_so_that_no_reader_needs_the_fonts(everything):
    for path in everything[0].glob("*.svg"):
        tags = {element.tag for element in ElementTree.parse(path).iter()}
        assert f"{SVG}text" not in tags
        assert f"{SVG}use" in tags


@pytest.mark.parametrize("size", SIZES)
def test_pages_are_exactly_as_large_as_promised(tmp_path, size):
    png, svg, pdf, _ = draw(tmp_path, size=size, formats=FORMATS)
    width, height = SIZES[size]
    with Image.open(png) as picture:
        assert picture.size == (round(width * DPI[size]), round(height * DPI[size]))
        assert picture.info["dpi"] == pytest.approx((DPI[size], DPI[size]), abs=0.02)
    root = ElementTree.parse(svg).getroot()
    sides = [float(root.attrib[side].removesuffix("pt")) for side in ("width", "height")]
    assert sides == pytest.approx([width * POINTS, height * POINTS], abs=1e-4)
    (box,) = re.findall(rb"/MediaBox \[ 0 0 (\S+) (\S+) \]", pdf.read_bytes())
    assert [float(side) for side in box] == pytest.approx([width * POINTS, height * POINTS], abs=1e-4)


def test_a_slide_has_2000_by_1125_pixels(tmp_path):
    with Image.open(draw(tmp_path)[0]) as picture:
        assert picture.size == (2000, 1125)


@pytest.mark.parametrize("dpi", [71, 88, 115, 171])
def test_no_pixel_is_lost_at_any_resolution(tmp_path, dpi):
    """matplotlib would cut: at 71 dpi 2.6 inches are 184.6 pixels."""
    path, _ = draw(tmp_path, size="column", dpi=dpi)
    with Image.open(path) as picture:
        assert picture.size == (round(3.5 * dpi), round(2.6 * dpi))
    assert index(tmp_path)[path.name]["pixels"] == [round(3.5 * dpi), round(2.6 * dpi)]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())
def test_the_ground_is_the_themes_or_left_out(tmp_path, theme):
    opaque, _ = draw(tmp_path, size="column", theme=theme)
    clear, _ = draw(tmp_path, size="column", theme=theme, transparent=True)
    with Image.open(opaque) as picture:
        assert picture.convert("RGBA").getpixel((3, 3)) == (*bytes.fromhex(theme.ground[1:]), 255)
    with Image.open(clear) as picture:
        assert picture.getpixel((3, 3))[3] == 0
        assert picture.getextrema()[3] == (0, 255)


def test_variants_never_overwrite_each_other():
    looks = [Look(size, theme, clear) for size in SIZES for theme in (DARK, LIGHT) for clear in (False, True)]
    assert len({look.stem(name) for look in looks for name in ORDER}) == len(looks) * len(ORDER)


def test_a_file_does_not_depend_on_what_else_was_asked_for(tmp_path):
    draw(tmp_path / "alone", size="column", formats=["svg"])
    draw(tmp_path / "together", names=("walks", "slope"), size="column", formats=FORMATS)
    name = "slope-column-dark.svg"
    assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "together" / name).read_bytes()


def test_figures_are_written_to_a_folder_of_any_name_and_nowhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = Path("don't panic é #100%", "中文")
    paths = draw(out, size="column", formats=FORMATS)
    assert sorted(path for path in Path().rglob("*") if path.is_file()) == sorted(paths)
    assert paths[-1] == out / INDEX


def test_the_index_says_what_each_file_is(tmp_path):
    paths = draw(tmp_path, names=("saturation", "rescaling"), size="half", theme=LIGHT, transparent=True, dpi=60)
    entries = index(tmp_path)
    assert [path.name for path in paths] == [*entries, INDEX]
    for path in paths[:-1]:
        assert entries[path.name]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert entries["saturation-half-light-transparent.png"] | {"alt": "", "sha256": ""} == {
        "file": "saturation-half-light-transparent.png",
        "name": "saturation",
        "title": figure_module("saturation").TITLE,
        "alt": "",
        "format": "png",
        "size": "half",
        "inches": [6.4, 6.0],
        "pixels": [384, 360],
        "theme": "light",
        "transparent": True,
        "parameters": {"d_k": 64, "scores": [2.0, 1.0, 0.0]},
        "sha256": "",
    }
    assert entries["rescaling-half-light-transparent.png"]["parameters"] == {}


def test_one_figure_does_not_drop_the_others_from_the_index(tmp_path):
    draw(tmp_path, names=("slope", "walks"), size="column")
    draw(tmp_path, size="column", formats=["pdf"], parameters=Parameters(d_k=16))
    entries = index(tmp_path)
    assert list(entries) == ["walks-column-dark.png", "slope-column-dark.pdf", "slope-column-dark.png"]
    assert entries["slope-column-dark.pdf"]["parameters"]["d_k"] == 16
    assert entries["slope-column-dark.png"]["parameters"]["d_k"] == 64


def test_what_is_no_longer_there_leaves_the_index(tmp_path):
    gone, kept, _ = draw(tmp_path, names=("slope", "walks"), size="column")
    gone.unlink()
    draw(tmp_path, names=("saturation",), size="column")
    assert list(index(tmp_path)) == [kept.name, "saturation-column-dark.png"]


@pytest.mark.parametrize("content", ["", "[{", "{}", "[1]", '[{"name": "slope"}]', '"figures"', "[" * 200_000])
def test_an_index_that_is_none_is_written_anew(tmp_path, content):
    (tmp_path / INDEX).write_text(content)
    draw(tmp_path, size="column")
    assert list(index(tmp_path)) == ["slope-column-dark.png"]


def test_only_one_process_at_a_time_writes_to_a_folder(tmp_path, monkeypatch):
    """Else one could lose another's entry. A folder that is locked cannot be locked once more."""
    update, updates = export_module._update_index, []

    def update_alone(out, entry):
        descriptor = os.open(out, os.O_RDONLY)
        with pytest.raises(BlockingIOError, match="unavailable"):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)
        update(out, entry)
        updates.append(entry["file"])

    monkeypatch.setattr(export_module, "_update_index", update_alone)
    for path in export(["slope", "saturation"], FEW, size="column", out=tmp_path):
        descriptor = os.open(tmp_path, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # free again
        os.close(descriptor)
        assert path.name in [*updates, INDEX]
    assert len(updates) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt("by the user"), OSError("No space left on device")])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error):
    old, listing = draw(tmp_path, size="column")
    before = {path: path.read_bytes() for path in (old, listing)}
    write = Path.write_bytes

    def cut(path, content):
        write(path, content[: len(content) // 2])
        raise error

    monkeypatch.setattr(Path, "write_bytes", cut)
    with pytest.raises(type(error), match=str(error)):
        draw(tmp_path, size="column", parameters=Parameters(d_k=16))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    monkeypatch.undo()
    draw(tmp_path, size="column", parameters=Parameters(d_k=16))
    assert old.read_bytes() != before[old]


@pytest.mark.parametrize("title", ["漢 counts again", "漢 counts √d", "\N{LATIN SUBSCRIPT SMALL LETTER K}"])
def test_a_letter_the_font_lacks_fails_the_figure(tmp_path, monkeypatch, title):
    """In plain text matplotlib warns, in mathtext it logs; either way a box would be drawn."""
    monkeypatch.setattr(slope, "TITLE", title)
    with pytest.raises(MissingGlyphError, match=r"[Gg]lyph"):
        draw(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_font_that_is_not_there_fails_the_figure():
    with pytest.raises(MissingFontError, match="No Such Font"), lesson_style():
        Figure().text(0, 0, "text", fontfamily="No Such Font").get_window_extent()


def test_a_missing_wheel_is_an_error_and_not_another_font(tmp_path, monkeypatch):
    monkeypatch.setattr(figures.style.font_source_sans_pro, "font_directory", str(tmp_path))
    with pytest.raises(MissingFontError, match=r"SourceSansPro-Regular\.ttf is missing; run \./bootstrap"):
        register_fonts.__wrapped__()


def test_the_wheels_letters_come_before_those_installed_on_the_machine(monkeypatch):
    """Another copy of the font, known to matplotlib first, could look otherwise."""
    register_fonts()
    own = [font for font in fontManager.ttflist if font.name == "Source Sans Pro"]
    copies = [dataclasses.replace(font, fname="/usr/share/fonts/" + Path(font.fname).name) for font in own]
    rest = [font for font in fontManager.ttflist if font not in own]
    monkeypatch.setattr(fontManager, "ttflist", copies + rest)
    register_fonts.__wrapped__()
    first = {font.weight: font for font in reversed(fontManager.ttflist) if font.name == "Source Sans Pro"}
    folder = Path(figures.style.font_source_sans_pro.font_directory)
    assert {weight: Path(font.fname) for weight, font in first.items()} == {
        400: folder / "SourceSansPro-Regular.ttf",
        600: folder / "SourceSansPro-Semibold.ttf",
    }


def test_matplotlibs_settings_are_the_callers_before_between_and_after(tmp_path):
    with matplotlib.rc_context({"font.size": 31, "axes.grid": True}):
        before = dict(matplotlib.rcParams)
        for _ in export(("slope", "saturation"), FEW, size="column", out=tmp_path):
            assert dict(matplotlib.rcParams) == before
        assert dict(matplotlib.rcParams) == before
        with lesson_style():
            assert matplotlib.rcParams["font.size"] != 31
        with pytest.raises(ZeroDivisionError, match="by zero"), lesson_style():
            _ = 1 / 0
        assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"names": ["slop"]}, "figure 'slop' is not one of walks, density"),
        ({"formats": ["png", "gif"]}, "format 'gif' is not one of png, svg, pdf"),
        ({"size": "poster"}, "size 'poster' is not one of slide, half, column"),
        ({"dpi": 0}, "dpi must be a whole number from 50 to 600, not 0"),
        ({"dpi": 601}, "not 601"),
        ({"dpi": 150.5}, r"not 150\.5"),
        ({"dpi": True}, "not True"),
    ],
)
def test_what_there_is_not_is_refused_by_name_before_anything_is_written(tmp_path, wrong, message):
    with pytest.raises(ValueError, match=message):
        export(**{"names": ["slope"], "parameters": FEW, "out": tmp_path} | wrong)
    assert not list(tmp_path.iterdir())


def test_how_far_it_is_is_told_before_each_file_and_at_the_end(tmp_path):
    told = []
    draw(
        tmp_path,
        names=("slope", "walks"),
        formats=["png", "svg", "png"],
        size="column",
        report=lambda *all_: told.append(all_),
    )
    assert told == [("slope", 0, 4), ("slope", 1, 4), ("walks", 2, 4), ("walks", 3, 4), ("walks", 4, 4)]


def test_no_names_draw_nothing(tmp_path):
    assert draw(tmp_path, names=()) == []
    assert not list(tmp_path.iterdir())

"""Text is set in the lesson's own fonts, at exact sizes and places, whatever lies in Manim's folders."""

import os
import subprocess
import sys
from pathlib import Path

import font_source_sans_pro
import numpy as np
import pytest
from fontTools.pens.boundsPen import BoundsPen
from fontTools.ttLib import TTFont
from manim import Typst, VMobject, tempconfig
from manim.mobject.text import typst_mobject

from core import theme as sizes
from core.theme import DARK
from scenes import typesetting
from scenes.typesetting import (
    HEADING,
    LABEL,
    READOUT_CHARACTERS,
    SMALL,
    TITLE,
    MissingFontError,
    MissingGlyphError,
    Readout,
    SetText,
    fonts,
    maths,
    place,
    plain,
    texts_in,
    words,
)

INK = DARK.ink


@pytest.fixture(autouse=True)
def folder(tmp_path):
    """Where Manim writes the texts that it sets."""
    with texts_in(tmp_path / "texts"):
        yield tmp_path / "texts"


@pytest.fixture(scope="module", params=["Regular", "Semibold", "Bold"])
def font(request):
    """A font file, and the weight that it is called by: what the letters should be like, from the file itself."""
    path = Path(font_source_sans_pro.font_directory) / f"SourceSansPro-{request.param}.otf"
    return TTFont(path), request.param.lower()


def advance(font, text):
    """How far the pen moves for ``text``, at 1 unit an em."""
    names = font.getBestCmap()
    return sum(font["hmtx"][names[ord(character)]][0] for character in text) / font["head"].unitsPerEm


def ink_box(font, character):
    """(4,) left, bottom, right, top of the ink of a letter, its pen at 0, at 1 unit an em."""
    glyphs = font.getGlyphSet()
    pen = BoundsPen(glyphs)
    glyphs[font.getBestCmap()[ord(character)]].draw(pen)
    return np.array(pen.bounds or (0, 0, 0, 0)) / font["head"].unitsPerEm  # a space has no ink


def drawn_box(mobject):
    return np.array([*mobject.get_corner([-1, -1, 0])[:2], *mobject.get_corner([1, 1, 0])[:2]])


# Size and place


def test_the_sizes_are_those_of_the_theme_on_a_frame_8_high():
    shares = np.array([sizes.TITLE, sizes.HEADING, sizes.LABEL, sizes.SMALL])
    np.testing.assert_allclose([TITLE, HEADING, LABEL, SMALL], 8 * shares)


@pytest.mark.parametrize("em", [TITLE, SMALL])
def test_letters_are_those_of_the_font_at_the_size_of_the_em(font, em):
    file, weight = font
    left, bottom, right, top = ink_box(file, "H") * em
    text = place(words("H", em=em, color=INK, weight=weight), 0, 0, "left")
    np.testing.assert_allclose(drawn_box(text), [0, bottom, right - left, top], atol=1e-3 * em)


@pytest.mark.parametrize("text", ["x", "Hxg", "d = 64", "$q dot k$", "gy"])
def test_a_text_stands_on_its_baseline(text):
    """A letter without a foot, put in front, ends at the baseline whatever hangs below it."""
    placed = place(words(f"#box[H]<first>{text}", color=INK), 0, 1.5)
    assert placed.select("first").get_bottom()[1] == pytest.approx(1.5, abs=1e-3)
    assert placed.get_bottom()[1] + placed.baseline_above_bottom == pytest.approx(1.5, abs=1e-6)


@pytest.mark.parametrize(("align", "side"), [("left", "get_left"), ("center", "get_center"), ("right", "get_right")])
def test_a_text_is_aligned(align, side):
    text = words("aligned", color=INK)
    assert place(text, 2, 0, align) is text
    assert getattr(text, side)()[0] == pytest.approx(2)


def test_maths_has_the_size_of_its_em_and_its_baseline_too():
    small, large = (place(maths("{{ d : d }} y", em=em, color=INK), 0, 0.5) for em in (0.2, 0.6))
    assert large.height == pytest.approx(3 * small.height, rel=1e-3)
    assert small.select("d").get_bottom()[1] == pytest.approx(0.5, abs=0.01 * 0.2 + 1e-3)


# Shapes


def test_a_text_is_one_shape_a_colour():
    assert len(words("Many letters, all alike", color=INK)) == 1
    assert len(words("$q dot k$ and more", color=INK)) == 1
    two = words(f'Many #text(fill: rgb("{DARK.raw}"))[colours]', color=INK)
    assert [shape.get_fill_color().to_hex() for shape in two] == [INK, DARK.raw]


def test_parts_are_found_and_coloured_by_their_name():
    formula = maths("{{ q : query }} dot {{ k : key }} + {{ q : query }}", color=INK)
    query = formula.select("query")
    query.set_color(DARK.query)
    colors = [shape.get_fill_color().to_hex() for shape in formula]
    assert colors.count(DARK.query) == len(query)
    assert INK in colors
    assert {id(shape) for shape in query} <= {id(shape) for shape in formula}
    assert formula.select("key")[0].get_x() > query[0].get_left()[0]
    with pytest.raises(KeyError):
        formula.select("value")


def test_a_text_can_be_copied():
    text = words("#box[one]<one> two", color=INK)
    copy = text.copy().shift([1, 0, 0])
    assert isinstance(copy, SetText)
    assert (copy.em, copy.source) == (text.em, text.source)
    assert copy.select("one").get_x() == pytest.approx(text.select("one").get_x() + 1)
    assert copy.select("one")[0] is not text.select("one")[0]


@pytest.mark.parametrize("formula", ["a / b", "sqrt(d)"])
def test_rules_are_as_thick_at_every_picture_size_and_every_time(formula):
    def thickness(em):
        (rule,) = (shape for shape in maths(formula, em=em, color=INK) if shape.get_stroke_width() > 0)
        return float(rule.get_stroke_width())

    found = []
    for width in (480, 854, 3840, 854):
        with tempconfig({"pixel_width": width}):
            found += [thickness(LABEL), thickness(LABEL)]
    np.testing.assert_allclose(found, found[0])
    assert 0.02 * LABEL < found[0] / 100 < 0.08 * LABEL  # in scene units: as fractions look
    assert thickness(3 * LABEL) == pytest.approx(3 * found[0])


# Characters


@pytest.mark.parametrize(
    "text", ["a*b_c", "#1 $2", "[x] @y <z>", 'say "d"', "back\\slash", "~ ` ^ & %", "√64 ≈ 8 − 1 × 2 ÷ 3"]
)
def test_plain_text_is_shown_as_it_is(text, font):
    file, weight = font
    shown = place(words(plain(text), em=1, color=INK, weight=weight), 0, 0, "left")
    first, last = ink_box(file, text[0]), ink_box(file, text[-1])
    kerning = 0.12  # pairs of letters may come nearer to each other, or further apart
    assert shown.width == pytest.approx(advance(file, text[:-1]) + last[2] - first[0], abs=kerning)


@pytest.mark.parametrize(
    "make",
    [
        lambda: words("a subscript ₖ", color=INK),
        lambda: words("emoji 🎓", color=INK),
        lambda: words("in maths $d ₖ$", color=INK),
        lambda: maths("√d", color=INK),
        lambda: maths("x − y", color=INK),
        lambda: Readout("8 keys!", color=INK),
        lambda: Readout("K", color=INK),
    ],
)
def test_a_character_that_no_font_has_is_an_error(make):
    with pytest.raises(MissingGlyphError):
        make()


def test_no_font_of_the_machine_is_looked_at():
    embedded = {"DejaVu Sans Mono", "Libertinus Serif", "New Computer Modern", "New Computer Modern Math"}
    assert set(fonts().families()) == embedded | {"Source Sans Pro"}


def test_a_missing_font_is_an_error_that_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(font_source_sans_pro, "font_directory", str(tmp_path))
    fonts.cache_clear()
    try:
        with pytest.raises(MissingFontError, match=r"Source Sans Pro is missing; run \./bootstrap"):
            fonts()
    finally:
        fonts.cache_clear()


def test_what_typst_warns_of_is_an_error():
    with pytest.raises(MissingFontError, match="unknown font family"):
        words('#text(font: "No Such Font")[x]', color=INK)


# Manim's files


def test_a_broken_file_is_written_again(folder):
    whole = words("cached text", color=INK)
    files = list(folder.glob("*.svg"))
    assert files
    for content in (b"", b"<svg", files[0].read_bytes()[:100]):
        for path in files:
            path.write_bytes(content)
        again = words("cached text", color=INK)
        np.testing.assert_array_equal(again[0].points, whole[0].points)
    assert {path.suffix for path in folder.iterdir()} == {".svg"}, "something half-written was left"


def test_a_file_is_named_by_what_it_holds(folder):
    words("same", color=INK)
    first = {path.name for path in folder.glob("*.svg")}
    words("same", color=INK)
    assert {path.name for path in folder.glob("*.svg")} == first
    words("same", color=INK, weight="bold")  # the markup is the same, the letters are not
    assert len(list(folder.glob("*.svg"))) == len(first) + 1


def test_manim_gets_its_own_function_back():
    original = typst_mobject.typst_to_svg_file
    words("x", color=INK)
    assert typst_mobject.typst_to_svg_file is original
    with pytest.raises(MissingGlyphError):
        words("ₖ", color=INK)
    assert typst_mobject.typst_to_svg_file is original
    assert Typst("x").width > 0


# Readouts


def test_a_readout_is_set_like_words(font):
    """Digits are all as wide as each other, so nothing is kerned and both ways must end alike."""
    _, weight = font
    for text in ("0.9997", "−27.00", "1,024"):
        readout = Readout(text, em=LABEL, color=INK, weight=weight, align="left")
        left, bottom, right, top = drawn_box(readout)
        set_text = place(words(text, em=LABEL, color=INK, weight=weight), left, 0, "left")
        np.testing.assert_allclose(drawn_box(set_text), [left, bottom, right, top], atol=2e-3)


@pytest.mark.parametrize("text", ["0", "1,024.5", "÷ 8", "entropy 1.77", "", READOUT_CHARACTERS])
def test_a_readout_is_as_wide_as_its_letters(text, font):
    file, weight = font
    readout = Readout(text, 1, 2, em=0.5, color=INK, weight=weight, align="left")
    if text:
        boxes = [ink_box(file, character) for character in text]
        starts = [advance(file, text[:index]) for index in range(len(text))]
        left = min(start + box[0] for start, box in zip(starts, boxes, strict=True) if box[2] > box[0])
        right = max(start + box[2] for start, box in zip(starts, boxes, strict=True) if box[2] > box[0])
        assert readout.get_left()[0] == pytest.approx(1 + 0.5 * left, abs=1e-3)
        assert readout.get_right()[0] == pytest.approx(1 + 0.5 * right, abs=1e-3)
    else:
        assert len(readout.points) == 0


@pytest.mark.parametrize(("align", "part"), [("left", 0), ("center", 0.5), ("right", 1)])
def test_a_readout_keeps_its_place_while_its_number_changes(align, part, font):
    file, weight = font
    readout = Readout(color=INK, weight=weight, align=align, em=LABEL)
    for text in ("7", "1,024", "−0.5"):
        assert readout.show(text, 3, -1) is readout
        assert readout.text == text
        pen = 3 - part * LABEL * advance(file, text)
        assert readout.get_left()[0] == pytest.approx(pen + LABEL * ink_box(file, text[0])[0], abs=1e-3)
    readout.show("1", 3, -1)
    assert readout.get_bottom()[1] == pytest.approx(-1, abs=1e-3)


def test_a_readout_is_one_shape_that_fits_its_text():
    readout = Readout("0.22", color=INK)
    assert isinstance(readout, VMobject)
    assert len(readout.submobjects) == 0
    before = readout.points.copy()
    np.testing.assert_array_equal(readout.show("0.23", 0, 0).show("0.22", 0, 0).points, before)
    assert readout.get_fill_color().to_hex() == INK
    assert readout.get_stroke_width() == 0


def test_a_readout_does_no_work_for_what_it_shows_already(monkeypatch):
    readout = Readout("8", 1, 1, color=INK)
    monkeypatch.setattr(typesetting, "_glyphs", lambda weight: pytest.fail("it was put together again"))
    readout.show("8", 1, 1)


def test_a_copy_of_a_readout_goes_its_own_way():
    readout = Readout("8", color=INK)
    copy = readout.copy()
    copy.show("64", 0, 0)
    assert (readout.text, copy.text) == ("8", "64")
    assert len(copy.points) > len(readout.points)
    readout.show("8", 0, 0)
    assert readout.width < copy.width


# Where the files of texts are

ALONE = """
import sys
from pathlib import Path
from scenes import typesetting
from scenes.typesetting import words
for number in range(60):
    words(f"word {number}", color="#FFFFFF")
print(typesetting._own_folder())
assert list(typesetting._own_folder().iterdir())
"""


def test_processes_that_set_the_same_texts_without_a_film_do_not_meet(tmp_path):
    """As with plain Manim in two terminals: each has a folder of its own, and leaves nothing behind."""
    root = Path(typesetting.__file__).parents[1]
    env = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", ALONE]
    processes = [subprocess.Popen(command, cwd=tmp_path, env=env, stdout=-1, stderr=-1, text=True) for _ in range(3)]
    outputs = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    folders = {Path(out.strip()) for out, _ in outputs}
    assert len(folders) == 3
    assert not any(folder.exists() for folder in folders)
    assert list(tmp_path.iterdir()) == []

"""The colours are legible on their ground and stay apart for every reader."""

import re
from dataclasses import FrozenInstanceError, fields, replace
from itertools import combinations

import numpy as np
import pytest
from colorspacious import cspace_convert

from core.theme import DARK, FLOOR, HEADING, LABEL, LIGHT, SMALL, THEMES, TITLE, Theme

COLOURS = [field.name for field in fields(Theme) if field.name != "name"]
TEXT = ["ink", "muted", "raw", "scaled", "over_scaled", "query", "key", "value"]

# Colours that may share a picture and mean different things. Query and over-scaled never do.
TOGETHER = [
    *combinations(["raw", "scaled", "over_scaled"], 2),
    *combinations(["query", "key", "value"], 2),
    *[(vector, score) for vector in ("query", "key", "value") for score in ("raw", "scaled")],
]
VISION = [None, "protanomaly", "deuteranomaly", "tritanomaly"]

pytestmark = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())


def rgb(colour: str) -> np.ndarray:
    """The (3,) channels of ``"#RRGGBB"``, each from 0 to 1."""
    return np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = rgb(colour)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    """Contrast ratio as WCAG 2.2 defines it, from 1 to 21."""
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def as_seen(colour: str, vision: str | None) -> np.ndarray:
    """CAM02-UCS coordinates of a colour, as seen with a full deficiency of one kind (Machado et al., 2009)."""
    channels = rgb(colour)
    if vision is not None:
        space = {"name": "sRGB1+CVD", "cvd_type": vision, "severity": 100}
        channels = np.clip(cspace_convert(channels, space, "sRGB1"), 0, 1)  # a screen shows nothing outside
    return cspace_convert(channels, "sRGB1", "CAM02-UCS")


def test_the_contrast_measure_itself(theme):
    """Black on white is 21:1, a colour on itself 1:1, and #767676 is the well-known last grey at 4.5:1 on white."""
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast(theme.raw, theme.raw) == pytest.approx(1)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.005)


def test_every_colour_is_six_hexadecimal_digits(theme):
    """Manim, matplotlib and Typst all read this form."""
    for role in COLOURS:
        assert re.fullmatch("#[0-9A-F]{6}", getattr(theme, role)), role


@pytest.mark.parametrize("role", TEXT)
def test_text_in_this_colour_can_be_read_on_the_ground(theme, role):
    assert contrast(getattr(theme, role), theme.ground) >= 4.5


def test_faint_marks_show_but_stay_behind(theme):
    """They are seen on the ground, yet no one could mistake them for something to read."""
    assert 1.2 < contrast(theme.faint, theme.ground) < 3


@pytest.mark.parametrize("role", ["ink", "raw", "scaled", "over_scaled"])
def test_numbers_and_bars_stand_out_from_a_bar_track(theme, role):
    assert contrast(getattr(theme, role), theme.faint) >= 3


@pytest.mark.parametrize("vision", VISION, ids=lambda vision: vision or "normal")
@pytest.mark.parametrize("pair", TOGETHER, ids="-".join)
def test_colours_that_share_a_picture_stay_apart(theme, pair, vision):
    one, other = (as_seen(getattr(theme, role), vision) for role in pair)
    assert np.linalg.norm(one - other) >= 12


def test_a_theme_is_found_under_its_own_name(theme):
    assert THEMES[theme.name] is theme
    assert theme in (DARK, LIGHT)


def test_a_theme_cannot_be_changed_in_place(theme):
    """One scene must not recolour the next."""
    with pytest.raises(FrozenInstanceError, match="raw"):
        theme.raw = "#000000"
    assert replace(theme, raw="#000000") != theme


def test_themes_share_roles_not_colours(theme):
    others = [other for other in THEMES.values() if other is not theme]
    for other in others:
        assert not {getattr(theme, role) for role in COLOURS} & {getattr(other, role) for role in COLOURS}


def test_sizes_step_down_and_none_is_below_the_floor(theme):
    assert 1 / 2 > TITLE > HEADING > LABEL > SMALL >= FLOOR == 1 / 36

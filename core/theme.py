"""Colours by role and type sizes: plain data that figures and scenes share.

A role keeps its colour wherever it appears: what is raw on a slide is raw in the film. Within a theme query, key
and value differ from each other, from raw and from scaled by a CAM02-UCS distance of at least 12, for normal vision
and under full protanopia, deuteranopia and tritanopia; so do raw, scaled and over-scaled among themselves. All of them
and both text colours stand on the ground at a contrast of at least 4.5:1.
"""

from dataclasses import dataclass

__all__ = ["DARK", "FLOOR", "HEADING", "LABEL", "LIGHT", "SMALL", "THEMES", "TITLE", "Theme"]

# Type sizes (the em, that is the nominal font size) as fractions of the picture's height: the same proportions
# at every resolution and figure size.
TITLE = 1 / 16
HEADING = 1 / 22
LABEL = 1 / 28
SMALL = 1 / 32  # the smallest size that is chosen for anything
FLOOR = 1 / 36  # the smallest size that anything may end at, should a long line have to shrink to fit


@dataclass(frozen=True)
class Theme:
    """The colour of each role, as ``"#RRGGBB"``.

    ``ink`` and ``muted`` are for text. ``faint`` is for marks that carry no meaning of their own (grids, bar tracks,
    axis lines): it is too near the ground to be read.
    """

    name: str
    ground: str
    ink: str
    muted: str
    faint: str
    raw: str
    scaled: str  # divided by sqrt(d_k)
    over_scaled: str  # divided by d_k
    query: str
    key: str
    value: str


DARK = Theme(
    name="dark",
    ground="#10141D",
    ink="#EEF1F6",
    muted="#8C96A6",
    faint="#2A3242",
    raw="#FF8A5B",
    scaled="#5BB8F5",
    over_scaled="#E3C4C7",
    query="#F4ED7A",
    key="#2BA188",
    value="#A372EE",
)

LIGHT = Theme(
    name="light",
    ground="#FFFFFF",
    ink="#14181F",
    muted="#5B6573",
    faint="#DDE2EA",
    raw="#C2410C",
    scaled="#0A5EB5",
    over_scaled="#723147",
    query="#5D4218",
    key="#517F4A",
    value="#53108C",
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}

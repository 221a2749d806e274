"""Loads matplotlib for the lesson's own command: import it before anything of matplotlib's.

As soon as it is imported matplotlib reads a file of settings, one in the folder where it is run before all others, and
stops at one that it cannot read, or at a backend that is not installed. What they set is replaced while figures are
drawn anyway (figures/style.py).
"""

import os
from importlib.util import find_spec
from unittest import mock

SETTINGS = "matplotlibrc"


def _load() -> None:
    spec, exists = find_spec("matplotlib"), os.path.exists
    own = {"MATPLOTLIBRC": os.path.join(os.path.dirname(spec.origin), "mpl-data")} if spec and spec.origin else {}
    with (
        mock.patch.dict(os.environ, own, MPLBACKEND="agg"),
        mock.patch("os.path.exists", lambda path: path != SETTINGS and exists(path)),
    ):
        import matplotlib  # noqa: F401


_load()

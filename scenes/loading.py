"""Loads Manim for the lesson's own command: import it before anything of Manim's.

Manim reads configuration files wherever it is run as soon as it is imported, stops at one that it cannot read, and says
what it has to say on stdout, which is for results. What they set is replaced later anyway (scenes/rendering.py).
"""

import configparser
import contextlib
import sys
import warnings
from unittest import mock


def _load() -> None:
    with (
        mock.patch.object(configparser.ConfigParser, "read", return_value=[]),
        contextlib.redirect_stdout(sys.stderr),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # of its own dependencies, where a user has made warnings errors
        import manim  # noqa: F401


_load()

"""Figures drawn for tests, in the lesson's style."""

from collections.abc import Callable, Iterator

import pytest
from matplotlib.figure import Figure

from core.parameters import Parameters
from figures.export import Look, compose
from figures.style import lesson_style

Drawer = Callable[..., Figure]


@pytest.fixture
def drawn() -> Iterator[Drawer]:
    """Draws a whole figure, as it is exported; matplotlib is set for figures while the test runs."""

    def draw(name: str, parameters: Parameters | None = None, look: Look | None = None) -> Figure:
        return compose(name, parameters or Parameters(pairs=1000), look or Look())

    with lesson_style():
        yield draw

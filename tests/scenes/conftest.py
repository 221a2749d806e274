"""What holds for tests of scenes: the files of texts are every process's own, for Manim's are not safe to share."""

import pytest
from manim import tempconfig


@pytest.fixture(scope="session", autouse=True)
def texts_of_one_process(tmp_path_factory):
    with tempconfig({"tex_dir": str(tmp_path_factory.mktemp("texts"))}):
        yield

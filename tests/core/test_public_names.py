"""What `core` offers, and what it takes to offer it."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import core

ROOT = Path(core.__file__).parents[1]


@pytest.mark.parametrize("name", core.__all__)
def test_every_public_name_is_there_with_a_docstring(name):
    assert getattr(core, name).__doc__
    assert name in dir(core)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("attention", "softmax scale_factor scaled_scores causal_mask scaled_dot_product_attention"),
        ("spread", "score_std scaled_score_std score_density"),
        ("saturation", "max_weight slope entropy softmax_jacobian"),
        ("parameters", "Parameters"),
    ],
)
def test_public_names_are_those_of_the_modules(module, names):
    for name in names.split():
        assert getattr(core, name) is getattr(importlib.import_module(f"core.{module}"), name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'core' has no attribute 'sofmax'"):
        core.sofmax  # noqa: B018  # reading it is the test


def modules_loaded_by(statement):
    """Top-level modules outside the standard library that ``statement`` loads in a fresh process."""
    # Modules without a spec are no files: compiled extensions put such helpers there. Some modules, which a virtual
    # environment brings, are there before anything is imported.
    listing = (
        "sorted({name.partition('.')[0] for name, module in sys.modules.items() if getattr(module, '__spec__', None)})"
    )
    code = f"import sys; before = {listing}; {statement}; print(*(name for name in {listing} if name not in before))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stdout.split()) - set(sys.stdlib_module_names)


def test_core_loads_numpy_and_nothing_else():
    assert modules_loaded_by("from core import *; import core.cases") == {"core", "numpy"}


def test_parameters_load_without_numpy():
    assert modules_loaded_by("import core; from core.parameters import Parameters; Parameters()") == {"core"}

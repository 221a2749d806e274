"""Imports go one way, and the heavy ones happen only where something is drawn."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Which of the project's own parts each part may import.
MAY_IMPORT = {
    "core": {"core"},
    "files": set(),
    "figures": {"core", "figures", "files"},
    "scenes": {"core", "scenes", "files"},
    "arguments": {"core"},
    "printing": {"core", "progress"},
    "progress": set(),
    "doctor": {"core", "figures", "scenes"},
    "cli": {"arguments", "core", "doctor", "figures", "files", "printing", "progress", "scenes"},
}
OURS = {*MAY_IMPORT, "benchmarks", "tests"}

# Packages that a part must not name, even inside a function.
MUST_NOT_IMPORT = {
    "files": {"click", "manim", "matplotlib", "numpy"},
    "figures": {"click", "manim", "matplotlib.pylab", "matplotlib.pyplot"},
    "scenes": {"click", "matplotlib"},
}
HEAVY = ["av", "manim", "matplotlib", "numpy", "PIL", "scipy", "typst"]


def sources() -> list[Path]:
    """Every Python file that is installed, relative to the root."""
    found = [path for part in MAY_IMPORT for path in [*ROOT.glob(f"{part}.py"), *ROOT.glob(f"{part}/**/*.py")]]
    return sorted(path.relative_to(ROOT) for path in found)


def modules(part: str) -> list[str]:
    """The importable names of one part: ``core``, ``core.attention``, ..."""
    inside = [path.with_suffix("").parts for path in sources() if path.with_suffix("").parts[0] == part]
    return [".".join(names[:-1] if names[-1] == "__init__" else names) for names in inside]


def imports(tree: ast.AST) -> Iterator[str]:
    """Every dotted name that a file imports, wherever in it; ``from a import b`` gives both ``a`` and ``a.b``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides where it leads"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after ``code`` and had not before it."""
    program = f"""
import sys
before = set(sys.modules)
import io, contextlib
with contextlib.redirect_stdout(io.StringIO()):
{"".join(f"    {line}" + chr(10) for line in code.splitlines())}
print(*sorted(set(sys.modules) - before), sep="\\n")
"""
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def packages(names: set[str]) -> set[str]:
    """Their top-level packages, without the standard library and private helpers of installers."""
    tops = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    tops.discard("cython_runtime")  # no module: a name under which NumPy's compiled parts share their state
    return {top for top in tops if not top.startswith("_")}


def test_every_part_is_installed_and_has_its_place_here():
    """A new module at the root, or a new package, is in pyproject.toml and in the rules above."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    tops = [path.parent for path in ROOT.glob("*/__init__.py")]
    packaged = {".".join(path.parent.relative_to(ROOT).parts) for top in tops for path in top.rglob("__init__.py")}
    assert set(settings["py-modules"]) == {path.stem for path in ROOT.glob("*.py")}
    assert set(settings["packages"]) == {name for name in packaged if not name.startswith(("benchmarks", "tests"))}
    assert {*settings["py-modules"], *(name.partition(".")[0] for name in settings["packages"])} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", sources(), ids=str)
def test_a_file_imports_only_what_its_layer_may(path):
    part = path.with_suffix("").parts[0]
    names = set(imports(ast.parse((ROOT / path).read_text(encoding="utf-8"))))
    assert {name.partition(".")[0] for name in names} & OURS <= MAY_IMPORT[part]
    assert not names & MUST_NOT_IMPORT.get(part, set())


@pytest.mark.parametrize("path", [path for path in sources() if path.parts[0] == "core"], ids=str)
def test_core_names_nothing_but_numpy_and_the_standard_library(path):
    names = set(imports(ast.parse((ROOT / path).read_text(encoding="utf-8"))))
    assert packages(names) <= {"core", "numpy"}


def test_the_whole_core_loads_nothing_but_numpy():
    assert modules("core")
    assert packages(loaded_by(f"import {', '.join(modules('core'))}")) == {"core", "numpy"}


def test_figures_load_neither_manim_nor_pyplot():
    """pyplot keeps global state and may open windows; Manim costs seconds."""
    assert modules("figures")
    loaded = loaded_by(f"import {', '.join(modules('figures'))}")
    assert "matplotlib.figure" in loaded
    assert not {"matplotlib.pyplot", "matplotlib.pylab"} & loaded
    assert not {"cli", "click", "manim", "scenes"} & packages(loaded)


@pytest.mark.parametrize(
    "code",
    [
        "import cli",
        "import cli\ncli.main(['--help'], standalone_mode=False)",
        "import cli\nfor name in cli.main.commands: cli.main([name, '--help'], standalone_mode=False)",
    ],
    ids=["import", "help", "help of every command"],
)
def test_the_command_line_starts_light(code):
    loaded = packages(loaded_by(code))
    assert {"cli", "click"} <= loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("rootdk ren", "render"),
        ("rootdk render gr", "growth"),
        ("rootdk figures spr", "spread"),
        ("rootdk numbers hea", "heads"),
    ],
)
def test_completing_a_word_is_light_too(typed, whole):
    """TAB runs the command: it must answer at once, and with something."""
    code = f"""
import os, cli
os.environ.update(_ROOTDK_COMPLETE="bash_complete", COMP_WORDS={typed!r}, COMP_CWORD="{len(typed.split()) - 1}")
answer = io.TextIOWrapper(io.BytesIO())
with contextlib.redirect_stdout(answer), contextlib.suppress(SystemExit):
    cli.main(prog_name="rootdk")
assert b"plain,{whole}" in answer.buffer.getvalue(), answer.buffer.getvalue()
"""
    assert not packages(loaded_by(code)) & set(HEAVY)


def test_a_forbidden_import_would_be_found():
    """The checks above see imports in functions, under other names and of submodules, and what a module loads."""
    tree = ast.parse("def draw():\n    from matplotlib import pyplot as p\nimport scenes.base as b, json\n")
    assert set(imports(tree)) == {"matplotlib", "matplotlib.pyplot", "scenes.base", "json"}
    assert packages({"scenes.base", "json.decoder", "matplotlib.pyplot"}) == {"scenes", "matplotlib"}
    assert packages(loaded_by("import core.theme, click")) >= {"core", "click"}

"""What the README says is so: its commands run and print what it shows, its recipes work, its picture is today's."""

import ast
import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import arguments
import cli
from core.claims import CLAIMS
from core.parameters import Parameters

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LEFT_OUT = "…"  # a line that stands for any number of lines
SLOW = ("render", "lesson")
RECIPES = dict(re.findall(r"`((?:scenes|figures)/\w+\.py)`:\n\n```python\n(.*?)```", README, re.DOTALL))


def sessions():
    """Every command that the README shows, with the lines shown under it."""
    for block in re.findall(r"```console\n(.*?)\n```", README, re.DOTALL):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *output = session.splitlines()
            yield command, output


COMMANDS = dict(sessions())
OURS = [command for command in COMMANDS if command.startswith("rootdk ")]
QUICK = [command for command in OURS if command.split()[1] not in SLOW]
PARSED = [command for command in OURS if command.split()[1] in SLOW and "top-weight" not in command]


def invoke(command):
    return CliRunner().invoke(cli.main, shlex.split(command)[1:], prog_name="rootdk")


def is_shown_by(printed, shown):
    """Whether lines are what the README shows of them."""
    pattern = "".join(r"(?:.*\n)+?" if line == LEFT_OUT else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def test_every_command_of_the_program_is_shown():
    assert {command.split()[1] for command in OURS} == set(cli.main.commands)
    assert all(COMMANDS[command] for command in QUICK)


@pytest.mark.parametrize("command", QUICK)
def test_a_command_prints_what_is_shown(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(command)
    assert result.exit_code == 0, result.output
    printed, shown = result.stdout.splitlines(), COMMANDS[command]
    if command == "rootdk doctor":  # versions are those of the machine; what is looked at is not
        printed, shown = ([" ".join(re.split(r" {2,}", line)[:2]) for line in lines] for lines in (printed, shown))
    assert is_shown_by(printed, shown)


def test_what_is_left_out_can_be_told_from_what_is_wrong():
    assert is_shown_by(["a", "b", "c", "d"], ["a", LEFT_OUT, "d"])
    assert not is_shown_by(["a", "b", "c"], ["a", LEFT_OUT, "d"])
    assert not is_shown_by(["a", "b"], ["a"])


@pytest.mark.parametrize("command", PARSED)
def test_a_slow_command_is_at_least_a_right_one(command):
    outer = cli.main.make_context("rootdk", shlex.split(command)[1:])
    name, found, rest = cli.main.resolve_command(outer, [*outer._protected_args, *outer.args])
    context = found.make_context(name, rest, parent=outer)
    if name == "render":
        (scene,) = context.params["names"]
        assert COMMANDS[command] == [f"out/{scene}.{suffix}" for suffix in ("mp4", "srt", "vtt")]


@pytest.mark.parametrize(("command", "calls"), [("make lesson", "rootdk lesson"), ("make test", "-m pytest")])
def test_the_two_commands_do_what_is_said(command, calls):
    assert list(COMMANDS)[:2] == ["make lesson", "make test"]
    dry = subprocess.run([*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "./bootstrap" in dry.stdout
    assert calls in dry.stdout


def test_what_a_lesson_leaves_is_what_is_said():
    table = README.partition("| in `out/` |")[2].partition("\n\n")[0]
    films = re.findall(r"`(\S+)\.mp4`", table)
    assert films == ["lesson", *arguments.SCENE.all]
    for words in ("`*.srt` `*.vtt`", "`figures/`", "`figures.json`", "`tables/`"):
        assert words in table


def test_the_parameters_are_those_of_the_program():
    rows = re.findall(r"^\| `(--[\w-]+)` \| [^|]+ \| (\S+) \|$", README, re.MULTILINE)
    options = {option.opts[0]: option for option in cli.render.params if option.name in arguments.FIELDS}
    assert [name for name, _ in rows] == list(options)
    for name, value in rows:
        assert options[name].type_cast_value(None, value) == getattr(Parameters(), options[name].name)
    sizes, pairs = Parameters().sizes, Parameters().pairs
    assert f"{sizes[0]} to {sizes[-1]:,}" in README
    assert f"{pairs:,}" in README


def test_python_says_what_is_shown():
    (block,) = re.findall(r"```pycon\n(.*?)```", README, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, "README.md", None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_from_the_screen_to_the_source():
    """Each scene and figure has a row, with the cases that its module imports; tables and claims are there."""
    rows = re.findall(r"^\| `([\w-]+)` \| ((?:`\w+_case` ?)+) \| ([^|]*)\| ([^|]*)\|$", README, re.MULTILINE)
    assert [row[0] for row in rows] == [*arguments.SCENE.all, *arguments.FIGURE.all]
    packages = ["scenes"] * len(arguments.SCENE.all) + ["figures"] * len(arguments.FIGURE.all)
    for package, (name, cases, tables, claims) in zip(packages, rows, strict=True):
        source = (ROOT / package / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
        assert set(re.findall(r"\w+_case", cases)) == set(re.findall(r"\b[a-z]+_case\b(?=\()", source)), name
        assert set(re.findall(r"`([\w-]+)`", tables)) <= set(arguments.TABLE.all)
        assert set(claims.split()) <= {claim.id for claim in CLAIMS}
    assert README.count(f"{len(CLAIMS)} statements") == 2


def test_every_file_that_is_named_is_there():
    named = re.findall(r"`((?:core|figures|scenes|tests|docs)/[\w/.]*)`", README)
    named += re.findall(r"(?:\]\(|src(?:set)?=\")(?!https:|#)([^)\"]+)", README)
    assert {"docs/rescaling-slide-light.png", "LICENSE", "core/cases.py"} <= set(named)
    assert [path for path in named if path not in RECIPES and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_picture_is_what_is_drawn_today(theme, tmp_path):
    name = f"rescaling-slide-{theme}.png"
    result = invoke(f"rootdk figures rescaling --theme {theme} --dpi 90 --out {tmp_path}")
    assert result.exit_code == 0, result.output
    today, shown = (np.asarray(Image.open(folder / name).convert("RGB"), float) for folder in (tmp_path, ROOT / "docs"))
    assert today.shape == shown.shape
    # Of 255: letters may differ by a hair from machine to machine.
    difference = np.abs(today - shown).mean()
    assert difference < 0.5, f"copy what `rootdk figures rescaling --dpi 90` draws to docs/{name}"


RUN_RECIPE = """
import sys, {package}
from pathlib import Path
{package}.__path__.append({folder!r})
{package}.ORDER = (*{package}.ORDER, {name!r})
for module, *args in {commands!r}:
    sys.argv = [module, *args]
    try:
        if code := __import__(module, fromlist=["main"]).main():
            sys.exit(code)
    except SystemExit as end:
        if end.code:
            raise
"""
# The rules that a scene and a figure keep to, but for those that take many pictures or the file at its place.
KEPT = {
    "scenes": [
        "tests/scenes/test_rules.py::test_no_picture_of_a_scene_breaks_a_rule",
        "tests/scenes/test_rules.py::test_captions_beats_and_clock",
        "tests/scenes/test_rules.py::test_a_film_is_as_long_as_promised",
        "tests/scenes/test_rules.py::test_no_number_is_typed",
        "tests/scenes/test_rules.py::test_every_number_changes_with_the_parameters",
        "tests/scenes/test_rules.py::test_every_parameter_that_a_scene_declares_changes_it",
    ],
    "figures": [
        "tests/figures/test_layout.py",
        "tests/figures/test_drawing.py::test_the_title_is_a_short_plain_line",
        "tests/figures/test_drawing.py::test_only_what_a_figure_declares_changes_it",
    ],
}


@pytest.mark.parametrize("path", RECIPES)
def test_a_recipe_works(path, tmp_path):
    """The file as it is shown, its name in ORDER: the rules hold, and the commands that are shown with it do."""
    package, file = path.split("/")
    name = file.removesuffix(".py").replace("_", "-")
    (tmp_path / file).write_text(RECIPES[path], encoding="utf-8")
    assert f"`{name}`" in README or f"rootdk {package} {name}" in README
    rules = ("pytest", "-q", "-n0", "-p", "no:cacheprovider", *KEPT[package], "-k", name)
    commands = {
        "scenes": [
            ("tests.contact_sheet", name, "--out", str(tmp_path / "sheets")),
            ("cli", "render", name, "--quality", "l", "--jobs", "1", "--out", str(tmp_path / "out")),
        ],
        "figures": [("cli", "figures", name, "--format", "png,svg,pdf", "--out", str(tmp_path / "out"))],
    }[package]
    code = RUN_RECIPE.format(package=package, folder=str(tmp_path), name=name, commands=[rules, *commands])
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    made = {path.name for path in (tmp_path / "out").iterdir()}
    if package == "scenes":
        assert {f"{name}.mp4", f"{name}.srt", f"{name}.vtt"} <= made
        assert list((tmp_path / "sheets").iterdir())
    else:
        assert {f"{name}-slide-dark.{form}" for form in ("png", "svg", "pdf")} <= made


@pytest.mark.parametrize("path", RECIPES)
def test_a_recipe_has_the_style_that_make_lint_asks_for(path):
    for command in (("check",), ("format", "--diff")):
        ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "--stdin-filename", path, "-"]
        run = subprocess.run(ruff, cwd=ROOT, input=RECIPES[path], capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
    functions = [node for node in ast.walk(ast.parse(RECIPES[path])) if isinstance(node, ast.FunctionDef)]
    assert [function.name for function in functions if function.returns is None] == []


def test_there_is_a_recipe_for_each_kind():
    assert [path.split("/")[0] for path in RECIPES] == ["scenes", "figures"]

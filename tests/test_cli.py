"""What the command line promises: what goes where, how every run ends, and that nothing is taken for granted."""

import contextlib
import csv
import importlib
import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import threading
from importlib.metadata import entry_points
from pathlib import Path
from typing import get_args

import click
import pytest
from click.testing import CliRunner

import arguments
import cli
import scenes
from core.parameters import Parameters
from core.tables import load
from core.theme import LIGHT, THEMES
from tests.small_lesson import tools

ROOT = Path(__file__).resolve().parents[1]
COMMAND = (sys.executable, "-m", "cli")
SMALL = (sys.executable, str(ROOT / "tests" / "small_lesson" / "command.py"))  # the same over two scenes of seconds
ESCAPE = "\x1b"
COMMANDS = list(cli.main.commands.values())


def invoke(*args):
    """Run the command line in this process."""
    return CliRunner().invoke(cli.main, args, prog_name="rootdk")


def environment(**changes):
    """The environment of this process without what colours or completes, and with the project to be found."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


def run(*args, command=COMMAND, **options):
    """Run the command line in a process of its own."""
    options = {"env": environment(), "capture_output": True, "text": True, "timeout": 300, **options}
    return subprocess.run([*command, *map(str, args)], **options)


def files(folder):
    """Every file below a folder, but for the cache of segments and fonts that is kept there."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and ".cache" not in path.relative_to(folder).parts
    )


def from_home(folder):
    """An environment with an empty home and an empty folder for temporary files below ``folder``, and no screen."""
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    env = environment(HOME=str(folder / "home"), TMPDIR=str(folder / "tmp"), PYTHONDONTWRITEBYTECODE="1")
    unset = ("DISPLAY", "WAYLAND_DISPLAY", "MPLCONFIGDIR")
    return {name: value for name, value in env.items() if name not in unset and not name.startswith("XDG_")}


# Help


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help_an_example_and_options_that_say_what_they_do(command):
    assert command.get_short_help_str(70).endswith(".")
    assert "..." not in command.get_short_help_str(70)
    assert all(option.help for option in command.params if isinstance(option, click.Option))
    for flag in ("-h", "--help"):
        result = invoke(command.name, flag)
        assert result.exit_code == 0
        example = result.stdout.partition("Example:\n")[2].splitlines()[0].strip()
        assert example.startswith(f"rootdk {command.name}")


@pytest.mark.parametrize("command", [cli.main, *COMMANDS], ids=lambda command: command.name)
def test_every_example_is_one_that_works(command):
    example = command.help.partition("Example:\n")[2].split("\n")[0]
    parse(*shlex.split(example)[1:])


def parse(*args):
    """The context of a command line that is parsed but not run."""
    outer = cli.main.make_context("rootdk", list(args))
    name, command, rest = cli.main.resolve_command(outer, [*outer._protected_args, *outer.args])
    return command.make_context(name, rest, parent=outer)


def test_the_commands_are_listed_with_the_lesson_first_and_none_is_left_out():
    result = invoke("-h")
    listed = re.findall(r"^  (\w+)  +\w", result.stdout.partition("Commands:")[2], re.MULTILINE)
    assert listed == ["list", "render", "figures", "numbers", "verify", "lesson", "doctor"]
    assert result.stdout == invoke("--help").stdout


def test_help_counts_the_statements_that_are_checked():
    from core.claims import CLAIMS

    assert f"the numbers of {len(CLAIMS)} statements" in invoke("verify", "-h").stdout


def test_the_installed_command_is_this_one():
    (entry,) = entry_points(group="console_scripts", name="rootdk")
    assert entry.load() is cli.main
    result = invoke("--version")
    assert re.fullmatch(r"rootdk \d+\.\d+\.\d+\n", result.stdout)


def test_what_is_offered_is_what_there_is():
    """The command line may not import the modules that draw, so it names again what they offer."""
    from scenes import films, rendering

    assert get_args(rendering.Format) == arguments.FILM_FORMATS
    assert get_args(rendering.Captions) == arguments.CAPTIONS
    assert set(arguments.FILM_FORMATS) - set(films.EMBEDDING_FORMATS) == set(arguments.WITHOUT_STREAM)
    assert {
        name: f"{quality.width}x{quality.height} at {quality.frame_rate}"
        for name, quality in rendering.QUALITIES.items()
    } == arguments.QUALITIES
    (transparent,) = (option for option in cli.render.params if option.name == "transparent")
    assert set(re.findall(r"\b[a-z0-9]{3,4}\b", transparent.help)) & set(arguments.FILM_FORMATS) == set(
        rendering.TRANSPARENT_FORMATS
    )


def test_options_start_from_the_parameters_own_values_and_name_their_ranges():
    for field in arguments.FIELDS:
        (option,) = (option for option in cli.render.params if option.name == field)
        context = parse("render", "growth")
        assert context.params[field] == getattr(Parameters(), field)
        assert re.search(r"\d+ to [\d,]+|-10 to 10", option.help)


def test_titles_and_uses_are_those_of_the_modules():
    from figures.export import figure_module
    from scenes.rendering import scene_class

    modules = {arguments.SCENE: scene_class, arguments.FIGURE: figure_module, arguments.TABLE: load}
    for kind, module in modules.items():
        assert kind.all
        for name in kind.all:
            assert kind.entry(name) == arguments.Entry(module(name).TITLE, module(name).USES)


def test_list_names_everything_with_its_title():
    result = invoke("list")
    assert result.exit_code == 0
    for kind in (arguments.SCENE, arguments.FIGURE, arguments.TABLE):
        for name in kind.all:
            assert re.search(rf"^  {name} +{re.escape(kind.entry(name).title)}", result.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("rootdk fig", {"figures"}),
        ("rootdk render --quality h sat", {"saturation"}),
        ("rootdk render growth gr", set()),
        ("rootdk figures --format svg,p", {"svg,png", "svg,pdf"}),
        ("rootdk figures --size c", {"column"}),
        ("rootdk numbers w", {"worked-example"}),
        ("rootdk numbers spread sp", set()),
    ],
)
def test_words_are_completed(typed, answers):
    words = typed.split()
    env = environment(_CLI_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(len(words) - 1))
    code = "import cli; cli.main(prog_name='rootdk', complete_var='_CLI_COMPLETE')"
    result = run(command=(sys.executable, "-c", code), env=env)
    assert {line.partition(",")[2] for line in result.stdout.splitlines() if line} == answers


# Modules that are not as they should be


BROKEN = [
    (arguments.SCENE, "class Scene:\n    TITLE = 'T'\n    SECONDS = 3\n", "scenes/broken_one.py lacks USES"),
    (arguments.SCENE, "class Scene:\n    USES = ()\n", "scenes/broken_one.py lacks TITLE and SECONDS"),
    (
        arguments.SCENE,
        "from scenes.typesetting import TITLE\nclass Scene:\n    USES = ()\n    SECONDS = 3\n",
        "scenes/broken_one.py lacks TITLE",
    ),
    (
        arguments.SCENE,
        "class Scene:\n    TITLE = 'T'\n    SECONDS = 3\n    USES = ('d_k')\n",
        'scenes/broken_one.py: USES must be () or a tuple such as ("d_k",), of',
    ),
    (arguments.SCENE, "def (:\n", "scenes/broken_one.py, line 1: invalid syntax"),
    (arguments.SCENE, None, "scenes/broken_one.py is missing; scenes has broken-one in its ORDER"),
    (
        arguments.FIGURE,
        "TITLE = 'T'\nUSES: tuple[str, ...] = ()\ndef case(_): ...\ndef alt_text(_): ...\n"
        "def draw_broken_one(ax, case, theme): ...\n",
        "figures/broken_one.py lacks MARGINS",
    ),
    (
        arguments.FIGURE,
        "from figures.walks import case\nTITLE = f'{1}'\nUSES = ()\ndef alt_text(_): ...\n"
        "def draw_broken_one(figure, case, theme): ...\n",
        "figures/broken_one.py: TITLE must be a text in quotes",
    ),
    (arguments.FIGURE, "TITLE = 'T'\nUSES = ()\n", "lacks case, alt_text and draw_broken_one"),
    (arguments.TABLE, "TITLE = 'T'\nUSES = ()\n", "core/tables/broken_one.py lacks table"),
]


@pytest.mark.parametrize(("kind", "code", "message"), BROKEN, ids=[message for _, _, message in BROKEN])
def test_a_module_that_lacks_something_is_named_and_the_others_are_listed(kind, code, message, tmp_path, monkeypatch):
    package = importlib.import_module(kind.package)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.setattr(package, "ORDER", ("broken-one", *package.ORDER))
    if code is not None:
        (tmp_path / "broken_one.py").write_text(code)
    command = {"scene": "render", "figure": "figures", "table": "numbers"}[kind.name]
    for args in (["list"], [command, "broken-one"], ["--debug", command, "broken-one"]):
        result = invoke(*args)
        assert result.exit_code == 1
        assert result.stderr.startswith("Error: ")
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    listed = re.findall(r"^  ([\w-]+)  ", invoke("list").stdout, re.MULTILINE)
    every = [name for kind in (arguments.SCENE, arguments.FIGURE, arguments.TABLE) for name in kind.all]
    assert listed == [name for name in every if name != "broken-one"]
    for changes_nothing in (["render", "growth", "--scores", "2,1"], ["numbers", "heads", "--seed", "1"]):
        assert "changes nothing in" in invoke(*changes_nothing).stderr
    assert [item.value for item in kind.shell_complete(parse(command), cli.render.params[0], "br")] == ["broken-one"]


def test_a_file_that_is_no_python_is_named_when_it_is_imported(tmp_path, monkeypatch):
    (tmp_path / "no_python.py").write_text("x = (\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("core.tables.load", lambda _: importlib.import_module("no_python"))
    result = invoke("numbers", "heads")
    assert result.exit_code == 1
    assert f"{tmp_path / 'no_python.py'}, line 1: '(' was never closed" in result.stderr


# Misuse


def users(kind, field):
    """Those whose modules say that they use a parameter, as a sentence names them."""
    *others, last = (name for name in kind.all if field in kind.entry(name).uses)
    return f"{', '.join(others)} and {last}" if others else last


MISUSE = [
    (["rendr"], "Did you mean 'render'?"),
    (["render", "saturatoin"], "no scene is called 'saturatoin'. Did you mean saturation?"),
    (["render", "Growth"], "Did you mean growth?"),
    (["render", "GROWTH"], "Did you mean growth?"),
    (["render", "growth.py"], "Did you mean growth?"),
    (["render", "growth", "reskaling"], "Did you mean rescaling?"),
    (["render", "xyz"], f"There are: {', '.join(scenes.ORDER)}."),
    (["figures", "wlks"], "no figure is called 'wlks'. Did you mean walks?"),
    (["numbers", "worked_example"], "no table is called 'worked_example'. Did you mean worked-example?"),
    (["render", "growth", "--sed", "3"], "--seed"),
    (["figures", "--format", "tiff"], "'tiff' is not a format. There are: png, svg, pdf."),
    (["figures", "--size", "half,colum"], "'colum' is not a size. There are: slide, half, column."),
    (["figures", "--format", "jpg"], "'jpg' is not a format. There are: png, svg, pdf."),
    (["figures", "--dpi", "5"], "'--dpi': '5' is not a whole number, from 50 to 600."),
    (["render", "--quality", "x"], "--quality"),
    (["render", "--theme", "sepia"], "--theme"),
    (["render", "--jobs", "0"], "'--jobs': '0' is not a whole number, 1 or more."),
    (["render", "--jobs", "x"], "'--jobs': 'x' is not a whole number, 1 or more."),
    *(
        ([command, "--out", ""], "'--out': no folder is named; the current one is called '.'")
        for command in ("render", "figures", "lesson", "doctor")
    ),
    (["render", "--transparent"], "a transparent mp4 cannot be played; use webm, mov or png"),
    (["render", "--format", "gif", "--transparent"], "a transparent gif cannot be played; use webm, mov or png"),
    (["render", "--format", "gif", "--captions", "embed"], "--captions burn"),
    (["render", "--format", "png", "--captions", "embed"], "--captions burn"),
    (["numbers", "--format", "csv"], "a CSV file holds one table; name one of best-key,"),
    (["numbers", "heads", "spread", "--format", "csv"], "a CSV file holds one table; name one of heads, spread."),
    (["numbers", "heads", "spraed"], "no table is called 'spraed'. Did you mean spread?"),
    # An option that changes nothing
    (
        ["render", "growth", "--keys", "5"],
        f"--keys changes nothing in growth, only in {users(arguments.SCENE, 'n_keys')}.",
    ),
    (
        ["render", "growth", "--scores", "1,2"],
        f"--scores changes nothing in growth, only in {users(arguments.SCENE, 'scores')}.",
    ),
    (["render", "saturation", "--seed", "3"], f"in saturation, only in {users(arguments.SCENE, 'seed')}."),
    (["figures", "walks", "spread", "--scores", "1,2"], "--scores changes nothing in walks and spread, only in"),
    (["figures", "--format", "svg,pdf", "--dpi", "100"], "--dpi changes nothing in svg and pdf."),
    (["numbers", "heads", "--d-k", "32"], "--d-k changes nothing in heads, only in best-key"),
    (["numbers", "spread", "--d-k", "64"], "--d-k changes nothing in spread, only in"),  # though it is the default
    # Values that cannot be
    (["render", "growth", "--d-k", "1"], "Error: --d-k must be a whole number from 2 to 4096, not 1."),
    (["render", "growth", "--d-k", "many"], "'--d-k': 'many' is not a valid integer."),
    (["render", "--keys", "17"], "Error: --keys must be a whole number from 2 to 16, not 17."),
    (["render", "--seed", "-1"], "Error: --seed must be a whole number from 0 to 4294967295, not -1."),
    (["figures", "slope", "--scores=-11,2"], "Error: each of --scores must be a number from -10 to 10, not -11.0."),
    (["figures", "slope", "--scores", "nan,2"], "Error: each of --scores must be a number from -10 to 10, not nan."),
    (["figures", "slope", "--scores", "2,2"], "Error: --scores must have one largest entry"),
    (["numbers", "saturation", "--scores", "2"], "Error: --scores must be 2 to 8 numbers"),
    (["numbers", "saturation", "--scores", "2;1"], "'2;1' is not numbers separated by commas, such as 2,1,0"),
    (["lesson", "--d-k", "5000"], "Error: --d-k must be a whole number from 2 to 4096, not 5000."),
]


@pytest.mark.parametrize(("args", "message"), MISUSE, ids=[" ".join(args) for args, _ in MISUSE])
def test_misuse_is_refused_by_name_and_nothing_is_written(args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(*args)
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def given(*args):
    """The parameters that a command line gives, as the command would take them."""
    kinds = {"render": arguments.SCENE, "figures": arguments.FIGURE, "numbers": arguments.TABLE}
    context = parse(*args)
    return arguments.chosen_parameters(context, kinds[args[0]], context.params["names"])


@pytest.mark.parametrize(
    ("args", "parameters"),
    [
        (["render", "growth"], Parameters()),
        (["render", "growth", "--d-k", "128"], Parameters(d_k=128)),
        (["render", "rescaling", "--keys", "3", "--seed", "7"], Parameters(n_keys=3, seed=7)),
        (["figures", "slope", "--scores", "-1,2.5"], Parameters(scores=(-1, 2.5))),
        (["figures", "slope", "--scores=-1, 2.5"], Parameters(scores=(-1, 2.5))),
        # One of several that depends on it is enough.
        (["figures", "walks", "slope", "--scores", "3,1"], Parameters(scores=(3, 1))),
        (["numbers", "best-key", "--d-k", "128"], Parameters(d_k=128)),
        (["numbers", "heads", "best-key", "--d-k", "128"], Parameters(d_k=128)),
    ],
)
def test_options_become_parameters(args, parameters):
    assert given(*args) == parameters


# Films


@pytest.fixture
def rendered(monkeypatch, tmp_path):
    """What is asked of the renderer, which only pretends to render here."""
    from scenes import rendering

    asked = []

    def pretend(names, parameters, options, out, report=None, jobs=None):
        asked.append((list(names), parameters, options, out, jobs))
        for name in names:
            yield out / f"{name}.{options.format}"

    monkeypatch.setattr(rendering, "render", pretend)
    monkeypatch.chdir(tmp_path)
    return asked


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], {"format": "mp4", "captions": "embed", "quality": "m", "transparent": False, "theme": THEMES["dark"]}),
        (["--format", "gif"], {"captions": "burn"}),
        (["--format", "gif", "--captions", "none"], {"captions": "none"}),
        (["--format", "png"], {"captions": "none"}),
        (["--format", "png", "--captions", "burn", "--transparent"], {"captions": "burn", "transparent": True}),
        (["--format", "webm", "--transparent"], {"captions": "embed", "transparent": True}),
        (["--format", "mov", "--transparent", "--quality", "h"], {"transparent": True, "quality": "h"}),
        (["--theme", "light"], {"theme": LIGHT}),
    ],
)
def test_options_become_films(args, expected, rendered):
    result = invoke("render", "growth", *args)
    assert result.exit_code == 0, result.output
    ((names, parameters, options, out, jobs),) = rendered
    assert names == ["growth"]
    assert (parameters, out, jobs) == (Parameters(), Path("out"), None)
    assert {field: getattr(options, field) for field in expected} == expected
    assert result.stdout == f"out/growth.{options.format}\n"


def test_all_scenes_are_rendered_when_none_is_named_and_each_only_once(rendered):
    assert invoke("render", "--jobs", "3").exit_code == 0
    assert invoke("render", "saturation", "growth", "saturation").exit_code == 0
    assert [(names, jobs) for names, _, _, _, jobs in rendered] == [
        (list(arguments.SCENE.all), 3),
        (["saturation", "growth"], None),
    ]


def test_a_preview_opens_the_films_and_says_so_when_nothing_can(rendered, monkeypatch):
    opened = []
    monkeypatch.setattr(click, "launch", lambda path: opened.append(path) or 0)
    assert invoke("render", "growth", "saturation", "--preview").exit_code == 0
    assert invoke("render", "growth", "--preview", "--format", "png").exit_code == 0
    assert opened == ["out/growth.mp4", "out/saturation.mp4", "out"]
    monkeypatch.setattr(click, "launch", lambda path: 1)
    result = invoke("render", "growth", "--preview")
    assert result.exit_code == 0
    assert "no viewer opens out/growth.mp4" in result.stderr


def test_a_real_film_is_made_far_from_home_without_latex_or_network(tmp_path):
    """In a folder with an awkward name: exactly the files named on stdout, nothing elsewhere, no call to anyone."""
    away = from_home(tmp_path)
    bare, here = tmp_path / "bin", tmp_path / "here"
    bare.mkdir()
    here.mkdir()
    calls = tmp_path / "calls"
    (bare / "sitecustomize.py").write_text(SPY.format(calls=str(calls)))
    env = {**away, "PATH": str(bare), "PYTHONPATH": os.pathsep.join([str(bare), str(ROOT)])}
    control = run(command=(sys.executable, "-c", "import socket; socket.create_connection(('localhost', 9))"), env=env)
    assert control.returncode == 1
    assert calls.read_text() == "create_connection\n"
    calls.unlink()

    out = here / "don't panic é #100%"
    result = run("render", "saturation", "--quality", "l", "--out", out.name, cwd=here, env=env)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [f"{out.name}/saturation.{suffix}" for suffix in ("mp4", "srt", "vtt")]
    assert files(out) == ["saturation.mp4", "saturation.srt", "saturation.vtt"]
    assert [path.name for path in here.iterdir()] == [out.name]
    assert list((tmp_path / "home").iterdir()) == list((tmp_path / "tmp").iterdir()) == []
    assert not calls.exists()
    assert ESCAPE not in result.stderr
    assert "\r" not in result.stderr
    assert re.search(r"^ +\d+% saturation · ", result.stderr, re.MULTILINE)


SPY = """
import socket

def spy(name):
    def refuse(*args, **kwargs):
        with open({calls!r}, "a") as file:
            print(name, file=file)
        raise OSError("no network here")
    return refuse

for name in ("create_connection", "getaddrinfo", "gethostbyname"):
    setattr(socket, name, spy(name))
"""


@pytest.mark.parametrize(
    ("number", "jobs"),
    [(signal.SIGINT, 2), (signal.SIGTERM, 2), (signal.SIGTERM, 1)],
    ids=["INT-2", "TERM-2", "TERM-1"],
)
def test_a_stopped_render_leaves_nothing_half_written(number, jobs, tmp_path):
    """What stood there stays, temporary files and helpers are gone, and the exit says which signal it was."""
    film = tmp_path / "rescaling.mp4"
    film.write_bytes(b"an older film")
    args = [*COMMAND, "render", "rescaling", "--quality", "l", "--jobs", str(jobs), "--out", str(tmp_path)]
    render = subprocess.Popen(args, env=environment(), cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True)
    cache = tmp_path / ".cache" / "segments"
    tools.wait_until(lambda: list(cache.glob("*.part.mp4")), "no segment was begun")
    # Ctrl-C reaches every process at a terminal, `kill` only one.
    (os.killpg if number == signal.SIGINT else os.kill)(render.pid, number)
    out, _ = render.communicate(timeout=60)
    assert render.returncode == 128 + number
    assert out == b""
    assert files(tmp_path) == ["rescaling.mp4"]
    assert film.read_bytes() == b"an older film"
    assert [path.name for path in cache.iterdir() if not re.fullmatch(r"\w{40}\.(mp4|json)|claims", path.name)] == []
    tools.wait_until(lambda: not tools.group_lives(render.pid), "a helper lives on")


def test_an_interrupt_while_modules_are_imported_ends_it_without_a_trace():
    code = """
import os, signal, sys
class Impatient:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Impatient())
import cli
"""
    result = run(command=(sys.executable, "-c", code))
    assert (result.returncode, result.stderr) == (-signal.SIGINT, "")


def test_interrupts_are_heeded_as_before_when_the_command_line_is_a_module_like_others():
    code = "import signal, cli; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    assert run(command=(sys.executable, "-c", code)).stdout == "True\n"


@pytest.mark.parametrize("when", ["parsing", "work"])
def test_impatient_interrupts_change_nothing_of_how_it_ends(when):
    """One that stops it, one while it clears up, one when Python itself ends."""
    code = f"""
import atexit, signal, cli
def interrupt():
    signal.raise_signal(signal.SIGINT)
def work(*_, **__):
    try:
        interrupt()
    finally:
        interrupt()
        print("cleared up")
atexit.register(interrupt)
command = cli.main.commands["list"]
setattr(command, {"parse_args" if when == "parsing" else "callback"!r}, work)
cli.main(["list"], prog_name="rootdk")
"""
    result = run(command=(sys.executable, "-c", code))
    assert (result.returncode, result.stdout, result.stderr) == (128 + signal.SIGINT, "cleared up\n", "")


def closing(stream, *args, **options):
    """Run the command line with a stream closed, as a shell's 2>&- does."""
    return run(*args, command=("/bin/sh", "-c", f'exec "$@" {stream}>&-', "sh", *COMMAND), **options)


@pytest.mark.parametrize("stream", [1, 2])
def test_a_closed_stream_stops_nothing_and_its_number_goes_to_no_other_file(stream, tmp_path):
    result = closing(stream, "figures", "slope", "--size", "column", "--out", tmp_path)
    assert result.returncode == 0
    assert files(tmp_path) == ["figures.json", "slope-column-dark.png"]
    assert len(result.stdout.splitlines()) == (0 if stream == 1 else 2)
    assert "Traceback" not in result.stderr
    result = closing(stream, "numbers", "heads")
    assert result.returncode == 0
    assert bool(result.stdout) == (stream == 2)


def test_misuse_is_misuse_though_nobody_can_read_why():
    assert closing(2, "rendr").returncode == 2
    assert closing(2, "--debug", "verify", "--format", "x").returncode == 2


def test_a_film_is_made_though_stderr_is_closed(tmp_path):
    args = ["render", "opening", "--quality", "l", "--out", str(tmp_path)]
    result = run(*args, command=("/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *SMALL))
    assert result.returncode == 0
    assert [Path(path).name for path in result.stdout.splitlines()] == [f"opening.{s}" for s in ("mp4", "srt", "vtt")]


def test_a_reader_that_stops_reading_is_no_reason_to_complain(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    result = run("list", stdout=writing, stderr=subprocess.PIPE, capture_output=False)
    os.close(writing)
    assert result.returncode == 1
    assert result.stderr == ""


# What goes where


def test_a_lesson_is_films_figures_and_tables_and_each_path_is_printed_once(tmp_path):
    """A whole lesson, but that its scenes are small ones."""
    out = tmp_path / "lesson"
    env = from_home(tmp_path)
    result = run("lesson", "--quality", "l", "--out", out, "--theme", "light", command=SMALL, env=env)
    assert result.returncode == 0, result.stderr
    films = [f"{name}.{suffix}" for name in ("opening", "closing", "lesson") for suffix in ("mp4", "srt", "vtt")]
    figures = [f"{name}-slide-light.{suffix}" for name in arguments.FIGURE.all for suffix in ("png", "svg", "pdf")]
    tables = [f"tables/{name}.{suffix}" for name in arguments.TABLE.all for suffix in ("csv", "json")]
    expected = sorted([*films, *(f"figures/{name}" for name in (*figures, "figures.json")), *tables])
    assert sorted(str(Path(path).relative_to(out)) for path in result.stdout.splitlines()) == expected
    assert files(out) == expected
    assert list((tmp_path / "home").iterdir()) == list((tmp_path / "tmp").iterdir()) == []
    for name in arguments.TABLE.all:
        table = load(name).table(Parameters())
        assert json.loads((out / "tables" / f"{name}.json").read_text()) == table.as_dict()
        assert (out / "tables" / f"{name}.csv").read_bytes().decode() == table.as_csv()
    # Progress in a log is plain and seldom.
    lines = result.stderr.splitlines()
    assert 1 <= len(lines) <= 30
    assert re.fullmatch(r"100% done in (\d+ min )?\d+ s", lines[-1])
    assert "100%" not in "".join(lines[:-1])
    assert all(re.fullmatch(r" *\d+% [^\x00-\x1f]+", line) for line in lines)


def at_a_terminal(tmp_path, paths_too=False, args=(), **env):
    """Run with stderr at a terminal, and stdout there too or in a pipe; gives both. Without ``args``, a small scene."""
    here, there = pty.openpty()
    shown = io.BytesIO()

    def read():
        with contextlib.suppress(OSError):  # the terminal is closed when the command ends
            while data := os.read(here, 1024):
                shown.write(data)

    reader = threading.Thread(target=read)
    reader.start()
    args = args or ["render", "opening", "--quality", "l", "--jobs", "1", "--out", "out"]
    streams = {"stdout": there if paths_too else subprocess.PIPE, "stderr": there, "capture_output": False}
    result = run(*args, command=SMALL, cwd=tmp_path, env=environment(**{"TERM": "xterm", **env}), **streams)
    os.close(there)
    reader.join()
    os.close(here)
    assert result.returncode == 0
    return shown.getvalue().decode(), result.stdout


PATHS = [f"out/opening.{suffix}" for suffix in ("mp4", "srt", "vtt")]


def test_at_a_terminal_a_line_moves_and_paths_stay_out_of_it(tmp_path):
    shown, printed = at_a_terminal(tmp_path)
    assert printed.splitlines() == PATHS
    assert "opening" in shown
    assert ESCAPE in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")  # the cursor is back


def test_at_a_terminal_the_moving_line_makes_way_for_paths(tmp_path):
    shown, _ = at_a_terminal(tmp_path, paths_too=True)
    for path in PATHS:
        before = re.split(r"[\r\n]", shown.partition(path)[0])[-1]
        assert re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", before) == ""


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_a_terminal_that_wants_none_gets_no_escape_codes(env, tmp_path):
    shown, printed = at_a_terminal(tmp_path, **env)
    assert printed.splitlines() == PATHS
    assert ESCAPE not in shown
    assert "% opening" in shown


def test_figures_are_drawn_in_every_size_and_format_that_is_asked_for(tmp_path):
    args = ["walks", "--format", "svg", "--format", "png,svg", "--size", "half,column", "--theme", "light"]
    result = invoke("figures", *args, "--dpi", "60", "--d-k", "16", "--transparent", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    drawn = [
        str(tmp_path / f"walks-{size}-light-transparent.{form}")
        for size in ("half", "column")
        for form in ("svg", "png")
    ]
    assert result.stdout.splitlines() == [*drawn, str(tmp_path / "figures.json")]
    entries = json.loads((tmp_path / "figures.json").read_text())
    assert {entry["parameters"]["d_k"] for entry in entries} == {16}
    assert {tuple(entry["pixels"]) for entry in entries if entry["pixels"]} == {(384, 360), (210, 156)}


# Failed jobs


@pytest.mark.parametrize(
    "args", [["figures", "walks"], ["render", "growth"], ["lesson"]], ids=["figures", "render", "lesson"]
)
@pytest.mark.parametrize(("out", "reason"), [("taken", "it is a file"), ("taken/deeper", "Not a directory")])
def test_a_folder_that_cannot_be_written_is_named_at_once(args, out, reason, tmp_path):
    (tmp_path / "taken").write_text("a file")
    result = invoke(*args, "--out", str(tmp_path / out))
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write to the folder {tmp_path / out}: {reason}\n"
    assert files(tmp_path) == ["taken"]


@pytest.mark.parametrize("args", [["figures", "walks"], ["render", "growth"]], ids=["figures", "render"])
@pytest.mark.parametrize(
    ("target", "out", "said"),
    [
        ("nowhere", "link", "it is a link to nothing"),
        ("link", "link", "it is a link that leads back to itself"),
        ("nowhere", "link/deeper", "{link} is a link to nothing"),
    ],
)
def test_a_link_that_leads_nowhere_is_called_that(args, target, out, said, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(target)
    result = invoke(*args, "--out", str(tmp_path / out))
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write to the folder {tmp_path / out}: {said.format(link=link)}\n"
    assert os.listdir(tmp_path) == ["link"]


@pytest.mark.parametrize("args", [["figures", "walks"], ["render", "growth"], ["doctor"]], ids=lambda args: args[0])
def test_a_current_folder_that_is_gone_is_called_that(args, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD"; exec "$@"'
    result = run(*args, "--out", tmp_path / "out", command=("/bin/sh", "-c", script, "sh", *COMMAND), cwd=gone)
    assert result.returncode == 1
    assert result.stderr == "Error: the current folder is gone; go to one that is there\n"


@pytest.mark.parametrize(
    ("args", "taken"),
    [
        (["render", "growth"], "growth.mp4"),
        (["render", "saturation", "growth"], "growth.vtt"),
        (["render", "growth", "--format", "gif"], "growth.gif"),
        (["render", "growth", "--format", "png"], "growth-3.png"),
        (["lesson"], "growth.srt"),
        (["lesson"], "lesson.mp4"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_folder_in_the_place_of_a_film_is_found_before_anything_is_rendered(args, taken, tmp_path, monkeypatch):
    from scenes import rendering

    monkeypatch.setattr(rendering, "record", None)
    monkeypatch.setattr(rendering, "rehearse", None)
    (tmp_path / taken).mkdir()
    result = invoke(*args, "--out", str(tmp_path))
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write the file {tmp_path / taken}: it is a folder\n"
    assert result.stdout == ""
    assert os.listdir(tmp_path) == [taken]


def test_a_folder_where_no_file_is_to_go_is_no_hindrance(rendered, tmp_path):
    for name in ("growth.srt", "growth-1.png", "growth.mov"):
        (tmp_path / "out" / name).mkdir(parents=True)
    assert invoke("render", "growth", "--captions", "none").exit_code == 0


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
import cli
{change}
cli.main(prog_name="rootdk")
"""


@pytest.mark.parametrize(
    ("limit", "file", "change"),
    [
        (4000, "slope-column-dark.png", ""),
        (10, "figures.json", "import figures.export as e; e.encode = lambda *_: b''"),
    ],
)
def test_a_disk_that_is_full_is_told_with_the_file_that_did_not_fit(limit, file, change, tmp_path):
    env = environment(PYTHONDONTWRITEBYTECODE="1", MPLCONFIGDIR=str(tmp_path / "fonts"))
    args = ["slope", "--size", "column", "--out", tmp_path / "out"]
    assert run("figures", *args, env=env).returncode == 0  # so that the list of fonts is there
    program = (sys.executable, "-c", LIMITED.format(change=change), str(limit))
    before = {name: (tmp_path / "out" / name).read_bytes() for name in files(tmp_path / "out")}
    result = run("figures", *args, "--theme", "dark", command=program, env=env)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-2] == f"Error: {tmp_path / 'out' / file}: File too large"
    assert files(tmp_path / "out") == list(before)


@pytest.mark.parametrize("kind", ["MPLBACKEND", "matplotlibrc", "MATPLOTLIBRC", "SOURCE_DATE_EPOCH"])
@pytest.mark.parametrize("form", ["png", "svg,pdf"])
def test_what_is_set_for_other_programs_changes_no_figure(kind, form, tmp_path):
    """A notebook sets a backend, builders set a day, and settings may be no text at all."""
    settings = tmp_path / "matplotlibrc"
    if kind == "matplotlibrc":
        settings.write_bytes(b"font.size: 30 # \xff\n")
    (tmp_path / "bad").write_bytes(b"\xff\n")
    env = {
        "MPLBACKEND": {"MPLBACKEND": "module://matplotlib_inline.backend_inline"},
        "matplotlibrc": {},
        "MATPLOTLIBRC": {"MATPLOTLIBRC": str(tmp_path / "bad")},
        "SOURCE_DATE_EPOCH": {"SOURCE_DATE_EPOCH": "abc"},
    }[kind]
    args = ["figures", "slope", "--size", "column", "--format", form, "--out", "out"]
    result = run(*args, cwd=tmp_path, env=environment(**env))
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("\n") <= 2


def test_what_is_set_for_other_programs_changes_no_film(tmp_path):
    (tmp_path / "matplotlibrc").write_bytes(b"\xff\n")
    (tmp_path / "manim.cfg").write_bytes(b"[CLI\n")
    env = environment(SOURCE_DATE_EPOCH="abc", MPLBACKEND="module://matplotlib_inline.backend_inline")
    result = run("render", "opening", "--quality", "l", command=SMALL, cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device", "walks.png"), "walks.png: No space left on device"),
        (RuntimeError("the font is missing"), "the font is missing"),
        (KeyError("walks"), "KeyError: 'walks'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_failed_job_says_what_failed_and_the_trace_is_there_for_the_asking(error, message, tmp_path, monkeypatch):
    from figures import export

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(export, "export", fail)
    result = invoke("figures", "walks", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert result.stderr == f"Error: {message}\n(rootdk --debug … shows where)\n"
    result = invoke("--debug", "figures", "walks", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert result.exception is error


def test_a_letter_that_the_terminal_lacks_stops_nothing():
    result = run("numbers", "best-key", env=environment(PYTHONIOENCODING="latin-1"), encoding="latin-1")
    assert result.returncode == 0
    assert "\\u221ad_k" in result.stdout


# Numbers


@pytest.mark.parametrize("name", arguments.TABLE.all)
def test_a_table_is_printed_with_every_cell_or_as_data(name):
    table = load(name).table(Parameters())
    printed = invoke("numbers", name)
    assert printed.exit_code == 0
    assert ESCAPE not in printed.stdout
    lines = printed.stdout.splitlines()
    assert lines[0] == table.title
    assert lines == [line.rstrip() for line in lines]
    rows = [re.split(r" {2,}", line.strip()) for line in lines]
    for cells in table.cells():
        assert [cell for cell in cells if cell] in rows
    assert " ".join(table.note.split()) in " ".join(printed.stdout.split())
    assert json.loads(invoke("numbers", name, "--format", "json").stdout) == table.as_dict()
    data = invoke("numbers", name, "--format", "csv").stdout
    assert next(csv.reader(io.StringIO(data))) == list(table.keys)
    assert data.replace("\r\n", "\n") == table.as_csv().replace("\r\n", "\n")


def test_a_terminal_gets_the_same_words(monkeypatch):
    plain = invoke("numbers", "worked-example").stdout
    monkeypatch.setattr("printing.is_lively", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "120")
    assert invoke("numbers", "worked-example").stdout.split() == plain.split()


def test_all_tables_are_printed_when_none_is_named():
    titles = [arguments.TABLE.entry(name).title for name in arguments.TABLE.all]
    printed = invoke("numbers").stdout.splitlines()
    assert [line for line in printed if line in titles] == titles
    assert list(json.loads(invoke("numbers", "--format", "json").stdout)) == list(arguments.TABLE.all)


def test_several_tables_are_printed_one_after_another():
    one, other = (invoke("numbers", name).stdout for name in ("heads", "worked-example"))
    assert invoke("numbers", "heads", "worked-example", "heads").stdout == f"{one}\n{other}"
    content = json.loads(invoke("numbers", "heads", "worked-example", "--format", "json").stdout)
    assert content == {name: load(name).table(Parameters()).as_dict() for name in ("heads", "worked-example")}
    assert list(content) == ["heads", "worked-example"]


def test_a_table_that_takes_long_says_so_at_a_terminal_and_only_there(tmp_path):
    shown, printed = at_a_terminal(tmp_path, args=["numbers", "heads", "--format", "csv"])
    assert "%" in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")  # the cursor is back
    assert printed == load("heads").table(Parameters()).as_csv()
    assert invoke("numbers", "heads").stderr == ""


def test_a_table_depends_on_the_options():
    rows = json.loads(invoke("numbers", "best-key", "--d-k", "9", "--format", "json").stdout)["rows"]
    assert {row["d_k"]: row["raw_score"] for row in rows}[9] == pytest.approx(3)


# Verify


@pytest.fixture
def claims(monkeypatch):
    """Two claims instead of all: some of those take seconds, and have tests of their own."""
    import core.claims

    two = tuple(claim for claim in core.claims.CLAIMS if claim.id in ("A1", "B5"))
    monkeypatch.setattr(core.claims, "CLAIMS", two)
    return core.claims


def test_verify_shows_what_is_stated_and_what_is_computed(claims):
    result = invoke("verify")
    assert result.exit_code == 0
    assert "ok       A1" in result.stdout
    for claim in claims.CLAIMS:
        (stated,), (computed,) = (
            re.findall(rf"^ +{word} +(.*{re.escape(claim.stated[-1])}) *$", result.stdout, re.MULTILINE)
            for word in ("stated", "computed")
        )
        assert stated.split() == computed.split() == list(claim.stated)
    assert result.stdout.endswith("2 claims: every number is as stated.\n")
    records = json.loads(invoke("verify", "--format", "json").stdout)
    assert [(record["id"], record["stated"], record["holds"]) for record in records] == [
        (claim.id, list(claim.stated), True) for claim in claims.CLAIMS
    ]
    assert records[0]["values"] == pytest.approx([2, 8])


@pytest.mark.parametrize("form", ["table", "json"])
def test_verify_fails_when_a_number_differs(form, claims, monkeypatch):
    """The division is by d instead of its root."""
    monkeypatch.setattr(claims, "scale_factor", lambda d_k: d_k)
    result = invoke("verify", "--format", form)
    assert result.exit_code == 1
    assert "of 2 claims differ: A1" in result.stderr
    if form == "table":
        assert re.search(r"^DIFFERS  A1", result.stdout, re.MULTILINE)
    else:
        assert [record["holds"] for record in json.loads(result.stdout) if record["id"] == "A1"] == [False]

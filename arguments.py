"""What may be written on the command line: names, lists of words, numbers, and the options that commands share."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from core.parameters import D_K_RANGE, N_KEYS_RANGE, N_SCORES_RANGE, SCORE_RANGE, SEED_RANGE, Parameters
from core.theme import THEMES

if TYPE_CHECKING:
    from pathlib import Path


# What the modules that draw offer; they take long to import, so the names stand here again and a test compares them.
QUALITIES = {
    "l": "854x480 at 15",
    "m": "1280x720 at 30",
    "h": "1920x1080 at 60",
    "p": "2560x1440 at 60",
    "k": "3840x2160 at 60",
}
FILM_FORMATS = ("mp4", "webm", "mov", "gif", "png")
CAPTIONS = ("embed", "burn", "none")
WITHOUT_STREAM = {"gif": "burn", "png": "none"}  # formats that hold no caption stream, and what they get instead


@dataclass(frozen=True)
class Entry:
    """A scene, figure or table as its module declares it."""

    title: str
    uses: tuple[str, ...]  # fields of Parameters


class Name(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """The name of a scene, figure or table: its module's, with dashes."""

    def __init__(self, name: str, package: str, needs: Sequence[str], in_class: bool = False) -> None:
        self.name = name
        self.package = package
        self.needs = needs  # what each of the modules must have, {} for the module's name
        self.in_class = in_class  # and not at the module's top level

    @property
    def all(self) -> tuple[str, ...]:
        """Every name, in the order of the lesson."""
        return tuple(import_module(self.package).ORDER)

    def entry(self, name: str) -> Entry:
        """What the module declares. It is read, not imported: importing a scene takes seconds.

        Raises
        ------
        ClickException
            The module is missing, is no Python, or lacks something that it must have.
        """
        from importlib.util import find_spec

        stem = name.replace("-", "_")
        where = f"{self.package.replace('.', '/')}/{stem}.py"
        spec = find_spec(f"{self.package}.{stem}")
        if spec is None or spec.origin is None:
            raise click.ClickException(f"{where} is missing; {self.package} has {name} in its ORDER")
        with open(spec.origin, "rb") as file:
            source = file.read()
        try:
            tree = ast.parse(source, filename=where)
        except SyntaxError as error:
            raise click.ClickException(misspelt(error)) from error
        declared = _declared(tree, self.in_class)
        needed = [word.format(stem) for word in self.needs]
        if _takes_axes(declared.get(f"draw_{stem}")):
            needed.append("MARGINS")
        lacking = [word for word in needed if word not in declared]
        if lacking:
            raise click.ClickException(f"{where} lacks {in_line(lacking)}")
        title, uses = (_literal(declared[word]) for word in ("TITLE", "USES"))
        if not isinstance(title, str):
            raise click.ClickException(f"{where}: TITLE must be a text in quotes")
        if not isinstance(uses, tuple) or not set(uses) <= {field.name for field in fields(Parameters)}:
            names = ", ".join(field.name for field in fields(Parameters))
            raise click.ClickException(f'{where}: USES must be () or a tuple such as ("d_k",), of {names}')
        return Entry(title, uses)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """``value``, if something is called that."""
        if value not in self.all:
            self.fail(f"no {self.name} is called {value!r}. {_nearest(value, self.all)}", param, ctx)
        return value

    def chosen(self, names: Sequence[str]) -> list[str]:
        """Each of ``names`` once; everything when there are none."""
        return list(dict.fromkeys(names)) or list(self.all)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so and are not there yet."""
        return [
            CompletionItem(name, help=entry.title if entry else None)
            for name, entry in self._entries().items()
            if name.startswith(incomplete) and name not in (ctx.params.get(param.name or "") or ())
        ]

    def users(self, field: str) -> list[str]:
        """Those that depend on a field of Parameters."""
        return [name for name, entry in self._entries().items() if entry and field in entry.uses]

    def _entries(self) -> dict[str, Entry | None]:
        """What every module declares; None for one that is not as it should be."""
        found: dict[str, Entry | None] = {}
        for name in self.all:
            try:
                found[name] = self.entry(name)
            except click.ClickException:
                found[name] = None
        return found


def misspelt(error: SyntaxError) -> str:
    """Where a module is no Python, and why."""
    return f"{error.filename}, line {error.lineno}: {error.msg}"


def _declared(tree: ast.Module, in_class: bool) -> dict[str, ast.AST]:
    """What a module, or the classes in it, assign and define, by name: the value assigned, or the function."""
    found: dict[str, ast.AST] = {}
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for node in [inner for outer in classes for inner in outer.body] if in_class else tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: node for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id: node.value for target in targets if isinstance(target, ast.Name)}
    return found


def _takes_axes(function: ast.AST | None) -> bool:
    """Whether a figure's function takes axes, and not a whole figure to draw on."""
    arguments = function.args.args if isinstance(function, ast.FunctionDef) else []
    return bool(arguments) and arguments[0].arg == "ax"


def _literal(node: ast.AST) -> Any:
    """A value that is written out; None when it is not."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _nearest(value: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(value.lower(), names, n=1, cutoff=0.4)
    return f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names)}."


class Several(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """One or more of a few words, separated by commas."""

    def __init__(self, name: str, choices: Sequence[str]) -> None:
        self.name = name
        self.choices = choices

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help shows what may be written."""
        return "[" + "|".join(self.choices) + "],…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The words in ``value``."""
        if isinstance(value, tuple):
            return value
        words = tuple(word.strip() for word in value.split(","))
        for word in words:
            if word not in self.choices:
                self.fail(f"{word!r} is not a {self.name}. There are: {', '.join(self.choices)}.", param, ctx)
        return words

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The words that the last one may become."""
        done, comma, last = incomplete.rpartition(",")
        return [CompletionItem(done + comma + choice) for choice in self.choices if choice.startswith(last)]


def together(ctx: click.Context, param: click.Parameter, values: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The words of an option that may be repeated, each once."""
    return tuple(dict.fromkeys(word for words in values for word in words))


class Numbers(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """Numbers separated by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        """The numbers in ``value``."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(float(number) for number in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not numbers separated by commas, such as 2,1,0", param, ctx)


class Whole(click.IntRange):
    """A whole number in a range."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that ``value`` is."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            wanted = f"{self.min} or more" if self.max is None else f"from {self.min} to {self.max}"
            self.fail(f"{value!r} is not a whole number, {wanted}.", param, ctx)


class Folder(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """A folder, which need not be there."""

    name = "folder"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """``value``, if it is more than nothing: a variable of a shell's that is not set is no folder."""
        if not value:
            self.fail("no folder is named; the current one is called '.'", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The shell itself knows the folders."""
        return [CompletionItem(incomplete, type="dir")]


SCENE = Name("scene", "scenes", ("TITLE", "SECONDS", "USES"), in_class=True)
FIGURE = Name("figure", "figures", ("TITLE", "USES", "case", "alt_text", "draw_{}"))  # MARGINS, too, if it takes `ax`
TABLE = Name("table", "core.tables", ("TITLE", "USES", "table"))


# Options, each defined once


def option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """An option whose help ends in its default."""
    return click.option(*names, show_default=True, **settings)


def _all_of(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


DEFAULTS = Parameters()
FIELDS = ("d_k", "n_keys", "scores", "seed")  # those of Parameters that have an option
parameter_options = _all_of(
    option(
        "--d-k",
        type=int,
        default=DEFAULTS.d_k,
        help="Entries of a query and of a key, {} to {:,}.".format(*D_K_RANGE),
    ),
    option(
        "--keys",
        "n_keys",
        type=int,
        default=DEFAULTS.n_keys,
        help="Keys that a query is scored against, {} to {}.".format(*N_KEYS_RANGE),
    ),
    option(
        "--scores",
        type=Numbers(),
        default=",".join(f"{score:g}" for score in DEFAULTS.scores),
        help="Scores that softmax is shown with: {} to {} numbers".format(*N_SCORES_RANGE)
        + " from {} to {}, one of them the largest.".format(*SCORE_RANGE),
    ),
    option("--seed", type=int, default=DEFAULTS.seed, help="Of the random draws, {} to {:,}.".format(*SEED_RANGE)),
)
theme_option = option("--theme", type=click.Choice(list(THEMES)), default="dark", help="Colours of films and figures.")
out_option = option("--out", type=Folder(), default="out", metavar="DIR", help="Where all files go; made if need be.")
film_options = _all_of(
    option(
        "--quality",
        type=click.Choice(list(QUALITIES)),
        default="m",
        help=f"Pixels and frames a second: {'; '.join(f'{key} {words}' for key, words in QUALITIES.items())}.",
    ),
    click.option(
        "--captions",
        type=click.Choice(CAPTIONS),
        help="embed: a stream that players can turn off; burn: drawn into the picture.  [default: embed]",
    ),
    click.option(
        "--jobs", type=Whole(min=1), help="Processes that render, 4 a core at most.  [default: as many as fit]"
    ),
)


def chosen_parameters(ctx: click.Context, kind: Name, names: Sequence[str]) -> Parameters:
    """The lesson's parameters as the options of ``ctx`` give them.

    Refuses what is out of range, and what none of the scenes, figures or tables called ``names`` depends on.
    """
    used = {field for name in names for field in kind.entry(name).uses}
    parameters = DEFAULTS
    for option in ctx.command.params:
        if option.name not in FIELDS or not _given(ctx, option.name):
            continue
        if option.name not in used:
            users = kind.users(option.name)
            only = f", only in {in_line(users)}" if users else ""
            raise click.UsageError(f"{option.opts[0]} changes nothing in {in_line(names)}{only}.", ctx)
        parameters = _replaced(parameters, ctx, option)
    return parameters


def _replaced(parameters: Parameters, ctx: click.Context, option: click.Parameter) -> Parameters:
    """``parameters`` with the value of one option, or a refusal that names the option."""
    try:
        return replace(parameters, **{str(option.name): ctx.params[str(option.name)]})
    except ValueError as error:
        message = re.sub(rf"\b{option.name}\b", option.opts[0], str(error), count=1)
        raise click.UsageError(f"{message}.", ctx) from error


def in_line(words: Sequence[str]) -> str:
    """Words as a sentence names them: "growth", "growth and saturation", "growth, saturation and rescaling"."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def writable(out: str, files: Iterable[str] = ()) -> Path:
    """The folder ``out``, made if need be: better to fail now than after an hour of rendering.

    ``files`` are patterns of the names that files get there; no folder may stand in their place.
    """
    from pathlib import Path
    from tempfile import TemporaryFile

    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise click.ClickException(f"cannot write to the folder {folder}: {_hindrance(folder, error)}") from error
    for taken in (path for pattern in files for path in folder.glob(pattern) if path.is_dir()):
        raise click.ClickException(f"cannot write the file {taken}: it is a folder")
    return folder


def _hindrance(folder: Path, error: OSError) -> str:
    """Why there can be no such folder."""
    if not isinstance(error, FileExistsError):
        return str(error.strerror)
    found = str(error.filename or folder)
    name = "it" if found == str(folder) else found
    if os.path.exists(found):
        return f"{name} is a file"
    try:
        os.stat(found)
    except FileNotFoundError:
        return f"{name} is a link to nothing"
    except OSError:
        return f"{name} is a link that leads back to itself"
    return str(error.strerror)


def tame_libraries(out: str) -> None:
    """Keep libraries, before they are imported, from writing elsewhere than in ``out`` and from remarks on stdout."""
    import logging

    try:
        os.getcwd()
    except FileNotFoundError as error:  # Manim asks for it, too, wherever the files go
        raise click.ClickException("the current folder is gone; go to one that is there") from error
    # A day to put in files, for those who build the same again: no file of ours says when it was made.
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    # matplotlib's list of the machine's fonts, which would go to the user's home.
    os.environ.setdefault("MPLCONFIGDIR", os.path.abspath(os.path.join(out, ".cache", "matplotlib")))
    # Where there is no handler Manim adds one, for every library's remarks.
    warnings = logging.StreamHandler()
    warnings.setLevel(logging.WARNING)
    logging.basicConfig(handlers=[warnings], format="%(name)s: %(message)s")

"""The command `rootdk`: parse, call, report.

What takes long to import is imported inside the commands, so that help and completion answer at once.
"""
# ruff: noqa: D301, E402  (in a help text click takes a real backspace for "leave these lines as they are")

from __future__ import annotations

import signal

# While modules are imported there is nothing to be cleared up: Ctrl-C then ends the process without a traceback.
_unheeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _unheeded:
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # only the main thread may
        _unheeded = False

import io
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from arguments import (
    FIELDS,
    FIGURE,
    FILM_FORMATS,
    SCENE,
    TABLE,
    WITHOUT_STREAM,
    Several,
    Whole,
    chosen_parameters,
    film_options,
    in_line,
    misspelt,
    option,
    out_option,
    parameter_options,
    tame_libraries,
    theme_option,
    together,
    writable,
)
from core.theme import THEMES
from figures import DPI, DPI_RANGE, FORMATS, SIZES
from progress import Job

if TYPE_CHECKING:
    from pathlib import Path

    from core.parameters import Parameters
    from scenes.rendering import Progress

FIGURE_WORK = 1.0  # the work of a figure's file, in seconds of film, when the time to go is reckoned
TABLE_WORK = 0.5  # of a table's file
GROUNDS = "The dark theme's colours are for dark slides, --theme light for light ones."

# The program


class Program(click.Group):
    """Ends every run as shells expect: 1 for a failed job, 2 for misuse, 128 and the signal's number when stopped."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line."""
        _replace_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # an old terminal may lack a letter, and lose no more
        with _stopped_by_signals():
            return super().main(*args, **options)

    def list_commands(self, _: click.Context) -> list[str]:
        """The commands in the order in which they stand below."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if ctx.params["debug"]:
                if details := getattr(error, "details", ""):
                    click.echo(details, err=True)  # the traceback of another process
                raise
            raise click.ClickException(f"{_in_words(error)}\n(rootdk --debug … shows where)") from error


def _replace_closed_streams() -> None:
    """Let what is written to a stream that was closed go nowhere: else the next file that is opened would get it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115
            os.set_inheritable(nowhere.fileno(), True)
            setattr(sys, name, nowhere)


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, SyntaxError) and error.filename:
        return misspelt(error)
    # ValueError and RuntimeError are raised with a sentence; of the others the name is half of what they say.
    return str(error) if isinstance(error, ValueError | RuntimeError) else f"{type(error).__name__}: {error}"


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """End by an exception when a signal asks to, so that what is half written is taken away on the way out."""
    before: dict[int, Any] = {}
    stopped = False

    def stop(number: int, _: object) -> NoReturn:
        nonlocal stopped
        stopped = True
        for signum in before:
            signal.signal(signum, signal.SIG_IGN)  # an impatient second one must not cut the clearing up short
        sys.exit(128 + number)

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signum = getattr(signal, name, None)  # Windows has no SIGHUP
            # What is ignored stays so: `nohup` and a shell's background jobs want that.
            if signum is not None and signal.getsignal(signum) is not signal.SIG_IGN:
                before[signum] = signal.signal(signum, stop)
    try:
        yield
    finally:
        for signum, handler in before.items():
            if not stopped:  # then the process is about to end, and what is impatient stays ignored
                signal.signal(signum, handler)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="rootdk", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the full traceback when a job fails.")
def main(debug: bool) -> None:
    """Films, figures and numbers of one lesson: why attention divides its scores by the square root of d_k.

    Results go to stdout: tables, and the paths of what was written, one a line. Progress and errors go to stderr.

    \b
    Example:
        rootdk lesson
    """


# Commands


@main.command("list")
def list_() -> None:
    """List the scenes, figures and tables.

    After a title stand the options that change what it shows.

    \b
    Example:
        rootdk list
    """
    options = {option.name: option.opts[0] for option in render.params}
    kinds = (SCENE, FIGURE, TABLE)
    width = max(len(name) for kind in kinds for name in kind.all)
    broken = []
    for kind in kinds:
        click.echo(f"{kind.name}s")
        for name in kind.all:
            try:
                entry = kind.entry(name)
            except click.ClickException as error:  # the others can be listed all the same
                broken.append(error.message)
                continue
            uses = " ".join(options[field] for field in FIELDS if field in entry.uses)
            click.echo(f"  {name:<{width}}  {entry.title}{f'  ({uses})' if uses else ''}")
    if broken:
        raise click.ClickException("\n".join(broken))


@main.command()
@click.argument("names", nargs=-1, type=SCENE, metavar="[SCENE]...")
@film_options
@option(
    "--format",
    "form",
    type=click.Choice(FILM_FORMATS),
    default="mp4",
    help="Kind of film. In a gif captions are burnt in; png gives a still of the end of every beat, without captions.",
)
@click.option("--transparent", is_flag=True, help=f"Leave the ground out; for webm, mov and png. {GROUNDS}")
@theme_option
@parameter_options
@out_option
@click.option("--preview", is_flag=True, help="Open what was rendered with the system's viewer.")
@click.pass_context
def render(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    quality: str,
    captions: Any,
    jobs: int | None,
    form: Any,
    transparent: bool,
    theme: str,
    out: str,
    preview: bool,
    **_: Any,
) -> None:
    """Render the films of scenes; of all when none is named.

    Beside a film stand its captions as .srt and .vtt, unless --captions is none.

    \b
    Example:
        rootdk render growth --quality h --theme light
    """
    chosen = SCENE.chosen(names)
    parameters = chosen_parameters(ctx, SCENE, chosen)
    if captions == "embed" and form in WITHOUT_STREAM:
        raise click.UsageError(
            f"a {form} has no stream for captions: --captions burn draws them into the picture.", ctx
        )

    tame_libraries(out)
    from scenes.rendering import FilmOptions, scene_class
    from scenes.rendering import render as render_films

    captions = captions or WITHOUT_STREAM.get(form, "embed")
    try:
        options = FilmOptions(quality, form, transparent, captions, THEMES[theme])
    except ValueError as error:
        raise click.UsageError(f"{error}.", ctx) from error
    folder = writable(out, _files_of_films(chosen, form, captions))
    written = []
    with Job({name: scene_class(name).SECONDS for name in chosen}) as job:
        for path in render_films(chosen, parameters, options, folder, _film_report(job), jobs):
            job.result(path)
            written.append(path)
    if preview:
        _open([folder] if form == "png" else [path for path in written if path.suffix == f".{form}"])


def _files_of_films(names: Iterable[str], form: str, captions: str) -> list[str]:
    """Patterns of the names that films of scenes, or stills, and captions get."""
    if form == "png":
        return [f"{name}-{number}.png" for name in names for number in ("[1-9]", "[1-9][0-9]")]
    suffixes = (form,) if captions == "none" else (form, "srt", "vtt")
    return [f"{name}.{suffix}" for name in names for suffix in suffixes]


def _film_report(job: Job) -> Callable[[Progress], None]:
    def report(now: Progress) -> None:
        done = f"{now.animations} animations, {now.frames:,} frames" if now.frames else ""
        job.reached(now.scene, now.seconds, " · ".join(filter(None, [now.beat, done])), of=now.total)

    return report


def _open(paths: Iterable[Path]) -> None:
    for path in paths:
        if click.launch(str(path)):
            click.echo(f"no viewer opens {path}", err=True)


@main.command()
@click.argument("names", nargs=-1, type=FIGURE, metavar="[FIGURE]...")
@option(
    "--format",
    "formats",
    type=Several("format", FORMATS),
    multiple=True,
    default=["png"],
    callback=together,
    help="Kinds of file.",
)
@option(
    "--size",
    "sizes",
    type=Several("size", tuple(SIZES)),
    multiple=True,
    default=["slide"],
    callback=together,
    help=f"Inches: {'; '.join(f'{size} {width:.4g}x{height:.4g}' for size, (width, height) in SIZES.items())}.",
)
@click.option(
    "--dpi",
    type=Whole(*DPI_RANGE),
    help=f"Pixels an inch of a png.  [default: {'; '.join(f'{size} {dpi}' for size, dpi in DPI.items())}]",
)
@click.option("--transparent", is_flag=True, help=f"Leave the ground out. {GROUNDS}")
@theme_option
@parameter_options
@out_option
@click.pass_context
def figures(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    formats: tuple[str, ...],
    sizes: tuple[str, ...],
    dpi: int | None,
    transparent: bool,
    theme: str,
    out: str,
    **_: Any,
) -> None:
    """Draw figures for slides and papers; all when none is named.

    \b
    Example:
        rootdk figures spread --format svg,pdf --size half,column --theme light
    """
    chosen = FIGURE.chosen(names)
    parameters = chosen_parameters(ctx, FIGURE, chosen)
    if dpi is not None and "png" not in formats:
        raise click.UsageError(f"--dpi changes nothing in {in_line(formats)}.", ctx)
    tame_libraries(out)
    folder = writable(out)
    with Job({"figures": FIGURE_WORK * len(chosen) * len(formats) * len(sizes)}) as job:
        for path in _figures(
            job,
            chosen,
            parameters,
            folder,
            sizes,
            formats=formats,
            theme=THEMES[theme],
            transparent=transparent,
            dpi=dpi,
        ):
            job.result(path)


def _figures(
    job: Job, names: list[str], parameters: Parameters, out: Path, sizes: Sequence[str], **options: Any
) -> Iterator[Path]:
    """Draw figures, and say how far that is."""
    from figures import loading  # noqa: F401  # before anything of matplotlib's
    from figures.export import INDEX, export

    for size in sizes:
        report = partial(_report_figure, job, job.done["figures"])
        for path in export(names, parameters, size=size, out=out, report=report, **options):
            if path.name != INDEX or size == sizes[-1]:
                yield path


def _report_figure(job: Job, before: float, name: str, done: int, total: int) -> None:
    job.reached("figures", before + done * FIGURE_WORK, name)


@main.command()
@click.argument("names", nargs=-1, type=TABLE, metavar="[TABLE]...")
@option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", help="How it is printed.")
@parameter_options
@click.pass_context
def numbers(ctx: click.Context, /, names: tuple[str, ...], form: str, **_: Any) -> None:
    """Print tables of the lesson's numbers; all when none is named.

    In JSON several tables stand by their names; a CSV file holds one.

    \b
    Example:
        rootdk numbers best-key --d-k 128
    """
    chosen = TABLE.chosen(names)
    parameters = chosen_parameters(ctx, TABLE, chosen)
    if form == "csv" and len(chosen) > 1:
        raise click.UsageError(f"a CSV file holds one table; name one of {', '.join(chosen)}.", ctx)

    from core.tables import load
    from printing import as_json, print_table

    tables = {}
    with Job(dict.fromkeys(chosen, TABLE_WORK), plain=False) as job:
        for name in chosen:
            job.reached(name, 0)
            tables[name] = load(name).table(parameters)
            job.reached(name, TABLE_WORK)
    if form == "csv":
        click.echo(tables[chosen[0]].as_csv(), nl=False)
    elif form == "json":
        content = {name: table.as_dict() for name, table in tables.items()}
        click.echo(as_json(content[chosen[0]] if len(chosen) == 1 else content))
    else:
        for number, table in enumerate(tables.values()):
            click.echo("\n" if number else "", nl=False)
            print_table(table)


@main.command()
@option("--format", "form", type=click.Choice(["table", "json"]), default="table", help="How it is printed.")
@click.pass_context
def verify(ctx: click.Context, /, form: str) -> None:
    """Compute the numbers of 29 statements about scaling anew.

    Exits with 1 if one differs in a digit that is stated.

    \b
    Example:
        rootdk verify --format json
    """
    from core.claims import CLAIMS, check
    from printing import as_json, outcome_record, print_outcome

    outcomes = []
    for claim in CLAIMS:
        outcomes.append(check(claim))
        if form == "table":
            print_outcome(outcomes[-1])
    differing = [outcome.claim.id for outcome in outcomes if not outcome.holds]
    if form == "json":
        click.echo(as_json([outcome_record(outcome) for outcome in outcomes]))
    elif not differing:
        click.echo(f"{len(outcomes)} claims: every number is as stated.")
    if differing:
        raise click.ClickException(f"{len(differing)} of {len(outcomes)} claims differ: {', '.join(differing)}")


@main.command()
@film_options
@theme_option
@parameter_options
@out_option
@click.pass_context
def lesson(
    ctx: click.Context, /, quality: str, captions: Any, jobs: int | None, theme: str, out: str, **_: Any
) -> None:
    """Write the whole lesson: films, figures and tables.

    Its film is lesson.mp4, beside the film of every scene; figures and tables have folders of their own.

    \b
    Example:
        rootdk lesson --quality h --d-k 128 --out out/lesson-128
    """
    tame_libraries(out)
    from scenes.rendering import FilmOptions, render_lesson, scene_class

    parameters = chosen_parameters(ctx, SCENE, SCENE.chosen([]))
    options = FilmOptions(quality, "mp4", captions=captions or "embed", theme=THEMES[theme])
    folder = writable(out, _files_of_films([*SCENE.all, "lesson"], "mp4", options.captions))
    parts = {
        "tables": TABLE_WORK * len(TABLE.chosen([])),
        "figures": FIGURE_WORK * len(FIGURE.chosen([])) * len(FORMATS),
    }
    with Job(parts | {name: scene_class(name).SECONDS for name in SCENE.chosen([])}) as job:
        for path in _tables(job, parameters, folder / "tables"):
            job.result(path)
        for path in _figures(
            job, FIGURE.chosen([]), parameters, folder / "figures", ["slide"], formats=FORMATS, theme=THEMES[theme]
        ):
            job.result(path)
        for path in render_lesson(parameters, options, folder, _film_report(job), jobs):
            job.result(path)


def _tables(job: Job, parameters: Parameters, out: Path) -> Iterator[Path]:
    """Write every table as CSV and as JSON."""
    from core.tables import load
    from files import whole
    from printing import as_json

    for number, name in enumerate(TABLE.chosen([])):
        job.reached("tables", number * TABLE_WORK, name)
        table = load(name).table(parameters)
        for suffix, text in (("csv", table.as_csv()), ("json", as_json(table.as_dict()) + "\n")):
            path = out / f"{name}.{suffix}"
            with whole(path) as part:
                part.write_text(text, encoding="utf-8", newline="")
            yield path
    job.reached("tables", job.parts["tables"])


@main.command()
@out_option
@click.pass_context
def doctor(ctx: click.Context, /, out: str) -> None:
    """Check that this machine can render.

    What is missing is named, with the command that mends it; exits with 1 if rendering would fail.

    \b
    Example:
        rootdk doctor
    """
    tame_libraries(out)
    from pathlib import Path

    from doctor import examine

    failed = False
    for finding in examine(Path(out)):
        failed |= not finding.ok
        click.echo(f"{'ok' if finding.ok else 'FAILS':<5}  {finding.subject:<22}  {finding.detail}")
        if finding.remedy:
            click.echo(f"{'':5}  {'':22}  to mend it: {finding.remedy}")
    if failed:
        raise click.ClickException("rendering would fail here")


if _unheeded:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if __name__ == "__main__":
    main(prog_name="rootdk")

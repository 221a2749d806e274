"""The bootstrap, on machines made of stubs: a PATH whose programs only write down that they were called."""

import importlib.metadata
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
INPUTS = ["bootstrap", "constraints.txt", "pyproject.toml"]
POSIX_TOOLS = ["cat", "cksum", "dirname", "grep", "mkdir", "mv", "rm", "sleep"]

# A Python of any version: it answers questions about itself like that version, and only notes what it should install.
PYTHON = """#!/bin/sh
case "$1" in
    --version) echo "Python {version}" ;;
    -c) exec {real} -S -c '
import os, sys, sysconfig
sys.version_info = ({numbers}, 0, "final", 0)
sysconfig.get_path = lambda name: os.environ["HEADERS"]
sys.modules["pip"] = os
{lacks}
exec(sys.argv[1])' "$2" ;;
    -m) echo "{name} $*" >>"$LOG"
        if [ "$2" = venv ]; then
            for folder; do :; done
            if [ "$3" = --clear ]; then rm -rf "$folder"; fi
            mkdir -p "$folder/bin"
            cat "$0" >"$folder/bin/python"
            {chmod} +x "$folder/bin/python"
            echo "command = $0 -m venv $PWD/$folder" >"$folder/pyvenv.cfg"
        fi
        if [ "$2" = pip ]; then eval "${{PIP:-:}}"; fi ;;
esac
"""


class Machine:
    """A folder with a copy of the project's set-up, and a PATH of its own."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.bin, self.log, self.headers, self.project = folder / "bin", folder / "log", folder / "headers", project
        for path in (self.bin, self.headers, project):
            path.mkdir(parents=True)
        (self.headers / "Python.h").touch()
        self.log.touch()
        for name in INPUTS:
            shutil.copy(ROOT / name, project / name)
        for name in POSIX_TOOLS:
            (self.bin / name).symlink_to(str(shutil.which(name)))
        self.has("make", "cc")
        self._write("pkg-config", "#!/bin/sh\n")
        self.is_user(1000)
        self.has_python("python3", "3.11.2")

    def has(self, *names: str, does: str = "") -> None:
        """Put programs on PATH that note their call and then do ``does``."""
        for name in names:
            self._write(name, f'#!/bin/sh\necho "{name} $*" >>"$LOG"\n{does}\n')

    def has_python(self, name: str, version: str, lacks: str | None = None) -> None:
        """Put a Python of some version on PATH, perhaps without one module of its library."""
        numbers = version.replace(".", ", ")
        hidden = f'sys.modules["{lacks}"] = None' if lacks else ""
        real, chmod = shlex.quote(sys.executable), shutil.which("chmod")
        text = PYTHON.format(name=name, version=version, numbers=numbers, real=real, lacks=hidden, chmod=chmod)
        self._write(name, text)

    def is_user(self, number: int) -> None:
        self._write("id", f"#!/bin/sh\necho {number}\n")

    def lacks(self, *names: str) -> None:
        for name in names:
            (self.bin / name).unlink()

    def lacks_headers_of(self, *libraries: str) -> None:
        """Make pkg-config deny libraries, until a package manager's stub creates the file ``installed``."""
        tests = " || ".join(f'[ "$2" = {library} ]' for library in libraries)
        self._write("pkg-config", f'#!/bin/sh\n[ -e "{self.bin}/installed" ] || ! {{ {tests}; }}\n')

    def has_manager(self, name: str, does: str | None = None) -> None:
        """Put a package manager on PATH: once it was called, the headers that were missing are there."""
        self.has(name, does=does or f': >"{self.bin}/installed"')

    def environment(self, **extra: str) -> dict[str, str]:
        return {"PATH": str(self.bin), "LOG": str(self.log), "HEADERS": str(self.headers), **extra}

    def bootstrap(self, cwd: Path | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run it from ``cwd`` (the project itself by default)."""
        program = os.path.relpath(self.project / "bootstrap", cwd) if cwd else "./bootstrap"
        return subprocess.run(
            ["/bin/sh", program],
            cwd=cwd or self.project,
            env=self.environment(**extra),
            capture_output=True,
            text=True,
            timeout=30,
        )

    def calls(self, *programs: str) -> list[str]:
        """What was called so far, of these programs (all when none is named)."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if not programs or line.split()[0] in programs]

    def installs(self) -> int:
        """How often pip was asked to install something."""
        return sum(" -m pip install " in line for line in self.calls())

    def _write(self, name: str, text: str) -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with all it needs, and the project in a folder whose name is no help."""
    return Machine(tmp_path, tmp_path / "don't panic é")


def test_it_is_plain_posix_shell():
    """Nothing of bash: it is /bin/sh that reads it, dash on many machines."""
    run = subprocess.run(["/bin/sh", "-n", ROOT / "bootstrap"], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    text = (ROOT / "bootstrap").read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    assert not re.search(r"\[\[|\blocal\b|\bfunction\b|<<<|&>|\bsource\b|\$'|pipefail|\+=|==", code)


@pytest.mark.parametrize("name", ["bootstrap", ".ci/run"])
def test_it_can_be_called_by_its_name(name):
    assert os.access(ROOT / name, os.X_OK)


def test_the_first_run_makes_an_environment_and_installs_the_pinned_versions(machine):
    run = machine.bootstrap()
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    venv, pip = machine.calls()
    assert venv == "python3 -m venv --clear .venv"
    assert "pip install" in pip
    assert pip.endswith("-c constraints.txt -e .[test]")


def test_the_second_run_installs_nothing_and_says_nothing(machine):
    """Not even a package manager, git or a network is looked for: they would all be noted, or fail."""
    machine.bootstrap()
    before = machine.calls()
    machine.lacks("make", "cc", "pkg-config", "python3", "id")
    run = machine.bootstrap(PIP="exit 9")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert machine.calls() == before


@pytest.mark.parametrize("name", INPUTS)
def test_a_change_of_what_decides_the_installation_installs_again(machine, name):
    machine.bootstrap()
    with (machine.project / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert machine.bootstrap().returncode == 0
    assert machine.installs() == 2
    assert len([call for call in machine.calls() if "-m venv" in call]) == 1  # into the environment that is there
    machine.bootstrap()
    assert machine.installs() == 2


def test_a_failed_installation_is_tried_again(machine):
    run = machine.bootstrap(PIP="echo no such version >&2; exit 1")
    assert run.returncode == 1
    assert "no such version" in run.stderr
    assert "run ./bootstrap again" in run.stderr
    assert machine.bootstrap().returncode == 0
    assert machine.installs() == 2


def test_a_failed_update_does_not_pass_for_the_installation_before(machine):
    machine.bootstrap()
    constraints = machine.project / "constraints.txt"
    first = constraints.read_bytes()
    constraints.write_bytes(first + b"# changed\n")
    assert machine.bootstrap(PIP="exit 1").returncode == 1
    constraints.write_bytes(first)  # back, but what is in .venv is half the one and half the other
    assert machine.bootstrap().returncode == 0
    assert machine.installs() == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_installation_is_not_taken_for_finished(machine, number):
    process = subprocess.Popen(
        ["/bin/sh", "./bootstrap"],
        cwd=machine.project,
        env=machine.environment(PIP="exec sleep 60"),
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that the signal reaches pip too, as Ctrl-C does
    )
    give_up = time.monotonic() + 20
    while not machine.installs() and time.monotonic() < give_up:
        time.sleep(0.01)
    os.killpg(process.pid, number)
    assert process.wait(timeout=20) != 0
    assert machine.bootstrap().returncode == 0
    assert machine.installs() == 2


def test_an_environment_that_was_cut_short_is_made_anew(machine):
    """As when its creation was interrupted, or the Python it came from was removed."""
    (machine.project / ".venv" / "bin").mkdir(parents=True)
    (machine.project / ".venv" / "bin" / "python").symlink_to("/nowhere/python3")
    assert machine.bootstrap().returncode == 0
    assert machine.calls()[0] == "python3 -m venv --clear .venv"


def test_an_environment_whose_python_is_gone_is_made_anew(machine):
    """As after an upgrade of the system that dropped the Python it links to."""
    machine.bootstrap()
    (machine.project / ".venv" / "bin" / "python").unlink()
    assert machine.bootstrap().returncode == 0
    assert len([call for call in machine.calls() if "-m venv --clear" in call]) == 2
    assert machine.installs() == 2


def test_a_moved_folder_gets_a_new_environment(machine, tmp_path):
    """Programs in an environment begin with the path of its Python."""
    machine.bootstrap()
    machine.project = machine.project.rename(tmp_path / "elsewhere")
    assert machine.bootstrap().returncode == 0
    assert len([call for call in machine.calls() if "-m venv --clear" in call]) == 2


@pytest.mark.parametrize("where", ["", "deep/down", "don't panic é"])
def test_it_works_from_any_folder(machine, tmp_path, where):
    (tmp_path / where).mkdir(parents=True, exist_ok=True)
    decoy = tmp_path / "decoy" / machine.project.name
    decoy.mkdir(parents=True)
    run = machine.bootstrap(cwd=tmp_path / where, CDPATH=str(decoy.parent))
    assert run.returncode == 0, run.stderr
    assert (machine.project / ".venv" / "bin" / "python").exists()


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        ({"python3": "3.14.0"}, "python3"),
        ({"python3": "3.10.9", "python3.12": "3.12.1", "python3.11": "3.11.0"}, "python3.12"),
        ({"python3": "3.9.2", "python3.14": "3.14.1"}, "python3.14"),
        ({"python3": "3.15.0", "python3.13": "3.13.0"}, "python3.13"),
    ],
)
def test_it_picks_a_python_that_is_neither_too_old_nor_too_new(machine, versions, chosen):
    for name, version in versions.items():
        machine.has_python(name, version)
    assert machine.bootstrap().returncode == 0
    assert machine.calls()[0] == f"{chosen} -m venv --clear .venv"


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_passed_over(machine, module):
    """Debian's is such a one without python3-venv."""
    machine.has_python("python3", "3.13.0", lacks=module)
    machine.has_python("python3.11", "3.11.9")
    assert machine.bootstrap().returncode == 0
    assert machine.calls()[0].startswith("python3.11 ")


def test_a_shim_that_leads_nowhere_is_passed_over(machine):
    """As pyenv's does for a version that is not selected."""
    machine.has("python3", does="exit 127")
    machine.has_python("python3.12", "3.12.0")
    assert machine.bootstrap().returncode == 0
    assert "python3.12 -m venv --clear .venv" in machine.calls()


def test_the_python_that_is_asked_for_is_taken_or_refused(machine):
    machine.has_python("own python", "3.12.0")
    assert machine.bootstrap(PYTHON=str(machine.bin / "own python")).returncode == 0
    assert machine.calls()[0] == "own python -m venv --clear .venv"
    shutil.rmtree(machine.project / ".venv")
    machine.has_python("own python", "3.10.0")
    run = machine.bootstrap(PYTHON=str(machine.bin / "own python"))
    assert run.returncode == 1
    assert f"PYTHON={machine.bin}/own python is no Python from 3.11 to 3.14" in run.stderr


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt-get", "sudo apt-get update && sudo apt-get install -y libcairo2-dev libpango1.0-dev"),
        ("dnf", "sudo dnf install -y cairo-devel pango-devel"),
        ("pacman", "sudo pacman -S --needed --noconfirm cairo pango"),
    ],
)
def test_without_the_right_to_install_it_prints_the_exact_command(machine, manager, command):
    machine.lacks_headers_of("cairo", "pangocairo")
    machine.has_manager(manager)
    machine.has("sudo", does="exit 1")  # it would ask for a password
    run = machine.bootstrap()
    assert run.returncode == 1
    assert run.stdout == ""
    assert "missing: cairo pango\n" in run.stderr
    assert command in [line.strip() for line in run.stderr.splitlines()]
    assert machine.calls() == ["sudo -n true"]  # a question, and nothing done
    assert not (machine.project / ".venv").exists()


def test_without_sudo_the_command_is_printed_for_root(machine):
    machine.lacks("cc")
    machine.has_manager("apt-get")
    run = machine.bootstrap()
    assert run.returncode == 1
    assert "run this (as root)" in run.stderr
    assert "    apt-get update && apt-get install -y build-essential\n" in run.stderr
    assert machine.calls() == []


def test_root_installs_what_is_missing_and_goes_on(machine):
    machine.is_user(0)
    machine.lacks_headers_of("pangocairo")
    machine.has_manager("apt-get", does=f'echo unpacking; : >"{machine.bin}/installed"')
    run = machine.bootstrap()
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    assert "unpacking" in run.stderr
    assert machine.calls("apt-get") == ["apt-get update", "apt-get install -y libpango1.0-dev"]
    assert machine.installs() == 1


def test_sudo_installs_where_it_needs_no_password(machine):
    machine.lacks_headers_of("cairo")
    machine.has_manager("dnf")
    machine.has("sudo", does='[ "$1" = -n ] && shift && "$@"')
    machine.has("true")
    run = machine.bootstrap()
    assert run.returncode == 0, run.stderr
    assert machine.calls("sudo", "dnf") == [
        "sudo -n true",
        "sudo -n dnf install -y cairo-devel",
        "dnf install -y cairo-devel",
    ]


def test_homebrew_installs_for_a_user_without_sudo(machine):
    machine.lacks_headers_of("cairo", "pangocairo")
    machine.has_manager("brew")
    machine.has("sudo", does="exit 1")
    run = machine.bootstrap()
    assert run.returncode == 0, run.stderr
    assert machine.calls("sudo", "brew") == ["brew install cairo pango"]


def test_homebrew_is_not_run_as_root(machine):
    machine.is_user(0)
    machine.lacks_headers_of("cairo")
    machine.has_manager("brew")
    run = machine.bootstrap()
    assert run.returncode == 1
    assert "run this (not as root), then ./bootstrap again:\n    brew install cairo\n" in run.stderr
    assert machine.calls() == []


def test_a_missing_python_is_asked_for_by_a_version_the_machine_knows(machine):
    """The default one of an older system is too old; its package manager may still have a newer one."""
    machine.has_python("python3", "3.10.12")
    machine.has_manager("apt-get")
    machine.has("apt-cache", does='[ "$2" = python3.11 ]')
    run = machine.bootstrap()
    assert run.returncode == 1
    assert "missing: python\n" in run.stderr
    assert "apt-get install -y python3.11 python3.11-venv python3.11-dev\n" in run.stderr


def test_a_python_without_headers_is_no_good(machine):
    """pycairo and ManimPango come as source on Linux and are compiled against Python.h."""
    (machine.headers / "Python.h").unlink()
    machine.has_manager("dnf")
    machine.has("dnf", does='[ "$1" != -q ]')  # knows no versioned name
    run = machine.bootstrap()
    assert run.returncode == 1
    assert "dnf install -y python3 python3-devel\n" in run.stderr


def test_without_pkg_config_all_that_it_would_find_is_installed(machine):
    machine.lacks("pkg-config", "make", "cc")
    machine.has_manager("pacman")
    run = machine.bootstrap()
    assert "pacman -S --needed --noconfirm make base-devel pkgconf cairo pango\n" in run.stderr


def test_an_installation_that_fails_or_does_not_help_ends_it(machine):
    machine.is_user(0)
    machine.lacks_headers_of("cairo")
    machine.has_manager("pacman", does="echo no space left >&2; exit 1")
    run = machine.bootstrap()
    assert run.returncode == 1
    assert "no space left" in run.stderr
    machine.has_manager("pacman", does=":")
    run = machine.bootstrap()
    assert run.returncode == 1
    assert "still missing: cairo" in run.stderr
    assert machine.installs() == 0


def test_an_unknown_machine_is_told_what_it_needs(machine):
    machine.lacks("cc")
    run = machine.bootstrap()
    assert run.returncode == 1
    assert "missing: compiler" in run.stderr
    assert "C compiler, pkg-config, the headers of cairo and pango, and Python 3.11 to 3.14" in run.stderr


# --- What it installs ---


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def needed() -> set[str]:
    """Every package that the project and its tests bring along on Linux, from Python 3.11 on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    linux = {**default_environment(), "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux"}
    machines = [
        {**linux, "python_version": version, "python_full_version": f"{version}.0"} for version in ("3.11", "3.14")
    ]
    waiting = [Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["test"]]
    found: dict[str, set[str]] = {}
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found and requirement.extras <= found[name]:
            continue
        found[name] = found.get(name, set()) | requirement.extras
        try:
            inner = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # needed by another version of Python than this one
        for text in inner:
            dependency = Requirement(text)
            cases = [{**machine, "extra": extra} for machine in machines for extra in {"", *found[name]}]
            if dependency.marker is None or any(dependency.marker.evaluate(case) for case in cases):
                waiting.append(dependency)
    return set(found)


def test_constraints_pin_by_name_and_version_alone():
    for name, version in pins().items():
        assert re.fullmatch("[A-Za-z0-9_-]+", name)
        assert re.fullmatch(r"\d+(\.\d+)*", version)


def test_constraints_pin_everything_that_is_installed_and_nothing_else():
    assert {canonicalize_name(name) for name in pins()} == needed()


def test_pinned_versions_are_within_the_declared_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = {canonicalize_name(name): version for name, version in pins().items()}
    for text in project["dependencies"] + project["optional-dependencies"]["test"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), text


def test_this_environment_has_the_pinned_versions():
    installed = {canonicalize_name(d.name): d.version for d in importlib.metadata.distributions()}
    pinned = {canonicalize_name(name): version for name, version in pins().items()}
    assert {name: installed[name] for name in pinned if name in installed} == {
        name: version for name, version in pinned.items() if name in installed
    }

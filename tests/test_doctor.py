"""What doctor finds, on this machine and on worse ones."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import cli
import doctor

ROOT = Path(__file__).resolve().parents[1]


def report(out):
    """The exit code of `rootdk doctor`, and its lines that report a failure, each with the one after it."""
    result = CliRunner().invoke(cli.main, ["doctor", "--out", str(out)])
    lines = result.stdout.splitlines()
    return result.exit_code, [pair for pair in zip(lines, [*lines[1:], ""], strict=True) if pair[0].startswith("FAILS")]


def test_this_machine_is_well(tmp_path):
    assert report(tmp_path) == (0, [])


@pytest.mark.parametrize("before", [[], ["out"], ["out/.cache"], ["out/.cache/matplotlib", "out/.cache/segments"]])
def test_nothing_is_left_behind_and_nothing_is_taken_away(before, tmp_path):
    """In a process of its own, since matplotlib makes its folder only once."""
    for folder in before:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "kept").touch()
    kept = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
    env = {**{name: value for name, value in os.environ.items() if name != "MPLCONFIGDIR"}, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "cli", "doctor"]
    result = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    left = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
    assert {path for path in left if "fontlist" not in path.name} == kept


def test_settings_for_other_programs_make_nobody_ill(tmp_path):
    """A file that Manim or matplotlib cannot read would stop them, and to install them again would not help."""
    (tmp_path / "manim.cfg").write_text("[CLI\nquality: none of these\n")
    (tmp_path / "matplotlibrc").write_bytes(b"\xff\n")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "module://none.at_all", "SOURCE_DATE_EPOCH": "abc"}
    command = [sys.executable, "-m", "cli", "doctor"]
    result = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "FAILS" not in result.stdout


def test_a_gif_is_tried_to_its_end(tmp_path, monkeypatch):
    from scenes import films

    assert {finding.subject: finding.detail for finding in doctor.examine(tmp_path)}["gif film"] == "encoded with gif"

    def fail(*_):
        raise RuntimeError("no palette")

    monkeypatch.setattr(films, "_write_gif", fail)
    code, ((line, _),) = report(tmp_path)
    assert code == 1
    assert re.fullmatch(r"FAILS +gif film +no palette", line)


def test_every_package_that_the_project_needs_is_looked_at():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {name for line in project["dependencies"] for name in [line.partition(">")[0].partition("[")[0]]}
    assert needed | {"typst"} == set(doctor.PACKAGES)  # the extra of manim[typst]
    tested = doctor.tested_versions(ROOT / "constraints.txt")
    assert set(doctor.PACKAGES) <= set(tested)
    assert project["requires-python"] == ">=" + ".".join(map(str, doctor.PYTHONS[0]))


def test_a_missing_package_is_named_with_what_installs_it(tmp_path, monkeypatch):
    monkeypatch.setitem(doctor.PACKAGES, "sixth-sense", "sixth_sense")
    code, ((line, remedy),) = report(tmp_path)
    assert code == 1
    assert "sixth-sense" in line
    assert "No module named 'sixth_sense'" in line
    assert remedy.endswith("-m pip install --force-reinstall --no-deps sixth-sense")


def test_another_version_than_the_tested_one_is_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "tested_versions", lambda _: {"numpy": "1.0"})
    findings = {finding.subject: finding for finding in doctor.examine(tmp_path)}
    assert findings["numpy"].ok
    assert findings["numpy"].detail.endswith(", tested with 1.0")


def test_missing_fonts_are_named(tmp_path, monkeypatch):
    from scenes import typesetting

    monkeypatch.setattr(typesetting, "TEXT_FONT", "Comic Sans")
    typesetting.fonts.cache_clear()
    code, failures = report(tmp_path)
    typesetting.fonts.cache_clear()
    assert code == 1
    assert "the font Comic Sans is missing" in failures[0][0]
    assert "font-source-sans-pro" in failures[0][1]


def test_a_missing_encoder_is_found_by_trying(tmp_path, monkeypatch):
    from scenes import rendering

    broken = rendering.Encoding("mov", "prores_none", "yuva444p10le", ())
    monkeypatch.setitem(rendering.ENCODINGS, ("mov", True), broken)
    code, ((line, remedy),) = report(tmp_path)
    assert code == 1
    assert "transparent mov film" in line
    assert "prores_none" in line
    assert "-m pip install --force-reinstall --no-deps av==" in remedy


def test_too_little_room_is_found(tmp_path, monkeypatch):
    real = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: real._replace(free=2**20))
    code, ((line, remedy),) = report(tmp_path)
    assert code == 1
    assert "0.0 GB free" in line
    assert "--out DIR" in remedy


def test_a_folder_that_cannot_be_written_is_found(tmp_path):
    (tmp_path / "taken").write_text("a file")
    code, ((line, remedy),) = report(tmp_path / "taken")
    assert code == 1
    assert "taken" in line
    assert "--out DIR" in remedy


@pytest.mark.parametrize("version", [(3, 10), (3, 15)])
def test_a_python_that_is_too_old_or_too_new_is_found(version, tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.sys, "version_info", (*version, 0))
    finding = next(doctor.examine(tmp_path))
    assert not finding.ok
    assert "3.11 to 3.14" in finding.detail
    assert "./bootstrap" in finding.remedy

"""Scenes become the films that Manim would make of them, the same bytes each time, in settings of their own."""

import contextlib
import dataclasses
import importlib.metadata
import inspect
import itertools
import logging
import os
import pickle
import re
import shutil
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
import manim
import numpy as np
import pytest
from manim import Camera, Scene, config, logger, tempconfig
from manim._config.output_plan import OutputPlan
from manim._config.utils import ManimConfig
from manim._config.video_encoder import VideoEncoderSpec
from manim.renderer.cairo_renderer import CairoRenderer
from manim.scene.scene_file_writer import SceneFileWriter
from manim.scene.video_segment_encoder import VideoSegmentEncoder
from PIL import Image

import scenes
from core.parameters import Parameters
from core.theme import DARK, LIGHT
from scenes import rendering
from scenes import segments as segments_module
from scenes.camera import FilmCamera
from scenes.rendering import FilmOptions, RenderError, default_jobs, fingerprint, plan_key, rehearse, scene_class
from scenes.segments import Quality, Segments
from tests.small_lesson import tools

HELD = {"shapes": (2,), "turns": (4,), "again": (5, 6, 7, 8, 9)}  # which animations of the scene "moving" are holds
MOTIONS = (0, 1, 3)
FORMATS = [("mp4", False), ("webm", False), ("mov", False), ("gif", False), ("webm", True), ("mov", True)]
EVERY_FORMAT = pytest.mark.parametrize(("form", "transparent"), FORMATS)


@pytest.fixture(autouse=True)
def small_lesson(monkeypatch):
    tools.use_small_lesson(monkeypatch)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder whose cache all tests here share."""
    return tmp_path_factory.mktemp("films")


def options_of(form, transparent=False, quality="l", **settings):
    return FilmOptions(quality, form, transparent, captions=settings.pop("captions", "none"), **settings)


def take(out, options, name="moving"):
    return next(iter(rendering.record([name], Parameters(), options, out)))


def decoder(form, transparent):
    """The decoder that shows the opacity of VP9, which the usual one does not."""
    return "libvpx-vp9" if form == "webm" and transparent else None


# What Manim's private parts are taken for

SIGNATURES = {
    CairoRenderer: {
        "__init__": "file_writer_class camera_class skip_animations kwargs",
        "init_scene": "scene session_spec file_writer_settings",
        "play": "scene args kwargs",
        "add_frame": "frame num_frames",
        "update_frame": "scene mobjects include_submobjects ignore_skipping kwargs",
        "save_static_frame_data": "scene static_mobjects",
        "render": "scene time moving_mobjects",
        "freeze_current_frame": "duration",
        "get_frame": "",
    },
    SceneFileWriter: {
        "add_partial_movie_file": "hash_animation",
        "is_already_cached": "hash_invocation",
        "_create_segment_encoder": "target",
        "write_frame": "pixels repeat",
        "finish": "",
        "join_all_encode_jobs": "",
    },
    VideoSegmentEncoder: {
        "__init__": "target spec",
        "write_frame": "pixels repeat",
        "finish": "",
        "abort": "",
        "_operation_error": "operation error",
    },
    Camera: {
        "init_background": "",
        "display_vectorized": "vmobject ctx",
        "set_cairo_context_color": "ctx rgbas vmobject",
        "set_cairo_context_path": "ctx vmobject",
        "apply_stroke": "ctx vmobject background",
        "apply_fill": "ctx vmobject",
        "get_stroke_rgbas": "vmobject background",
        "get_fill_rgbas": "vmobject",
        "type_or_raise": "mobject",
    },
    Scene: {
        "play": "args subcaption subcaption_duration subcaption_offset kwargs",
        "get_run_time": "animations",
        "next_section": "name section_type skip_animations",
    },
    OutputPlan: {"segment_path": "cache_key"},
    ManimConfig: {"digest_parser": "parser", "update": "obj"},
}
OURS = (
    rendering.FilmRenderer,
    rendering.RehearsalRenderer,
    rendering.FilmWriter,
    rendering.SegmentEncoder,
    FilmCamera,
)


def changed(part):
    """What to say when a private part of Manim is not as it was."""
    return f"Manim {manim.__version__} has changed {part}: see that scenes/rendering.py and scenes/camera.py still fit"


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, methods in SIGNATURES.items() for name in methods], ids=str
)
def test_manims_private_methods_are_what_rendering_takes_them_for(kind, name):
    part = f"{kind.__name__}.{name}"
    assert callable(vars(kind).get(name)), changed(part)
    parameters = [parameter for parameter in inspect.signature(vars(kind)[name]).parameters if parameter != "self"]
    assert " ".join(parameters) == SIGNATURES[kind][name], changed(part)


@pytest.mark.parametrize("ours", OURS)
def test_every_method_of_manims_that_is_replaced_is_watched(ours):
    """The list above is whole: a method that is added to it later has no way around it."""
    base = ours.__mro__[1]
    replaced = {name for name, member in vars(ours).items() if callable(member) and name in vars(base)}
    assert replaced - {"__init__"} <= set(SIGNATURES[base])
    assert replaced


def test_manims_private_attributes_are_what_rendering_takes_them_for(tmp_path):
    assert {"segment_cache_dir", "segment_extension"} <= {field.name for field in dataclasses.fields(OutputPlan)}, (
        changed("OutputPlan")
    )
    assert {field.name for field in dataclasses.fields(VideoEncoderSpec)} == {
        "container_format", "codec", "pixel_format", "width", "height", "frame_rate", "options"
    }, changed("VideoEncoderSpec")  # fmt: skip
    assert Path(inspect.getfile(ManimConfig)).with_name("default.cfg").is_file(), changed("the place of default.cfg")
    options, segments = FilmOptions("l"), Segments(tmp_path)
    with rendering.session(options, segments):
        scene = scene_class("closing")(Parameters(), renderer=CairoRenderer())
        scene.render = lambda *_: None
        manager = scene._get_manager()
        assert manager is not None, changed("Scene._get_manager")
    spec = VideoEncoderSpec("mp4", "libx264", "yuv420p", 64, 36, Fraction(15), {})
    encoder = VideoSegmentEncoder(target=tmp_path / "segment.mp4", spec=spec)
    for name, value in {"_next_pts": 0, "_closed": False, "target": tmp_path / "segment.mp4", "spec": spec}.items():
        assert getattr(encoder, name, None) == value, changed(f"VideoSegmentEncoder.{name}")
    assert hasattr(encoder, "_stream"), changed("VideoSegmentEncoder._stream")
    assert hasattr(encoder, "_container"), changed("VideoSegmentEncoder._container")
    encoder.abort()
    assert not (tmp_path / "segment.mp4").exists(), changed("VideoSegmentEncoder.abort")
    segments.close()


def test_manim_asks_its_writer_what_it_was_asked_before(out, monkeypatch):
    """In which order Manim's renderer calls its writer, of which ours depends."""
    calls = []
    for name in ("is_already_cached", "add_partial_movie_file", "begin_animation", "end_animation", "finish"):
        original = getattr(rendering.FilmWriter, name)

        def note(self, *arguments, name=name, original=original, **options):
            calls.append(name)
            return original(self, *arguments, **options)

        monkeypatch.setattr(rendering.FilmWriter, name, note)
    tools.film("closing", out / "order", options_of("mp4"))
    each = ["is_already_cached", "add_partial_movie_file", "begin_animation", "end_animation"]
    assert calls == [*each, *each, "finish"], changed("CairoRenderer.play")


# The same films as Manim's


def plain_manim(name, options, folder):
    """The segments that Manim's own renderer, camera and writer make of a scene."""
    picture, encoding = options.picture, options.encoding
    settings = {
        "pixel_width": picture.width,
        "pixel_height": picture.height,
        "frame_rate": picture.frame_rate,
        "background_color": options.theme.ground,
        "media_dir": str(folder),
        "disable_caching": True,
        "progress_bar": "none",
        "format": encoding.container,
        "video_codec": encoding.codec,
        "pixel_format": encoding.pixel_format,
        "video_encoder_options": dict(encoding.options),
    }
    with tempconfig(settings):
        scene = scene_class(name)(Parameters(), options.theme, renderer=CairoRenderer())
        scene.render()
        return [Path(path) for path in scene.renderer.file_writer.partial_movie_files]


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize(("form", "quality"), [("mp4", "l"), ("webm", "l"), ("gif", "l"), ("mp4", "h")])
def test_motions_are_manims_own_frame_by_frame(form, quality, theme, out, tmp_path):
    """Held pictures aside, of which ours last to the frame; Manim begins them anew every 250 frames."""
    options = options_of(form, quality=quality, theme=theme)
    ours, manims = take(out, options).segments, plain_manim("moving", options, tmp_path)
    assert len(ours) == len(manims) == 10
    for number in MOTIONS:
        frames = tools.decoded(ours[number])
        assert len(frames) in (0.4 * options.picture.frame_rate, options.picture.frame_rate)
        assert tools.same_frames(frames, tools.decoded(manims[number]))
    for number in (number for numbers in HELD.values() for number in numbers):
        frames, theirs = tools.decoded(ours[number]), tools.decoded(manims[number])
        assert abs(len(frames) - len(theirs)) <= 1
        shared = min(len(frames), len(theirs), 250)
        assert tools.same_frames(frames[:shared], theirs[:shared])


@EVERY_FORMAT
def test_a_held_picture_stands_still(form, transparent, out):
    """A hold of over nine seconds: where its frames are repeated, no seam is seen."""
    segments = take(out, options_of(form, transparent, quality="h")).segments
    held = tools.decoded(segments[4], decoder(form, transparent))
    assert len(held) == 564
    changes = [
        max(
            abs(one.astype(int) - other).max()
            for one, other in zip(tools.planes(before), tools.planes(after), strict=True)
        )
        for before, after in itertools.pairwise(held)
    ]
    # The encoder may sharpen the edges of a still picture as it goes; VP9 does so for ever, hardly to be seen.
    assert max(changes) <= 12  # levels
    if form != "webm":
        assert max(changes[40:]) == 0


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_every_beat_ends_on_its_final_state(theme, out):
    """The last frame of a beat is its still, to the last bit where nothing is lost in encoding."""
    options = options_of("gif", theme=theme)
    segments = take(out, options).segments
    stills = tools.rendered("moving", out / f"stills-{theme.name}", options_of("png", theme=theme))
    assert [path.name for path in stills] == ["moving-1.png", "moving-2.png", "moving-3.png"]
    for still, numbers in zip(stills, HELD.values(), strict=True):
        with Image.open(still) as image:
            assert image.mode == "RGB"
            last = tools.decoded(segments[numbers[-1]])[-1].to_ndarray(format="rgb24")
            np.testing.assert_array_equal(np.asarray(image), last)


# The same bytes


@EVERY_FORMAT
def test_a_film_is_the_same_bytes_cold_warm_and_partly_from_cache(form, transparent, tmp_path):
    """Of webm, into which random numbers are written, the same frames."""
    options = options_of(form, transparent, captions="burn")
    content = {}
    folder = tmp_path / "one"
    for state in ("cold", "warm", "partly", "without a plan", "afresh"):
        if state == "partly":
            for segment in tools.segments(folder)[::2]:
                segment.unlink()
        if state == "without a plan":
            for plan in tools.cache(folder).glob("*.json"):
                plan.unlink()
        film = tools.film("moving", folder if state != "afresh" else tmp_path / "another", options)
        content[state] = film.read_bytes() if form != "webm" else tools.decoded(film, decoder(form, transparent))
    for state, found in content.items():
        same = found == content["cold"] if form != "webm" else tools.same_frames(found, content["cold"])
        assert same, state


def test_a_warm_render_draws_nothing(out, monkeypatch):
    tools.film("moving", out)
    names = [path.name for path in tools.segments(out)]
    inodes = [path.stat().st_ino for path in tools.segments(out)]

    def refuse(*_, **__):
        raise AssertionError("something was drawn")

    monkeypatch.setattr(rendering, "walk", refuse)
    tools.film("moving", out)
    assert [path.name for path in tools.segments(out)] == names
    assert [path.stat().st_ino for path in tools.segments(out)] == inodes


def test_the_same_picture_twice_is_made_once(tmp_path):
    """Of ten animations three holds, two of them in a row, show the same for the same time."""
    film = take(tmp_path, options_of("mp4"))
    assert len(film.segments) == 10
    assert film.segments[5] == film.segments[6] == film.segments[8] != film.segments[7]
    assert len(tools.segments(tmp_path)) == len(set(film.segments)) == 8


# What segments depend on


def edited(tmp_path, monkeypatch, *edits):
    """The scene "moving" with words of its source replaced, in place of the original; gives its name."""
    source = (tools.HERE / "moving.py").read_text(encoding="utf-8")
    for old, new in edits:
        assert source.count(old) == 1
        source = source.replace(old, new)
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "moving.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(scenes, "__path__", [str(tmp_path), *scenes.__path__])
    monkeypatch.delitem(sys.modules, "scenes.moving", raising=False)
    monkeypatch.delattr(scenes, "moving", raising=False)


def animations_made_anew(out, tmp_path, monkeypatch, *edits):
    """Which animations are rendered again when the scene is edited."""
    options = options_of("mp4")
    before = take(out, options)
    known = {path: path.stat().st_ino for path in before.segments}
    with monkeypatch.context() as patch:
        edited(tmp_path / "edited", patch, *edits)
        after = take(out, options)
    shutil.rmtree(tmp_path / "edited")
    sys.modules.pop("scenes.moving", None)
    assert all(path.stat().st_ino == inode for path, inode in known.items())
    return [number for number, path in enumerate(after.segments) if path not in known]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], []),
        # A line more in one beat moves all the lines that follow.
        ([('        self.beat("shapes")\n', '        self.beat("shapes")\n        # a remark\n')], [0, 1, 2]),
        ([('self.beat("again")\n', 'self.beat("again")  # a remark\n')], [5, 6, 7, 8, 9]),
        ([("        self.hold(0.6)\n", "        self.hold(0.6)\n        self.hold(1.0)\n")], [0, 1, 2, 3]),
        # What another beat left on screen belongs to all that follow.
        ([("Dot(radius=0.4", "Dot(radius=0.5")], [3, 4, 5, 6, 7, 8, 9]),
        ([("One turns, and", "One spins, and")], [3, 4]),
        # What is outside the beats may concern them all.
        ([("class Moving", "# a remark\n\n\nclass Moving")], list(range(10))),
    ],
    ids=["nothing", "a remark", "in the last beat", "a further hold", "a larger dot", "a caption", "outside the beats"],
)
def test_an_edit_to_one_beat_concerns_that_beat_and_what_it_changes(edits, expected, out, tmp_path, monkeypatch):
    assert animations_made_anew(out, tmp_path, monkeypatch, *edits) == expected


def test_segments_depend_on_every_module_that_scenes_may_share(tmp_path, monkeypatch):
    """A helper that somebody puts beside the scenes, too; another scene is another matter."""
    monkeypatch.setattr(scenes, "__path__", [*scenes.__path__, str(tmp_path)])
    kind, seen = scene_class("moving"), []
    for name, expected in (("helper.py", 2), ("closing.py", 1)):
        prints = set()
        for radius in (0.1, 1.5):
            (tmp_path / name).write_text(f"RADIUS = {radius}\n")
            rendering._common_code.cache_clear()  # as in another process
            prints.add(fingerprint(kind, Parameters(), FilmOptions()))
        seen.append(len(prints) == expected)
    rendering._common_code.cache_clear()
    assert seen == [True, True]


@pytest.mark.parametrize(
    "line",
    [
        "from scenes.closing import Closing",
        "from scenes import closing",
        "import scenes.closing",
        "from . import closing",
    ],
)
def test_segments_depend_on_the_scenes_that_a_scene_imports_from(line, tmp_path, monkeypatch):
    alone = fingerprint(scene_class("moving"), Parameters(), FilmOptions())
    edited(tmp_path, monkeypatch, ("from scenes.base", f"{line}\nfrom scenes.base"))
    monkeypatch.delitem(sys.modules, "scenes.closing", raising=False)
    shutil.copy(tools.HERE / "closing.py", tmp_path / "closing.py")
    prints = {alone, fingerprint(scene_class("moving"), Parameters(), FilmOptions())}
    with (tmp_path / "closing.py").open("a") as module:
        module.write("# a remark\n")
    prints.add(fingerprint(scene_class("moving"), Parameters(), FilmOptions()))
    assert len(prints) == 3
    for name in ("moving", "closing"):
        sys.modules.pop(f"scenes.{name}", None)


PACKAGES = ("manim", "numpy", "typst", "font-source-sans-pro", "pycairo", "av")


@pytest.mark.parametrize("package", PACKAGES)
def test_segments_depend_on_the_versions_of_what_draws_and_the_fonts(package, monkeypatch):
    kind, version = scene_class("moving"), importlib.metadata.version
    before = fingerprint(kind, Parameters(), FilmOptions())
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.2.3.test" if name == package else version(name))
    assert fingerprint(kind, Parameters(), FilmOptions()) != before


DIFFERENT = {
    "theme": FilmOptions(theme=LIGHT),
    "one colour": FilmOptions(theme=dataclasses.replace(DARK, raw="#FF8A5C")),
    "quality": FilmOptions("h"),
    "format": FilmOptions(format="webm"),
    "transparent": FilmOptions(format="webm", transparent=True),
    "captions": FilmOptions(captions="burn"),
}


def test_segments_depend_on_theme_quality_encoder_and_burnt_captions():
    kind = scene_class("moving")
    prints = {fingerprint(kind, Parameters(), options) for options in (FilmOptions(), *DIFFERENT.values())}
    assert len(prints) == len(DIFFERENT) + 1
    plans = {plan_key(kind, Parameters(), options) for options in (FilmOptions(), *DIFFERENT.values())}
    assert len(plans) == len(DIFFERENT) + 1
    # Captions beside the film or in a stream of their own are no part of a picture.
    for captions in ("embed", "none"):
        assert fingerprint(kind, Parameters(), FilmOptions(captions=captions)) in prints


def test_segments_depend_on_the_parameters_that_the_scene_uses_and_no_others():
    kind = scene_class("moving")
    before = fingerprint(kind, Parameters(), FilmOptions())
    assert fingerprint(kind, Parameters(d_k=65), FilmOptions()) != before
    assert fingerprint(kind, Parameters(seed=1, n_keys=3), FilmOptions()) == before
    assert fingerprint(scene_class("closing"), Parameters(), FilmOptions()) != before


def test_films_of_different_parameters_and_themes_share_a_folder_and_are_what_they_would_be_alone(out, tmp_path):
    settings = {
        "plain": ({}, FilmOptions("l")),
        "parameter": ({"parameters": Parameters(d_k=7)}, FilmOptions("l")),
        "theme": ({}, FilmOptions("l", theme=LIGHT)),
        "quality": ({}, FilmOptions("m")),
        "burnt": ({}, FilmOptions("l", captions="burn")),
    }
    together = {
        name: tools.film("moving", tmp_path / "together", options, **dict(more)).read_bytes()
        for name, (more, options) in settings.items()
    }
    assert len(set(together.values())) == len(together)
    for name, (more, options) in settings.items():
        assert tools.film("moving", tmp_path / name, options, **dict(more)).read_bytes() == together[name]


# Settings


def settings_now():
    """Manim's global settings and how much it says, as somebody else would find them."""
    return {name: config[name] for name in config}, logger.level, logging.getLogger("manim").level


ODD = {
    "frame_height": 4.0,
    "frame_width": 6.0,
    "pixel_height": 700,
    "pixel_width": 500,
    "frame_rate": 7.0,
    "background_color": "#FF0000",
    "background_opacity": 0.5,
    "media_dir": "somewhere else",
    "disable_caching": True,
    "max_inflight_encoders": 3,
    "video_encoder_options": {"crf": "40"},
    "from_animation_number": 2,
    "format": "png",
    "verbosity": "WARNING",
    "zero_pad": 2,
}


@pytest.fixture(params=[{}, ODD], ids=["as they come", "odd ones"])
def others_settings(request):
    """Settings that somebody else made in this process."""
    level = logger.level
    with tempconfig(request.param):
        yield request.param
    logger.setLevel(level)


@pytest.mark.parametrize("form", ["mp4", "gif", "png"])
def test_manims_settings_are_as_they_were_and_play_no_part(form, others_settings, out, tmp_path):
    expected = [path.read_bytes() for path in tools.rendered("moving", out / f"plain-{form}", options_of(form))]
    before = settings_now()
    found = tools.rendered("moving", tmp_path, options_of(form))
    assert settings_now() == before
    assert [path.read_bytes() for path in found] == expected


def test_manims_settings_are_as_they_were_after_an_error_and_after_a_render_that_is_given_up(
    others_settings, tmp_path, monkeypatch
):
    tools.use_small_lesson(monkeypatch, ("failing", "closing", "moving"))
    before = settings_now()
    with pytest.raises(RenderError, match="do not add up"):
        tools.film("failing", tmp_path)
    assert settings_now() == before
    given_up = rendering.render(["closing", "moving"], Parameters(), FilmOptions("l"), tmp_path)
    next(given_up)
    assert settings_now() == before  # between two films somebody else may render
    given_up.close()
    assert settings_now() == before
    rehearse(scene_class("closing"), Parameters(), FilmOptions("l"), lambda moment: None)
    assert settings_now() == before


def test_two_renders_at_once_in_one_process_keep_to_their_own_quality_and_theme(out, tmp_path):
    """Taken in turns, film by film."""
    choices = [FilmOptions("l", theme=DARK), FilmOptions("m", theme=LIGHT), FilmOptions("l", "webm", theme=LIGHT)]
    names = ["moving", "closing"]
    running = [
        rendering.render(names, Parameters(), options, tmp_path / str(number)) for number, options in enumerate(choices)
    ]
    written = [[] for _ in choices]
    for _ in range(2 * 3):
        for paths, films in zip(written, running, strict=True):
            paths.append(next(films))
    for options, paths in zip(choices, written, strict=True):
        alone = [path for name in names for path in tools.rendered(name, out / "alone", options)]
        for path, expected in zip(paths, alone, strict=True):
            if path.suffix == ".webm":
                assert tools.same_frames(tools.decoded(path), tools.decoded(expected))
            else:
                assert path.read_bytes() == expected.read_bytes()


CONFIGURATION = """
[CLI]
frame_height = 4
frame_width = 30
pixel_height = 100
pixel_width = 100
frame_rate = 3
background_color = RED
background_opacity = 0.3
disable_caching = True
from_animation_number = 1
upto_animation_number = 2
max_inflight_encoders = 4
save_sections = True
write_all = True
format = png
media_dir = elsewhere
log_to_file = True
verbosity = DEBUG
progress_bar = display
dry_run = True
renderer = opengl
preview = True
[video_encoder]
codec = mpeg4
[video_encoder.options]
crf = 50
[logger]
log_width = 40
"""


def test_a_users_configuration_files_for_manim_change_nothing(tmp_path):
    """One in the current folder and one in the home folder, at odds with everything."""
    expected = tools.film("moving", tmp_path / "expected", options_of("mp4")).read_bytes()
    here, home = tmp_path / "here", tmp_path / "home"
    for place in (here / "manim.cfg", home / ".config" / "manim" / "manim.cfg"):
        place.parent.mkdir(parents=True)
        place.write_text(CONFIGURATION)
    arguments = ["render", "moving", "--quality", "l", "--captions", "none", "--jobs", "2", "--out", "films"]
    process = tools.run(*arguments, cwd=here, env={"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")})
    assert process.returncode == 0, process.stderr
    assert process.stdout == "films/moving.mp4\n"
    assert (here / "films" / "moving.mp4").read_bytes() == expected
    assert sorted(os.listdir(here)) == ["films", "manim.cfg"]
    assert sorted(os.listdir(home)) == [".config"]


@pytest.mark.parametrize(
    "content",
    ["[CLI]\nframe_rate = abc\n", "[CLI]\nbackground_color = nocolour\n", "no ini file", "[CLI]\nplugins = nope\n"],
)
def test_a_configuration_file_that_manim_cannot_read_is_not_read(content, tmp_path):
    (tmp_path / "manim.cfg").write_text(content)
    arguments = ["render", "closing", "--quality", "l", "--captions", "none", "--jobs", "2", "--out", "films"]
    process = tools.run(*arguments, cwd=tmp_path, env={"PYTHONWARNINGS": "error"})
    assert process.returncode == 0, process.stderr
    assert process.stdout == "films/closing.mp4\n"


def test_files_in_the_current_folder_are_no_modules_of_pythons(tmp_path):
    for name in ("random", "signal", "token", "pickle", "tempfile"):
        (tmp_path / f"{name}.py").write_text("print('hello')\nraise SystemExit(3)\n")
    arguments = ["render", "closing", "--quality", "l", "--captions", "none", "--jobs", "2", "--out", "films"]
    process = tools.run(*arguments, cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    assert process.stdout == "films/closing.mp4\n"
    assert "hello" not in process.stderr


# Errors


@pytest.mark.parametrize("form", ["mp4", "png"])
def test_an_error_in_a_scene_names_the_scene_and_the_beat(form, tmp_path, monkeypatch):
    tools.use_small_lesson(monkeypatch, ("failing",))
    with pytest.raises(RenderError) as caught:
        tools.rendered("failing", tmp_path, options_of(form))
    assert str(caught.value) == "failing, beat 'wrong': the numbers do not add up"
    assert caught.value.details.rstrip().endswith("ValueError: the numbers do not add up")
    assert 'failing.py", line' in caught.value.details
    assert "go_wrong" in caught.value.details
    assert [path.name for path in tmp_path.iterdir()] == [".cache"]
    assert not list(tools.cache(tmp_path).glob("*.scratch"))
    assert not list(tools.cache(tmp_path).glob(".*"))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("KeyError('d')", "KeyError: 'd'"),
        ("AssertionError()", "AssertionError"),
        ("OSError(5, 'Bad cable')", "Bad cable"),
        (
            "PermissionError(13, 'Permission denied', '/etc/shadow')",
            "PermissionError: [Errno 13] Permission denied: '/etc/shadow'",
        ),
        ("PermissionError(13, 'Permission denied')", "PermissionError: [Errno 13] Permission denied"),
        ("FileExistsError(17, 'File exists', 'notes.txt')", "FileExistsError: [Errno 17] File exists: 'notes.txt'"),
    ],
)
def test_an_error_of_few_words_says_at_least_what_it_is(error, message, tmp_path, monkeypatch):
    edited(tmp_path / "edited", monkeypatch, ("        self.look_again()\n", f"        raise {error}\n"))
    with pytest.raises(RenderError, match=re.escape(message)) as caught:
        tools.film("moving", tmp_path / "out")
    assert str(caught.value).startswith("moving, beat 'turns': ")
    assert "--out" not in str(caught.value)  # what the scene did is no fault of the folder's
    sys.modules.pop("scenes.moving", None)


def test_an_error_in_another_process_is_told_once_and_with_its_trace(tmp_path):
    arguments = ["failing", "closing", "--quality", "l", "--jobs", "2", "--out", tmp_path]
    for debug in ([], ["--debug"]):
        process = tools.run(*debug, "render", *arguments)
        assert process.returncode == 1
        assert "failing" not in process.stdout
        lines = process.stderr.splitlines()
        assert len([line for line in lines if "failing, beat 'wrong': the numbers do not add up" in line]) == 1
        assert ("in go_wrong" in process.stderr) == bool(debug)
        assert ("Traceback" in process.stderr) == bool(debug)
        assert "Warning" not in process.stderr
        assert "semaphore" not in process.stderr


def test_a_render_error_reaches_another_process_whole():
    error = pickle.loads(pickle.dumps(RenderError("growth, beat 'x': no", "Traceback ...")))
    assert isinstance(error, RenderError)
    assert str(error) == "growth, beat 'x': no"
    assert error.details == "Traceback ..."


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"quality": "x"}, "quality 'x' is not one of l, m, h, p, k"),
        ({"format": "avi"}, "format 'avi' is not one of mp4, webm, mov, gif, png"),
        ({"captions": "loud"}, "captions 'loud' are not one of embed, burn, none"),
        ({"transparent": True}, "a transparent mp4 cannot be played; use webm, mov or png"),
        ({"transparent": True, "format": "gif"}, "a transparent gif cannot be played; use webm, mov or png"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        FilmOptions(**settings)


@pytest.mark.parametrize("jobs", [0, -1])
def test_a_number_of_processes_that_cannot_be_is_refused(jobs, tmp_path):
    with pytest.raises(ValueError, match=f"jobs must be at least 1, not {jobs}"):
        tools.film("closing", tmp_path, jobs=jobs)


def test_a_scene_that_is_not_there_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match="no scene is called 'movign'; the scenes are moving, closing"):
        tools.film("movign", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


# Progress


def test_progress_rises_to_the_whole_and_names_the_beats(tmp_path):
    seen = []
    list(rendering.render(["moving", "closing"], Parameters(), FilmOptions("l"), tmp_path, seen.append))
    check_progress(seen, {"moving": (18.0, 10), "closing": (1.0, 2)})
    assert {now.beat for now in seen if now.scene == "moving"} >= {"shapes", "turns", "again"}
    # From the cache it is all there at once.
    again = []
    list(rendering.render(["moving"], Parameters(), FilmOptions("l"), tmp_path, again.append))
    check_progress(again, {"moving": (18.0, 10)})
    assert len(again) == 1


def check_progress(seen, expected):
    """Each scene's progress only rises, and ends on all of its seconds, frames and animations."""
    for name, (seconds, animations) in expected.items():
        mine = [now for now in seen if now.scene == name]
        for value in ("seconds", "frames", "animations"):
            values = [getattr(now, value) for now in mine]
            assert values == sorted(values)
        assert all(now.seconds <= now.total + 1e-9 for now in mine)
        assert mine[-1].seconds == mine[-1].total == pytest.approx(seconds)
        assert mine[-1].frames == round(seconds * 15)
        assert mine[-1].animations == animations
    assert {now.scene for now in seen} == set(expected)


def test_progress_counts_all_processes_together(tmp_path):
    """None of them does it all, yet what is told is the whole, in order."""
    process = tools.run_code(
        """
        seen = []
        list(rendering.render(["moving", "closing"], Parameters(), FilmOptions("l"), out, seen.append, jobs=3))
        print(seen)
        """,
        tmp_path,
        every_process="rendering.REPORT_SECONDS = 0.0",
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    check_progress(eval(process.stdout, {"Progress": rendering.Progress}), {"moving": (18.0, 10), "closing": (1.0, 2)})


def test_progress_does_not_fall_back_when_one_process_begins_anew_what_another_had_half_done():
    """What processes say may arrive late, and in any order."""
    seen = []
    ledger = rendering.Ledger(rendering.Job(("moving",), Parameters(), FilmOptions("l"), Path()), seen.append)
    for animation, frames, done in (
        (0, 6, True),
        (1, 4, False),  # by one that is killed
        (1, 1, False),
        (1, 5, False),
        (1, 6, True),
        (1, 5, False),
        (2, 3, False),
        (1, 6, True),
        (0, 6, True),
        (2, 9, True),
    ):
        ledger.note("moving", "shapes", animation, frames, done)
    assert [now.frames for now in seen] == [6, 10, 11, 12, 15, 21]
    assert [now.animations for now in seen] == [1, 1, 1, 2, 2, 3]
    assert all(now.total == 18.0 and now.seconds == now.frames / 15 for now in seen)


def test_a_long_animation_says_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(rendering, "REPORT_SECONDS", 0.0)
    seen = []
    list(rendering.render(["moving"], Parameters(), FilmOptions("h"), tmp_path, seen.append))
    within = [now.seconds for now in seen if 1.6 < now.seconds < 2.6]
    assert len(within) > 20


def test_stills_have_progress_too(tmp_path):
    seen = []
    list(rendering.render(["moving"], Parameters(), options_of("png"), tmp_path, seen.append))
    assert [now.seconds for now in seen] == sorted(now.seconds for now in seen)
    assert {now.beat for now in seen} == set(HELD)


# How many processes


@pytest.mark.parametrize(
    ("cores", "gigabytes", "picture", "expected"),
    [
        (1, 64, (1920, 1080), 1),
        (2, 64, (1920, 1080), 2),
        (16, 64, (3840, 2160), 16),
        (16, 2, (1920, 1080), (2, 5)),
        (16, 2, (3840, 2160), (1, 3)),
        (4, 0.1, (1920, 1080), 1),
    ],
)
def test_there_are_as_many_processes_as_cores_and_memory_allow(cores, gigabytes, picture, expected, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    read_text = Path.read_text
    # The kernel's own estimate, in which files that are only remembered count as free.
    free = f"MemTotal: 99999999 kB\nMemFree: 1000 kB\nMemAvailable: {round(gigabytes * 2**20)} kB\nCached: 5 kB\n"
    monkeypatch.setattr(
        Path, "read_text", lambda self, *a, **k: free if str(self) == "/proc/meminfo" else read_text(self, *a, **k)
    )
    jobs = default_jobs(Quality(*picture, 60))
    least, most = expected if isinstance(expected, tuple) else (expected, expected)
    assert least <= jobs <= most


def test_without_a_word_on_memory_every_core_has_a_process(monkeypatch):
    read_text = Path.read_text

    def missing(self, *arguments, **options):
        if str(self) == "/proc/meminfo":
            raise FileNotFoundError(2, "No such file", str(self))
        return read_text(self, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", missing)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert default_jobs(Quality(854, 480, 15)) == 3


# Colours and opacity


def tagged_rgb(frame):
    """The colours of a frame as its own tags say they are to be shown, (height, width, 3)."""
    luma, blue, red = (plane.astype(float) for plane in tools.planes(frame)[:3])
    blue, red = (
        np.kron(chroma, np.ones((frame.height // chroma.shape[0], frame.width // chroma.shape[1])))
        for chroma in (blue, red)
    )
    scale = 16.0 if frame.format.name.endswith("12le") else 1.0
    assert frame.color_range == 1  # 16 to 235
    weight_red, weight_blue = {5: (0.299, 0.114), 6: (0.299, 0.114), 1: (0.2126, 0.0722)}[int(frame.colorspace)]
    y = (luma / scale - 16) / 219
    pb, pr = ((chroma / scale - 128) / 224 for chroma in (blue, red))
    r, b = y + 2 * (1 - weight_red) * pr, y + 2 * (1 - weight_blue) * pb
    g = (y - weight_red * r - weight_blue * b) / (1 - weight_red - weight_blue)
    return np.stack([r, g, b], axis=-1) * 255


def rgb(colour):
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize(("form", "transparent"), [("mp4", False), ("mov", False), ("webm", False)])
def test_colours_are_the_themes_when_shown_as_the_film_says(form, transparent, theme, out):
    """The ground at every corner, and the middle of a large dot: a player that knows its tags need not guess."""
    frames = tools.decoded(tools.film("moving", out, options_of(form, transparent, theme=theme)))
    for number in (5, 20, 100, -1):
        picture = tagged_rgb(frames[number])
        for corner in (picture[:4, :4], picture[:4, -4:], picture[-4:, :4], picture[-4:, -4:]):
            assert abs(corner - rgb(theme.ground)).max() <= 2
    held = tagged_rgb(frames[150])
    row, column = tools.HEIGHT // 2, round(tools.WIDTH * (0.5 - 3 * 9 / 128))
    middle = held[row - 1 : row + 2, column - 1 : column + 2].mean(axis=(0, 1))
    assert abs(middle - rgb(theme.value)).max() <= 6


def opacity(frame):
    """How opaque a frame is, (height, width), 0 to 1."""
    plane = tools.planes(frame)[3].astype(float)
    return plane / (4095 if frame.format.name.endswith("12le") else 255)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("form", ["webm", "mov"])
def test_a_transparent_film_has_a_ground_that_is_not_there_and_colours_that_are_plain(form, theme, out):
    film = tools.film("moving", out, options_of(form, True, theme=theme))
    with av.open(film) as container:
        stream = container.streams.video[0]
        if form == "webm":
            assert stream.codec_context.name == "vp9"
            assert stream.metadata["alpha_mode"] == "1"  # what browsers look at
        else:
            assert stream.codec_context.name == "prores"
            assert stream.codec_context.codec_tag == "ap4h"  # 4444
    frames = tools.decoded(film, decoder(form, True))
    assert {frame.format.name for frame in frames} == {{"webm": "yuva420p", "mov": "yuva444p12le"}[form]}
    held = frames[150]
    there = opacity(held)
    for corner in (there[:8, :8], there[:8, -8:], there[-8:, :8], there[-8:, -8:]):
        assert corner.max() <= 2 / 255
    row, column = tools.HEIGHT // 2, round(tools.WIDTH * (0.5 - 3 * 9 / 128))
    assert there[row - 1 : row + 2, column - 1 : column + 2].min() >= 253 / 255
    assert abs(tagged_rgb(held)[row, column] - rgb(theme.value)).max() <= 8
    # While it fades in, a shape has its own colour and little opacity: not a colour mixed with black or the ground.
    fading = frames[2]
    square_row, square_column = round(tools.HEIGHT * (0.5 - 0.5 / 8)), round(tools.WIDTH * (0.5 - 3 * 9 / 128))
    patch = np.s_[square_row - 3 : square_row + 3, square_column - 3 : square_column + 3]
    assert 0.05 < opacity(fading)[patch].mean() < 0.6
    colour = tagged_rgb(fading)[patch].mean(axis=(0, 1))
    assert abs(colour - rgb(theme.query)).max() <= 16


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_a_transparent_still_laid_on_the_ground_is_the_opaque_one(theme, tmp_path):
    pictures = []
    for transparent in (True, False):
        *_, path = tools.rendered("moving", tmp_path / str(transparent), options_of("png", transparent, theme=theme))
        with Image.open(path) as image:
            assert image.mode == ("RGBA" if transparent else "RGB")
            pictures.append(np.asarray(image).astype(float))
    clear, opaque = pictures
    assert clear[0, 0].tolist() == [0, 0, 0, 0]
    assert {0.0, 255.0} < set(clear[..., 3].ravel())
    share = clear[..., 3:] / 255
    laid = clear[..., :3] * share + np.array(rgb(theme.ground)) * (1 - share)
    assert abs(laid - opaque).max() <= 2.5


# Places


NAMES = (
    "don't panic",
    "mit Leerzeichen",
    "é中文",
    "#100%",
    "10:30",
    "{draft}",
    "{}",
    'say "hi"',
    "a\\b",
    "[x]*?",
    "-v",
)


@pytest.mark.parametrize("absolute", [True, False], ids=["absolute", "relative"])
@pytest.mark.parametrize("name", NAMES)
def test_films_are_written_to_folders_of_any_name(name, absolute, out, tmp_path, monkeypatch):
    """Exactly the files that are named, where they are said to be, and nothing beside the folder."""
    expected = [path.read_bytes() for path in tools.rendered("closing", out / "anywhere")]
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / name if absolute else Path(name)
    paths = tools.rendered("closing", folder)
    assert paths == [folder / f"closing.{suffix}" for suffix in ("mp4", "srt", "vtt")]
    assert [path.read_bytes() for path in paths] == expected
    assert os.listdir(tmp_path) == [name]
    assert sorted(os.listdir(tmp_path / name)) == [".cache", "closing.mp4", "closing.srt", "closing.vtt"]
    stills = tools.rendered("closing", folder, options_of("png"))
    assert stills == [folder / "closing-1.png"]
    assert os.listdir(tmp_path) == [name]


def test_a_rehearsal_and_its_folder_leave_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rehearse(scene_class("moving"), Parameters(), FilmOptions("l"), lambda moment: moment.picture())
    assert list(tmp_path.iterdir()) == []


# The cache


def test_the_texts_of_a_scene_are_made_again_when_their_files_are_emptied(tmp_path):
    """Half-way through a scene every file for a text is emptied, as by somebody who clears up."""
    from manim.mobject.svg import svg_mobject

    from scenes.typesetting import words

    emptied = 0

    def empty(moment):
        nonlocal emptied
        for path in tmp_path.rglob("*.svg"):
            path.write_bytes(b"")
            emptied += 1
        svg_mobject.SVG_HASH_TO_MOB_MAP.clear()  # Manim would not look at the file a second time
        text = words("64", color=DARK.ink)
        assert text.width > 0.1

    rehearse(scene_class("moving"), Parameters(), FilmOptions("l"), empty, cache=tmp_path)
    assert emptied > 10
    svg_mobject.SVG_HASH_TO_MOB_MAP.clear()


@pytest.mark.parametrize("limit", ["KEEP_SECONDS", "KEEP_BYTES"])
def test_what_a_render_uses_is_kept_and_what_is_not_used_goes_when_it_is_time(limit, out, tmp_path, monkeypatch):
    cache = tools.cache(tmp_path)
    foreign = cache / "notes.mp4"
    options = options_of("mp4")
    unused, used = take(tmp_path, options, "closing"), take(tmp_path, options, "moving")
    foreign.write_bytes(b"somebody else's")
    for path in [*tools.segments(tmp_path), *cache.glob("*.json")]:
        os.utime(path, (1e9, 1e9))
    monkeypatch.setattr(segments_module, limit, 3600 if limit == "KEEP_SECONDS" else 0)
    first = next(rendering.record(["moving"], Parameters(), options, tmp_path))
    Segments(cache).prune([])  # another run's, before this one has joined them
    assert all(path.exists() for path in first.segments)
    film = tools.film("moving", tmp_path, options)
    assert all(path.exists() for path in used.segments)
    assert not any(path.exists() for path in set(unused.segments) - {foreign})
    assert foreign.read_bytes() == b"somebody else's"
    assert film.read_bytes() == tools.film("moving", out, options).read_bytes()
    assert min(path.stat().st_mtime for path in used.segments) > 1e9  # they count as used now


def test_a_segment_that_lacks_frames_gets_no_name(tmp_path, monkeypatch):
    """They were all handed over, and no error was met, yet not all are found in the file."""
    frames_in = rendering.frames_in
    monkeypatch.setattr(
        rendering, "frames_in", lambda path, picture: 5 if ".part" in path.name else frames_in(path, picture)
    )
    with pytest.raises(RenderError, match=r"closing, beat 'gone': .*of 6 frames 5 reached .*; is the disk full\?"):
        tools.film("closing", tmp_path)
    assert [path.name for path in tools.cache(tmp_path).iterdir()] == ["claims"]


BREAKAGES = {
    "cut segments": lambda cache: [path.write_bytes(path.read_bytes()[:-200]) for path in cache.glob("*.mp4")],
    "emptied segments": lambda cache: [path.write_bytes(b"") for path in cache.glob("*.mp4")],
    "one cut in half": lambda cache: [
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]) for path in sorted(cache.glob("*.mp4"))[3:4]
    ],
    "rubbish": lambda cache: [path.write_bytes(os.urandom(2000)) for path in cache.glob("*.mp4")],
    "a segment in another's place": lambda cache: [
        path.write_bytes(max(cache.glob("*.mp4"), key=lambda other: other.stat().st_size).read_bytes())
        for path in cache.glob("*.mp4")
    ][:0],
    "missing segments": lambda cache: [path.unlink() for path in cache.glob("*.mp4")],
    "cut plans": lambda cache: [path.write_bytes(path.read_bytes()[:-30]) for path in cache.glob("*.json")],
    "emptied plans": lambda cache: [path.write_bytes(b"") for path in cache.glob("*.json")],
    "plans of nothing": lambda cache: [path.write_text("{}") for path in cache.glob("*.json")],
    "plans at odds": lambda cache: [
        path.write_text(path.read_text().replace('"frames": [', '"frames": [6, ')) for path in cache.glob("*.json")
    ],
    "everything": lambda cache: [
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 3]) for path in cache.iterdir() if path.is_file()
    ],
    "no claims": lambda cache: (cache / "claims").unlink(),
    "no cache": lambda cache: shutil.rmtree(cache.parent),
}


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES)
def test_the_cache_heals_itself(breakage, out, tmp_path):
    options = options_of("mp4")
    expected = tools.film("moving", out, options).read_bytes()
    shutil.copytree(tools.cache(out), tools.cache(tmp_path))
    breakage(tools.cache(tmp_path))
    assert tools.film("moving", tmp_path, options).read_bytes() == expected
    assert tools.film("moving", tmp_path, options).read_bytes() == expected
    with contextlib.suppress(FileNotFoundError):
        assert not [
            path for path in tools.cache(tmp_path).iterdir() if path.suffix == ".scratch" or ".part" in path.name
        ]


@pytest.mark.parametrize("width", [854, 1280, 1366, 1920])
@pytest.mark.parametrize("pixel_format", sorted({encoding.pixel_format for encoding in rendering.ENCODINGS.values()}))
def test_a_picture_is_converted_alike_every_time_and_nothing_stays_transparent(pixel_format, width):
    picture = np.zeros((480, width, 4), np.uint8)
    writer = SimpleNamespace(video_encoder=SimpleNamespace(pixel_format=pixel_format))
    seen = set()
    for _ in range(30):
        frame = rendering.FilmWriter._converted(writer, av.VideoFrame.from_numpy_buffer(picture, format="rgba"))
        planes = tools.planes(frame)
        seen.add(b"".join(plane.tobytes() for plane in planes))
        if len(planes) == 4:
            assert not planes[3].any()
    assert len(seen) == 1


def test_a_cache_that_is_removed_during_a_render_is_said_and_a_rerun_goes_well(tmp_path, out):
    def remove(_):
        shutil.rmtree(tools.cache(tmp_path), ignore_errors=True)

    with pytest.raises(RenderError, match="was removed while it was in use; run it again"):
        tools.film("moving", tmp_path, report=remove)
    film = tools.film("moving", tmp_path)
    assert film.read_bytes() == tools.film("moving", out).read_bytes()


def test_no_more_processes_are_started_than_could_be_of_use(tmp_path, monkeypatch):
    asked = []

    def team(job, jobs, *_):
        asked.append(jobs)
        yield from ()

    monkeypatch.setattr(rendering, "_team", team)
    monkeypatch.setattr(rendering, "_cores", lambda: 3)
    with pytest.raises(RenderError):
        list(rendering.record(["moving"], Parameters(), FilmOptions("l"), tmp_path, jobs=999))
    assert asked == [12]


def test_processes_that_cannot_even_start_are_not_said_to_be_killed(tmp_path, monkeypatch):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manim.py").write_text("raise SystemExit(7)\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "broken"), *sys.path])
    with pytest.raises(RenderError, match=r"moving: no rendering process could go on \(exit 7\)"):
        list(rendering.record(["moving"], Parameters(), FilmOptions("l"), tmp_path / "out", jobs=2))

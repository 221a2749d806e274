"""The command `rootdk` over small scenes and in tiny pictures, for tests of films: run it like the command itself."""

import os
import resource
import sys
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parents[1])  # the project's folder, where the modules are

import scenes  # noqa: E402
from scenes import rendering  # noqa: E402

# On every import, for the processes that help to render start by importing this file.
scenes.__path__.append(str(HERE))
scenes.ORDER = ("moving", "closing", "failing")
for letter, picture in rendering.QUALITIES.items():
    rendering.QUALITIES[letter] = replace(picture, width=160, height=90)
if limit := os.environ.get("ROOTDK_TEST_FILE_BYTES"):  # no file may become longer, as if the disk were full then
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))

if __name__ == "__main__":
    from cli import main

    main(prog_name="rootdk")

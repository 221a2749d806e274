"""The command `rootdk` over two small scenes, so that tests of films take seconds: run it like the command itself."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parents[1])  # the project's folder, where the modules are

import scenes  # noqa: E402

# On every import, for the processes that help to render start by importing this file.
scenes.__path__.append(str(HERE))
scenes.ORDER = ("opening", "closing")

if __name__ == "__main__":
    from cli import main

    main(prog_name="rootdk")

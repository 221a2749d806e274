"""Tile a scene's pictures on sheets, to be looked at: the end of every hold, and every motion on the way.

    python -m tests.contact_sheet growth --out out/sheets --theme light

Each sheet is 1920 pixels wide; under every picture stand its animation, how far that is, and its beat.
"""

import argparse
import math
from pathlib import Path

from PIL import Image, ImageDraw

from core.parameters import Parameters
from core.theme import THEMES
from scenes.rendering import FilmOptions, Moment, rehearse, scene_class


def sheets(
    name: str, parameters: Parameters, options: FilmOptions, points: tuple[float, ...], columns: int, rows: int
) -> list[Image.Image]:
    """The pictures of a scene, ``columns`` by ``rows`` on a sheet."""
    width = 1920 // columns
    tiles: list[Image.Image] = []

    def look(moment: Moment) -> None:
        if moment.held or moment.progress < 1:
            picture = moment.picture().convert("RGB")
            tile = Image.new("RGB", (width, width * 9 // 16 + 22), "#808080")
            tile.paste(picture.resize((width, width * 9 // 16), Image.Resampling.LANCZOS))
            state = "hold" if moment.held else f"{moment.progress:.0%}"
            text = f"{moment.animation} {state} · {moment.beat} · {moment.scene.elapsed:.1f} s"
            ImageDraw.Draw(tile).text((6, width * 9 // 16 + 4), text, fill="white")
            tiles.append(tile)

    rehearse(scene_class(name), parameters, options, look, points)
    height = tiles[0].height
    pages = []
    for first in range(0, len(tiles), columns * rows):
        batch = tiles[first : first + columns * rows]
        page = Image.new("RGB", (width * columns, height * math.ceil(len(batch) / columns)), "#808080")
        for index, tile in enumerate(batch):
            page.paste(tile, (index % columns * width, index // columns * height))
        pages.append(page)
    return pages


def main() -> None:
    """Write the sheets and print their paths."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene")
    parser.add_argument("--out", type=Path, default=Path("out/sheets"))
    parser.add_argument("--theme", choices=THEMES, default="dark")
    parser.add_argument("--quality", default="h")
    parser.add_argument("--points", default="0.5", help="how far into each motion to look, comma-separated, 0 to 1")
    parser.add_argument("--columns", type=int, default=3)
    parser.add_argument("--rows", type=int, default=3)
    parser.add_argument("--d-k", type=int, default=64)
    parser.add_argument("--keys", type=int, default=8)
    parser.add_argument("--scores", default="2,1,0")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--captions", choices=["burn", "none"], default="burn")
    given = parser.parse_args()
    parameters = Parameters(
        d_k=given.d_k, n_keys=given.keys, scores=tuple(float(s) for s in given.scores.split(",")), seed=given.seed
    )
    options = FilmOptions(quality=given.quality, captions=given.captions, theme=THEMES[given.theme])
    points = tuple(float(point) for point in given.points.split(",") if point)
    given.out.mkdir(parents=True, exist_ok=True)
    pages = sheets(given.scene, parameters, options, points, given.columns, given.rows)
    for number, page in enumerate(pages, start=1):
        path = given.out / f"{given.scene}-{given.theme}-{number}.png"
        page.save(path)
        print(path)


if __name__ == "__main__":
    main()

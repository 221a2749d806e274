"""Static figures, one a module: ``case(parameters)`` gives its numbers, ``draw_x`` draws them, ``export`` writes files.

Nothing heavy is imported here, so that names and choices can be listed at once.
"""

ORDER = ("walks", "density", "spread", "saturation", "slope", "rescaling", "divisors", "entropy")

SIZES = {"slide": (40 / 3, 7.5), "half": (6.4, 6.0), "column": (3.5, 2.6)}  # width and height, in inches
DPI = {"slide": 150, "half": 200, "column": 300}  # of a PNG, unless asked otherwise
DPI_RANGE = (50, 600)
FORMATS = ("png", "svg", "pdf")

"""Manim scenes of the lesson, one class a module, and how they become films."""

# Of the lesson; a scene is called by its module's name with dashes.
ORDER = ("growth", "saturation", "rescaling")

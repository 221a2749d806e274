"""What the public functions accept: inputs checked once, in the same words everywhere."""

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def as_floats(values: ArrayLike, name: str) -> FloatArray:
    """``values`` as a float64 array; ``name`` is the argument to blame.

    Narrower floats are widened before anything is computed, so that no sum of theirs can overflow or lose digits.

    Raises
    ------
    ValueError
        ``values`` is ragged, holds anything but real numbers, or is empty.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a regular array of numbers: {error}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, not {array.dtype} ({values!r:.60})")
    if array.size == 0:
        raise ValueError(f"{name} is empty: its shape is {array.shape}")
    return array.astype(np.float64, copy=False)


def as_count(value: object, name: str, least: int = 1) -> int:
    """``value`` as a plain int of at least ``least``; True and False are not numbers here.

    Raises
    ------
    ValueError
        ``value`` is not a whole number, or is below ``least``.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def require(good: NDArray[np.bool_], array: FloatArray, complaint: str) -> None:
    """Raise a ``ValueError`` that shows the first entry of ``array`` at which ``good`` is False."""
    if good.all():
        return
    first = tuple(int(i) for i in np.argwhere(~good)[0])
    where = f" at index {first}" if first else ""
    raise ValueError(f"{complaint}, not {float(array[first])}{where}")

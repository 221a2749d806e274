"""What softmax makes of large scores: one weight near 1, and slopes near 0."""

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import FloatArray, as_floats, require
from core.attention import softmax


def max_weight(scores: ArrayLike) -> np.float64 | FloatArray:
    """The largest softmax weight of each row of scores: 1/n when they are equal, near 1 when softmax is saturated.

    Parameters
    ----------
    scores : (..., n) array
        As `softmax` takes them.

    Returns
    -------
    (...) float64 array, or one number for one row
        0 for a row of nothing but -inf.

    Raises
    ------
    ValueError
        As `softmax`.
    """
    largest: np.float64 | FloatArray = softmax(scores).max(axis=-1)
    return largest


def slope(weight: ArrayLike) -> np.float64 | FloatArray:
    """How fast a softmax weight moves with its own score: p(1 - p), at most 1/4, and 0 at 0 and at 1.

    Parameters
    ----------
    weight : array of any shape, or a number
        Each from 0 to 1.

    Returns
    -------
    float64 array of the shape of ``weight``, or one number for one number
        Change of weight per unit of score.

    Raises
    ------
    ValueError
        ``weight`` is empty or outside 0 to 1.
    """
    p = as_floats(weight, "weight")
    require((p >= 0) & (p <= 1), p, "weight must be from 0 to 1")
    with np.errstate(under="ignore"):
        slopes: np.float64 | FloatArray = p * (1 - p)
    return slopes


def entropy(weights: ArrayLike) -> np.float64 | FloatArray:
    """Shannon entropy of each row of weights: 0 when one key has everything, log n when all n share equally.

    Parameters
    ----------
    weights : (..., n) array
        Not negative, each row summing to 1 within 1e-6, or within 8 units in the last place of 1 in a narrower float
        type.

    Returns
    -------
    (...) float64 array, or one number for one row
        In nats, with 0 log 0 = 0.

    Raises
    ------
    ValueError
        ``weights`` is empty or a single number; an entry is negative or not finite; or a row does not sum to 1,
        as the all-zero row of a query with every key masked does not.

    References
    ----------
    Shannon (1948), "A Mathematical Theory of Communication", section 6.
    """
    p = _as_weights(weights)
    total = p.sum(axis=-1)
    require(np.abs(total - 1) <= _tolerance(weights), total, "weights must sum to 1 in every row")
    with np.errstate(under="ignore"):  # a weight too small to have an entropy has none
        terms = -p * np.log(np.where(p > 0, p, 1.0))
    # Rounding can leave a sum just below 0, and one term of weight 1 gives -0.0: neither is an entropy.
    nats: np.float64 | FloatArray = np.maximum(terms.sum(axis=-1), 0.0) + 0.0
    return nats


def softmax_jacobian(weights: ArrayLike) -> FloatArray:
    """How every softmax weight moves with every score: p_i (1 - p_i) on the diagonal, -p_i p_j elsewhere.

    Parameters
    ----------
    weights : (..., n) array
        The output of `softmax`.

    Returns
    -------
    (..., n, n) float64 array
        ``jacobian[..., i, j]`` is the change of weight ``i`` per unit of score ``j``. All 0 for a one-hot row, and for
        the all-zero row of a query with every key masked, whose weights do not move either.

    Raises
    ------
    ValueError
        ``weights`` is empty or a single number; an entry is negative or not finite; or a row sums to neither 1 nor 0.
    """
    p = _as_weights(weights)
    total = p.sum(axis=-1)
    require((np.abs(total - 1) <= _tolerance(weights)) | (total == 0), total, "weights must sum to 1 in every row")
    diagonal = np.arange(p.shape[-1])
    with np.errstate(under="ignore"):  # products of weights may be too small for a float: such slopes are 0
        jacobian = 0.0 - p[..., :, None] * p[..., None, :]  # 0.0 - 0.0 is 0.0, where -(0.0) would be -0.0
        jacobian[..., diagonal, diagonal] = p * (1 - p)
    return jacobian


def _as_weights(weights: ArrayLike) -> FloatArray:
    p = as_floats(weights, "weights")
    if p.ndim == 0:
        raise ValueError(f"weights must have at least one axis, not be the number {float(p)}")
    require(np.isfinite(p) & (p >= 0), p, "weights must be finite and not negative")
    return p


def _tolerance(weights: ArrayLike) -> float:
    """How far from 1 a row may sum: float16 weights cannot do better than their own rounding."""
    dtype = np.asarray(weights).dtype
    return max(1e-6, 8 * float(np.finfo(dtype).eps)) if dtype.kind == "f" else 1e-6

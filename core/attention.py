"""Scaled dot-product attention in four steps: score, scale, normalise, average."""

import math
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import FloatArray, as_count, as_floats, require


def softmax(scores: ArrayLike, axis: int = -1) -> FloatArray:
    """Turn scores into weights along ``axis``: positive, in the scores' order, summing to 1.

    A score of -inf is a key that may not be read: its weight is 0. Where every score is -inf there is nothing to
    share out, and all weights are 0 rather than NaN.

    Parameters
    ----------
    scores : array of at least one axis
        Finite or -inf; no unit.
    axis : int
        The axis of the keys.

    Returns
    -------
    float64 array of the shape of ``scores``

    Raises
    ------
    ValueError
        ``scores`` is empty, a single number, or holds NaN or +inf; or it has no such ``axis``.
    """
    values = as_floats(scores, "scores")
    if values.ndim == 0:
        raise ValueError(f"scores must have at least one axis, not be the number {float(values)}")
    if isinstance(axis, bool) or not isinstance(axis, Integral) or not -values.ndim <= axis < values.ndim:
        raise ValueError(f"axis {axis!r} is not an axis of scores, whose shape is {values.shape}")
    require(values < np.inf, values, "scores must be finite or -inf")  # NaN < inf is False too
    peak = values.max(axis=axis, keepdims=True)
    # Subtracting the peak changes no weight and keeps exp() from overflowing. A row of nothing but -inf has no peak.
    peak[np.isneginf(peak)] = 0.0
    with np.errstate(over="ignore", under="ignore"):  # scores too far below the peak get the weight 0, as they should
        exponentials = np.exp(values - peak)
        total = exponentials.sum(axis=axis, keepdims=True)
        total[total == 0.0] = 1.0
        weights: FloatArray = exponentials / total
    return weights


def scale_factor(d_k: float) -> float:
    """The number scores are divided by: sqrt(d_k), the spread of a raw score.

    Parameters
    ----------
    d_k : number of at least 1
        How many entries a query and a key have. A fraction is accepted, for pictures in which ``d_k`` grows smoothly.

    Raises
    ------
    ValueError
        ``d_k`` is below 1, infinite or not a number.

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1.
    """
    if isinstance(d_k, bool) or not isinstance(d_k, Real) or not 1 <= d_k < math.inf:
        raise ValueError(f"d_k must be a number of at least 1, not {d_k!r}")
    return math.sqrt(d_k)


def scaled_scores(Q: ArrayLike, K: ArrayLike) -> FloatArray:
    """Score every query against every key, divided by sqrt(d_k).

    When entries are independent with mean 0 and variance 1, a raw score is a sum of ``d_k`` products of
    variance 1, so its variance is ``d_k``; the division makes it 1 whatever ``d_k`` is.

    Parameters
    ----------
    Q : (..., n_q, d_k) array
    K : (..., n_k, d_k) array

    Returns
    -------
    (..., n_q, n_k) float64 array
        ``scores[..., i, j]`` is query ``i`` with key ``j``; no unit.

    Raises
    ------
    ValueError
        ``Q`` and ``K`` differ in ``d_k`` or their leading axes do not broadcast, or one of them is empty, or an entry
        is not finite, or a score is too large for float64.

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1.
    """
    queries, keys = _as_vectors(Q, "Q"), _as_vectors(K, "K")
    _require_matching(queries, keys)
    require(np.isfinite(queries), queries, "Q must be finite")
    require(np.isfinite(keys), keys, "K must be finite")
    with np.errstate(over="ignore", invalid="ignore"):
        raw = queries @ keys.swapaxes(-1, -2)  # (..., n_q, d_k) @ (..., d_k, n_k) -> (..., n_q, n_k)
    require(np.isfinite(raw), raw, "Q and K are too large for float64: every score must be finite")
    return raw / scale_factor(queries.shape[-1])


def causal_mask(n_q: int, n_k: int) -> FloatArray:
    """A mask that lets no query look ahead: query ``i`` may read keys 0 to ``i``.

    Returns
    -------
    (n_q, n_k) float64 array
        0 where reading is allowed, -inf where it is not: to be added to the scores.

    Raises
    ------
    ValueError
        ``n_q`` or ``n_k`` is not a whole number of at least 1.
    """
    allowed = np.tri(as_count(n_q, "n_q"), as_count(n_k, "n_k"), dtype=bool)
    return np.where(allowed, 0.0, -np.inf)


def scaled_dot_product_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Each query's average of the values, weighted by how well the keys answer it.

    Parameters
    ----------
    Q : (..., n_q, d_k) array
    K : (..., n_k, d_k) array
    V : (..., n_k, d_v) array
    mask : array that broadcasts to (..., n_q, n_k), optional
        Added to the scaled scores: 0 where reading is allowed, -inf where it is not. Or boolean: True where allowed.

    Returns
    -------
    output : (..., n_q, d_v) float64 array
    weights : (..., n_q, n_k) float64 array
        Rows sum to 1. A query whose keys are all masked has weights 0 and output 0.

    Raises
    ------
    ValueError
        Shapes do not fit; an argument is empty; ``mask`` is neither boolean nor made of floats (a whole-number mask
        of 0 and 1 could be meant either way), or holds NaN or +inf; a vector that some query may read, or a query that
        may read anything, is not finite. Vectors that nobody reads may hold anything: it does not reach the output.

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1.
    """
    queries, keys, values = _as_vectors(Q, "Q"), _as_vectors(K, "K"), _as_vectors(V, "V")
    _require_matching(queries, keys)
    if keys.shape[-2] != values.shape[-2]:
        raise ValueError(f"K {keys.shape} and V {values.shape} differ in n_k, their last axis but one")
    addend = _as_addend(mask)
    pairs = (queries.shape[-2], keys.shape[-2])
    try:
        batch = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2], values.shape[:-2], addend.shape[:-2])
        allowed = np.broadcast_to(addend > -np.inf, (*batch, *pairs))
    except ValueError as error:
        shape = None if mask is None else addend.shape
        raise ValueError(
            f"Q {queries.shape}, K {keys.shape}, V {values.shape} and mask {shape} do not broadcast together, "
            f"with the mask as (..., n_q, n_k) = (..., {pairs[0]}, {pairs[1]})"
        ) from error
    # Multiplying by a weight of 0 would not stop a NaN, so what nobody reads is replaced before any arithmetic.
    asking, read = np.asarray(allowed.any(axis=-1)), np.asarray(allowed.any(axis=-2))  # (..., n_q), (..., n_k)
    queries = _drop_unread(queries, asking, "Q")
    keys = _drop_unread(keys, read, "K")
    values = _drop_unread(values, read, "V")
    with np.errstate(over="ignore"):  # a huge negative mask entry ends at -inf, which is what it is there for
        scores = scaled_scores(queries, keys) + addend
    weights = softmax(scores)
    return weights @ values, weights  # (..., n_q, n_k) @ (..., n_k, d_v) -> (..., n_q, d_v)


def _as_vectors(values: ArrayLike, name: str) -> FloatArray:
    array = as_floats(values, name)
    if array.ndim < 2:
        raise ValueError(f"{name} must have at least two axes, (..., n, d): its shape is {array.shape}")
    return array


def _require_matching(queries: FloatArray, keys: FloatArray) -> None:
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(f"Q {queries.shape} and K {keys.shape} differ in d_k, their last axis")
    try:
        np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    except ValueError as error:
        raise ValueError(f"the leading axes of Q {queries.shape} and K {keys.shape} do not broadcast") from error


def _as_addend(mask: ArrayLike | None) -> FloatArray:
    """The mask as something to add to scores: 0 or a finite number where allowed, -inf where not."""
    if mask is None:
        return np.zeros((1, 1))
    addend, dtype = as_floats(mask, "mask"), np.asarray(mask).dtype
    if dtype.kind == "b":
        return np.where(addend > 0, 0.0, -np.inf)
    if dtype.kind in "iu":
        raise ValueError(f"mask must be boolean (True = allowed) or float (0 or -inf, to be added), not {dtype}")
    require(addend < np.inf, addend, "mask must be finite or -inf")
    return addend


def _drop_unread(vectors: FloatArray, read: NDArray[np.bool_], name: str) -> FloatArray:
    """``vectors`` (..., n, d) with zeros for those that are not finite, none of which may be ``read`` (..., n)."""
    finite = np.isfinite(vectors)
    if finite.all():
        return vectors
    require(finite | ~_read_anywhere(read, vectors.shape[:-1])[..., None], vectors, f"{name} must be finite where read")
    return np.where(finite.all(axis=-1, keepdims=True), vectors, 0.0)


def _read_anywhere(read: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """``read`` folded to ``shape``: a vector shared by a whole batch is read if any member of the batch reads it."""
    folded = np.asarray(read.any(axis=tuple(range(read.ndim - len(shape)))))
    shared = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return np.asarray(folded.any(axis=shared, keepdims=True))

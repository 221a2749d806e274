"""How far scores spread: measured on defined random draws, and the exact law they follow."""

import copy
import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import FloatArray, as_count, as_floats, require
from core.attention import scale_factor

BLOCK = 2**16  # numbers drawn at a time: two blocks fit in a processor's cache, so drawing is not slowed by memory
FALL = 37.0  # how far the log of an integrand falls before it no longer counts: exp(-37) is below a float64's rounding


def score_samples(d: int, trials: int, seed: int) -> FloatArray:
    """The scores of ``trials`` random query-key pairs of ``d`` standard normal entries each.

    The draws are ``default_rng(seed).standard_normal((trials, d))`` for all queries, then once more for all keys;
    the scores are, to the last bit, ``(queries * keys).sum(axis=-1)``. Only a block of the draws is in memory at any
    time.

    Parameters
    ----------
    d : int of at least 1
    trials : int of at least 1
    seed : int of at least 0

    Returns
    -------
    (trials,) float64 array

    Raises
    ------
    ValueError
        An argument is not a whole number, or is too small.
    """
    return scores_from_stream(np.random.default_rng(as_count(seed, "seed", least=0)), d, trials)


def scores_from_stream(stream: np.random.Generator | np.random.RandomState, d: int, trials: int) -> FloatArray:
    """The scores of ``trials`` pairs: all queries drawn from ``stream``, then all keys, each of ``d`` entries.

    ``stream`` is left where drawing both would leave it. See `score_samples`.

    Returns
    -------
    (trials,) float64 array

    Raises
    ------
    ValueError
        ``d`` or ``trials`` is not a whole number of at least 1.
    """
    d, trials = as_count(d, "d"), as_count(trials, "trials")
    # How far a stream moves for one normal number varies, so the only way to the first key is past every query.
    # A second reader, left behind at the first query, then reads the queries side by side with the keys.
    query_stream = copy.deepcopy(stream)
    for start in range(0, trials * d, BLOCK):
        stream.standard_normal(min(BLOCK, trials * d - start))
    scores = np.empty(trials)
    rows = max(1, BLOCK // d)
    for start in range(0, trials, rows):
        block = scores[start : start + rows]
        products = query_stream.standard_normal((len(block), d))
        products *= stream.standard_normal((len(block), d))
        block[:] = products.sum(axis=-1)
    return scores


def score_std(d: int, trials: int, seed: int) -> float:
    """Population standard deviation of the raw scores of `score_samples`: near sqrt(d).

    Parameters
    ----------
    d, trials : int of at least 1
    seed : int of at least 0

    Raises
    ------
    ValueError
        An argument is not a whole number, or is too small.
    """
    return float(score_samples(d, trials, seed).std())


def scaled_score_std(d: int, trials: int, seed: int) -> float:
    """Population standard deviation of the same scores divided by sqrt(d): near 1 whatever ``d`` is.

    Parameters
    ----------
    d, trials : int of at least 1
    seed : int of at least 0

    Raises
    ------
    ValueError
        An argument is not a whole number, or is too small.
    """
    return float((score_samples(d, trials, seed) / scale_factor(d)).std())


def score_density(x: ArrayLike, d: float) -> FloatArray:
    """Exact probability density at ``x`` of a score: the sum of ``d`` products of independent standard normals.

    Its characteristic function is (1 + t^2)^(-d/2), which is a law for every real ``d`` > 0, so ``d`` may move
    smoothly. Relative error below 1e-10 for ``d`` up to 4,096, wherever the density is a normal float64 number.

    Parameters
    ----------
    x : array of finite numbers
    d : number above 0

    Returns
    -------
    float64 array of the shape of ``x``
        At 0 the density is infinite when ``d`` is at most 1.

    Raises
    ------
    ValueError
        ``x`` is empty or not finite, or ``d`` is not a number above 0.

    Notes
    -----
    Given the query, a score is normal with variance s = |q|^2, which follows chi^2(d). With s = |x| e^t and
    n = (d - 1)/2 the mixture is

        f(x) = |x|^n / (sqrt(2 pi) 2^(d/2) Gamma(d/2)) * integral of exp(n t - |x| cosh t) over t,

    an integral that equals 2 K_n(|x|), with K the modified Bessel function. The trapezoid rule converges exponentially
    on it: an analytic integrand that dies out at both ends.

    References
    ----------
    NIST Digital Library of Mathematical Functions, 10.32.9 (the integral) and 10.30.2 (the limit at 0).
    Trefethen and Weideman (2014), "The Exponentially Convergent Trapezoidal Rule", SIAM Review 56.
    """
    points = as_floats(x, "x")
    require(np.isfinite(points), points, "x must be finite")
    d = _as_positive(d)
    order = (d - 1) / 2
    distance = np.abs(points)
    density = np.empty(points.shape)
    away = distance > 0
    density[~away] = _density_at_zero(order)
    if away.any():
        z = distance[away]
        log_constant = -0.5 * math.log(2 * math.pi) - 0.5 * d * math.log(2) - math.lgamma(d / 2)
        with np.errstate(under="ignore"):  # far out the density is truly below the float range
            density[away] = np.exp(log_constant + _log_mixture(z, order))
    return density


def _density_at_zero(order: float) -> float:
    if order <= 0:
        return math.inf
    return math.exp(math.lgamma(order) - math.lgamma(order + 0.5)) / (2 * math.sqrt(math.pi))


def _log_mixture(z: FloatArray, order: float) -> FloatArray:
    """The log of z^order times the integral over t of exp(order t - z cosh t), for z > 0."""
    n = abs(order)  # the integral is the same for -order
    w = np.hypot(z, n)
    # The integrand peaks where sinh t = n/z. At a step u from there its log has fallen by
    #     right (e^u - 1 - u) + left (e^-u - 1 + u),   right = (w + n)/2,   left = (w - n)/2 = z^2 / (4 right),
    # and both terms are positive. The factors go by their logs, since either may be too small for a float.
    log_right = np.log(w + n) - math.log(2)
    log_left = 2 * np.log(z) - np.log(w + n) - math.log(2)
    up = _reach(log_right)
    with np.errstate(over="ignore", divide="ignore"):
        right = np.exp(log_right)
        # To the left the right term falls too, but in the end only as fast as right * u.
        down = np.minimum(_reach(log_left), np.where(right > 3 * FALL, np.sqrt(3 * FALL / right), FALL / right + 1))
    # A step well inside the peak's width, w^(-1/2), or inside what exp(-z cosh t) needs when there is no clear peak.
    nodes = math.ceil(float(((up + down) * (w * w + 40.0) ** 0.25).max() / 0.6)) + 1
    step = (up + down) / (nodes - 1)
    u = -down
    total = np.zeros_like(z)
    for _ in range(nodes):  # node by node: memory stays at a few arrays of the size of z
        total += np.exp(w - np.exp(log_right + u) - np.exp(log_left - u) + n * u)  # right + left = w, right - left = n
        u += step
    log_peak = n * np.log(n + w) - w + (order - n) * np.log(z)  # order log z + n asinh(n/z) - w
    return np.asarray(log_peak + np.log(total * step))


def _reach(log_factor: FloatArray) -> FloatArray:
    """A step u at which factor (e^u - 1 - u) is past FALL: it exceeds factor u^2/2 and, from 1.7 on, factor e^u/2."""
    excess = math.log(2 * FALL) - log_factor
    with np.errstate(over="ignore"):
        return np.minimum(np.exp(excess / 2), np.maximum(1.7, excess))


def score_excess_kurtosis(d: float) -> float:
    """Excess kurtosis of a score of ``d`` products: 6/d, so the law nears a normal one as ``d`` grows.

    Raises
    ------
    ValueError
        ``d`` is not a number above 0.

    Notes
    -----
    One product of independent standard normals has fourth moment 3 * 3 = 9 and variance 1, an excess of 6; the
    excess of a sum of ``d`` independent equals is that of one divided by ``d``.
    """
    return 6 / _as_positive(d)


def sample_scores(d: float, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Independent scores, exact in law at a cost that does not grow with ``d``.

    Given the query, a score is normal with standard deviation |q|, and |q|^2 follows chi^2(d): two draws a score
    instead of 2 ``d``. They are not the draws of `score_samples`, only their law.

    Returns
    -------
    float64 array of shape ``size``

    Raises
    ------
    ValueError
        ``d`` is not a number above 0.
    """
    length = np.sqrt(rng.chisquare(_as_positive(d), size))
    return np.asarray(length * rng.standard_normal(size))


def running_scores(queries: ArrayLike, keys: ArrayLike) -> FloatArray:
    """The score as it builds up, product by product: a random walk from 0 to the full score.

    Parameters
    ----------
    queries : (..., d) array
    keys : (..., d) array
        Broadcast against ``queries``.

    Returns
    -------
    (..., d + 1) float64 array
        Entry ``i`` of the last axis is the sum of the first ``i`` products.

    Raises
    ------
    ValueError
        An argument is empty, a single number or not finite; or the shapes do not fit.
    """
    left, right = as_floats(queries, "queries"), as_floats(keys, "keys")
    for vectors, name in ((left, "queries"), (right, "keys")):
        if vectors.ndim == 0:
            raise ValueError(f"{name} must have at least one axis, not be the number {float(vectors)}")
        require(np.isfinite(vectors), vectors, f"{name} must be finite")
    try:
        shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
    except ValueError as error:
        raise ValueError(f"queries {left.shape} and keys {right.shape} do not broadcast") from error
    if left.shape[-1] != right.shape[-1]:
        raise ValueError(f"queries {left.shape} and keys {right.shape} differ in d, their last axis")
    walk = np.zeros((*shape, left.shape[-1] + 1))
    np.cumsum(left * right, axis=-1, out=walk[..., 1:])
    return walk


def _as_positive(d: float) -> float:
    if isinstance(d, bool) or not isinstance(d, Real) or not 0 < d < math.inf:
        raise ValueError(f"d must be a number above 0, not {d!r}")
    return float(d)

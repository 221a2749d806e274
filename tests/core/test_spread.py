"""Spread against its definition bit for bit, and the law of a score against closed forms and SciPy's Bessel K."""

import itertools
import math
import tracemalloc
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.integrate
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from core import (
    running_scores,
    sample_scores,
    scaled_score_std,
    score_density,
    score_excess_kurtosis,
    score_samples,
    score_std,
)
from core import spread as spread_module
from core.spread import BLOCK, scores_from_stream

SIZES = [0.1, 0.5, 1, 1.001, 1.5, 2, 3, 4, 7.7, 16, 64, 100.3, 256, 1000]
SIGMAS = 5  # a seeded sample this many standard errors off would be one in two million


def plain_scores(stream, d, trials):
    """The definition, with every draw in memory at once."""
    queries, keys = stream.standard_normal((trials, d)), stream.standard_normal((trials, d))
    return (queries * keys).sum(axis=-1)


# the defined draws


@pytest.mark.parametrize(
    ("d", "trials"),
    [
        (1, 1),
        (1, 50),
        (1, BLOCK + 1),
        (2, BLOCK),
        (3, 40_001),
        (7, 2 * (BLOCK // 7)),
        (64, 1000),
        (64, 3 * (BLOCK // 64) + 5),
        (1000, 131),
        (BLOCK - 1, 3),
        (BLOCK, 2),
        (2 * BLOCK + 5, 3),
    ],
)
def test_samples_are_the_defined_draws_to_the_last_bit(d, trials):
    """Here `==` on floats is the promise itself: lessons quote numbers that come from these very draws."""
    expected = plain_scores(np.random.default_rng(12), d, trials)
    assert np.array_equal(score_samples(d, trials, 12), expected)
    assert score_std(d, trials, 12) == float(expected.std())


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_the_size_of_a_block_is_not_to_be_seen(d, trials, block, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread_module, "BLOCK", block)
        scores = score_samples(d, trials, seed)
    assert np.array_equal(scores, plain_scores(np.random.default_rng(seed), d, trials))


@pytest.mark.parametrize("make_stream", [np.random.default_rng, np.random.RandomState])
def test_a_stream_goes_on_where_drawing_everything_would_leave_it(make_stream):
    """Odd counts, because a RandomState draws normals in pairs and keeps the second for later."""
    blockwise, plain = make_stream(3), make_stream(3)
    for d, trials in [(5, 3), (3, 30_001), (1, 1), (70_001, 1)]:
        assert np.array_equal(scores_from_stream(blockwise, d, trials), plain_scores(plain, d, trials))
    assert np.array_equal(blockwise.standard_normal(5), plain.standard_normal(5))


def test_memory_is_a_few_blocks_and_the_scores_whatever_the_draws_would_take():
    d, trials = 512, 20_000  # all draws: two arrays of 82 MB
    tracemalloc.start()
    try:
        score_std(d, trials, 0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    number = np.dtype(np.float64).itemsize
    assert peak < 4 * BLOCK * number + 4 * trials * number + 100_000


@pytest.mark.parametrize(("d", "trials"), [(1, 40_000), (4, 40_000), (64, 40_000), (1024, 4000)])
def test_measured_spread_is_the_square_root_of_d(d, trials):
    # Relative standard error of a standard deviation: sqrt((2 + excess kurtosis) / (4 trials)).
    tolerance = SIGMAS * math.sqrt((2 + 6 / d) / (4 * trials))
    assert score_std(d, trials, 5) == pytest.approx(math.sqrt(d), rel=tolerance)
    assert scaled_score_std(d, trials, 5) == pytest.approx(1, rel=tolerance)


@pytest.mark.parametrize("d", [1, 3, 64, 200])
def test_scaled_spread_is_the_spread_of_the_same_draws_divided(d):
    assert scaled_score_std(d, 500, 9) == pytest.approx(score_std(d, 500, 9) / math.sqrt(d), rel=1e-12)


def test_seeds_differ():
    assert score_std(4, 100, 0) != pytest.approx(score_std(4, 100, 1), rel=1e-6)


@pytest.mark.parametrize("function", [score_samples, score_std, scaled_score_std])
@pytest.mark.parametrize(
    ("d", "trials", "seed", "message"),
    [
        (0, 10, 0, "d must be a whole number of at least 1, not 0"),
        (2.5, 10, 0, "d must be a whole number of at least 1, not 2.5"),
        (4, 0, 0, "trials must be a whole number of at least 1, not 0"),
        (4, True, 0, "trials must be a whole number of at least 1, not True"),
        (4, 10, -1, "seed must be a whole number of at least 0, not -1"),
        (4, 10, None, "seed must be a whole number of at least 0, not None"),
    ],
)
def test_draws_refuse_by_name(function, d, trials, seed, message):
    with pytest.raises(ValueError, match=message):
        function(d, trials, seed)


# the exact law


def log_density_by_bessel(x, d):
    """The log of the density, from SciPy's exponentially scaled Bessel K; not finite where that overflows."""
    order = (d - 1) / 2
    with np.errstate(all="ignore"):
        return (
            order * np.log(x / 2)
            + np.log(scipy.special.kve(order, x))
            - x
            - 0.5 * math.log(math.pi)
            - math.lgamma(d / 2)
        )


@pytest.mark.parametrize("d", SIZES)
def test_density_agrees_with_scipy_bessel_k(d):
    x = np.concatenate([np.geomspace(1e-12, 0.1, 80), np.linspace(0.1, 12 * math.sqrt(d) + 40, 1500)])
    expected = log_density_by_bessel(x, d)
    usable = np.isfinite(expected) & (expected > -700)
    assert usable.mean() > 0.6
    # Comparing logarithms of size up to 700 costs SciPy's side up to 1e-13; for large d its terms are larger still.
    np.testing.assert_allclose(np.log(score_density(x[usable], d)), expected[usable], rtol=0, atol=1e-11)


@pytest.mark.parametrize("d", [2, 4, 64, 1024, 4096])
def test_density_agrees_with_the_finite_sum_for_even_d(d):
    """For even d, K is of half-integer order, a finite sum: here in 60 digits, and with no overflow at any d."""
    n = d // 2 - 1  # order n + 1/2
    points = [0.01, 0.7, 3.0, math.sqrt(d), 5 * math.sqrt(d), 10 * math.sqrt(d)]
    expected = []
    with localcontext(prec=60):
        for x in map(Decimal, points):
            # K_{n+1/2}(x) = sqrt(pi/2x) e^-x sum of (n+k)! / (k! (n-k)! (2x)^k), summed from k = n down
            term = Decimal(math.factorial(2 * n)) / math.factorial(n) / (2 * x) ** n
            total = term
            for k in range(n, 0, -1):
                term *= 2 * x * k / ((n + k) * (n - k + 1))
                total += term
            # (x/2)^(n+1/2) sqrt(pi/2x) = (x/2)^n sqrt(pi)/2, and sqrt(pi) cancels; Gamma(d/2) = n!
            expected.append(float((x / 2) ** n * total * (-x).exp() / 2 / math.factorial(n)))
    np.testing.assert_allclose(score_density(points, d), expected, rtol=1e-11)


def test_two_products_follow_laplace_and_four_its_convolution():
    x = np.linspace(-30, 30, 601)
    np.testing.assert_allclose(score_density(x, 2), np.exp(-np.abs(x)) / 2, rtol=1e-13)
    np.testing.assert_allclose(score_density(x, 4), (1 + np.abs(x)) * np.exp(-np.abs(x)) / 4, rtol=1e-13)


@pytest.mark.parametrize("d", [1.3, 2, 3.5, 16, 300, 1024])
@pytest.mark.parametrize("t", [0, 0.5, 1, 3])
def test_characteristic_function(d, t):
    """The integral of cos(tx) f(x), which determines the law, is (1 + t^2)^(-d/2): with t = 0, the area is 1."""
    s = math.sqrt(d)
    # x = s * sinh(u)^3 gathers points at 0, where the density of a small d has a cusp; the ends are below 1e-17.
    u = np.linspace(-1.9, 1.9, 40_000)
    x = s * np.sinh(u) ** 3
    density = score_density(x, d) * s * 3 * np.sinh(u) ** 2 * np.cosh(u)
    integral = scipy.integrate.trapezoid(np.cos(t / s * x) * density, u)
    assert integral == pytest.approx((1 + (t / s) ** 2) ** (-d / 2), abs=1e-8)


@pytest.mark.parametrize("d", [2, 3.5, 16, 1024])
def test_variance_and_kurtosis_of_the_density(d):
    x = np.linspace(0, 14 * math.sqrt(d) + 40, 100_001)
    density = 2 * score_density(x, d)
    variance = scipy.integrate.simpson(x**2 * density, x=x)
    fourth = scipy.integrate.simpson(x**4 * density, x=x)
    assert variance == pytest.approx(d, rel=1e-8)
    assert fourth / variance**2 - 3 == pytest.approx(score_excess_kurtosis(d), rel=1e-5)


@pytest.mark.parametrize(("d", "height"), [(2, 1 / 2), (3, 1 / math.pi), (4, 1 / 4), (6, 3 / 16)])
def test_density_at_zero_in_closed_form(d, height):
    assert score_density(0.0, d) == pytest.approx(height, rel=1e-14)


@given(st.floats(1.5, 4096))
def test_density_runs_smoothly_into_its_value_at_zero(d):
    near, at = score_density([1e-150, 0.0], d)
    assert near == pytest.approx(at, rel=1e-10)


@pytest.mark.parametrize("d", [0.3, 0.999, 1])
def test_density_is_infinite_at_zero_for_one_product_or_less(d):
    assert score_density([0.0, -0.0, 1.0], d)[:2].tolist() == [math.inf, math.inf]
    assert np.all(np.diff(score_density(np.geomspace(1e-300, 1, 50), d)) < 0)


def test_one_product_very_near_zero():
    """K_0(x) is -log(x/2) minus Euler's constant as x goes to 0."""
    x = np.array([1e-9, 1e-100, 1e-300, 5e-324])
    np.testing.assert_allclose(score_density(x, 1), (math.log(2) - np.log(x) - np.euler_gamma) / math.pi, rtol=1e-12)


def test_density_nears_a_normal_one():
    """The first term by which the laws differ is the excess kurtosis, 6/d, times at most 1/8 of the peak."""
    for d in (64, 1024, 4096):
        x = np.linspace(-4, 4, 101) * math.sqrt(d)
        normal = np.exp(-(x**2) / (2 * d)) / math.sqrt(2 * math.pi * d)
        difference = np.abs(score_density(x, d) - normal).max() * math.sqrt(2 * math.pi * d)
        assert difference == pytest.approx(6 / d / 8, rel=20 / d)


@given(st.floats(0.05, 4096), st.floats(0, 1e6))
def test_density_is_even_and_never_warns(d, x):
    left, right = score_density([-x, x], d)
    assert left == right
    assert right >= 0


def test_density_keeps_the_shape_it_is_given():
    assert score_density(1.0, 3).shape == ()
    assert score_density(np.ones((2, 3)), 3).shape == (2, 3)
    assert score_density(np.ones(2, np.float32), np.int64(3)).dtype == np.float64


def test_density_with_every_floating_point_error_raised():
    with np.errstate(all="raise"):
        assert score_density([1e5, -1e5], 1).tolist() == [0, 0]
        assert score_density(1e-300, 4) == pytest.approx(0.25)
        assert score_density(1e-300, 1000) > 0


@pytest.mark.parametrize(
    ("x", "d", "message"),
    [
        ([], 2, r"x is empty: its shape is \(0,\)"),
        ([0, math.nan], 2, r"x must be finite, not nan at index \(1,\)"),
        (math.inf, 2, "x must be finite, not inf"),
        (1.0, 0, "d must be a number above 0, not 0"),
        (1.0, -1.5, "d must be a number above 0, not -1.5"),
        (1.0, math.nan, "d must be a number above 0, not nan"),
        (1.0, math.inf, "d must be a number above 0, not inf"),
        (1.0, True, "d must be a number above 0, not True"),
    ],
)
def test_density_refuses_by_name(x, d, message):
    with pytest.raises(ValueError, match=message):
        score_density(x, d)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_excess_kurtosis_by_exact_quadrature(d):
    """A Gauss rule of 3 nodes is exact up to the fifth power: every node vector once is the exact fourth moment."""
    nodes, node_weights = np.polynomial.hermite_e.hermegauss(3)
    node_weights = node_weights / node_weights.sum()
    every = np.array(list(itertools.product(range(3), repeat=d)))  # (3^d, d)
    scores = nodes[every] @ nodes[every].T
    chances = node_weights[every].prod(axis=-1)
    moment = {power: chances @ scores**power @ chances for power in (1, 2, 4)}
    assert moment[1] == pytest.approx(0, abs=1e-12)
    assert moment[2] == pytest.approx(d, rel=1e-12)
    assert moment[4] / moment[2] ** 2 - 3 == pytest.approx(score_excess_kurtosis(d), rel=1e-12)


@pytest.mark.parametrize("d", [0, -2, math.nan, "4"])
def test_excess_kurtosis_refuses_by_name(d):
    with pytest.raises(ValueError, match=f"d must be a number above 0, not {d!r}"):
        score_excess_kurtosis(d)


# cheap draws of the same law


@pytest.mark.parametrize("draw", [sample_scores, lambda d, size, rng: scores_from_stream(rng, d, size)])
@pytest.mark.parametrize(("d", "size"), [(1, 40_000), (4, 40_000), (64, 40_000)])
def test_samples_follow_the_characteristic_function(draw, d, size):
    scores = draw(d, size, np.random.default_rng(8))
    for t in (0.25, 0.5, 1, 2, 4):
        angle = t / math.sqrt(d) * scores
        expected = (1 + t**2 / d) ** (-d / 2)
        # A mean of cosines has a variance of at most 1/2 + 1/2; so has one of sines, whose expectation is 0.
        tolerance = SIGMAS / math.sqrt(size)
        assert np.cos(angle).mean() == pytest.approx(expected, abs=tolerance)
        assert np.sin(angle).mean() == pytest.approx(0, abs=tolerance)


def test_samples_have_any_shape_and_come_from_the_generator_given():
    first = sample_scores(2.5, (3, 2), np.random.default_rng(1))
    again = sample_scores(2.5, (3, 2), np.random.default_rng(1))
    assert first.shape == (3, 2)
    assert np.array_equal(first, again)


@pytest.mark.parametrize("d", [0, -1, math.inf])
def test_sample_scores_refuses_by_name(d):
    with pytest.raises(ValueError, match=f"d must be a number above 0, not {d!r}"):
        sample_scores(d, 3, np.random.default_rng(0))


# the score as a walk


def test_running_scores_are_the_partial_sums():
    walk = running_scores([1, 2, 3, 4], [1, -1, 2, 0.5])
    assert walk.tolist() == [0, 1, -1, 5, 7]


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_running_scores_end_at_the_score_and_step_by_the_products(d, seed):
    rng = np.random.default_rng(seed)
    query, keys = rng.standard_normal(d), rng.standard_normal((2, 3, d))
    walks = running_scores(query, keys)
    assert walks.shape == (2, 3, d + 1)
    assert np.all(walks[..., 0] == 0)
    np.testing.assert_allclose(walks[..., -1], keys @ query, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(np.diff(walks, axis=-1), query * keys, rtol=1e-10, atol=1e-12)


def test_variance_over_all_sign_walks_is_the_number_of_steps():
    """Every walk of six +-1 steps once: after i steps the variance is exactly i."""
    keys = np.array(list(itertools.product([-1.0, 1.0], repeat=6)))
    np.testing.assert_allclose(running_scores(np.ones(6), keys).var(axis=0), np.arange(7), rtol=1e-14)


@pytest.mark.parametrize(
    ("queries", "keys", "message"),
    [
        ([], [], r"queries is empty: its shape is \(0,\)"),
        ([1.0], np.ones((0, 1)), r"keys is empty: its shape is \(0, 1\)"),
        ([1, 2], [1, 2, 3], r"queries \(2,\) and keys \(3,\) differ in d"),
        ([1.0], [1, 2, 3], r"queries \(1,\) and keys \(3,\) differ in d"),
        (np.ones((2, 3)), np.ones((4, 3)), r"queries \(2, 3\) and keys \(4, 3\) do not broadcast"),
        ([1, math.nan], [1, 2], r"queries must be finite, not nan at index \(1,\)"),
        ([1, 2], [math.inf, 2], r"keys must be finite, not inf at index \(0,\)"),
        (2.0, [1, 2], "queries must have at least one axis, not be the number 2.0"),
    ],
)
def test_running_scores_refuses_by_name(queries, keys, message):
    with pytest.raises(ValueError, match=message):
        running_scores(queries, keys)

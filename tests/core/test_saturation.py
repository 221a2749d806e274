"""Saturation against closed forms, finite differences, SciPy's entropy, and what entropy must satisfy."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core import entropy, max_weight, slope, softmax, softmax_jacobian

INF = math.inf
NAN = math.nan

score_rows = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=6), elements=st.floats(-30, 30))


def is_positive_zero(value):
    return value == 0 and math.copysign(1, value) == 1


# max_weight


def test_largest_weight_in_closed_form():
    assert max_weight([math.log(3), 0]) == pytest.approx(0.75, rel=1e-14)
    assert max_weight([5, 5, 5, 5]) == pytest.approx(0.25, rel=1e-15)
    assert max_weight([800, 0]) == pytest.approx(1, rel=1e-15)
    assert max_weight([[0, -INF], [-INF, -INF]]).tolist() == [1, 0]


@given(score_rows)
def test_largest_weight_is_at_least_an_equal_share(scores):
    largest = max_weight(scores)
    assert np.shape(largest) == scores.shape[:-1]
    assert np.all(largest >= 1 / scores.shape[-1] - 1e-12)
    assert np.all(largest <= 1)


@given(hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(-30, 30)), st.floats(1, 10))
def test_multiplying_the_scores_never_lowers_the_largest_weight(scores, factor):
    assert max_weight(scores * factor) >= max_weight(scores) - 1e-12


@pytest.mark.parametrize(
    ("scores", "message"),
    [([], r"scores is empty: its shape is \(0,\)"), ([NAN, 0], "scores must be finite or -inf, not nan")],
)
def test_largest_weight_refuses_by_name(scores, message):
    with pytest.raises(ValueError, match=message):
        max_weight(scores)


# slope


def test_slope_in_closed_form():
    assert slope([0, 0.5, 1]).tolist() == [0, 0.25, 0]
    assert slope(0.25) == pytest.approx(3 / 16, rel=1e-15)
    assert np.shape(slope(0.25)) == ()
    assert np.shape(slope(np.full((2, 3), 0.5))) == (2, 3)


@pytest.mark.parametrize("scores", [[2, 1, 0], [16, 8, 0], [0.3], [-4, 7, 7, 1]])
def test_slope_is_how_fast_a_weight_moves_with_its_own_score(scores):
    h = 1e-5
    for i, weight in enumerate(softmax(scores)):
        step = h * np.eye(len(scores))[i]
        measured = (softmax(scores + step) - softmax(scores - step))[i] / (2 * h)
        # The central difference is off by h^2/6 times the third derivative, at most 1/8, and by rounding over h.
        assert slope(weight) == pytest.approx(measured, abs=1e-10)


@pytest.mark.parametrize("weight", [-0.01, 1.01, NAN, INF])
def test_slope_refuses_what_is_no_weight(weight):
    with pytest.raises(ValueError, match=rf"weight must be from 0 to 1, not {weight} at index \(1,\)"):
        slope([0.5, weight])


def test_slope_refuses_an_empty_array():
    with pytest.raises(ValueError, match=r"weight is empty: its shape is \(0,\)"):
        slope([])


# entropy


@pytest.mark.parametrize("n", [1, 2, 3, 8, 1000])
def test_entropy_of_a_one_hot_row_is_zero_without_a_sign(n):
    for one_hot in (np.eye(n)[0], np.eye(n)[-1], np.eye(n, dtype=np.float32)[0], np.eye(n, dtype=int)[0]):
        assert is_positive_zero(entropy(one_hot))
    assert is_positive_zero(entropy(np.eye(n)[0] * (1 + 2**-52)))  # a weight rounded to just above 1


@pytest.mark.parametrize("n", [1, 2, 3, 8, 1000])
def test_entropy_of_equal_weights_is_the_logarithm_of_their_number(n):
    assert entropy(np.full(n, 1 / n)) == pytest.approx(math.log(n), rel=1e-13, abs=1e-15)


def test_entropy_in_closed_form():
    assert entropy([0.5, 0.25, 0.25, 0]) == pytest.approx(1.5 * math.log(2), rel=1e-15)
    np.testing.assert_allclose(entropy([[[1, 0], [0.5, 0.5]]]), [[0, math.log(2)]], rtol=1e-15)


@given(score_rows)
def test_entropy_agrees_with_scipy_and_keeps_its_bounds(scores):
    weights = softmax(scores)
    nats = entropy(weights)
    assert np.shape(nats) == scores.shape[:-1]
    np.testing.assert_allclose(nats, scipy.stats.entropy(weights, axis=-1), rtol=1e-10, atol=1e-14)
    assert np.all(nats >= 0)
    assert np.all(nats <= math.log(scores.shape[-1]) + 1e-12)


@given(
    hnp.arrays(np.float64, st.integers(1, 5), elements=st.floats(-5, 5)),
    hnp.arrays(np.float64, st.integers(1, 5), elements=st.floats(-5, 5)),
)
def test_entropies_of_independent_choices_add(scores, others):
    first, second = softmax(scores), softmax(others)
    together = np.outer(first, second).ravel()
    assert entropy(together) == pytest.approx(entropy(first) + entropy(second), rel=1e-12, abs=1e-14)


def test_tiny_weights_with_every_floating_point_error_raised():
    with np.errstate(all="raise"):
        assert is_positive_zero(entropy([1, 0, 0]))
        tiny = [1, 1e-300, 5e-324]
        assert entropy(tiny) == pytest.approx(1e-300 * math.log(1e300), rel=1e-12)
        assert slope(tiny).tolist() == [0, 1e-300, 5e-324]
        assert softmax_jacobian(tiny)[1].tolist() == [-1e-300, 1e-300, 0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@given(scores=hnp.arrays(np.float64, st.integers(1, 50), elements=st.floats(-5, 5)))
def test_weights_rounded_to_a_narrower_type_are_still_weights(dtype, scores):
    weights = softmax(scores)
    # Rounding n weights moves their entropy by no more than a few units in the last place times log n, plus underflow.
    assert entropy(weights.astype(dtype)) == pytest.approx(entropy(weights), abs=20 * float(np.finfo(dtype).eps))


BAD_WEIGHTS = [
    ([0.5, -0.1, 0.6], r"weights must be finite and not negative, not -0.1 at index \(1,\)"),
    ([0.5, NAN], "weights must be finite and not negative, not nan"),
    ([INF, 0], "weights must be finite and not negative, not inf"),
    ([[0.5, 0.5], [0.5, 0.4]], r"weights must sum to 1 in every row, not 0.9 at index \(1,\)"),
    ([0.5, 0.500002], "weights must sum to 1 in every row, not 1.000001999"),
    ([], r"weights is empty: its shape is \(0,\)"),
    (np.ones((0, 3)), r"weights is empty: its shape is \(0, 3\)"),
    (1.0, "weights must have at least one axis, not be the number 1.0"),
    (["1"], "weights must hold real numbers"),
]


@pytest.mark.parametrize("function", [entropy, softmax_jacobian])
@pytest.mark.parametrize(("weights", "message"), BAD_WEIGHTS)
def test_what_is_no_weighting_is_refused_by_name(function, weights, message):
    with pytest.raises(ValueError, match=message):
        function(weights)


def test_a_row_with_every_key_masked_has_no_entropy():
    with pytest.raises(ValueError, match=r"weights must sum to 1 in every row, not 0.0 at index \(1,\)"):
        entropy(softmax([[0, 0], [-INF, -INF]]))


# softmax_jacobian


def test_jacobian_in_closed_form():
    expected = [[3 / 16, -2 / 16, -1 / 16], [-2 / 16, 4 / 16, -2 / 16], [-1 / 16, -2 / 16, 3 / 16]]
    np.testing.assert_allclose(softmax_jacobian([1 / 4, 1 / 2, 1 / 4]), expected, rtol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_jacobian_of_a_one_hot_row_is_all_zero_without_a_sign(n):
    for hot in range(n):
        assert all(is_positive_zero(entry) for entry in softmax_jacobian(np.eye(n)[hot]).ravel())


def test_jacobian_of_a_row_with_every_key_masked_is_all_zero():
    assert softmax_jacobian(softmax([-INF, -INF])).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("scores", [[2, 1, 0], [0.3], [-4, 7, 7, 1], [1, -INF, 2]])
def test_jacobian_is_how_fast_every_weight_moves_with_every_score(scores):
    h = 1e-5
    measured = np.empty((len(scores), len(scores)))
    for j in range(len(scores)):
        step = h * np.eye(len(scores))[j]
        measured[:, j] = (softmax(scores + step) - softmax(scores - step)) / (2 * h)
    np.testing.assert_allclose(softmax_jacobian(softmax(scores)), measured, rtol=0, atol=1e-10)


@given(score_rows)
def test_jacobian_is_symmetric_with_slopes_on_its_diagonal_and_rows_that_cancel(scores):
    """Rows cancel because adding one number to every score moves nothing."""
    weights = softmax(scores)
    jacobian = softmax_jacobian(weights)
    assert jacobian.shape == (*scores.shape, scores.shape[-1])
    assert np.array_equal(jacobian, jacobian.swapaxes(-1, -2))
    assert np.array_equal(np.diagonal(jacobian, axis1=-2, axis2=-1), slope(weights))
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-14)

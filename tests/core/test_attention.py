"""Attention against enumeration, closed forms, plain Python, and what any weighting must satisfy."""

import itertools
import math

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core import causal_mask, scale_factor, scaled_dot_product_attention, scaled_scores, softmax

INF = math.inf
NAN = math.nan


def score_arrays(low=-50, high=50):
    shapes = hnp.array_shapes(min_dims=1, max_dims=3, max_side=6)
    return hnp.arrays(np.float64, shapes, elements=st.floats(low, high))


def attention_in_plain_python(Q, K, V, allowed):
    """One sequence, one loop per index, sums without rounding: nothing shared with the code under test."""
    output = []
    for i, query in enumerate(Q):
        scores = [math.fsum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query)) for key in K]
        exponentials = [math.exp(score) if allowed[i][j] else 0.0 for j, score in enumerate(scores)]
        weights = [e / math.fsum(exponentials) for e in exponentials]
        output.append([math.fsum(w * value[c] for w, value in zip(weights, V, strict=True)) for c in range(len(V[0]))])
    return output


# softmax


def test_softmax_of_logarithms_is_their_arguments_shared_out():
    np.testing.assert_allclose(softmax(np.log([1, 2, 3, 4])), [0.1, 0.2, 0.3, 0.4], rtol=1e-14)


@given(score_arrays())
def test_softmax_agrees_with_scipy(scores):
    np.testing.assert_allclose(softmax(scores), scipy.special.softmax(scores, axis=-1), rtol=1e-12)


@given(score_arrays(), st.floats(-1000, 1000))
def test_weights_sum_to_one_and_do_not_move_when_every_score_is_shifted(scores, shift):
    weights = softmax(scores)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
    # Adding the shift rounds each score by up to half a unit in the last place of about 1,000: 6e-14.
    np.testing.assert_allclose(softmax(scores + shift), weights, rtol=1e-12)


@given(hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(-50, 50)), st.floats(0.1, 10))
def test_weights_keep_the_order_of_the_scores_however_they_are_multiplied(scores, factor):
    order = np.argsort(scores)
    assert np.all(np.diff(softmax(scores * factor)[order]) >= 0)


@given(score_arrays(), st.data())
def test_any_axis_can_be_the_axis_of_the_keys(scores, data):
    axis = data.draw(st.integers(-scores.ndim, scores.ndim - 1))
    moved = np.moveaxis(softmax(np.moveaxis(scores, axis, -1)), -1, axis)
    np.testing.assert_allclose(softmax(scores, axis=axis), moved, rtol=1e-12)


@given(score_arrays(), st.data())
def test_a_score_of_minus_infinity_is_as_if_the_key_were_not_there(scores, data):
    at = data.draw(st.integers(0, scores.shape[-1]))
    weights = softmax(np.insert(scores, at, -INF, axis=-1))
    assert np.all(weights[..., at] == 0.0)
    np.testing.assert_allclose(np.delete(weights, at, axis=-1), softmax(scores), rtol=1e-12)


def test_a_row_of_nothing_but_minus_infinity_gets_zeros_and_leaves_the_others_alone():
    weights = softmax([[-INF, -INF], [0, 0]])
    assert weights.tolist() == [[0, 0], [0.5, 0.5]]


def test_enormous_scores_neither_overflow_nor_warn_even_where_numpy_is_set_to_raise():
    with np.errstate(all="raise"):
        assert softmax([1e308, -1e308, -INF]).tolist() == [1, 0, 0]
        assert softmax([1e308, 1e308]).tolist() == [0.5, 0.5]
        assert softmax([-1e308, -1e308]).tolist() == [0.5, 0.5]
        assert softmax([0, -745.2]).tolist() == [1, 0]


def test_softmax_leaves_its_input_as_it_was():
    scores = np.array([2.0, -INF, 0.0])
    softmax(scores)
    assert scores.tolist() == [2.0, -INF, 0.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
def test_narrow_scores_are_computed_in_float64(dtype):
    scores = np.array([2, 1, 0], dtype)
    assert softmax(scores).dtype == np.float64
    np.testing.assert_allclose(softmax(scores), softmax([2.0, 1.0, 0.0]), rtol=1e-15)


@pytest.mark.parametrize(
    ("scores", "axis", "message"),
    [
        ([0, NAN], -1, r"scores must be finite or -inf, not nan at index \(1,\)"),
        ([[0, 1], [INF, 0]], -1, r"scores must be finite or -inf, not inf at index \(1, 0\)"),
        ([NAN, -INF], -1, "scores must be finite or -inf, not nan"),
        ([], -1, r"scores is empty: its shape is \(0,\)"),
        (np.ones((2, 0)), 0, r"scores is empty: its shape is \(2, 0\)"),
        (3.0, -1, "scores must have at least one axis, not be the number 3.0"),
        ([1, 2], 1, r"axis 1 is not an axis of scores, whose shape is \(2,\)"),
        ([1, 2], -2, "axis -2 is not an axis of scores"),
        ([1, 2], None, "axis None is not an axis of scores"),
        ([[1, 2], [3]], -1, "scores must be a regular array of numbers"),
        (["a", "b"], -1, "scores must hold real numbers, not <U1"),
        ([1j, 0], -1, "scores must hold real numbers, not complex128"),
    ],
)
def test_softmax_refuses_by_name(scores, axis, message):
    with pytest.raises(ValueError, match=message):
        softmax(scores, axis)


# scale_factor and scaled_scores


@pytest.mark.parametrize(("d_k", "factor"), [(1, 1), (4, 2), (64, 8), (6.25, 2.5), (np.int64(256), 16)])
def test_scale_factor_is_the_square_root(d_k, factor):
    assert scale_factor(d_k) == pytest.approx(factor, rel=1e-15)


@pytest.mark.parametrize("d_k", [0, -4, 0.99, NAN, INF, True, "64", None])
def test_scale_factor_refuses_what_is_no_size(d_k):
    with pytest.raises(ValueError, match=f"d_k must be a number of at least 1, not {d_k!r}"):
        scale_factor(d_k)


@pytest.mark.parametrize("d_k", [1, 2, 5, 10])
def test_variance_over_all_sign_vectors_is_exactly_d_k(d_k):
    """Every +-1 key once is the whole distribution: no seed, no sampling error."""
    keys = np.array(list(itertools.product([-1.0, 1.0], repeat=d_k)))
    assert (keys @ np.ones(d_k)).var() == pytest.approx(d_k, rel=1e-12)
    assert scaled_scores(np.ones((1, d_k)), keys).var() == pytest.approx(1, rel=1e-12)


def test_a_score_does_not_depend_on_where_the_division_is_done():
    """Dividing q and k by the fourth root of d_k each is dividing their product by the square root."""
    rng = np.random.default_rng(1)
    Q, K = rng.standard_normal((5, 48)), rng.standard_normal((7, 48))
    early = (Q / 48**0.25) @ (K / 48**0.25).T
    np.testing.assert_allclose(scaled_scores(Q, K), early, rtol=1e-12, atol=1e-12)


def test_float16_vectors_whose_raw_score_float16_cannot_hold():
    forties = np.full((1, 128), 40, np.float16)
    assert float(np.finfo(np.float16).max) < 128 * 40 * 40
    scores = scaled_scores(forties, forties)
    assert scores.dtype == np.float64
    assert scores[0, 0] == pytest.approx(204_800 / math.sqrt(128), rel=1e-15)


def test_leading_axes_broadcast():
    rng = np.random.default_rng(2)
    Q, K = rng.standard_normal((3, 1, 4, 6)), rng.standard_normal((2, 5, 6))
    scores = scaled_scores(Q, K)
    assert scores.shape == (3, 2, 4, 5)
    np.testing.assert_allclose(scores, np.einsum("aoid,bjd->abij", Q, K) / math.sqrt(6), rtol=1e-12, atol=1e-12)


ONES = np.ones((2, 3))


@pytest.mark.parametrize(
    ("Q", "K", "message"),
    [
        (ONES, np.ones((2, 4)), r"Q \(2, 3\) and K \(2, 4\) differ in d_k"),
        (np.ones((2, 2, 3)), np.ones((3, 2, 3)), r"leading axes of Q \(2, 2, 3\) and K \(3, 2, 3\) do not broadcast"),
        (np.ones((2, 0)), np.ones((2, 0)), r"Q is empty: its shape is \(2, 0\)"),
        (ONES, np.ones((0, 3)), r"K is empty: its shape is \(0, 3\)"),
        (np.ones(3), ONES, r"Q must have at least two axes, .* its shape is \(3,\)"),
        (ONES, np.ones(3), r"K must have at least two axes"),
        ([[1, NAN, 1]], ONES, r"Q must be finite, not nan at index \(0, 1\)"),
        (ONES, [[1, 1, -INF]], r"K must be finite, not -inf at index \(0, 2\)"),
        (ONES * 1e200, ONES * 1e200, "too large for float64: every score must be finite, not inf"),
        ([["x", "y", "z"]], ONES, "Q must hold real numbers"),
    ],
)
def test_scaled_scores_refuses_by_name(Q, K, message):
    with pytest.raises(ValueError, match=message):
        scaled_scores(Q, K)


# masks


def test_causal_mask_lets_no_query_look_ahead():
    assert causal_mask(3, 3).tolist() == [[0, -INF, -INF], [0, 0, -INF], [0, 0, 0]]
    assert causal_mask(2, 4).tolist() == [[0, -INF, -INF, -INF], [0, 0, -INF, -INF]]
    assert causal_mask(3, 1).tolist() == [[0], [0], [0]]


@pytest.mark.parametrize(
    ("n_q", "n_k", "message"),
    [
        (0, 3, "n_q must be a whole number of at least 1, not 0"),
        (3, -1, "n_k must be a whole number of at least 1, not -1"),
        (2.0, 3, "n_q must be a whole number of at least 1, not 2.0"),
        (True, 3, "n_q must be a whole number of at least 1, not True"),
    ],
)
def test_causal_mask_refuses_what_is_no_count(n_q, n_k, message):
    with pytest.raises(ValueError, match=message):
        causal_mask(n_q, n_k)


# attention


def test_attention_worked_by_hand():
    output, weights = scaled_dot_product_attention([[1, 0]], np.eye(2), 2 * np.eye(2))
    first = 1 / (1 + math.exp(-1 / math.sqrt(2)))  # softmax of two scores is the logistic of their difference
    np.testing.assert_allclose(weights, [[first, 1 - first]], rtol=1e-14)
    np.testing.assert_allclose(output, [[2 * first, 2 - 2 * first]], rtol=1e-14)


@pytest.mark.parametrize("mask", [[[0.0, -INF]], [[True, False]], [True, False], np.array([0, -INF], np.float32)])
def test_with_one_key_allowed_the_output_is_its_value(mask):
    output, weights = scaled_dot_product_attention([[1, 0]], np.eye(2), 2 * np.eye(2), mask)
    assert weights.tolist() == [[1, 0]]
    assert output.tolist() == [[2, 0]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 6), st.integers(1, 7), st.integers(1, 3))
def test_attention_agrees_with_plain_python(seed, n_q, n_k, d_k, d_v):
    rng = np.random.default_rng(seed)
    Q, K, V = rng.standard_normal((n_q, d_k)), rng.standard_normal((n_k, d_k)), rng.standard_normal((n_k, d_v))
    allowed = rng.random((n_q, n_k)) < 0.5
    allowed[np.arange(n_q), rng.integers(n_k, size=n_q)] = True  # at least one key each
    expected = attention_in_plain_python(Q.tolist(), K.tolist(), V.tolist(), allowed.tolist())
    for mask in (allowed, np.where(allowed, 0, -INF)):
        output, weights = scaled_dot_product_attention(Q, K, V, mask)
        np.testing.assert_allclose(output, expected, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
        assert np.all(weights[~allowed] == 0.0)


def test_every_leading_axis_is_attention_of_its_own():
    rng = np.random.default_rng(3)
    Q, K, V = rng.standard_normal((2, 3, 4, 8)), rng.standard_normal((3, 5, 8)), rng.standard_normal((2, 1, 5, 6))
    mask = rng.random((2, 1, 4, 5)) < 0.7
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    assert output.shape == (2, 3, 4, 6)
    assert weights.shape == (2, 3, 4, 5)
    for i, j in np.ndindex(2, 3):
        one_output, one_weights = scaled_dot_product_attention(Q[i, j], K[j], V[i, 0], mask[i, 0])
        np.testing.assert_allclose(output[i, j], one_output, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(weights[i, j], one_weights, rtol=1e-12)


def test_shuffling_the_keys_with_their_values_changes_no_output():
    rng = np.random.default_rng(4)
    Q, K, V = rng.standard_normal((3, 8)), rng.standard_normal((6, 8)), rng.standard_normal((6, 2))
    order = rng.permutation(6)
    output, weights = scaled_dot_product_attention(Q, K, V)
    shuffled_output, shuffled_weights = scaled_dot_product_attention(Q, K[order], V[order])
    np.testing.assert_allclose(shuffled_output, output, rtol=1e-12)
    np.testing.assert_allclose(shuffled_weights, weights[:, order], rtol=1e-12)


def test_a_finite_mask_entry_is_added_to_the_scaled_score():
    """Adding log 3 to a score triples its share."""
    _, weights = scaled_dot_product_attention(np.zeros((1, 4)), np.ones((2, 4)), np.eye(2), [[math.log(3), 0.0]])
    np.testing.assert_allclose(weights, [[0.75, 0.25]], rtol=1e-14)


def test_the_largest_negative_number_works_as_a_mask_too():
    _, weights = scaled_dot_product_attention(
        -1e200 * np.ones((1, 4)), 1e107 * np.ones((2, 4)), np.eye(2), [[0.0, np.finfo(np.float64).min]]
    )
    assert weights.tolist() == [[1, 0]]


def test_causal_attention_of_a_prefix_is_a_prefix_of_causal_attention():
    rng = np.random.default_rng(5)
    Q, K, V = (rng.standard_normal((6, 8)) for _ in range(3))
    whole, _ = scaled_dot_product_attention(Q, K, V, causal_mask(6, 6))
    for n in range(1, 6):
        prefix, _ = scaled_dot_product_attention(Q[:n], K[:n], V[:n], causal_mask(n, n))
        np.testing.assert_allclose(prefix, whole[:n], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(whole[0], V[0], rtol=1e-15)


@pytest.mark.parametrize("masked", [False, -INF])
def test_a_query_with_every_key_masked_gets_weights_and_output_of_zero(masked):
    mask = np.full((2, 3), masked)
    mask[1] = True if masked is False else 0.0
    output, weights = scaled_dot_product_attention(np.ones((2, 4)), np.ones((3, 4)), np.ones((3, 2)), mask)
    assert weights[0].tolist() == [0, 0, 0]
    assert output[0].tolist() == [0, 0]
    np.testing.assert_allclose(output[1], [1, 1], rtol=1e-15)


@pytest.mark.parametrize("junk", [NAN, INF, -INF])
@pytest.mark.parametrize("boolean", [True, False])
def test_what_stands_behind_a_masked_key_does_not_reach_the_output(junk, boolean):
    rng = np.random.default_rng(6)
    Q, K, V = rng.standard_normal((3, 8)), rng.standard_normal((5, 8)), rng.standard_normal((5, 2))
    allowed = np.array([True, False, True, True, False])
    expected, expected_weights = scaled_dot_product_attention(Q, K[allowed], V[allowed])
    K[1], V[1, 0], K[4, 3] = junk, junk, junk
    mask = allowed if boolean else np.where(allowed, 0.0, -INF)
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    np.testing.assert_allclose(output, expected, rtol=1e-12)
    np.testing.assert_allclose(weights[:, allowed], expected_weights, rtol=1e-12)
    assert np.all(weights[:, ~allowed] == 0.0)


def test_a_query_that_may_read_nothing_may_hold_anything():
    Q = np.array([[NAN, INF], [1.0, 0.0]])
    output, weights = scaled_dot_product_attention(Q, np.eye(2), np.eye(2), [[False, False], [True, False]])
    assert weights.tolist() == [[0, 0], [1, 0]]
    assert output.tolist() == [[0, 0], [1, 0]]


def test_junk_is_refused_as_soon_as_one_query_of_one_batch_may_read_it():
    """One V for a whole batch: masked for every query of the first sequence, read by the last of the second."""
    Q, K, V = np.ones((2, 3, 4)), np.ones((2, 3, 4)), np.ones((1, 3, 2))
    V[0, 2, 1] = NAN
    hidden = np.ones((2, 3, 3), bool)
    hidden[..., 2] = False
    output, _ = scaled_dot_product_attention(Q, K, V, hidden)
    np.testing.assert_allclose(output, np.ones((2, 3, 2)), rtol=1e-15)
    hidden[1, 2, 2] = True
    with pytest.raises(ValueError, match=r"V must be finite where read, not nan at index \(0, 2, 1\)"):
        scaled_dot_product_attention(Q, K, V, hidden)


@pytest.mark.parametrize("name", ["Q", "K", "V"])
@pytest.mark.parametrize("mask", [None, causal_mask(3, 3)])
def test_junk_that_is_read_is_refused_by_name(name, mask):
    arrays = {letter: np.ones((3, 2)) for letter in "QKV"}
    arrays[name][2, 1] = NAN  # the last position: under the causal mask the last query reads it
    with pytest.raises(ValueError, match=rf"{name} must be finite where read, not nan at index \(2, 1\)"):
        scaled_dot_product_attention(**arrays, mask=mask)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"K": np.ones((3, 5))}, r"Q \(3, 2\) and K \(3, 5\) differ in d_k"),
        ({"V": np.ones((4, 2))}, r"K \(3, 2\) and V \(4, 2\) differ in n_k"),
        ({"V": np.ones((3, 0))}, r"V is empty: its shape is \(3, 0\)"),
        ({"V": np.ones(3)}, r"V must have at least two axes"),
        ({"Q": np.ones((0, 3, 2))}, r"Q is empty: its shape is \(0, 3, 2\)"),
        ({"mask": np.ones((3, 2), bool)}, r"mask \(3, 2\) do not broadcast together, .* \(\.\.\., 3, 3\)"),
        ({"mask": np.ones((5, 1, 1, 3, 3), bool), "V": np.ones((4, 1, 1, 3, 2))}, "do not broadcast together"),
        ({"mask": np.ones((4, 3), bool)}, r"mask \(4, 3\) do not broadcast together"),
        ({"mask": np.ones((3, 3), int)}, "mask must be boolean .* not int64"),
        ({"mask": np.full((3, 3), NAN)}, r"mask must be finite or -inf, not nan at index \(0, 0\)"),
        ({"mask": np.full((3, 3), INF)}, "mask must be finite or -inf, not inf"),
        ({"mask": np.ones((0, 3))}, r"mask is empty: its shape is \(0, 3\)"),
        ({"mask": np.ones((0, 3), bool)}, r"mask is empty: its shape is \(0, 3\)"),
        ({"mask": [["no", "yes", "no"]]}, "mask must hold real numbers"),
        ({"mask": [[True], [True, False]]}, "mask must be a regular array of numbers"),
    ],
)
def test_attention_refuses_by_name(changes, message):
    arguments = {letter: np.ones((3, 2)) for letter in "QKV"} | changes
    with pytest.raises(ValueError, match=message):
        scaled_dot_product_attention(**arguments)


def test_attention_leaves_its_inputs_as_they_were():
    rng = np.random.default_rng(7)
    inputs = [rng.standard_normal((3, 2)) for _ in range(3)] + [causal_mask(3, 3)]
    inputs[2][2, 0] = NAN
    inputs[3][:, 2] = -INF
    copies = [array.copy() for array in inputs]
    scaled_dot_product_attention(*inputs)
    for array, before in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(array, before)

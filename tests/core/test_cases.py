"""What the lesson shows, against the numbers lessons state and against a second way to each number."""

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from core import (
    Parameters,
    causal_mask,
    scaled_dot_product_attention,
    scaled_score_std,
    score_density,
    score_samples,
    score_std,
    softmax,
)
from core import cases as cases_module
from core.cases import (
    attention_case,
    best_key_case,
    collapse_case,
    density_case,
    divisors_case,
    heads_case,
    product_case,
    rescaling_case,
    saturation_case,
    shared_stream_case,
    single_draw_case,
    spread_case,
    variance_case,
    walks_case,
    worked_example_case,
)

DEFAULT = Parameters()
OTHER = Parameters(d_k=300, sizes=(2, 9, 48), n_keys=3, scores=(-1.5, 0, 2.25, 2), pairs=1000, seed=11)
FROM_PARAMETERS = [
    product_case,
    walks_case,
    density_case,
    spread_case,
    saturation_case,
    rescaling_case,
    divisors_case,
]
FIXED = [
    collapse_case,
    worked_example_case,
    attention_case,
    heads_case,
    variance_case,
    shared_stream_case,
    single_draw_case,
]
SIGMAS = 5  # a seeded sample this many standard errors off would be one in two million


def stated(values, digits):
    """``values`` as a lesson prints them."""
    return " ".join(f"{value:.{digits}f}" for value in np.ravel(values))


def parts(case):
    """Every field of a case by name, and those of the cases in it; tuples one by one."""
    for field in dataclasses.fields(case):
        value = getattr(case, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if dataclasses.is_dataclass(part):
                yield from parts(part)
            else:
                yield field.name, part


# what holds for every case


@pytest.mark.parametrize("make", FROM_PARAMETERS)
def test_equal_parameters_give_the_same_case_and_other_ones_another(make):
    assert make(DEFAULT) is make(Parameters())
    assert make(DEFAULT) is not make(OTHER)


@pytest.mark.parametrize("make", FIXED)
def test_a_case_without_parameters_is_made_once(make):
    assert make() is make()


@pytest.mark.parametrize(
    "make", [*(lambda make=make: make(OTHER) for make in FROM_PARAMETERS), *FIXED, lambda: best_key_case(64)]
)
def test_a_case_is_finite_and_cannot_be_changed(make):
    case = make()
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(case, dataclasses.fields(case)[0].name, None)
    for name, part in parts(case):
        if isinstance(part, np.ndarray):
            assert np.all(np.isfinite(part)), name
            with pytest.raises(ValueError, match="read-only"):
                part[...] = 0
        else:
            # NumPy's own numbers print as np.float64(...): what is shown is plain.
            assert type(part) in (int, float, str), name


@given(
    st.builds(
        Parameters,
        d_k=st.integers(2, 4096),
        sizes=st.lists(st.integers(2, 4096), min_size=2, max_size=6, unique=True).map(sorted),
        n_keys=st.integers(2, 16),
        scores=st.lists(st.integers(-1000, 1000).map(lambda score: score / 100), min_size=2, max_size=8, unique=True),
        seed=st.integers(0, 2**32 - 1),
    )
)
def test_any_allowed_parameters_give_true_pictures_of_softmax_and_walks(parameters):
    saturation, walks = saturation_case(parameters), walks_case(parameters)
    for weights in (saturation.weights, saturation.multiplied_weights, saturation.shifted_weights):
        assert weights.sum() == pytest.approx(1, rel=1e-12)
        assert weights.argmax() == saturation.top
    assert 0 <= saturation.multiplied_slope <= 0.25
    assert saturation.times_smaller > 0
    assert np.all(np.isfinite(saturation.multiplied_exponentials))
    assert walks.walks.shape == (60, len(walks.positions))
    assert (walks.positions[0], walks.positions[-1]) == (0, parameters.d_k)
    assert len(walks.positions) == min(parameters.d_k, 128) + 1
    assert walks.steps_up + walks.steps_down <= parameters.d_k


# one product


def test_product_case_is_the_defined_draws():
    case = product_case(DEFAULT)
    rng = np.random.default_rng(0)
    queries, keys = rng.standard_normal(10_000), rng.standard_normal(10_000)
    assert np.array_equal(case.queries, queries)
    assert np.array_equal(case.keys, keys)
    assert np.array_equal(case.products, score_samples(1, 10_000, 0))
    assert case.mean == pytest.approx(math.fsum(case.products) / 10_000, rel=1e-12)
    assert case.std == pytest.approx(score_std(1, 10_000, 0), rel=1e-15)


def test_one_product_has_mean_zero_and_spread_one():
    case = product_case(DEFAULT)
    assert case.mean == pytest.approx(0, abs=SIGMAS / math.sqrt(10_000))
    # Variance of a sample variance: (2 + excess kurtosis)/n, here 8/n; half of it for the spread.
    assert case.std == pytest.approx(1, abs=SIGMAS * math.sqrt(8 / 4 / 10_000))


@pytest.mark.parametrize("parameters", [DEFAULT, OTHER])
def test_product_histogram_and_law(parameters):
    case = product_case(parameters)
    check_histogram(case.products, case.edges, case.heights, half_width=4)
    assert 0 not in case.grid
    assert (case.grid[0], case.grid[-1]) == (-4, 4)
    np.testing.assert_allclose(case.law, score_density(case.grid, 1), rtol=1e-15)


def check_histogram(scores, edges, heights, half_width):
    """Counted one score at a time; the area is the share of all scores that lies inside."""
    assert len(edges) == len(heights) + 1
    np.testing.assert_allclose(edges, np.linspace(-half_width, half_width, len(edges)), rtol=1e-12, atol=1e-12)
    inside = [score for score in scores.tolist() if edges[0] <= score < edges[-1]]
    counts = np.zeros(len(heights))
    for score in inside:
        counts[np.searchsorted(edges, score, side="right") - 1] += 1
    np.testing.assert_allclose(heights * np.diff(edges) * len(scores), counts, atol=1e-9)
    assert (heights * np.diff(edges)).sum() == pytest.approx(len(inside) / len(scores), rel=1e-12)


# walks


@pytest.mark.parametrize("parameters", [DEFAULT, OTHER])
def test_walks_case_by_its_definition(parameters):
    case, d_k = walks_case(parameters), parameters.d_k
    rng = np.random.default_rng(parameters.seed)
    queries, keys = rng.standard_normal((60, d_k)), rng.standard_normal((60, d_k))
    for column, position in enumerate(case.positions):
        expected = (queries[:, :position] * keys[:, :position]).sum(axis=1)
        np.testing.assert_allclose(case.walks[:, column], expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(case.envelope**2, case.positions, rtol=1e-14)
    np.testing.assert_allclose(case.ends, (queries * keys).sum(axis=1), rtol=1e-10)
    assert case.ends_std == pytest.approx(np.std(case.ends), rel=1e-15)
    assert case.spread_at_end == pytest.approx(math.sqrt(d_k), rel=1e-15)
    assert case.inside == pytest.approx(sum(abs(end) <= math.sqrt(d_k) for end in case.ends) / 60, rel=1e-15)
    products = (queries * keys)[case.followed]
    assert (case.steps_up, case.steps_down) == (sum(products > 0), sum(products < 0))
    misses = [abs(abs(end) - math.sqrt(d_k)) for end in case.ends]
    assert misses[case.followed] == min(misses)


@pytest.mark.parametrize(("d_k", "shown"), [(2, 3), (64, 65), (128, 129), (129, 129), (1000, 129), (4096, 129)])
def test_walks_are_shown_step_by_step_at_first_and_long_ones_evenly_from_there(d_k, shown):
    positions = walks_case(Parameters(d_k=d_k)).positions
    assert len(positions) == shown
    assert positions[:9].tolist() == list(range(min(d_k, 8) + 1))
    assert positions[-1] == d_k
    assert d_k == 2 or np.ptp(np.diff(positions[8:])) <= 1
    assert positions.dtype.kind == "i"


def test_about_two_thirds_of_walks_end_within_the_spread():
    case = walks_case(DEFAULT)
    share = scipy.integrate.quad(score_density, -8, 8, args=(64,))[0]
    assert share == pytest.approx(0.68, abs=0.01)
    assert case.inside == pytest.approx(share, abs=SIGMAS * math.sqrt(share * (1 - share) / 60))


# densities


@pytest.mark.parametrize("parameters", [DEFAULT, OTHER])
def test_density_case_by_its_definition(parameters):
    case = density_case(parameters)
    assert case.sizes == parameters.sizes
    assert case.laws.shape == (len(case.sizes), len(case.grid))
    assert case.grid[-1] == -case.grid[0] >= 1.25 * math.sqrt(case.sizes[-1]) * (1 - 1e-12)
    for i, d in enumerate(case.sizes):
        assert np.array_equal(case.samples[i], score_samples(d, parameters.pairs, parameters.seed))
        assert case.measured_std[i] == score_std(d, parameters.pairs, parameters.seed)
        assert case.std_law[i] == pytest.approx(math.sqrt(d), rel=1e-15)
        check_histogram(case.samples[i], case.edges[i], case.heights[i], half_width=4 * math.sqrt(d))
        np.testing.assert_allclose(case.laws[i], score_density(case.grid, d), rtol=1e-15)


def test_measured_histograms_fit_the_exact_laws():
    """Pearson's chi-squared over all bars: its standard error is sqrt(2 per bar)."""
    case = density_case(DEFAULT)
    for i, d in enumerate(case.sizes):
        edges, heights = case.edges[i], case.heights[i]
        chances = np.array([scipy.integrate.quad(score_density, *ends, args=(d,))[0] for ends in pairwise(edges)])
        counts = heights * np.diff(edges) * 10_000
        surprise = ((counts - 10_000 * chances) ** 2 / (10_000 * chances)).sum()
        assert surprise == pytest.approx(len(heights), abs=SIGMAS * math.sqrt(2 * len(heights)))


# spread against size


@pytest.mark.parametrize("parameters", [DEFAULT, OTHER])
def test_spread_case_by_its_definition(parameters):
    case = spread_case(parameters)
    draws = parameters.pairs, parameters.seed
    np.testing.assert_allclose(case.law, [math.sqrt(d) for d in case.sizes], rtol=1e-15)
    assert case.raw_std.tolist() == [score_std(d, *draws) for d in case.sizes]
    assert case.scaled_std.tolist() == [scaled_score_std(d, *draws) for d in case.sizes]
    first, last = case.sizes.index(case.from_size), case.sizes.index(case.to_size)
    assert case.size_ratio == pytest.approx(case.to_size / case.from_size, rel=1e-15)
    assert case.spread_ratio == pytest.approx(math.sqrt(case.size_ratio), rel=1e-14)
    assert case.measured_ratio == pytest.approx(case.raw_std[last] / case.raw_std[first], rel=1e-14)


def test_sixteen_times_the_numbers_four_times_the_spread():
    case = spread_case(DEFAULT)
    assert (case.from_size, case.to_size, case.size_ratio) == (64, 1024, 16)
    assert case.spread_ratio == pytest.approx(4, rel=1e-15)
    # Two independent spreads, each with a relative standard error of sqrt((2 + 6/d)/(4 n)).
    error = math.sqrt((2 + 6 / 64 + 2 + 6 / 1024) / 40_000)
    assert case.measured_ratio == pytest.approx(4, rel=SIGMAS * error)


@pytest.mark.parametrize(
    ("sizes", "pair"),
    [((2, 3), (2, 3)), ((4, 16, 64, 256), (16, 256)), ((2, 20, 64, 200), (20, 200)), ((8, 128, 4000), (8, 128))],
)
def test_the_two_sizes_compared_are_nearest_to_sixteen_times_apart(sizes, pair):
    case = spread_case(Parameters(sizes=sizes, pairs=100))
    assert (case.from_size, case.to_size) == pair


# saturation


def test_saturation_case_states_what_lessons_state():
    case = saturation_case(DEFAULT)
    assert stated(case.exponentials, 3) == "7.389 2.718 1.000"
    assert stated(case.total, 3) == "11.107"
    assert stated(case.weights, 2) == "0.67 0.24 0.09"
    assert case.factor == pytest.approx(8, rel=1e-15)
    assert case.multiplied.tolist() == [16, 8, 0]
    assert stated(case.multiplied_exponentials / [1e6, 1, 1], 1) == "8.9 2981.0 1.0"
    assert stated(case.multiplied_weights, 4) == "0.9997 0.0003 0.0000"
    assert (stated(case.slope, 2), stated(case.multiplied_slope, 4)) == ("0.22", "0.0003")
    assert stated(case.times_smaller, 0) == "664"
    assert case.top == 0


@pytest.mark.parametrize("parameters", [DEFAULT, OTHER])
def test_saturation_case_by_its_definition(parameters):
    case = saturation_case(parameters)
    factor = math.sqrt(parameters.d_k)
    assert case.scores.tolist() == list(parameters.scores)
    for scores, exponentials, total, weights in [
        (case.scores, case.exponentials, case.total, case.weights),
        (case.multiplied, case.multiplied_exponentials, case.multiplied_total, case.multiplied_weights),
    ]:
        np.testing.assert_allclose(exponentials, [math.exp(score) for score in scores], rtol=1e-14)
        assert total == pytest.approx(math.fsum(exponentials), rel=1e-14)
        np.testing.assert_allclose(weights, exponentials / total, rtol=1e-12)
    np.testing.assert_allclose(case.multiplied, factor * case.scores, rtol=1e-15)
    assert case.scores[case.top] == max(parameters.scores)
    p, q = case.weights[case.top], case.multiplied_weights[case.top]
    assert case.slope == pytest.approx(p * (1 - p), rel=1e-12)
    assert case.multiplied_slope == pytest.approx(q * (1 - q), rel=1e-8)
    assert case.times_smaller == pytest.approx(case.slope / case.multiplied_slope, rel=1e-15)
    np.testing.assert_allclose(case.shifted, case.scores + case.shift, rtol=1e-15)
    np.testing.assert_allclose(case.shifted_weights, case.weights, rtol=1e-12)
    np.testing.assert_allclose(case.curve_weights, [i / 200 for i in range(201)], rtol=1e-14)
    np.testing.assert_allclose(case.curve_slopes, case.curve_weights - case.curve_weights**2, atol=1e-15)


def test_a_slope_of_nearly_nothing_is_not_rounded_to_nothing():
    """The top weight is 1 to the last bit, so p(1 - p) as it stands would be 0; exactly, it is near e^-640."""
    case = saturation_case(Parameters(d_k=4096, scores=(10, 0)))
    assert case.multiplied_weights[0] == 1
    assert math.log(case.multiplied_slope) == pytest.approx(-640, rel=1e-12)
    assert math.log(case.times_smaller) == pytest.approx(640 + math.log(case.slope), rel=1e-12)


def test_a_slope_below_every_number_is_infinitely_many_times_smaller():
    case = saturation_case(Parameters(d_k=4096, scores=(10, -10)))
    assert case.multiplied_slope == 0
    assert case.times_smaller == math.inf


# one query while d grows


@pytest.mark.parametrize("parameters", [DEFAULT, OTHER])
def test_rescaling_case_by_its_definition(parameters):
    case, largest = rescaling_case(parameters), parameters.sizes[-1]
    rng = np.random.default_rng(parameters.seed)
    query, keys = rng.standard_normal(largest), rng.standard_normal((parameters.n_keys, largest))
    assert case.running.shape == (largest + 1, parameters.n_keys)
    assert case.uniform_entropy == pytest.approx(math.log(parameters.n_keys), rel=1e-15)
    for d in (1, *parameters.sizes):
        raw = keys[:, :d] @ query[:d]
        np.testing.assert_allclose(case.raw_scores(d), raw, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(case.raw_weights(d), softmax(raw), rtol=1e-9)
        np.testing.assert_allclose(case.scaled_weights(d), softmax(raw / math.sqrt(d)), rtol=1e-9)
        np.testing.assert_allclose(case.over_scaled_weights(d), softmax(raw / d), rtol=1e-9)


def test_between_whole_sizes_a_score_moves_in_a_straight_line():
    case = rescaling_case(OTHER)
    for d, part in [(1, 0.25), (7, 0.5), (47, 0.999)]:
        expected = (1 - part) * case.raw_scores(d) + part * case.raw_scores(d + 1)
        np.testing.assert_allclose(case.raw_scores(d + part), expected, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(case.scaled_weights(d + part), softmax(expected / math.sqrt(d + part)), rtol=1e-12)
        np.testing.assert_allclose(case.over_scaled_weights(d + part), softmax(expected / (d + part)), rtol=1e-12)


def test_a_size_rounded_just_past_the_last_is_the_last():
    case = rescaling_case(OTHER)
    for method in (case.raw_scores, case.raw_weights, case.scaled_weights, case.over_scaled_weights):
        assert method(48 * (1 + 1e-12)).tolist() == method(48).tolist()
        assert method(1 - 1e-12).tolist() == method(1).tolist()


@pytest.mark.parametrize("d", [0.99, 0, 48.01, math.nan, math.inf])
def test_a_size_that_was_not_drawn_is_refused(d):
    case = rescaling_case(OTHER)
    for method in (case.raw_scores, case.raw_weights, case.scaled_weights, case.over_scaled_weights):
        with pytest.raises(ValueError, match=f"d must be from 1 to 48, not {d}"):
            method(d)


def test_the_division_keeps_the_order_of_the_keys_at_every_size():
    case = rescaling_case(DEFAULT)
    for d in (1, 4, 33.3, 256, 1024):
        order = np.argsort(case.raw_scores(d))
        for weights in (case.raw_weights(d), case.scaled_weights(d), case.over_scaled_weights(d)):
            assert np.all(np.diff(weights[order]) >= 0)


# the d = 256 example


def test_collapse_case_states_what_lessons_state():
    case = collapse_case()
    assert stated(case.scores, 2) == "-3.12 13.41 -27.00 12.41 2.39 24.29 -1.23 -2.77"
    assert stated(case.scaled, 2) == "-0.20 0.84 -1.69 0.78 0.15 1.52 -0.08 -0.17"
    assert stated(case.raw_weights, 4) == "0.0000 0.0000 0.0000 0.0000 0.0000 1.0000 0.0000 0.0000"
    assert stated(case.scaled_weights, 4) == "0.0634 0.1781 0.0142 0.1673 0.0894 0.3514 0.0713 0.0648"
    assert stated([case.raw_max, case.raw_entropy], 4) == "1.0000 0.0003"
    assert stated([case.scaled_max, case.scaled_entropy], 4) == "0.3514 1.7909"
    assert stated(case.uniform_entropy, 4) == "2.0794"
    assert (case.d, case.factor, case.top) == (256, 16, 5)


def test_collapse_case_ranks_the_keys_alike_however_scores_are_divided():
    case = collapse_case()
    assert case.ranking[0] == case.top
    for values in (case.scores, case.scaled, case.raw_weights, case.scaled_weights, case.over_scaled_weights):
        assert np.all(np.diff(values[case.ranking]) < 0)


def test_collapse_case_dividing_by_d_leaves_every_weight_nearly_equal():
    case = collapse_case()
    np.testing.assert_allclose(case.over_scaled, case.scores / 256, rtol=1e-15)
    np.testing.assert_allclose(case.over_scaled_weights, 1 / 8, atol=0.02)
    assert case.over_scaled_max == pytest.approx(case.over_scaled_weights.max(), rel=1e-15)
    for weights, nats in [
        (case.raw_weights, case.raw_entropy),
        (case.scaled_weights, case.scaled_entropy),
        (case.over_scaled_weights, case.over_scaled_entropy),
    ]:
        assert nats == pytest.approx(scipy.stats.entropy(weights), rel=1e-10)


# three divisors over many draws


def test_divisors_case_over_full_vectors_gives_the_same_statistics():
    """A second way to the same law: whole queries and keys, not lengths and normals."""
    parameters = Parameters(sizes=(4, 64), n_keys=4, seed=5)
    case = divisors_case(parameters)
    rng = np.random.default_rng(99)
    for i, d in enumerate(parameters.sizes):
        queries, keys = rng.standard_normal((4000, d)), rng.standard_normal((4000, 4, d))
        scores = np.einsum("td,tnd->tn", queries, keys)
        for divisor, statistics in [(1, case.raw), (math.sqrt(d), case.scaled), (d, case.over_scaled)]:
            weights = softmax(scores / divisor)
            largest = weights.max(axis=1)
            nats = scipy.stats.entropy(weights, axis=1)
            for values, mean, median, low, high in [
                (
                    largest,
                    statistics.max_weight_mean,
                    statistics.max_weight_median,
                    statistics.max_weight_low,
                    statistics.max_weight_high,
                ),
                (
                    nats,
                    statistics.entropy_mean,
                    statistics.entropy_median,
                    statistics.entropy_low,
                    statistics.entropy_high,
                ),
            ]:
                # The difference of two means of 4,000 draws each.
                assert mean[i] == pytest.approx(values.mean(), abs=SIGMAS * values.std() * math.sqrt(2 / 4000))
                # A quantile of one sample leaves a share of the other that is off by at most two binomial errors.
                for quantile, share in [(median[i], 0.5), (low[i], 0.1), (high[i], 0.9)]:
                    error = math.sqrt(2 * share * (1 - share) / 4000)
                    assert (values <= quantile).mean() == pytest.approx(share, abs=SIGMAS * error)
            slopes = largest * (1 - largest)
            assert statistics.slope_mean[i] == pytest.approx(
                slopes.mean(), abs=SIGMAS * slopes.std() * math.sqrt(2 / 4000)
            )
            share = (slopes <= statistics.slope_median[i]).mean()
            assert share == pytest.approx(0.5, abs=SIGMAS * math.sqrt(0.5 / 4000))


def test_median_slope_dies_without_the_division_while_its_mean_falls_far_less():
    case = divisors_case(DEFAULT)
    assert case.raw.slope_median[0] == pytest.approx(0.23, abs=0.01)
    assert 1e-7 < case.raw.slope_median[-1] < 1e-5
    assert case.raw.slope_mean[0] == pytest.approx(0.21, abs=0.01)
    assert case.raw.slope_mean[-1] == pytest.approx(0.02, abs=0.01)
    np.testing.assert_allclose(case.scaled.slope_median, 0.22, atol=0.015)


def test_entropy_falls_with_size_without_the_division_over_many_draws():
    """In a single draw it need not fall."""
    case = divisors_case(DEFAULT)
    assert np.all(np.diff(case.raw.entropy_mean) < 0)
    assert np.all(np.diff(case.raw.entropy_median) < 0)
    assert stated(single_draw_case().raw_entropy, 2) == "1.08 1.48 0.01 0.10"


def test_dividing_by_d_makes_weights_nearly_equal_as_d_grows():
    case = divisors_case(DEFAULT)
    assert case.uniform_weight == pytest.approx(1 / 8, rel=1e-15)
    assert np.all(np.diff(case.over_scaled.max_weight_median) < 0)
    assert case.over_scaled.max_weight_median[-1] == pytest.approx(case.uniform_weight, abs=0.01)
    assert case.over_scaled.entropy_median[-1] == pytest.approx(case.uniform_entropy, abs=0.001)


def test_one_size_of_the_divisors_does_not_depend_on_which_others_are_shown():
    few, many = divisors_case(Parameters(sizes=(9, 64))), divisors_case(DEFAULT)
    assert few.raw.slope_median[1] == many.raw.slope_median[2]
    assert few.scaled.entropy_low[1] == many.scaled.entropy_low[2]


# fixed examples


def test_worked_example_states_what_lessons_state():
    case = worked_example_case()
    assert case.scores.tolist() == [4, 2, 0]
    assert case.scaled.tolist() == [2, 1, 0]
    assert stated(case.weights, 2) == "0.67 0.24 0.09"
    assert stated(case.output, 2) == "0.76 0.33"
    assert stated(case.raw_weights, 2) == "0.87 0.12 0.02"
    assert (case.d_k, case.factor) == (4, 2)
    first, second, third = case.weights
    np.testing.assert_allclose(case.output, [first + third, second + third], rtol=1e-14)
    first, second, third = case.raw_weights
    np.testing.assert_allclose(case.raw_output, [first + third, second + third], rtol=1e-14)


def test_attention_case_states_what_lessons_state():
    case = attention_case()
    assert [stated(row, 3) for row in case.weights[0]] == [
        "0.057 0.410 0.130 0.210 0.104 0.090",
        "0.072 0.606 0.025 0.089 0.079 0.128",
        "0.172 0.162 0.096 0.093 0.185 0.291",
        "0.116 0.108 0.216 0.123 0.173 0.263",
        "0.056 0.104 0.270 0.301 0.050 0.219",
        "0.100 0.083 0.496 0.134 0.107 0.081",
    ]
    assert case.queries.shape == case.keys.shape == case.values.shape == case.output.shape == (1, 6, 16)
    assert case.scores.shape == case.weights.shape == (1, 6, 6)
    np.testing.assert_allclose(case.weights.sum(axis=-1), 1, rtol=1e-14)
    np.testing.assert_allclose(case.weights, softmax(case.scores), rtol=1e-14)
    np.testing.assert_allclose(case.output, np.einsum("bqk,bkd->bqd", case.weights, case.values), rtol=1e-12)


def test_attention_case_under_a_causal_mask_starts_with_the_first_value():
    case = attention_case()
    output, _ = scaled_dot_product_attention(case.queries, case.keys, case.values, causal_mask(6, 6))
    np.testing.assert_allclose(output[0, 0], case.values[0, 0], rtol=1e-15)


def test_heads_case_states_what_lessons_state():
    rows = {head.name: head for head in heads_case().rows}
    assert [(head.width, head.heads, head.d_k) for head in rows.values()] == [
        (512, 8, 64),
        (768, 12, 64),
        (4096, 32, 128),
    ]
    assert stated([head.divisor for head in rows.values()], 1) == "8.0 8.0 11.3"
    assert all(head.d_k * head.heads == head.width for head in rows.values())


def test_variance_case_states_what_lessons_state():
    case = variance_case()
    assert case.sizes == (4, 16, 64, 256, 1024)
    assert stated(case.raw_variance[:4], 3) == "3.988 15.891 64.249 256.391"
    assert stated(case.scaled_variance[:4], 4) == "0.9971 0.9932 1.0039 1.0015"
    # Relative standard error of a variance: sqrt((2 + 6/d)/n).
    assert case.raw_variance[4] == pytest.approx(1024, rel=SIGMAS * math.sqrt(2.01 / 100_000))
    np.testing.assert_allclose(case.scaled_variance, case.raw_variance / case.sizes, rtol=1e-12)


def test_shared_stream_case_states_what_lessons_state():
    case = shared_stream_case()
    assert stated(case.raw_std, 1) == "2.0 8.1 32.0"
    assert stated(case.scaled_std, 2) == "1.00 1.01 1.00"
    rng = np.random.default_rng(0)
    for d, raw, scaled in zip(case.sizes, case.raw_std, case.scaled_std, strict=True):
        queries, keys = rng.standard_normal((10_000, d)), rng.standard_normal((10_000, d))
        assert raw == pytest.approx((queries * keys).sum(axis=1).std(), rel=1e-12)
        assert scaled == pytest.approx(raw / math.sqrt(d), rel=1e-12)


def test_best_key_case_states_what_lessons_state():
    sixty_four, four = best_key_case(64), best_key_case(4, n_keys=2)
    assert sixty_four.raw_scores.tolist() == [8, 0, 0, 0]
    assert sixty_four.scaled_scores.tolist() == [1, 0, 0, 0]
    assert (stated(sixty_four.raw_best, 3), stated(sixty_four.scaled_best, 4)) == ("0.999", "0.4754")
    assert four.raw_scores.tolist() == [2, 0]
    assert stated(four.scaled_best, 3) == "0.731"


@given(st.integers(1, 4096), st.integers(2, 16))
def test_best_key_in_closed_form(d_k, n_keys):
    case = best_key_case(d_k, n_keys)
    assert case.raw_best == pytest.approx(1 / (1 + (n_keys - 1) * math.exp(-math.sqrt(d_k))), rel=1e-12)
    assert case.scaled_best == pytest.approx(1 / (1 + (n_keys - 1) * math.exp(-1)), rel=1e-12)
    assert (case.raw_weights[0], case.scaled_weights[0]) == (case.raw_best, case.scaled_best)


@pytest.mark.parametrize(
    ("d_k", "n_keys", "message"),
    [
        (0, 4, "d_k must be a whole number of at least 1, not 0"),
        (True, 4, "d_k must be a whole number of at least 1, not True"),
        (64.0, 4, "d_k must be a whole number of at least 1, not 64.0"),
        (64, 1, "n_keys must be a whole number of at least 2, not 1"),
    ],
)
def test_best_key_refuses_by_name(d_k, n_keys, message):
    best_key_case(1, 4), best_key_case(64, 4)  # equal to True and 64.0, so that a cache could mistake them
    with pytest.raises(ValueError, match=message):
        best_key_case(d_k, n_keys)


def test_samples_are_drawn_once_for_all_the_cases_that_show_them(monkeypatch):
    drawn = []

    def counted(d, pairs, seed):
        drawn.append(d)
        return score_samples(d, pairs, seed)

    monkeypatch.setattr(cases_module, "score_samples", counted)
    parameters = Parameters(sizes=(2, 5), pairs=123)
    density_case(parameters), spread_case(parameters)
    assert drawn == [2, 5]

"""Every stated number holds, and would not if the code behind it were wrong."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from core import attention, cases, saturation, spread
from core import claims as claims_module
from core.attention import scaled_dot_product_attention, scaled_scores, softmax
from core.claims import CLAIMS, LESSONS, Claim, check, check_all
from core.numerals import fixed
from core.saturation import entropy

BY_ID = {claim.id: claim for claim in CLAIMS}
NUMBERED = [  # the statements of the lesson that have numbers
    *("A1", "A2", "A3", "A4", "A5"),
    *("B1", "B2", "B3", "B5", "B6", "B7", "B8", "B10", "B11", "B12", "B14", "B15"),
    *("C2", "C3", "C4", "C5", "C6", "C7", "C9", "C10", "C11"),
    *("D1", "D4", "D5"),
]
HEAVY = ("C2", "C10")  # 100,000 pairs a size


def claim_about(*values: float, stated: tuple[str, ...]) -> Claim:
    return Claim("A1", "A statement.", stated, lambda: np.array(values))


# The claims


def test_every_numbered_statement_is_a_claim():
    assert list(BY_ID) == NUMBERED
    assert len(CLAIMS) == len(BY_ID)


@pytest.fixture(scope="module")
def outcomes():
    return {outcome.claim.id: outcome for outcome in check_all()}


def test_every_claim_holds_in_every_stated_digit(outcomes):
    assert list(outcomes) == NUMBERED
    assert {id_: outcome.computed for id_, outcome in outcomes.items() if not outcome.holds} == {}


def test_an_outcome_shows_what_was_stated_and_what_was_computed(outcomes):
    outcome = outcomes["B6"]
    assert outcome.stated == ("16", "8", "0", "0.9997", "0.0003", "0.0000", "about 8.9 million", "2,981")
    assert outcome.computed == ("16", "8", "0", "0.9997", "0.0003", "0.0000", "8.9 million", "2,981")
    assert outcome.values[-2:] == pytest.approx([math.exp(16), math.exp(8)])
    assert outcome.agreements == (True,) * 8
    assert outcomes["B7"].computed == ("0.22", "0.0003", "664", "660")
    assert outcomes["C10"].computed == ("1,027", "1")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_says_whose_it_is_in_a_sentence(claim):
    letter = claim.id[0]
    assert claim.lesson == f"{letter}. {LESSONS[letter]}"
    assert claim.statement.endswith(".")
    with pytest.raises(FrozenInstanceError):
        claim.stated = ()


# Comparing digit by digit


@pytest.mark.parametrize(
    ("value", "stated", "computed", "holds"),
    [
        (0.6652, "0.67", "0.67", True),
        (0.6649, "0.67", "0.66", False),
        (2980.958, "2,981", "2,981", True),
        (2980.4, "2,981", "2,980", False),
        (-3.1245, "−3.12", "−3.12", True),
        (3.1245, "−3.12", "3.12", False),
        (-1e-9, "0.00", "0.00", True),
        (8_886_110.5, "about 8.9 million", "8.9 million", True),
        (8_840_000.0, "about 8.9 million", "8.8 million", False),
        (8.9, "about 8.9 million", "0.0 million", False),
        (664.07, "about 660", "660", True),
        (665.1, "about 660", "670", False),
        (664.07, "660", "664", False),
        (1034.2, "near 1,024", "1,034", True),
        (1034.3, "near 1,024", "1,034", False),
        (-1024.0, "near 1,024", "−1,024", False),
        (math.nan, "0.67", "nan", False),
        (math.nan, "near 1", "nan", False),
        (math.inf, "about 660", "inf", False),
    ],
)
def test_values_are_compared_in_the_digits_they_are_stated_with(value, stated, computed, holds):
    outcome = check(claim_about(value, stated=(stated,)))
    assert (outcome.computed, outcome.holds) == ((computed,), holds)


def test_one_wrong_number_is_enough():
    outcome = check(claim_about(1.0, 2.0, stated=("1.0", "3.0")))
    assert outcome.agreements == (True, False)
    assert not outcome.holds


@pytest.mark.parametrize("stated", ["", "much", "1e3", "-3.12", "0.67 ", "8.9 billion", "about"])
def test_a_stated_value_that_cannot_be_read_is_refused(stated):
    with pytest.raises(ValueError, match="stated must be a number such as"):
        check(claim_about(1.0, stated=(stated,)))


@pytest.mark.parametrize("values", [(), (1.0, 2.0)])
def test_a_claim_computes_as_many_numbers_as_it_states(values):
    with pytest.raises(ValueError, match=f"claim A1 states 1 numbers but computes {len(values)}"):
        check(claim_about(*values, stated=("1.0",)))


@pytest.mark.parametrize("stated", sorted({value for claim in CLAIMS for value in claim.stated}))
def test_stated_values_are_written_as_computed_ones_are(stated):
    """A comma too few would make a true claim fail, or one comma more a false one pass unseen."""
    number = stated.removeprefix("about ").removeprefix("near ").removesuffix(" million")
    decimals = len(number.partition(".")[2])
    assert fixed(float(number.replace(",", "").replace("−", "-")), decimals) == number


# Each claim is about the code: a plausible mistake in it makes the claim fail


def normal_density(x, d):
    """The mistake that d numbers spread a score by d."""
    return np.exp(-((np.asarray(x) / d) ** 2) / 2) / (d * math.sqrt(2 * math.pi))


def attention_without_mask(Q, K, V, mask=None):
    return scaled_dot_product_attention(Q, K, V)


def mistake(name):
    """What is replaced and what by: functions of core wherever they are used, or NumPy's random streams."""
    density, streamed, running = spread.score_density, spread.scores_from_stream, spread.running_scores
    legacy, modern = np.random.RandomState, np.random.default_rng
    return {
        "divide by d": (attention.scale_factor, float),
        "do not divide": (attention.scale_factor, lambda d_k: 1.0),
        "softmax in powers of 2": (attention.softmax, lambda scores, axis=-1: softmax(np.log(2) * np.asarray(scores))),
        "softmax of negated scores": (attention.softmax, lambda scores, axis=-1: softmax(-np.asarray(scores))),
        "ignore the mask": (attention.scaled_dot_product_attention, attention_without_mask),
        "slope p": (saturation.slope, lambda weight: np.asarray(weight)),
        "slope p of the top weight": (cases._top_slope, lambda weights: weights.max(axis=-1)),
        "entropy in bits": (saturation.entropy, lambda weights: entropy(weights) / np.log(2)),
        "spread d": (spread.score_density, normal_density),
        "density twice too high": (spread.score_density, lambda x, d: 2 * density(x, d)),
        "mean of the products": (spread.scores_from_stream, lambda stream, d, trials: streamed(stream, d, trials) / d),
        "the last product left out": (spread.running_scores, lambda queries, keys: running(queries, keys)[..., :-1]),
        "another seed of RandomState": (np.random.RandomState, lambda seed: legacy(seed + 1)),
        "another seed of default_rng": (np.random.default_rng, lambda seed: modern(seed + 1)),
    }[name]


# Every claim that must fail under a mistake; a claim not listed may fail too.
CAUGHT = {
    "divide by d": "A1 A2 A3 A4 B6 B7 B8 B10 B12 B14 B15 C5 C6 C7 C9 D4 D5",
    "do not divide": "A1 A2 A3 A4 B6 B7 B8 B10 B12 B14 B15 C5 C6 C7 C9 D4 D5",
    "softmax in powers of 2": "A2 A3 A4 B5 B6 B7 B8 B10 B11 B12 C6 C7 C9 C11",
    "softmax of negated scores": "A2 A3 A4 B5 B6 B8 B10 B11 B12 C6 C7 C9 C11",
    "ignore the mask": "A5",
    "slope p": "B8",
    "slope p of the top weight": "B7",
    "entropy in bits": "C7 C11",
    "spread d": "B2 B3 C3 D1",
    "density twice too high": "B1 B2 D1",
    "mean of the products": "B15",
    "the last product left out": "D4 D5",
    "another seed of RandomState": "C4 C5 C6 C7 C11",
    "another seed of default_rng": "C9",
}


@pytest.fixture
def make(monkeypatch):
    """Make a mistake, everywhere in core, until the test is over."""

    def replace_everywhere(original, replacement):
        modules = (attention, cases, claims_module, saturation, spread, np.random)
        places = [(module, name) for module in modules for name, value in vars(module).items() if value is original]
        assert places
        for module, name in places:
            monkeypatch.setattr(module, name, replacement)
        forget_cases()

    forget_cases()
    yield replace_everywhere
    monkeypatch.undo()
    forget_cases()


def forget_cases():
    for value in vars(cases).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def fails(claim):
    try:
        return not check(claim).holds
    except ValueError:  # such as weights that do not sum to 1
        return True


@pytest.mark.parametrize("name", CAUGHT)
def test_a_mistake_makes_claims_fail(name, make):
    expected = CAUGHT[name].split()
    assert not [id_ for id_ in expected if fails(BY_ID[id_])]
    make(*mistake(name))
    assert [id_ for id_ in expected if not fails(BY_ID[id_])] == []


def test_no_claim_is_proof_against_every_mistake():
    caught = {id_ for ids in CAUGHT.values() for id_ in ids.split()}
    assert caught | set(HEAVY) == set(NUMBERED)


def test_the_heavy_claims_are_about_the_division_too(make, outcomes):
    """Scores of the variances that were measured, divided once more, rightly and then wrongly."""
    sizes = (4, 16, 64, 256, 1024)
    raw = dict(zip(sizes, (*outcomes["C2"].values[::2], outcomes["C10"].values[0]), strict=True))
    make(spread.scores_from_stream, lambda stream, d, trials: np.array([-1.0, 1.0]) * math.sqrt(raw[d]))
    assert [check(BY_ID[id_]).holds for id_ in HEAVY] == [True, True]
    make(attention.scale_factor, float)
    assert [check(BY_ID[id_]).agreements for id_ in HEAVY] == [(True, False) * 4, (True, False)]


# What the lesson states without a number, and no other test of core holds


def test_shapes_through_the_four_steps():
    batch, positions, d_k = 2, 5, 3
    rng = np.random.default_rng(7)
    Q, K, V = rng.standard_normal((3, batch, positions, d_k))
    scores = scaled_scores(Q, K)
    output, weights = scaled_dot_product_attention(Q, K, V)
    assert scores.shape == weights.shape == softmax(scores).shape == (batch, positions, positions)
    assert output.shape == (batch, positions, d_k)
    np.testing.assert_allclose(weights, softmax(scores), rtol=1e-14)
    np.testing.assert_allclose(output, softmax(scores) @ V, rtol=1e-14)


def test_dividing_the_query_first_keeps_float16_finite():
    """There the raw score is infinite; divided first, it is right to the 11 bits that float16 has."""
    vector = np.full((1, 128), 40.0, dtype=np.float16)
    with np.errstate(over="ignore"):
        assert np.isinf(vector @ vector.T)
    divided = (vector / np.float16(math.sqrt(128))) @ vector.T
    assert divided.dtype == np.float16
    np.testing.assert_allclose(divided.astype(float), scaled_scores(vector, vector), rtol=2 * 2**-11)

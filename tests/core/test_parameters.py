"""What a user may change: every limit accepted, everything past it refused by name."""

import dataclasses

import numpy as np
import pytest

from core import Parameters


def test_defaults():
    assert dataclasses.asdict(Parameters()) == {
        "d_k": 64,
        "sizes": (4, 16, 64, 256, 1024),
        "n_keys": 8,
        "scores": (2, 1, 0),
        "pairs": 10_000,
        "seed": 0,
    }


def test_parameters_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Parameters().d_k = 4


def test_equal_parameters_hash_and_print_alike_whatever_they_were_given_as():
    plain = Parameters(d_k=16, sizes=(4, 8), scores=(2, 0, -1), seed=3)
    same = Parameters(
        d_k=np.int32(16), sizes=np.array([4, 8]), scores=[np.float32(2), -0.0, np.int64(-1)], seed=np.uint64(3)
    )
    assert same == plain
    assert hash(same) == hash(plain)
    assert repr(same) == repr(plain)
    assert {plain: "found"}[same] == "found"
    assert [type(same.d_k), type(same.sizes), type(same.sizes[0]), type(same.scores[0])] == [int, tuple, int, float]


@pytest.mark.parametrize(
    "accepted",
    [
        {"d_k": 2},
        {"d_k": 4096},
        {"sizes": (2, 4096)},
        {"sizes": (2, 3, 4, 5, 6, 7)},
        {"sizes": iter([4, 8])},
        {"n_keys": 2},
        {"n_keys": 16},
        {"scores": (-10, 10)},
        {"scores": (10, -10, -10, -10, -10, -10, -10, -10)},
        {"scores": (0.5, 0.25)},
        {"pairs": 100},
        {"pairs": 1_000_000},
        {"seed": 0},
        {"seed": 2**32 - 1},
    ],
)
def test_every_limit_is_accepted(accepted):
    Parameters(**accepted)


@pytest.mark.parametrize("value", [1, 4097, 0, -64, 64.0, "64", None, True, np.True_, float("nan"), 10**400])
def test_d_k_out_of_range(value):
    with pytest.raises(ValueError, match=f"^d_k must be a whole number from 2 to 4096, not {value!r}$"):
        Parameters(d_k=value)


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        ({"n_keys": 1}, "n_keys must be a whole number from 2 to 16, not 1"),
        ({"n_keys": 17}, "n_keys must be a whole number from 2 to 16, not 17"),
        ({"n_keys": True}, "n_keys must be a whole number from 2 to 16, not True"),
        ({"pairs": 99}, "pairs must be a whole number from 100 to 1000000, not 99"),
        ({"pairs": 1_000_001}, "pairs must be a whole number from 100 to 1000000, not 1000001"),
        ({"pairs": 1e4}, "pairs must be a whole number from 100 to 1000000, not 10000.0"),
        ({"seed": -1}, "seed must be a whole number from 0 to 4294967295, not -1"),
        ({"seed": 2**32}, "seed must be a whole number from 0 to 4294967295, not 4294967296"),
        ({"seed": None}, "seed must be a whole number from 0 to 4294967295, not None"),
        ({"seed": False}, "seed must be a whole number from 0 to 4294967295, not False"),
        ({"sizes": (4,)}, r"sizes must be 2 to 6 numbers, not \(4,\)"),
        ({"sizes": range(4, 11)}, r"sizes must be 2 to 6 numbers, not range\(4, 11\)"),
        ({"sizes": 64}, "sizes must be 2 to 6 numbers, not 64"),
        ({"sizes": "48"}, "sizes must be 2 to 6 numbers, not '48'"),
        ({"sizes": (1, 4)}, "each of sizes must be a whole number from 2 to 4096, not 1"),
        ({"sizes": (4, 4097)}, "each of sizes must be a whole number from 2 to 4096, not 4097"),
        ({"sizes": (4, 8.5)}, "each of sizes must be a whole number from 2 to 4096, not 8.5"),
        ({"sizes": (4, 16, 16)}, r"sizes must grow strictly, within 2 to 4096, not \(4, 16, 16\)"),
        ({"sizes": (16, 4)}, r"sizes must grow strictly, within 2 to 4096, not \(16, 4\)"),
        ({"scores": (1,)}, r"scores must be 2 to 8 numbers, not \(1,\)"),
        ({"scores": range(9)}, r"scores must be 2 to 8 numbers, not range\(0, 9\)"),
        ({"scores": None}, "scores must be 2 to 8 numbers, not None"),
        ({"scores": "210"}, "scores must be 2 to 8 numbers, not '210'"),
        ({"scores": (10.001, 0)}, "each of scores must be a number from -10 to 10, not 10.001"),
        ({"scores": (0, -10.001)}, "each of scores must be a number from -10 to 10, not -10.001"),
        ({"scores": (0, float("nan"))}, "each of scores must be a number from -10 to 10, not nan"),
        ({"scores": (0, float("inf"))}, "each of scores must be a number from -10 to 10, not inf"),
        ({"scores": (0, -(10**400))}, "each of scores must be a number from -10 to 10, not -1000"),
        ({"scores": (0, True)}, "each of scores must be a number from -10 to 10, not True"),
        ({"scores": (0, 1j)}, "each of scores must be a number from -10 to 10, not 1j"),
        ({"scores": (0, "2")}, "each of scores must be a number from -10 to 10, not '2'"),
        ({"scores": (2, 1, 2)}, r"scores must have one largest entry, from -10 to 10, not \(2.0, 1.0, 2.0\)"),
        ({"scores": (0, 0)}, r"scores must have one largest entry, from -10 to 10, not \(0.0, 0.0\)"),
        ({"scores": (0.0, -0.0)}, r"scores must have one largest entry, from -10 to 10, not \(0.0, 0.0\)"),
    ],
)
def test_impossible_values_are_refused_with_field_value_and_range(refused, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        Parameters(**refused)

"""What the lesson shows: parameters in, read-only numbers out.

A film, a figure, a table and a test that show the same thing call the same function here, so they cannot disagree.
Each function computes once per set of parameters and hands out the same case again.
"""

import math
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.arrays import FloatArray, as_count
from core.attention import scale_factor, scaled_dot_product_attention, scaled_scores, softmax
from core.parameters import Parameters
from core.saturation import entropy, slope
from core.spread import running_scores, score_density, score_samples, scores_from_stream

IntArray = NDArray[np.int64]

WALKS = 60  # random walks shown at once
WALK_STEPS = 128  # that a walk is shown at; of a longer one the first few, one by one, and the others even
FIRST_STEPS = 8
BINS = 32  # of every histogram: a quarter of a standard deviation each
BINS_HALF_WIDTH = 4  # standard deviations either side of 0
DRAWS = 4000  # queries over which the three divisors are compared


class _Case:
    """Numbers to be shown, not changed: every array is locked, because the case is shared by all who ask for it."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, np.ndarray):
                    part.setflags(write=False)


@dataclass(frozen=True, eq=False)
class ProductCase(_Case):
    """Many products of two random numbers, a score of one product each, and their exact law.

    ``queries``, ``keys`` and ``products`` are (pairs,); ``edges`` (n_bins + 1,) and ``heights`` (n_bins,) are the
    products' density histogram, whose area is the share of products inside it; ``law`` (n,) is the exact density
    on ``grid`` (n,), which leaves out 0, where it is infinite.
    """

    queries: FloatArray
    keys: FloatArray
    products: FloatArray
    mean: float
    std: float
    edges: FloatArray
    heights: FloatArray
    grid: FloatArray
    law: FloatArray


@dataclass(frozen=True, eq=False)
class WalksCase(_Case):
    """Scores of ``d_k`` products as they build up, as random walks.

    ``positions`` (m,) count the products added so far, from 0 to ``d_k`` and one by one at first; ``walks`` (60, m)
    are the scores by then; ``envelope`` (m,) is sqrt(positions). ``followed`` is the walk that ends nearest to
    +-sqrt(d_k), and ``steps_up`` and ``steps_down`` count its products above and below 0. ``ends`` (60,) are the full
    scores, ``ends_std`` their population standard deviation, ``inside`` the share of them within +-sqrt(d_k), which
    is ``spread_at_end``.
    """

    d_k: int
    positions: IntArray
    walks: FloatArray
    envelope: FloatArray
    followed: int
    spread_at_end: float
    ends: FloatArray
    ends_std: float
    inside: float
    steps_up: int
    steps_down: int


@dataclass(frozen=True, eq=False)
class DensityCase(_Case):
    """How scores are distributed at each size: exactly, and measured.

    ``samples`` holds (pairs,) measured scores a size, ``edges`` (n_bins + 1,) and ``heights`` (n_bins,) their density
    histograms over +-4 standard deviations, whose area is the share of scores inside. ``laws`` (n_sizes, n) are the
    exact densities on ``grid`` (n,). ``std_law`` and ``measured_std`` are (n_sizes,).
    """

    sizes: tuple[int, ...]
    samples: tuple[FloatArray, ...]
    std_law: FloatArray
    measured_std: FloatArray
    edges: tuple[FloatArray, ...]
    heights: tuple[FloatArray, ...]
    grid: FloatArray
    laws: FloatArray


@dataclass(frozen=True, eq=False)
class SpreadCase(_Case):
    """Measured spread of raw and of scaled scores against size, beside the law sqrt(d).

    ``law``, ``raw_std`` and ``scaled_std`` are (n_sizes,). From ``from_size`` to ``to_size`` the size grows
    ``size_ratio`` times, the law ``spread_ratio`` times and the measured spread ``measured_ratio`` times.
    """

    sizes: tuple[int, ...]
    law: FloatArray
    raw_std: FloatArray
    scaled_std: FloatArray
    from_size: int
    to_size: int
    size_ratio: float
    spread_ratio: float
    measured_ratio: float


@dataclass(frozen=True, eq=False)
class SaturationCase(_Case):
    """Softmax of some scores, and of the same scores ``factor`` = sqrt(d_k) times bigger.

    All arrays but the curve are (n_scores,). ``slope`` and ``multiplied_slope`` are p(1 - p) of the top weight, and
    the second is ``times_smaller`` times smaller. ``shifted`` is every score plus ``shift``. ``curve_slopes`` (201,) is
    the slope at each of ``curve_weights`` (201,).
    """

    scores: FloatArray
    exponentials: FloatArray
    total: float
    weights: FloatArray
    factor: float
    multiplied: FloatArray
    multiplied_exponentials: FloatArray
    multiplied_total: float
    multiplied_weights: FloatArray
    top: int
    slope: float
    multiplied_slope: float
    times_smaller: float
    shift: float
    shifted: FloatArray
    shifted_weights: FloatArray
    curve_weights: FloatArray
    curve_slopes: FloatArray


@dataclass(frozen=True, eq=False)
class RescalingCase(_Case):
    """One query against ``n_keys`` keys while their size grows: scores of the first d entries of one long draw.

    ``running`` is (D + 1, n_keys), D the largest of ``sizes``: its row d holds the raw scores of size d.
    The methods take any d from 1 to D; between whole d a score moves in a straight line, as a walk is drawn.
    """

    sizes: tuple[int, ...]
    n_keys: int
    running: FloatArray
    uniform_entropy: float

    def raw_scores(self, d: float) -> FloatArray:
        """(n_keys,) raw scores at size ``d``; a ``ValueError`` outside 1 to D."""
        d = self._size(d)
        whole = min(int(d), len(self.running) - 2)
        part = d - whole
        between: FloatArray = (1 - part) * self.running[whole] + part * self.running[whole + 1]
        return between

    def raw_weights(self, d: float) -> FloatArray:
        """(n_keys,) weights of the raw scores at size ``d``."""
        return softmax(self.raw_scores(d))

    def scaled_weights(self, d: float) -> FloatArray:
        """(n_keys,) weights of the scores divided by sqrt(d)."""
        return softmax(self.raw_scores(d) / scale_factor(self._size(d)))

    def over_scaled_weights(self, d: float) -> FloatArray:
        """(n_keys,) weights of the scores divided by d, which is too much."""
        return softmax(self.raw_scores(d) / self._size(d))

    def _size(self, d: float) -> float:
        last = len(self.running) - 1
        nearest = min(max(d, 1.0), float(last))
        # A size that went through a logarithm on its way may come out just past the last.
        if not abs(d - nearest) <= 1e-9 * nearest:
            raise ValueError(f"d must be from 1 to {last}, not {d!r}")
        return nearest


@dataclass(frozen=True, eq=False)
class CollapseCase(_Case):
    """One query against 8 keys of d = 256: raw, divided by ``factor`` = sqrt(d), and divided by d.

    Arrays are (8,). ``top`` is the index of the best key; ``ranking`` holds all indices, best first. Entropies are in
    nats; ``uniform_entropy`` is log 8.
    """

    d: int
    factor: float
    scores: FloatArray
    scaled: FloatArray
    over_scaled: FloatArray
    raw_weights: FloatArray
    scaled_weights: FloatArray
    over_scaled_weights: FloatArray
    raw_entropy: float
    scaled_entropy: float
    over_scaled_entropy: float
    raw_max: float
    scaled_max: float
    over_scaled_max: float
    uniform_entropy: float
    top: int
    ranking: IntArray


@dataclass(frozen=True, eq=False)
class DivisorStatistics(_Case):
    """Over many draws: the largest weight, its slope p(1 - p), and the entropy of the weights, in nats.

    Every field is (n_sizes,). Low and high are the 10 % and 90 % quantiles.
    """

    max_weight_median: FloatArray
    max_weight_low: FloatArray
    max_weight_high: FloatArray
    max_weight_mean: FloatArray
    slope_median: FloatArray
    slope_mean: FloatArray
    entropy_median: FloatArray
    entropy_low: FloatArray
    entropy_high: FloatArray
    entropy_mean: FloatArray


@dataclass(frozen=True, eq=False)
class DivisorsCase(_Case):
    """One query against ``n_keys`` keys, drawn ``draws`` times at each size: raw, divided by sqrt(d), divided by d."""

    sizes: tuple[int, ...]
    n_keys: int
    draws: int
    raw: DivisorStatistics
    scaled: DivisorStatistics
    over_scaled: DivisorStatistics
    uniform_entropy: float
    uniform_weight: float


@dataclass(frozen=True, eq=False)
class WorkedExampleCase(_Case):
    """One query, three keys and three values, small enough to follow by hand.

    ``query`` (d_k,), ``keys`` (3, d_k), ``values`` (3, 2); ``scores``, ``scaled``, ``weights`` and ``raw_weights``
    (3,); ``output`` (2,). ``raw_weights`` and ``raw_output`` leave out the division.
    """

    query: FloatArray
    keys: FloatArray
    values: FloatArray
    d_k: int
    factor: float
    scores: FloatArray
    scaled: FloatArray
    weights: FloatArray
    output: FloatArray
    raw_weights: FloatArray
    raw_output: FloatArray


@dataclass(frozen=True, eq=False)
class AttentionCase(_Case):
    """Attention over one batch of 6 positions with d_k = 16.

    ``queries``, ``keys``, ``values`` and ``output`` are (1, 6, 16); ``scores`` (scaled) and ``weights`` (1, 6, 6).
    """

    queries: FloatArray
    keys: FloatArray
    values: FloatArray
    scores: FloatArray
    weights: FloatArray
    output: FloatArray


@dataclass(frozen=True)
class Head:
    """A model of ``width`` numbers a position, ``d_k`` for each of its ``heads``: scores are divided by ``divisor``."""

    name: str
    width: int
    heads: int
    d_k: int
    divisor: float


@dataclass(frozen=True, eq=False)
class HeadsCase(_Case):
    """Well-known head sizes and what their scores are divided by."""

    rows: tuple[Head, ...]


@dataclass(frozen=True, eq=False)
class VarianceCase(_Case):
    """Variance of raw and scaled scores over ``pairs`` pairs of each of ``sizes``; arrays are (n_sizes,)."""

    sizes: tuple[int, ...]
    pairs: int
    raw_variance: FloatArray
    scaled_variance: FloatArray


@dataclass(frozen=True, eq=False)
class SharedStreamCase(_Case):
    """Spread of raw and scaled scores over ``pairs`` pairs of each of ``sizes``; arrays are (n_sizes,)."""

    sizes: tuple[int, ...]
    pairs: int
    raw_std: FloatArray
    scaled_std: FloatArray


@dataclass(frozen=True, eq=False)
class SingleDrawCase(_Case):
    """Entropy (n_sizes,), in nats, of one query's raw weights over 8 keys at each of ``sizes``: one draw each."""

    sizes: tuple[int, ...]
    raw_entropy: FloatArray


@dataclass(frozen=True, eq=False)
class BestKeyCase(_Case):
    """One key that answers with a raw score of sqrt(d_k), the spread of a score, against others that answer with 0.

    Arrays are (n_keys,), the best key first; ``raw_best`` and ``scaled_best`` are its weights.
    """

    d_k: int
    raw_scores: FloatArray
    scaled_scores: FloatArray
    raw_weights: FloatArray
    scaled_weights: FloatArray
    raw_best: float
    scaled_best: float


@lru_cache(maxsize=4)
def product_case(parameters: Parameters) -> ProductCase:
    """One product of two random numbers, ``parameters.pairs`` times over."""
    rng = np.random.default_rng(parameters.seed)
    queries, keys = rng.standard_normal(parameters.pairs), rng.standard_normal(parameters.pairs)
    products = queries * keys
    edges, heights = _histogram(products, 1.0)
    grid = np.linspace(edges[0], edges[-1], 800)  # an even number of points: none of them is 0
    return ProductCase(
        queries=queries,
        keys=keys,
        products=products,
        mean=float(products.mean()),
        std=float(products.std()),
        edges=edges,
        heights=heights,
        grid=grid,
        law=score_density(grid, 1),
    )


@lru_cache(maxsize=8)
def walks_case(parameters: Parameters) -> WalksCase:
    """Random walks of ``parameters.d_k`` products each."""
    d_k = parameters.d_k
    rng = np.random.default_rng(parameters.seed)
    queries, keys = rng.standard_normal((WALKS, d_k)), rng.standard_normal((WALKS, d_k))
    walks = running_scores(queries, keys)  # (60, d_k + 1)
    positions = np.arange(d_k + 1)
    if d_k > WALK_STEPS:
        even = np.linspace(FIRST_STEPS, d_k, WALK_STEPS - FIRST_STEPS + 1).round().astype(np.int64)
        positions = np.concatenate([positions[:FIRST_STEPS], even])
    ends, spread = walks[:, -1].copy(), scale_factor(d_k)
    followed = int(np.abs(np.abs(ends) - spread).argmin())
    steps = queries[followed] * keys[followed]
    return WalksCase(
        d_k=d_k,
        positions=positions,
        walks=walks[:, positions],
        envelope=np.sqrt(positions),
        followed=followed,
        spread_at_end=spread,
        ends=ends,
        ends_std=float(ends.std()),
        inside=float((np.abs(ends) <= spread).mean()),
        steps_up=int((steps > 0).sum()),
        steps_down=int((steps < 0).sum()),
    )


@lru_cache(maxsize=4)
def density_case(parameters: Parameters) -> DensityCase:
    """The distribution of a score at each of ``parameters.sizes``."""
    sizes = parameters.sizes
    samples = tuple(_samples(d, parameters.pairs, parameters.seed) for d in sizes)
    std_law = np.sqrt(sizes)
    histograms = [_histogram(scores, std) for scores, std in zip(samples, std_law, strict=True)]
    half_width = 1.25 * std_law[-1]
    grid = np.linspace(-half_width, half_width, 801)
    return DensityCase(
        sizes=sizes,
        samples=samples,
        std_law=std_law,
        measured_std=np.array([scores.std() for scores in samples]),
        edges=tuple(edges for edges, _ in histograms),
        heights=tuple(heights for _, heights in histograms),
        grid=grid,
        laws=np.array([score_density(grid, d) for d in sizes]),
    )


@lru_cache(maxsize=8)
def spread_case(parameters: Parameters) -> SpreadCase:
    """Measured spread against size, and two sizes as near as can be to 16 times apart."""
    sizes = parameters.sizes
    samples = [_samples(d, parameters.pairs, parameters.seed) for d in sizes]
    raw_std = np.array([scores.std() for scores in samples])
    pairs = [(i, j) for j in range(len(sizes)) for i in range(j)]
    first, last = min(pairs, key=lambda pair: (abs(math.log(sizes[pair[1]] / sizes[pair[0]] / 16)), -sizes[pair[1]]))
    return SpreadCase(
        sizes=sizes,
        law=np.sqrt(sizes),
        raw_std=raw_std,
        scaled_std=np.array([(scores / scale_factor(d)).std() for scores, d in zip(samples, sizes, strict=True)]),
        from_size=sizes[first],
        to_size=sizes[last],
        size_ratio=sizes[last] / sizes[first],
        spread_ratio=math.sqrt(sizes[last]) / math.sqrt(sizes[first]),
        measured_ratio=float(raw_std[last] / raw_std[first]),
    )


@lru_cache(maxsize=8)
def saturation_case(parameters: Parameters) -> SaturationCase:
    """Softmax of ``parameters.scores``, and of the same scores sqrt(d_k) times bigger."""
    scores = np.array(parameters.scores)
    factor = scale_factor(parameters.d_k)
    multiplied = scores * factor
    weights, multiplied_weights = softmax(scores), softmax(multiplied)
    top = int(scores.argmax())
    given, multiplied_slope = float(_top_slope(weights)), float(_top_slope(multiplied_weights))
    shift = 3.0
    curve_weights = np.linspace(0, 1, 201)
    return SaturationCase(
        scores=scores,
        exponentials=np.exp(scores),
        total=float(np.exp(scores).sum()),
        weights=weights,
        factor=factor,
        multiplied=multiplied,
        multiplied_exponentials=np.exp(multiplied),
        multiplied_total=float(np.exp(multiplied).sum()),
        multiplied_weights=multiplied_weights,
        top=top,
        slope=given,
        multiplied_slope=multiplied_slope,
        times_smaller=given / multiplied_slope if multiplied_slope > 0 else math.inf,
        shift=shift,
        shifted=scores + shift,
        shifted_weights=softmax(scores + shift),
        curve_weights=curve_weights,
        curve_slopes=np.asarray(slope(curve_weights)),
    )


@lru_cache(maxsize=8)
def rescaling_case(parameters: Parameters) -> RescalingCase:
    """One query against ``parameters.n_keys`` keys, from size 1 to the largest of ``parameters.sizes``."""
    largest = parameters.sizes[-1]
    rng = np.random.default_rng(parameters.seed)
    query, keys = rng.standard_normal(largest), rng.standard_normal((parameters.n_keys, largest))
    return RescalingCase(
        sizes=parameters.sizes,
        n_keys=parameters.n_keys,
        running=running_scores(query, keys).T.copy(),  # (n_keys, D + 1) -> (D + 1, n_keys)
        uniform_entropy=math.log(parameters.n_keys),
    )


@lru_cache(maxsize=1)
def collapse_case() -> CollapseCase:
    """One query against 8 keys of d = 256, from ``RandomState(42)``: the query drawn first, then the keys."""
    d, n_keys = 256, 8
    stream = np.random.RandomState(42)
    query, keys = stream.standard_normal(d), stream.standard_normal((n_keys, d))
    scores = keys @ query  # (n_keys, d) @ (d,) -> (n_keys,)
    scaled, over_scaled = scaled_scores(query[None], keys)[0], scores / d
    raw_weights, scaled_weights, over_scaled_weights = softmax(scores), softmax(scaled), softmax(over_scaled)
    return CollapseCase(
        d=d,
        factor=scale_factor(d),
        scores=scores,
        scaled=scaled,
        over_scaled=over_scaled,
        raw_weights=raw_weights,
        scaled_weights=scaled_weights,
        over_scaled_weights=over_scaled_weights,
        raw_entropy=float(entropy(raw_weights)),
        scaled_entropy=float(entropy(scaled_weights)),
        over_scaled_entropy=float(entropy(over_scaled_weights)),
        raw_max=float(raw_weights.max()),
        scaled_max=float(scaled_weights.max()),
        over_scaled_max=float(over_scaled_weights.max()),
        uniform_entropy=math.log(n_keys),
        top=int(scores.argmax()),
        ranking=np.argsort(-scores, kind="stable"),
    )


@lru_cache(maxsize=8)
def divisors_case(parameters: Parameters) -> DivisorsCase:
    """The three divisors compared over many draws at each of ``parameters.sizes``.

    Scores are drawn exactly in law: against one query they are independent normals of standard deviation |q|. The
    stream starts afresh at each size, so what one size shows does not depend on which others are shown.
    """
    sizes, n_keys = parameters.sizes, parameters.n_keys
    raw, scaled, over_scaled = [], [], []
    for d in sizes:
        rng = np.random.default_rng(parameters.seed)
        directions = rng.standard_normal((DRAWS, n_keys))
        length = np.sqrt(rng.chisquare(d, (DRAWS, 1)))
        scores = length * directions  # (draws, 1) * (draws, n_keys)
        raw.append(softmax(scores))
        scaled.append(softmax(scores / scale_factor(d)))
        over_scaled.append(softmax(scores / d))
    return DivisorsCase(
        sizes=sizes,
        n_keys=n_keys,
        draws=DRAWS,
        raw=_statistics(np.array(raw)),
        scaled=_statistics(np.array(scaled)),
        over_scaled=_statistics(np.array(over_scaled)),
        uniform_entropy=math.log(n_keys),
        uniform_weight=1 / n_keys,
    )


@lru_cache(maxsize=1)
def worked_example_case() -> WorkedExampleCase:
    """Attention by hand: one query of four entries, three keys, three values of two entries."""
    query = np.array([1.0, 2.0, 0.0, 1.0])
    keys = np.array([[1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.0, -1.0, 2.0, 1.0]])
    values = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    output, weights = scaled_dot_product_attention(query[None], keys, values)
    scores = keys @ query
    raw_weights = softmax(scores)
    return WorkedExampleCase(
        query=query,
        keys=keys,
        values=values,
        d_k=len(query),
        factor=scale_factor(len(query)),
        scores=scores,
        scaled=scaled_scores(query[None], keys)[0],
        weights=weights[0],
        output=output[0],
        raw_weights=raw_weights,
        raw_output=raw_weights @ values,
    )


@lru_cache(maxsize=1)
def attention_case() -> AttentionCase:
    """Attention over 6 positions with d_k = 16, from ``default_rng(42)``: Q, K and V drawn in that order."""
    rng = np.random.default_rng(42)
    queries, keys, values = (rng.standard_normal((1, 6, 16)) for _ in range(3))
    output, weights = scaled_dot_product_attention(queries, keys, values)
    return AttentionCase(
        queries=queries,
        keys=keys,
        values=values,
        scores=scaled_scores(queries, keys),
        weights=weights,
        output=output,
    )


@lru_cache(maxsize=1)
def heads_case() -> HeadsCase:
    """Which d counts: one head's. Widths and heads as the models' authors published them.

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2 (width 512, 8 heads).
    Radford et al. (2019), "Language Models are Unsupervised Multitask Learners" (GPT-2 small: width 768, 12 heads).
    Touvron et al. (2023), "Llama 2: Open Foundation and Fine-Tuned Chat Models" (7B: width 4,096, 32 heads).
    """
    models = (("Transformer (base)", 512, 8), ("GPT-2 small", 768, 12), ("Llama 2 7B", 4096, 32))
    return HeadsCase(
        rows=tuple(
            Head(name=name, width=width, heads=heads, d_k=width // heads, divisor=scale_factor(width // heads))
            for name, width, heads in models
        )
    )


@lru_cache(maxsize=1)
def variance_case() -> VarianceCase:
    """Variance against size from one ``RandomState(42)``: at each size in turn, all queries, then all keys."""
    sizes, pairs = (4, 16, 64, 256, 1024), 100_000
    stream = np.random.RandomState(42)
    samples = [scores_from_stream(stream, d, pairs) for d in sizes]
    return VarianceCase(
        sizes=sizes,
        pairs=pairs,
        raw_variance=np.array([scores.var() for scores in samples]),
        scaled_variance=np.array([(scores / scale_factor(d)).var() for scores, d in zip(samples, sizes, strict=True)]),
    )


@lru_cache(maxsize=1)
def shared_stream_case() -> SharedStreamCase:
    """Spread against size from one ``default_rng(0)``: at each size in turn, all queries, then all keys."""
    sizes, pairs = (4, 64, 1024), 10_000
    stream = np.random.default_rng(0)
    samples = [scores_from_stream(stream, d, pairs) for d in sizes]
    return SharedStreamCase(
        sizes=sizes,
        pairs=pairs,
        raw_std=np.array([scores.std() for scores in samples]),
        scaled_std=np.array([(scores / scale_factor(d)).std() for scores, d in zip(samples, sizes, strict=True)]),
    )


@lru_cache(maxsize=1)
def single_draw_case() -> SingleDrawCase:
    """One ``RandomState(42)``: at each size in turn, one query, then 8 keys.

    Over many draws entropy falls as the size grows (see `divisors_case`); in a single run like this it need not.
    """
    sizes, n_keys = (4, 16, 64, 256), 8
    stream = np.random.RandomState(42)
    entropies = []
    for d in sizes:
        query, keys = stream.standard_normal(d), stream.standard_normal((n_keys, d))
        entropies.append(entropy(softmax(keys @ query)))
    return SingleDrawCase(sizes=sizes, raw_entropy=np.array(entropies))


@lru_cache(maxsize=64, typed=True)  # typed: True and 2.0 are refused even after 1 and 2 were asked for
def best_key_case(d_k: int, n_keys: int = 4) -> BestKeyCase:
    """The weight on the best of ``n_keys`` keys, raw and scaled.

    Raises
    ------
    ValueError
        ``d_k`` is not a whole number of at least 1, or ``n_keys`` of at least 2.
    """
    d_k, n_keys = as_count(d_k, "d_k"), as_count(n_keys, "n_keys", least=2)
    raw_scores = np.zeros(n_keys)
    raw_scores[0] = math.sqrt(d_k)
    scaled = raw_scores / scale_factor(d_k)
    raw_weights, scaled_weights = softmax(raw_scores), softmax(scaled)
    return BestKeyCase(
        d_k=d_k,
        raw_scores=raw_scores,
        scaled_scores=scaled,
        raw_weights=raw_weights,
        scaled_weights=scaled_weights,
        raw_best=float(raw_weights[0]),
        scaled_best=float(scaled_weights[0]),
    )


@lru_cache(maxsize=6)
def _samples(d: int, pairs: int, seed: int) -> FloatArray:
    """`score_samples`, drawn once for all the cases that show them."""
    scores = score_samples(d, pairs, seed)
    scores.setflags(write=False)
    return scores


def _histogram(scores: FloatArray, std: float) -> tuple[FloatArray, FloatArray]:
    """Edges and heights of a density histogram; scores outside it count, so its area is the share inside."""
    edges = np.linspace(-BINS_HALF_WIDTH * std, BINS_HALF_WIDTH * std, BINS + 1)
    counts, _ = np.histogram(scores, edges)
    return edges, counts / (len(scores) * np.diff(edges))


def _top_slope(weights: FloatArray) -> FloatArray:
    """p(1 - p) of the largest weight of each row, with 1 - p as the sum of the others: exact however near 1 p is."""
    ranked = np.sort(weights, axis=-1)
    return np.asarray(ranked[..., -1] * ranked[..., :-1].sum(axis=-1))


def _statistics(weights: FloatArray) -> DivisorStatistics:
    """Statistics over the draws of ``weights`` (n_sizes, draws, n_keys)."""
    largest, slopes, entropies = weights.max(axis=-1), _top_slope(weights), np.asarray(entropy(weights))

    def quantile(values: FloatArray, share: float) -> FloatArray:
        return np.asarray(np.quantile(values, share, axis=-1))

    return DivisorStatistics(
        max_weight_median=quantile(largest, 0.5),
        max_weight_low=quantile(largest, 0.1),
        max_weight_high=quantile(largest, 0.9),
        max_weight_mean=largest.mean(axis=-1),
        slope_median=quantile(slopes, 0.5),
        slope_mean=slopes.mean(axis=-1),
        entropy_median=quantile(entropies, 0.5),
        entropy_low=quantile(entropies, 0.1),
        entropy_high=quantile(entropies, 0.9),
        entropy_mean=entropies.mean(axis=-1),
    )

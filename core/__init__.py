"""The numbers of the lesson: attention scores, their spread, and what softmax makes of them.

Every public function can be had from here: ``from core import softmax``. Names are looked up when first used, so that
``core.parameters`` and ``core.theme``, which are plain data, can be read without waiting for NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.attention import causal_mask as causal_mask
    from core.attention import scale_factor as scale_factor
    from core.attention import scaled_dot_product_attention as scaled_dot_product_attention
    from core.attention import scaled_scores as scaled_scores
    from core.attention import softmax as softmax
    from core.parameters import Parameters as Parameters
    from core.saturation import entropy as entropy
    from core.saturation import max_weight as max_weight
    from core.saturation import slope as slope
    from core.saturation import softmax_jacobian as softmax_jacobian
    from core.spread import running_scores as running_scores
    from core.spread import sample_scores as sample_scores
    from core.spread import scaled_score_std as scaled_score_std
    from core.spread import score_density as score_density
    from core.spread import score_excess_kurtosis as score_excess_kurtosis
    from core.spread import score_samples as score_samples
    from core.spread import score_std as score_std

_PUBLIC = {
    "attention": ("softmax", "scale_factor", "scaled_scores", "causal_mask", "scaled_dot_product_attention"),
    "spread": (
        "score_samples",
        "score_std",
        "scaled_score_std",
        "score_density",
        "score_excess_kurtosis",
        "sample_scores",
        "running_scores",
    ),
    "saturation": ("max_weight", "slope", "entropy", "softmax_jacobian"),
    "parameters": ("Parameters",),
}
_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value  # found once: the next use does not come here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

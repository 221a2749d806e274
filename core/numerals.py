"""How numbers are written, in films, figures and tables alike: true minus signs, commas between thousands."""

__all__ = ["fixed", "short", "significant", "whole"]

MINUS = "−"


def fixed(value: float, digits: int) -> str:
    """``value`` with ``digits`` decimals: -3.1161 and 2 give "−3.12"; no minus before a zero."""
    text = f"{value:,.{digits}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def whole(value: float) -> str:
    """``value`` rounded to a whole number: 1024 gives "1,024"."""
    return fixed(value, 0)


def short(value: float) -> str:
    """``value`` with at most three decimals and none that are 0: 2.0 gives "2", 0.5 gives "0.5"."""
    text = fixed(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


def significant(value: float, digits: int) -> str:
    """``value`` rounded to ``digits`` significant digits, never in powers of ten: 663.6 and 3 give "664"."""
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return fixed(round(value, digits - 1 - exponent), max(0, digits - 1 - exponent))

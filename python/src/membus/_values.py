"""JSON as the protocol has it: which values it carries, and the hash of a key."""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any, Callable, Mapping

from ._schema import LIMITS
from .errors import ParseError, SchemaViolationError, TooLargeError

_INTEGER_MAX = 2**53 - 1
_SURROGATE = re.compile("[\ud800-\udfff]")


def encode(value: object) -> bytes:
    """JSON in UTF-8, of what `check_values` has passed. Great floats have an exponent or a fraction [ENV-VALUE-3]."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def decode(data: bytes) -> dict[str, Any]:
    """The message in `data`. Raises `ParseError` for what is no JSON object [ENC-4], `TooLargeError` for one too deep."""
    try:
        message = json.loads(data.decode(), parse_constant=_refuse_constant)
    except RecursionError:
        raise TooLargeError("too many levels", {"limit": "depth", "max": LIMITS["depth"]}) from None
    except ValueError as error:
        raise ParseError(f"no JSON in UTF-8: {error}") from error
    if not isinstance(message, dict):
        raise ParseError("a message is an object")
    return message


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def check_values(message: object) -> None:
    """Refuses what one of the protocol's encodings cannot carry.

    Raises `TypeError` for what is no JSON: a date, bytes, a set, names that are no strings; `ValueError` for NaN and infinities.
    Raises `SchemaViolationError` or `TooLargeError` for what JSON can say, and the protocol does not allow
    [ENV-VALUE-1 to ENV-VALUE-6].
    """
    stack: list[tuple[object, str, int]] = [(message, "", 0)]
    while stack:
        value, path, depth = stack.pop()
        if isinstance(value, dict):
            _at_most("objectFields", len(value), path)
            _at_most("depth", depth, path)
            for name, inner in value.items():
                _check_name(name, path)
                stack.append((inner, f"{path}.{name[:64]}" if path else name[:64], depth + 1))
        elif isinstance(value, (list, tuple)):
            _at_most("depth", depth, path)
            stack.extend((inner, f"{path}[{at}]", depth + 1) for at, inner in enumerate(value))
        else:
            _check_leaf(value, path)


def _check_name(name: object, path: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{path or 'message'} has the name {name!r}, which is no string")
    if name == "__proto__":
        _refuse(path, "has a field named __proto__")
    if _SURROGATE.search(name):
        _refuse(path, "has half a surrogate pair in a name")


def _check_leaf(value: object, path: str) -> None:
    if isinstance(value, str):
        if _SURROGATE.search(value):
            _refuse(path, "has half a surrogate pair")
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        if abs(value) > _INTEGER_MAX:
            _refuse(path, "is an integer beyond ±(2^53 - 1)")
    elif isinstance(value, float):
        if math.isinf(value):
            _refuse(path, "is a number too large for a double")
        if math.isnan(value):
            raise ValueError(f"{path or 'message'} is NaN")
    else:
        raise TypeError(f"{path or 'message'} is no JSON: {type(value).__name__}")


def _refuse(path: str, why: str) -> None:
    raise SchemaViolationError(f"{path or 'message'} {why}", {"path": path})


def _at_most(limit: str, got: int, path: str) -> None:
    if got > LIMITS[limit]:
        detail = {"limit": limit, "max": LIMITS[limit], "got": got, "path": path}
        raise TooLargeError(f"{limit} is at most {LIMITS[limit]}, got {got}", detail)


def require_number(name: str, value: object, range: str, is_in: Callable[[float], bool]) -> None:
    """Of an argument. Raises `TypeError` for what is no number, `ValueError` for one that is not in its range."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not (math.isfinite(value) and is_in(value)):
        raise ValueError(f"{name} must be {range}, got {value!r}")


def key_hash(key: Mapping[str, Any] | str) -> str:
    """The hash of a key: of `{"id": "fact1"}`, or of a string, which is short for `{"name": string}` [KEY-1] [KEY-2]."""
    named = {"name": key} if isinstance(key, str) else key
    return hashlib.sha256(canonical(named).encode()).hexdigest()


def canonical(value: object) -> str:
    """RFC 8785: fields in the order of their UTF-16 units, numbers as ECMAScript writes them."""
    if isinstance(value, Mapping):
        fields = sorted(value.items(), key=lambda field: field[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(inner)}" for name, inner in fields) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return _ecmascript(value)
    return json.dumps(value, ensure_ascii=False)


def _ecmascript(value: float) -> str:
    """The shortest digits that read back as the same double, which Python finds too, placed as ECMAScript does."""
    digits, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = digits.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if digits == "":
        return "0"
    sign = "-" if value < 0 else ""
    if 0 < point <= 21:
        places = digits.ljust(point, "0")
        return sign + places[:point] + ("." + places[point:] if len(places) > point else "")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"

"""JSON values of the protocol, and the hash of a key."""

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
    """Encode a value that has passed `check_values` as UTF-8 JSON. Large floats have an exponent or a fraction
    [ENV-VALUE-3].
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def decode(data: bytes) -> dict[str, Any]:
    """Decode a message.

    Raises:
        ParseError: If the data is not a JSON object [ENC-4].
        TooLargeError: If it is nested too deeply.
    """
    try:
        message = json.loads(data.decode(), parse_constant=_refuse_constant)
    except RecursionError:
        raise TooLargeError("nesting too deep", {"limit": "depth", "max": LIMITS["depth"]}) from None
    except ValueError as error:
        raise ParseError(f"not valid UTF-8 JSON: {error}") from error
    if not isinstance(message, dict):
        raise ParseError("a message must be a JSON object")
    return message


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not valid JSON")


def check_values(message: object) -> None:
    """Reject values that an encoding of the protocol cannot represent.

    Raises:
        TypeError: For values that are not JSON: dates, bytes, sets, or names that are not strings.
        ValueError: For NaN and infinities.
        SchemaViolationError: For JSON values that the protocol does not allow [ENV-VALUE-1 to ENV-VALUE-6].
        TooLargeError: For values that exceed a limit.
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
        raise TypeError(f"{path or 'message'} has a field name that is not a string: {name!r}")
    if name == "__proto__":
        _refuse(path, "has a field named __proto__")
    if _SURROGATE.search(name):
        _refuse(path, "has an unpaired surrogate in a field name")


def _check_leaf(value: object, path: str) -> None:
    if isinstance(value, str):
        if _SURROGATE.search(value):
            _refuse(path, "has an unpaired surrogate")
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
        raise TypeError(f"{path or 'message'} is not JSON: {type(value).__name__}")


def _refuse(path: str, why: str) -> None:
    raise SchemaViolationError(f"{path or 'message'} {why}", {"path": path})


def _at_most(limit: str, got: int, path: str) -> None:
    if got > LIMITS[limit]:
        detail = {"limit": limit, "max": LIMITS[limit], "got": got, "path": path}
        raise TooLargeError(f"{limit} exceeded: {got}, maximum {LIMITS[limit]}", detail)


def require_number(name: str, value: object, range: str, is_in: Callable[[float], bool]) -> None:
    """Validate a numeric argument.

    Raises:
        TypeError: If the value is not a number.
        ValueError: If it is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not (math.isfinite(value) and is_in(value)):
        raise ValueError(f"{name} must be {range}, got {value!r}")


def key_hash(key: Mapping[str, Any] | str) -> str:
    """Return the hash of a key such as `{"id": "fact1"}`. A string stands for `{"name": string}` [KEY-1] [KEY-2]."""
    named = {"name": key} if isinstance(key, str) else key
    return hashlib.sha256(canonical(named).encode()).hexdigest()


def canonical(value: object) -> str:
    """Return canonical JSON (RFC 8785): fields sorted by UTF-16 units, numbers as in ECMAScript."""
    if isinstance(value, Mapping):
        fields = sorted(value.items(), key=lambda field: field[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(inner)}" for name, inner in fields) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return _ecmascript(value)
    return json.dumps(value, ensure_ascii=False)


def _ecmascript(value: float) -> str:
    """Format a number as ECMAScript does, with the shortest digits that represent the same double."""
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

"""LangGraph filters and namespace conditions, with the semantics of its own stores."""

from __future__ import annotations

import re
from typing import Any, Iterable, Mapping

from langgraph.store.base import MatchCondition

_MIRRORED_MAX = 64
_MIRRORED_LENGTH_MAX = 256
#: Marks a value with more fields than are copied.
_NOT_MIRRORED = "many_fields"
#: Limit for the filter tree, which has at most 64 nodes in the host.
_CONDITIONS_MAX = 16
_OPERATORS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")


def check_filter(filter: Mapping[str, Any] | None) -> None:
    """Raise `ValueError` for an unknown operator, even if no value is compared with it."""
    for value in (filter or {}).values():
        for name in value if isinstance(value, Mapping) else ():
            if str(name).startswith("$") and name not in _OPERATORS:
                raise ValueError(f"Unsupported operator: {name}")


def is_match(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Return whether the value matches each field of the filter."""
    return all(_holds(value.get(name), wanted) for name, wanted in (filter or {}).items())


def _holds(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, operator, operand) for operator, operand in wanted.items())
        return isinstance(value, Mapping) and all(_holds(value.get(name), inner) for name, inner in wanted.items())
    if isinstance(wanted, (list, tuple)):
        is_list = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return is_list and all(_holds(each, inner) for each, inner in zip(value, wanted))
    return bool(value == wanted)


def _compares(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool((value == operand) == (operator == "$eq"))
    try:
        left, right = float(value), float(operand)
    except (TypeError, ValueError):
        return False
    return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[operator]


def mirrored(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a value that are copied to metadata for filters of the host: top-level short strings,
    numbers and booleans.

    Either all of them are copied or none. The JavaScript store relies on this.
    """
    pairs = ((_field(name), each) for name, each in value.items() if _is_short(each) or isinstance(each, (bool, int, float)))
    fields = {field: each for field, each in pairs if field is not None}
    return fields if len(fields) <= _MIRRORED_MAX else {_NOT_MIRRORED: True}


def _field(name: str) -> str | None:
    return f"value_{name}" if re.fullmatch("[A-Za-z0-9_-]{1,56}", name) else None


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MIRRORED_LENGTH_MAX


def where_of(prefix: tuple[str, ...], filter: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the host filter of a search. It may select more than the search, but not less."""
    where: list[dict[str, Any]] = []
    if prefix:
        where.append({"field": "key.path", "op": "starts_with", "value": ".".join(prefix) + "."})
    for name, wanted in (filter or {}).items():
        field = _field(name)
        if field is not None and _is_short(wanted):
            equal = {"field": f"metadata.{field}", "op": "eq", "value": wanted}
            where.append({"any": [equal, {"field": f"metadata.{field}", "op": "exists", "value": False}]})
    return where[:_CONDITIONS_MAX]


def is_selected(path: tuple[str, ...], conditions: Iterable[MatchCondition] | None) -> bool:
    """Return whether a namespace matches all conditions. `*` matches any label."""
    return all(_meets(path, condition) for condition in conditions or ())


def _meets(path: tuple[str, ...], condition: MatchCondition) -> bool:
    wanted = tuple(condition.path)
    if len(path) < len(wanted):
        return False
    part = path[: len(wanted)] if condition.match_type == "prefix" else path[len(path) - len(wanted) :]
    return all(label in ("*", each) for label, each in zip(wanted, part))

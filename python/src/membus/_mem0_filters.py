"""mem0's filters as trees of `where`, and whose memories they are."""

from __future__ import annotations

import re
from typing import Any, Mapping

from ._schema import LIMITS, Where

#: Whose a memory is; the first that is given says what it is about.
ENTITIES = ("user_id", "agent_id", "run_id")
_LOGICAL = {"AND": "all", "OR": "any", "NOT": "not"}
_OPERATORS = frozenset(("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains"))
_ESCAPED = re.compile(r"[%/*\x00-\x1f\x7f]")


def entities_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Those of `user_id`, `agent_id` and `run_id` that are given. Raises `ValueError` where none is, or one is no name; so is `*`, which
    mem0 takes for everybody: who asks for one user must not read all."""
    entities = {name: _name(name, given[name]) for name in ENTITIES if given.get(name) is not None}
    if not entities:
        raise ValueError("at least one of user_id, agent_id and run_id is needed, such as filters={'user_id': 'u1'}")
    return entities


def _name(name: str, value: Any) -> str:
    if not isinstance(value, str) or value.strip() in ("", "*"):
        raise ValueError(f"{name} must be a name, got {value!r}")
    return value.strip()


def about_of(entities: Mapping[str, str]) -> str:
    """Whom a memory is about: `user:alice`."""
    name = next(name for name in ENTITIES if name in entities)
    return f"{name.removesuffix('_id')}:{entities[name]}"


def namespace_of(about: str) -> str:
    """Where the memories about somebody are. Raises `ValueError` for a name that is too long for a segment of a namespace [NS-1]."""
    segment = _ESCAPED.sub(lambda sign: f"%{ord(sign.group()):02x}", about)
    kind = about.partition(":")[0]
    too_many = len(segment.encode("utf-16-le", "surrogatepass")) // 2 - LIMITS["namespaceSegmentLength"]
    if too_many > 0:
        at_most = LIMITS["namespaceSegmentLength"] - len(f"{kind}:")
        signs = "%, /, * and control characters count as three, those such as emoji as two"
        raise ValueError(f"{kind}_id may have at most {at_most} characters, got {at_most + too_many}: {signs}")
    return f"about/{segment}"


def where_of(filters: Mapping[str, Any]) -> list[Where]:
    """Conditions that must all hold. Raises `ValueError` for an operator that there is not: it must not select more; and for an id that
    is no name."""
    return [condition for name, value in filters.items() for condition in _conditions(name, value)]


def _conditions(name: str, value: Any) -> list[Any]:
    if name in _LOGICAL:
        branches: list[Any] = [{"all": where_of(branch)} for branch in value]
        return [{"not": {"any": branches}}] if name == "NOT" else [{_LOGICAL[name]: branches}]
    field = f"metadata.{name}"
    if name in ENTITIES and isinstance(value, str):
        value = _name(name, value)
    if value == "*":
        return [{"field": field, "op": "exists", "value": True}]
    if not isinstance(value, Mapping):
        return [{"field": field, "op": "eq", "value": value}]
    unknown = value.keys() - _OPERATORS
    if unknown:
        raise ValueError(f"the filter of {name} has the unknown operator {sorted(unknown)[0]}")
    return [{"field": field, "op": op, "value": operand} for op, operand in value.items()]

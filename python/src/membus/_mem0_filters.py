"""mem0 filters as `where` trees, and the subjects of memories."""

from __future__ import annotations

from typing import Any, Mapping

from ._facts import segment_length, subject_namespace
from ._schema import LIMITS, Where

#: Ids of a memory. The first one given determines its subject.
ENTITIES = ("user_id", "agent_id", "run_id")
_LOGICAL = {"AND": "all", "OR": "any", "NOT": "not"}
_OPERATORS = frozenset(("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains"))


def entities_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the given ids of `user_id`, `agent_id` and `run_id`.

    Raises:
        ValueError: If none is given or an id is invalid. `*` is rejected, because mem0 treats it as all users and a
            request for one user must not read the memories of all.
    """
    entities = {name: _name(name, given[name]) for name in ENTITIES if given.get(name) is not None}
    if not entities:
        raise ValueError("at least one of user_id, agent_id and run_id is required, such as filters={'user_id': 'u1'}")
    return entities


def _name(name: str, value: Any) -> str:
    if not isinstance(value, str) or value.strip() in ("", "*"):
        raise ValueError(f"{name} must be a non-empty name other than '*', got {value!r}")
    return value.strip()


def subject_of(entities: Mapping[str, str]) -> str:
    """Return the subject of a memory, such as `user:alice`."""
    name = next(name for name in ENTITIES if name in entities)
    return f"{name.removesuffix('_id')}:{entities[name]}"


def namespace_of(subject: str) -> str:
    """Return the namespace of the memories about a subject.

    Raises:
        ValueError: If the name is too long for a segment of a namespace [NS-1].
    """
    kind = subject.partition(":")[0]
    too_many = segment_length(subject) - LIMITS["namespaceSegmentLength"]
    if too_many > 0:
        at_most = LIMITS["namespaceSegmentLength"] - len(f"{kind}:")
        counting = "'%', '/', '*' and control characters count as 3, characters outside the BMP as 2"
        raise ValueError(f"{kind}_id must be at most {at_most} characters, got {at_most + too_many} ({counting})")
    return subject_namespace(subject)


def where_of(filters: Mapping[str, Any]) -> list[Where]:
    """Return the conditions of a filter, which must all hold.

    Raises:
        ValueError: For an unknown operator, which must not be ignored, or an invalid id.
    """
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
        raise ValueError(f"unknown operator in the filter of {name}: {sorted(unknown)[0]}")
    return [{"field": field, "op": op, "value": operand} for op, operand in value.items()]

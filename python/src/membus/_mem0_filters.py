"""mem0's filters as trees of `where`."""

from __future__ import annotations

from typing import Any, Mapping

from ._schema import Where

#: Whose a memory is; the first that is given says what it is about.
ENTITIES = ("user_id", "agent_id", "run_id")
_LOGICAL = {"AND": "all", "OR": "any", "NOT": "not"}
_OPERATORS = frozenset(("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains"))


def entities_of(given: Mapping[str, Any], *, takes_any: bool = False) -> dict[str, str]:
    """Those of `user_id`, `agent_id` and `run_id` that are given. Raises `ValueError` where none is, or one is no name; so is `*`, which
    stands for everybody in a filter, unless it `takes_any`."""
    entities = {name: given[name] for name in ENTITIES if given.get(name) is not None}
    for name, value in entities.items():
        if not isinstance(value, str) or not value.strip() or (value.strip() == "*" and not takes_any):
            raise ValueError(f"{name} must be a name, got {value!r}")
    if not entities:
        raise ValueError("at least one of user_id, agent_id and run_id is needed, such as filters={'user_id': 'u1'}")
    return {name: value.strip() for name, value in entities.items()}


def where_of(filters: Mapping[str, Any]) -> list[Where]:
    """Conditions that must all hold. Raises `ValueError` for an operator that there is not: it must not select more."""
    return [condition for name, value in filters.items() for condition in _conditions(name, value)]


def _conditions(name: str, value: Any) -> list[Any]:
    if name in _LOGICAL:
        branches: list[Any] = [{"all": where_of(branch)} for branch in value]
        return [{"not": {"any": branches}}] if name == "NOT" else [{_LOGICAL[name]: branches}]
    field = f"metadata.{name}"
    if value == "*":
        return [{"field": field, "op": "exists", "value": True}]
    if not isinstance(value, Mapping):
        return [{"field": field, "op": "eq", "value": value}]
    unknown = value.keys() - _OPERATORS
    if unknown:
        raise ValueError(f"the filter of {name} has the unknown operator {sorted(unknown)[0]}")
    return [{"field": field, "op": op, "value": operand} for op, operand in value.items()]

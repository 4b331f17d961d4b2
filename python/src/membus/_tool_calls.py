"""Reports of tool calls, and a guideline for each tool with its statistics (protocol/spec/07-records.md)."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timezone
from typing import Any, Iterable, Mapping, Sequence

from ._schema import MemoryTier
from ._values import canonical
from .aio import AsyncAgentMemory
from .errors import ConflictError, error_of

#: Number of latest calls that a guideline is computed from.
_CALLS_MAX = 100
_ATTEMPTS_MAX = 8


async def record_tool_calls(memory: AsyncAgentMemory, tier: MemoryTier, reports: Iterable[Mapping[str, Any] | str]) -> list[str]:
    """Store reports in the namespace of `memory`, then the guidelines of their tools. Return the ids of the calls."""
    calls = [_call_entry(_report(given), tier) for given in reports]
    errors = (await memory.store(calls, partial=True))["errors"] if calls else []
    for error in errors:
        if error["code"] != "conflict":
            raise error_of(error)
    for tool in dict.fromkeys(str(call["group"]) for call in calls):
        await _write_guideline(memory, tier, tool)
    return [str(call["key"]["tool_call"]) for call in calls]


def _report(given: Mapping[str, Any] | str) -> dict[str, Any]:
    try:
        report = json.loads(given) if isinstance(given, str) else dict(given)
    except ValueError as error:
        raise ValueError(f"a report of a tool call is not valid JSON: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("tool_name"), str) or not report["tool_name"]:
        raise ValueError(f"a report of a tool call needs a `tool_name`: {given!r:.200}")
    if not isinstance(report.get("success"), bool):
        raise ValueError(f"`success` of a report of a tool call must be a boolean, got {report.get('success')!r}")
    for name in ("token_cost", "time_cost"):
        cost = report.get(name, 0)
        if isinstance(cost, bool) or not isinstance(cost, (int, float)) or cost < 0:
            raise ValueError(f"`{name}` of a report of a tool call must be a number of 0 or more, got {cost!r}")
    return report


def _call_entry(report: Mapping[str, Any], tier: MemoryTier) -> dict[str, Any]:
    tool, success = report["tool_name"], report["success"]
    costs = {name: report[field] for name, field in (("token_cost", "token_cost"), ("time_cost_s", "time_cost")) if field in report}
    at = {"occurred_at": _time_of(report["create_time"])} if "create_time" in report else {}
    return {
        "key": {"tool_call": hashlib.sha256(canonical(report).encode()).hexdigest()[:32]},
        "content": {"tool": tool, "input": report.get("input"), "output": report.get("output"), "success": success, **costs},
        "metadata": {"kind": "tool_call", "tool": tool, "success": success, "trust": "tool"},
        "group": tool,
        "tier": tier,
        "if_revision": 0,
        **at,
    }


def _time_of(text: Any) -> float:
    try:
        time = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(f'`create_time` must be a time such as "2026-05-01 09:30:00", got {text!r}') from None
    return max(0.0, (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp())


async def _write_guideline(memory: AsyncAgentMemory, tier: MemoryTier, tool: str) -> None:
    """Compute the guideline of a tool from its latest calls. The guideline is read before the calls, and stored only if
    unchanged.
    """
    key = {"guideline": tool}
    for _ in range(_ATTEMPTS_MAX):
        known = (await memory.retrieve(tier=tier, keys=[key]))["entries"]
        where: Any = {"field": "metadata.kind", "op": "eq", "value": "tool_call"}
        found = await memory.retrieve(tier=tier, group=tool, where=where, order="newest", limit=_CALLS_MAX)
        calls = [entry["content"] for entry in found["entries"]]
        figures = _figures(calls)
        content: Any = known[0]["content"] if known else {}
        if content.get("figures") == figures:
            return
        text = _advice(tool, calls)
        entry = {
            "key": key,
            "content": {"text": text, "figures": figures},
            "metadata": {"kind": "guideline", "tool": tool, "trust": "agent"},
            "group": tool,
            "text": f"{tool}\n{text}",
            "tier": tier,
            "if_revision": known[0]["revision"] if known else 0,
        }
        try:
            await memory.store(entry)
            return
        except ConflictError:
            continue
    raise ConflictError(f"other writers keep changing the guideline of {tool}: try again later")


def _figures(calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    figures: dict[str, Any] = {"calls": len(calls), "success_rate": _mean([float(call["success"]) for call in calls]) or 0}
    for name in ("token_cost", "time_cost_s"):
        mean = _mean([call[name] for call in calls if name in call])
        if mean is not None:
            figures[f"mean_{name}"] = mean
    return figures


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _advice(tool: str, calls: Sequence[Mapping[str, Any]]) -> str:
    failed = next((call for call in calls if not call["success"]), None)
    if failed is None:
        return f"{tool}: no call has failed."
    return f"{tool}: the last failed call had the input {_excerpt(failed['input'])} and the result {_excerpt(failed['output'])}."


def _excerpt(value: Any) -> str:
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:200]


def figures_text(figures: Mapping[str, Any]) -> str:
    """Format the statistics of a guideline as a sentence."""
    calls = figures["calls"]
    parts = [f"{calls} {'call' if calls == 1 else 'calls'}", f"{round(figures['success_rate'] * 100, 2):g} % successful"]
    if "mean_token_cost" in figures:
        parts.append(f"{round(figures['mean_token_cost'], 2):g} tokens on average")
    if "mean_time_cost_s" in figures:
        parts.append(f"{round(figures['mean_time_cost_s'], 2):g} s on average")
    return f"{', '.join(parts)}."

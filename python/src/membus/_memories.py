"""Memories as they are found, and as text for a prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, Sequence

from ._facts import is_comparable, normalized_words
from ._recalled_text import recalled_text
from ._schema import MemoryEntry
from ._tool_calls import figures_text

KINDS = ("fact", "experience", "guideline", "tool_call")
#: Fraction of the words of the shorter fact that two facts of the same kind share, and their number.
_SHARED_FRACTION = 0.5
_SHARED_COUNT = 2


@dataclass(frozen=True)
class LongTermItem:
    """A memory. `id` is the tool for a guideline, `score` the relevance 0..1, and `at` the time of the event."""

    kind: str
    id: str
    text: str
    score: float
    at: float
    entry: MemoryEntry


@dataclass(frozen=True)
class RecordOutcome:
    """The result for one text: `outcome` is "new", "duplicate" or "superseded", which replaced the fact `replaced`."""

    outcome: str
    text: str
    id: str
    replaced: str | None = None


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of a text: a third of its bytes in UTF-8."""
    return -(-len(text.encode(errors="replace")) // 3)


@dataclass(frozen=True)
class Recall:
    """Memories, best first."""

    memories: list[LongTermItem]

    def text(self, max_tokens: int = 2_000, count_tokens: Callable[[str], int] = estimate_tokens) -> str:
        """Format the memories for a prompt, each with its date, "" if there are none.

        Facts of the same kind come together, the newest first. Memories that exceed `max_tokens` are left out, the worst
        first. A best memory that is too long is shortened. `record` ignores the text if it comes back in a message.
        """

        def fits(items: Sequence[LongTermItem]) -> bool:
            return count_tokens(recalled_text(map(_line, items))) <= max_tokens

        kept: list[LongTermItem] = []
        for item in self.memories:
            if fits([*kept, item]):
                kept.append(item)
        if self.memories and kept[:1] != self.memories[:1]:
            kept = _shortened(self.memories[0], fits) or kept
        return recalled_text(map(_line, newest_first(kept)))


def _line(item: LongTermItem) -> tuple[str, str, str]:
    day = datetime.fromtimestamp(item.at, timezone.utc).strftime("%Y-%m-%d")
    trust = item.entry.get("metadata", {}).get("trust")
    return item.id, f"{item.kind} of {day}{f', by {trust}' if trust else ''}", item.text


def _shortened(item: LongTermItem, fits: Callable[[Sequence[LongTermItem]], bool]) -> list[LongTermItem]:
    """Return the longest beginning of a memory that fits, an empty list if none does."""
    low, high = 0, len(item.text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits([replace(item, text=f"{item.text[:middle].rstrip()}…")]) else (low, middle - 1)
    return [replace(item, text=f"{item.text[:low].rstrip()}…")] if low else []


def newest_first(memories: Sequence[LongTermItem]) -> list[LongTermItem]:
    """Return memories in their order, but facts of the same kind together, the newest first.

    Such facts have the same speaker and at least half of the words in common.
    """
    groups: list[list[LongTermItem]] = []
    for item in memories:
        group = next((known for known in groups if _is_same_kind(known[0], item)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return [item for group in groups for item in sorted(group, key=lambda each: -each.at)]


def _is_same_kind(one: LongTermItem, other: LongTermItem) -> bool:
    if one.kind != "fact" or other.kind != "fact" or not is_comparable(_statement(one), _statement(other)):
        return False
    words, others = ({*normalized_words(item.text).split()} for item in (one, other))
    shared = len(words & others)
    return shared >= _SHARED_COUNT and shared >= _SHARED_FRACTION * min(len(words), len(others))


def _statement(item: LongTermItem) -> tuple[str, str]:
    return item.text, speaker_of(item)


def speaker_of(item: LongTermItem) -> str:
    """Return the name of the speaker of a fact, "" if it is unknown."""
    return str(item.entry.get("metadata", {}).get("speaker", ""))


def read_item(entry: MemoryEntry) -> LongTermItem | None:
    """Return an entry as a memory, or None for an entry of another kind."""
    kind = str(entry.get("metadata", {}).get("kind"))
    content: Any = entry["content"]
    id = entry["key"].get(kind)
    if kind not in KINDS or not isinstance(content, Mapping) or not isinstance(id, str):
        return None
    text = str(content.get("text", ""))
    if kind == "guideline":
        text = f"{text} {figures_text(content['figures'])}".strip()
    if kind == "tool_call":
        result = "returned" if content["success"] else "failed with"
        text = f"{content['tool']}({content['input']}) {result} {content['output']}"
    return LongTermItem(kind, id, text, entry["score"], entry["occurred_at"], entry)

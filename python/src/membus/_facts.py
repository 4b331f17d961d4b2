"""Facts about one subject: ids, filters and stores of records (protocol/spec/07-records.md)."""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from typing import Any, Iterator, Mapping

from ._schema import LIMITS, MemoryEntry
from .aio import AsyncAgentMemory
from .errors import error_of

#: Maximum length of a fact in characters.
FACT_LENGTH_MAX = 8_192
_IDS_MAX = 20
_ESCAPED = re.compile(r"[%/*\x00-\x1f\x7f]")
_BEFORE_WORDS = "\"'“”‘’«»([¡¿"
_AFTER_WORDS = ".,;:!?…\"'“”‘’«»)]。，；：！？"


def segment_of(subject: str) -> str:
    """Return a subject as a segment of a namespace [NS-1]."""
    return _ESCAPED.sub(lambda sign: f"%{ord(sign.group()):02x}", subject)


def segment_length(subject: str) -> int:
    """Return the length of the segment of a subject. Characters outside the BMP count as 2."""
    return len(segment_of(subject).encode("utf-16-le", "surrogatepass")) // 2


def subject_namespace(subject: str) -> str:
    """Return the namespace of the memories about a subject.

    Raises:
        ValueError: If the subject is empty or too long.
    """
    maximum = LIMITS["namespaceSegmentLength"]
    if not isinstance(subject, str) or not 1 <= segment_length(subject) <= maximum:
        raise ValueError(f"a subject must be 1..{maximum} characters ('%', '/', '*' and control characters count as 3), got {subject!r:.100}")
    return f"about/{segment_of(subject)}"


def canonical_text(text: str) -> str:
    """Return a text in NFC with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def normalized_words(text: str) -> str:
    """Return the words in lower case, without punctuation around them. Texts with equal results count as the same."""
    words = (word.lstrip(_BEFORE_WORDS).rstrip(_AFTER_WORDS) for word in text.lower().split())
    return " ".join(word for word in words if word)


def is_comparable(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether one text with its speaker may repeat or replace the other.

    Statements of two speakers are independent, unless both name the same one of the two.
    """
    speakers = {one[1].lower(), other[1].lower()} - {""}
    texts = [one[0].lower(), other[0].lower()]
    return len(speakers) < 2 or any(all(name in text for text in texts) for name in speakers)


def fact_ids(text: str) -> Iterator[str]:
    """Yield the ids that a text can have. A later one is used if a fact with the earlier one has ended."""
    first = hashlib.sha256(text.encode()).hexdigest()[:32]
    yield first
    for n in range(2, _IDS_MAX + 1):
        yield f"{first}.{n}"


def current_at(now: float) -> list[Any]:
    """Return conditions for facts that are neither superseded nor past their end. Other kinds pass."""
    return [
        {"field": "metadata.superseded_by", "op": "exists", "value": False},
        {"not": {"field": "metadata.valid_until", "op": "lte", "value": now}},
    ]


def is_current(entry: MemoryEntry) -> bool:
    metadata = entry.get("metadata", {})
    until = metadata.get("valid_until")
    return "superseded_by" not in metadata and (not isinstance(until, (int, float)) or until > time.time())


async def add_fact(
    memory: AsyncAgentMemory, text: str, entry: Mapping[str, Any], *, salt: str = ""
) -> tuple[str, bool]:
    """Store a new fact with the content `text` in the namespace of `memory`, unless it is known.

    `salt` distinguishes facts with equal texts.

    Returns:
        The id, and whether the fact is new.

    Raises:
        MembusError: If it cannot be stored.
    """
    error: Any = None
    for id in fact_ids(text + salt):
        fact = {**entry, "key": {"fact": id}, "content": {"text": text, **entry.get("content", {})}, "if_revision": 0}
        errors = (await memory.store(fact, partial=True))["errors"]
        if not errors:
            return id, True
        error = errors[0]
        if error["code"] != "conflict":
            raise error_of(error)
        known = await memory.retrieve(tier=entry["tier"], keys=[{"fact": id}])
        if any(each["content"]["text"] == text and is_current(each) for each in known["entries"]):
            return id, False
    raise error_of(error)

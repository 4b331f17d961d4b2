"""Messages as a model sees them: one line of JSON for each statement."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Sequence

from ._dates import resolve_dates
from ._split_text import split_text
from ._statement import is_statement, sentences_of

#: A longer message is divided into passages of this length, a shorter one into sentences.
_PASSAGE_LENGTH_MAX = 1_000
#: An English sentence that continues with another statement of its speaker.
_NEXT_CLAUSE = re.compile(r",? and (?=(?:I|my|we|our)\b)")
_FIRST_PERSON = re.compile(r"\b(I|I['’]\w+|my|we|our)\b", re.IGNORECASE)
#: Four characters of a script without spaces between words.
_DENSE = re.compile("[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]{4}")


@dataclass(frozen=True)
class Utterance:
    """The text of a message. `speaker` is a name or "", and `at` its time in Unix seconds."""

    role: str
    text: str
    speaker: str = ""
    at: float | None = None


def statement_parts(utterances: Sequence[Utterance]) -> list[Utterance]:
    """Divide what people and tools say into parts of one statement, so that a small model omits none of them.

    Messages of an assistant stay whole, if others say anything.
    """
    is_alone = all(map(_is_assistant, utterances))
    parts: list[Utterance] = []
    for each in utterances:
        is_whole = _is_assistant(each) and not is_alone
        parts += [each] if is_whole else [replace(each, text=text) for text in _parts_of_text(each.text)]
    return parts


def _parts_of_text(text: str) -> list[str]:
    if len(text) > _PASSAGE_LENGTH_MAX:
        return split_text(text, _PASSAGE_LENGTH_MAX)
    return [clause for sentence in sentences_of(text) for clause in _NEXT_CLAUSE.split(sentence)]


def may_state_fact(part: Utterance) -> bool:
    """Return whether a part may state a fact: it is a statement, or a person asks about themselves."""
    return is_statement(part.text) or (not _is_assistant(part) and _FIRST_PERSON.search(part.text) is not None)


def asked_numbers(parts: Sequence[Utterance]) -> list[int]:
    """Return the numbers of the parts that a model is asked about.

    These are statements of people and tools with more than two words, else statements of assistants, else all parts.
    """
    stated = [n for n, part in enumerate(parts, 1) if may_state_fact(part) and _is_long(part.text)]
    others = [n for n in stated if not _is_assistant(parts[n - 1])]
    return others or stated or [*range(1, len(parts) + 1)]


def _is_long(text: str) -> bool:
    return len(re.findall(r"\w+", text)) > 2 or _DENSE.search(text) is not None


def _is_assistant(utterance: Utterance) -> bool:
    return utterance.role == "assistant" and utterance.speaker == ""


def speaker_shown(utterance: Utterance) -> str:
    """Return the name that a model sees."""
    return utterance.speaker or {"user": "The user", "tool": "A tool"}.get(utterance.role, "The assistant")


def transcript(part: Sequence[Utterance]) -> str:
    """Format messages as one line of JSON each, so that no text can imitate another message."""
    lines = []
    for n, each in enumerate(part, 1):
        date = {} if each.at is None else {"date": day_of(each.at)}
        text = each.text if each.at is None else resolve_dates(each.text, each.at)
        lines.append(json.dumps({"message": n, "speaker": speaker_shown(each), **date, "text": text}, ensure_ascii=False))
    return "\n".join(lines)


def day_of(at: float) -> str:
    """Return the UTC date of a time in Unix seconds."""
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%d")

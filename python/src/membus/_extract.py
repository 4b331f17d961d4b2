"""Extraction of facts and experiences from messages by a model, in one call for each part of a transcript."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Iterator, Mapping, Sequence

from ._chat_model import ChatModel
from ._dates import resolve_dates
from ._facts import FACT_LENGTH_MAX, canonical_text
from ._prompts import ANSWER_IN_JSON, DECIDE_FACTS, EXTRACT_EXPERIENCES, EXTRACT_FACTS
from ._split_text import split_text

#: Maximum number of characters of messages in one call.
_PART_LENGTH_MAX = 8_000
#: Maximum number of facts or experiences of one call.
_ITEMS_MAX = 20

#: Maximum number of known facts in one question, and of characters of each.
_KNOWN_MAX = 40
_SHOWN_LENGTH_MAX = 400
#: Maximum number of characters of a fact that a model writes.
_FACT_LENGTH_MAX = 300
_OUTCOMES = ("new", "duplicate", "superseded", "updated", "extended")

#: Small models copy an example with words, so it has none.
_FACTS_FORM = (
    """{
  "facts": [  // at most 20 items
    {
      "text": string,  // One fact in one short sentence with the name of the speaker.
      "message": integer  // The number of the message that states it.
    }
  ]
}""",
    '{"facts": [{"text": "...", "message": 1}]}',
)
_DECISIONS_FORM = (
    """{
  "decisions": [  // at most 20 items
    {
      "news": integer,  // The number of the news item.
      "fact": integer or null,  // The number of the known fact, or null if it is new.
      "outcome": "new" or "duplicate" or "superseded" or "updated" or "extended",
      "text": string or null  // Only for updated and extended: the text to store. Otherwise null.
    }
  ]
}""",
    '{"decisions": [{"news": 1, "fact": 2, "outcome": "superseded", "text": null}, '
    '{"news": 2, "fact": null, "outcome": "new", "text": null}]}',
)
_EXPERIENCES_FORM = (
    """{
  "experiences": [  // at most 20 items
    {
      "text": string,  // The advice, understandable on its own.
      "when_to_use": string  // The situation or the task in which it helps.
    }
  ]
}""",
    '{"experiences": [{"text": "...", "when_to_use": "..."}]}',
)
#: Facts in the prompt that explain the rules. A model may copy them.
_PROMPT_FACTS = ("Zoe sold her kayak on 2019-03-04.", "Zoe's boss is Max.")


@dataclass(frozen=True)
class Utterance:
    """The text of a message. `speaker` is a name or "", and `at` its time in Unix seconds."""

    role: str
    text: str
    speaker: str = ""
    at: float | None = None


@dataclass(frozen=True)
class ExtractedFact:
    text: str
    #: Messages that may state it: one, or all if the model names none.
    stated_by: Sequence[Utterance]


@dataclass(frozen=True)
class Decision:
    """How a fact relates to known facts. `fact` is the index of the known fact, None for a new one."""

    outcome: str
    fact: int | None = None
    text: str = ""


async def extract_facts(model: ChatModel, utterances: Sequence[Utterance], subject: str) -> list[ExtractedFact]:
    """Return the facts that a model finds. Raise `ModelError` if it gives no valid answer."""
    facts: list[ExtractedFact] = []
    for part in _parts(utterances):
        answer = await _ask(model, EXTRACT_FACTS, _FACTS_FORM, about=json.dumps(subject), messages=_transcript(part))
        for item in _items(answer, "facts", _FACT_LENGTH_MAX):
            source = _numbered(item.get("message"), len(part))
            stated_by = part if source is None else [part[source]]
            times = [each.at for each in stated_by if each.at is not None]
            text = resolve_dates(item["text"], max(times)) if times else item["text"]
            if not _is_copied(text, part):
                facts.append(_named(ExtractedFact(text, stated_by)))
    return facts


async def decide_facts(
    model: ChatModel, subject: str, news: Sequence[tuple[str, float]], known: Sequence[tuple[str, float]]
) -> list[Decision]:
    """Return a decision for each of the news. News and known facts are texts with their times.

    News that the answer omits, or relates to unknown facts, are new. Raise `ModelError` without a valid answer.
    """
    decisions: list[Decision] = []
    for at in range(0, len(news), _ITEMS_MAX):
        some = news[at : at + _ITEMS_MAX]
        lines = {"facts": _shown("fact", known[:_KNOWN_MAX]), "news": _shown("news", some)}
        answer = await _ask(model, DECIDE_FACTS, _DECISIONS_FORM, about=json.dumps(subject), **lines)
        given = answer.get("decisions")
        found: dict[int, Decision] = {}
        for item in (given if isinstance(given, list) else [])[:_ITEMS_MAX]:
            number = _numbered(item.get("news"), len(some)) if isinstance(item, dict) else None
            if number is not None:
                found.setdefault(number, _decision(item, min(len(known), _KNOWN_MAX)))
        decisions += [found.get(n, Decision("new")) for n in range(len(some))]
    return decisions


def _decision(item: dict[str, Any], known_count: int) -> Decision:
    fact, outcome, text = _numbered(item.get("fact"), known_count), item.get("outcome"), item.get("text")
    if fact is None or outcome not in _OUTCOMES:
        return Decision("new")
    written = canonical_text(text) if isinstance(text, str) and len(text) <= _FACT_LENGTH_MAX else ""
    return Decision(outcome, fact, written)


def has_new_detail(text: str, known: str) -> bool:
    """Return whether `text` has a name or a number that `known` does not have."""
    details = (word.strip(".,-") for word in re.findall(r"[\w.-]+", text) if re.search(r"\d", word) or word != word.lower())
    return any(detail.lower() not in known.lower() for detail in details)


async def _ask(model: ChatModel, prompt: str, form: tuple[str, str], **fields: str) -> dict[str, Any]:
    asked = _filled(prompt, fields)
    answer = _filled(ANSWER_IN_JSON, {"form": form[0], "example": form[1]})
    return await model.complete_json([{"role": "user", "content": f"{asked}\n\n{answer}"}])


def _filled(prompt: str, fields: Mapping[str, str]) -> str:
    """Replace the fields of a prompt at once, so that no text can contain another field."""
    return re.sub(r"\{\{(\w+)\}\}", lambda name: fields[name.group(1)], prompt)


def _shown(name: str, facts: Sequence[tuple[str, float]]) -> str:
    lines = [{name: n, "date": _day(at), "text": text[:_SHOWN_LENGTH_MAX]} for n, (text, at) in enumerate(facts, 1)]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def _is_copied(text: str, part: Sequence[Utterance]) -> bool:
    """Return whether a model copied a fact from the prompt, or wrote no words."""
    is_example = text in _PROMPT_FACTS and not any(re.search(r"kayak|\bMax\b", each.text) for each in part)
    return is_example or re.search(r"\w", text) is None


def _numbered(number: Any, count: int) -> int | None:
    """Return the index for a number of the prompt, None for an unknown number."""
    return number - 1 if type(number) is int and 1 <= number <= count else None


def _named(fact: ExtractedFact) -> ExtractedFact:
    """Add the name of the speaker to a fact that a model left in the first person."""
    speakers = {each.speaker for each in fact.stated_by}
    is_first_person = re.match(r"(I|I['’]\w+|My|Me|We|We['’]\w+|Our)\s", fact.text)
    if not is_first_person or len(speakers) > 1 or "" in speakers:
        return fact
    return replace(fact, text=f"{speakers.pop()}: {fact.text}")


async def extract_experiences(model: ChatModel, utterances: Sequence[Utterance], value: float) -> list[tuple[str, str]]:
    """Return pairs of advice and the situation that it is for."""
    found = []
    for part in _parts(utterances):
        answer = await _ask(model, EXTRACT_EXPERIENCES, _EXPERIENCES_FORM, value=str(value), messages=_transcript(part))
        for item in _items(answer, "experiences", FACT_LENGTH_MAX):
            found.append((item["text"], canonical_text(str(item.get("when_to_use") or item["text"]))))
    return found


def _items(answer: dict[str, Any], name: str, length_max: int) -> Iterator[dict[str, Any]]:
    given = answer.get(name)
    for item in (given if isinstance(given, list) else [])[:_ITEMS_MAX]:
        text = canonical_text(item["text"]) if isinstance(item, dict) and isinstance(item.get("text"), str) else ""
        if text and len(text) <= length_max:
            yield {**item, "text": text}


def _parts(utterances: Sequence[Utterance]) -> Iterator[list[Utterance]]:
    """Yield parts of a conversation of limited length. A longer message is divided."""
    part: list[Utterance] = []
    length = 0
    for each in utterances:
        for text in split_text(each.text, _PART_LENGTH_MAX):
            if part and length + len(text) > _PART_LENGTH_MAX:
                yield part
                part, length = [], 0
            part.append(replace(each, text=text))
            length += len(text)
    if part:
        yield part


def _transcript(part: Sequence[Utterance]) -> str:
    """Format messages as one line of JSON each, so that no text can imitate another message."""
    lines = []
    for n, each in enumerate(part, 1):
        speaker = each.speaker or {"user": "The user", "tool": "A tool"}.get(each.role, "The assistant")
        date = {} if each.at is None else {"date": _day(each.at)}
        text = each.text if each.at is None else resolve_dates(each.text, each.at)
        lines.append(json.dumps({"message": n, "speaker": speaker, **date, "text": text}, ensure_ascii=False))
    return "\n".join(lines)


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%d")

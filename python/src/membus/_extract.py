"""Extraction of facts and experiences from messages by a model, in one call for each part of a transcript."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Iterator, Mapping, Sequence

from ._chat_model import ChatModel
from ._dates import resolve_dates
from ._facts import FACT_LENGTH_MAX, canonical_text
from ._prompts import (
    ANSWER_IN_JSON,
    DECIDE_FACTS,
    DECIDE_FACTS_ANSWER,
    DECIDE_FACTS_EXAMPLE,
    EXTRACT_EXPERIENCES,
    EXTRACT_FACTS,
    EXTRACT_FACTS_ANSWER,
    EXTRACT_FACTS_EXAMPLE,
    EXTRACT_FACTS_MESSAGES,
)
from ._split_text import split_text
from ._transcript import Utterance, asked_numbers, day_of, may_state_fact, speaker_shown, statement_parts, transcript

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
      "message": integer,  // The number of the message that states it.
      "text": string  // One fact in one short sentence with the name of the speaker.
    }
  ]
}""",
    '{"facts": [{"message": 1, "text": "..."}]}',
)
_DECISIONS_FORM = (
    """{
  "decisions": [  // at most 20 items
    {
      "news": integer,  // The number of the news item.
      "fact": integer or null,  // The number of the known fact below the news item, or null if it is new.
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
#: Facts of the conversation that demonstrates an answer, with the numbers of their messages. A model may copy them.
_EXAMPLE_FACTS: Mapping[str, int] = {fact["text"]: fact["message"] for fact in json.loads(EXTRACT_FACTS_ANSWER)["facts"]}


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
    found = [await _extract_part(model, part, subject) for part in _parts(statement_parts(utterances))]
    return [fact for facts in found for fact in facts]


async def _extract_part(model: ChatModel, part: Sequence[Utterance], subject: str) -> list[ExtractedFact]:
    """Ask about messages with at most 20 statements. More are asked about in halves."""
    numbers = asked_numbers(part)
    if len(numbers) > _ITEMS_MAX:
        middle = (len(part) + 1) // 2
        first = await _extract_part(model, part[:middle], subject)
        return first + await _extract_part(model, part[middle:], subject)
    demonstration = (_question(EXTRACT_FACTS_EXAMPLE, [*_EXAMPLE_FACTS.values()]), EXTRACT_FACTS_ANSWER)
    rules = _filled(EXTRACT_FACTS, {"about": json.dumps(subject)})
    answer = await _ask_shown(model, rules, _FACTS_FORM, demonstration, _question(transcript(part), numbers))
    facts: list[ExtractedFact] = []
    for item in _items(answer, "facts", _FACT_LENGTH_MAX):
        source = _numbered(item.get("message"), len(part))
        stated_by = part if source is None else [part[source]]
        times = [each.at for each in stated_by if each.at is not None]
        text = resolve_dates(item["text"], max(times)) if times else item["text"]
        if not _is_copied(text, part) and (source is None or may_state_fact(part[source])):
            facts.append(_named(ExtractedFact(text, stated_by)))
    return facts


def _question(messages: str, numbers: Sequence[int]) -> str:
    return _filled(EXTRACT_FACTS_MESSAGES, {"messages": messages, "numbers": ", ".join(map(str, numbers))})


async def decide_facts(
    model: ChatModel, subject: str, news: Sequence[tuple[str, float]], known: Sequence[Sequence[tuple[str, float]]]
) -> list[Decision]:
    """Return a decision for each of the news. News and the known facts of each are texts with their times.

    News that the answer omits, or relates to unknown facts, are new. Raise `ModelError` without a valid answer.
    """
    decisions: list[Decision] = []
    for at in range(0, len(news), _ITEMS_MAX):
        some = news[at : at + _ITEMS_MAX]
        shown = [facts[: _KNOWN_MAX // len(some)] for facts in known[at : at + _ITEMS_MAX]]
        lines: list[str] = []
        for n, one in enumerate(some, 1):
            lines += [_line("news", n, one), *(_line("fact", m, fact) for m, fact in enumerate(shown[n - 1], 1))]
        rules = _filled(DECIDE_FACTS, {"about": json.dumps(subject)})
        demonstration = (DECIDE_FACTS_EXAMPLE, DECIDE_FACTS_ANSWER)
        answer = await _ask_shown(model, rules, _DECISIONS_FORM, demonstration, "\n".join(lines))
        given = answer.get("decisions")
        found: dict[int, Decision] = {}
        for item in (given if isinstance(given, list) else [])[:_ITEMS_MAX]:
            number = _numbered(item.get("news"), len(some)) if isinstance(item, dict) else None
            if number is not None:
                found.setdefault(number, _decision(item, len(shown[number])))
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


async def _ask_shown(
    model: ChatModel, rules: str, form: tuple[str, str], demonstration: tuple[str, str], question: str
) -> dict[str, Any]:
    """Ask after a demonstration: a question and its answer, which small models imitate better than rules."""
    answer = _filled(ANSWER_IN_JSON, {"form": form[0], "example": form[1]})
    return await model.complete_json(
        [
            {"role": "system", "content": f"{rules}\n\n{answer}"},
            {"role": "user", "content": demonstration[0]},
            {"role": "assistant", "content": demonstration[1]},
            {"role": "user", "content": question},
        ]
    )


def _filled(prompt: str, fields: Mapping[str, str]) -> str:
    """Replace the fields of a prompt at once, so that no text can contain another field."""
    return re.sub(r"\{\{(\w+)\}\}", lambda name: fields[name.group(1)], prompt)


def _line(name: str, number: int, fact: tuple[str, float]) -> str:
    text, at = fact
    return json.dumps({name: number, "date": day_of(at), "text": text[:_SHOWN_LENGTH_MAX]}, ensure_ascii=False)


def _is_copied(text: str, part: Sequence[Utterance]) -> bool:
    """Return whether a model copied a fact from the demonstration, or wrote no words."""
    is_example = text in _EXAMPLE_FACTS and shared_words(text, " ".join(each.text for each in part)) < 2
    return is_example or re.search(r"\w", text) is None


def shared_words(text: str, known: str) -> int:
    """Return the number of words that both texts have, in any inflection."""
    return len(_stems(text) & _stems(known))


def _stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"\w{3,}", text.lower())} - {"the", "user", "and", "this", "that", "with"}


def _numbered(number: Any, count: int) -> int | None:
    """Return the index for a number of the prompt, None for an unknown number."""
    return number - 1 if type(number) is int and 1 <= number <= count else None


#: English beginnings in the first person, and in the third after the name of the speaker.
_THIRD_PERSON = (
    (re.compile(r"My\s"), "'s "),
    (re.compile(r"I(?: am|['’]m)\s"), " is "),
    (re.compile(r"I(?: have|['’]ve)\s"), " has "),
    (re.compile(r"(?=(?:I|I['’]\w+|Me|We|We['’]\w+|Our)\s)"), ": "),
)


def _named(fact: ExtractedFact) -> ExtractedFact:
    """Put the name of the speaker into a fact that a model left in the first person."""
    names = {each.speaker or (speaker_shown(each) if len(fact.stated_by) == 1 else "") for each in fact.stated_by}
    if len(names) > 1 or "" in names:
        return fact
    (name,) = names
    for beginning, third in _THIRD_PERSON:
        found = beginning.match(fact.text)
        if found:
            return replace(fact, text=f"{name}{third}{fact.text[found.end() :]}")
    return fact


async def extract_experiences(model: ChatModel, utterances: Sequence[Utterance], value: float) -> list[tuple[str, str]]:
    """Return pairs of advice and the situation that it is for."""
    found = []
    for part in _parts(utterances):
        answer = await _ask(model, EXTRACT_EXPERIENCES, _EXPERIENCES_FORM, value=str(value), messages=transcript(part))
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

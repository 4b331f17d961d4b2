"""Facts, experiences and tool calls about one subject, across conversations. JavaScript agents share them.

    memory = AsyncLongTermMemory(client, "user:ada")
    await memory.record("I prefer the night train")
    print((await memory.recall("which train?")).text())
"""

from __future__ import annotations

import time
import uuid
from typing import Any, Iterable, Mapping, Sequence, Union

from ._chat_model import ChatModel
from ._conversation_records import text_of
from ._extract import Decision, ExtractedFact, decide_facts, extract_experiences, extract_facts, has_new_detail, shared_words
from ._facts import FACT_LENGTH_MAX, add_fact, canonical_text, current_at, fact_ids, is_comparable, normalized_words, subject_namespace
from ._identity import require_tier
from ._memories import KINDS, LongTermItem, Recall, RecordOutcome, read_item, speaker_of
from ._recalled_text import without_recalled
from ._schema import LIMITS, MemoryTier
from ._split_text import split_text
from ._tool_calls import record_tool_calls
from ._transcript import Utterance
from ._values import key_hash, require_number
from .aio import AsyncAgentMemory
from .errors import error_of

#: A text, a message, or several.
Recordable = Union[str, Mapping[str, Any], Sequence[Union[str, Mapping[str, Any]]]]
RECALLED_KINDS = ("fact", "experience", "guideline")
#: Number of known facts that are compared with a new one.
_NEIGHBOURS = 5
#: Number of preceding texts that are the context of a fact.
_CONTEXT_COUNT = 2
_TRUST = {"user": "user", "tool": "tool"}
#: Tools that return recalled text.
_RECALL_TOOLS = {"retrieve_from_memory", "search_memory", "archival_memory_search", "conversation_search"}


class AsyncLongTermMemory:
    """The memories about one subject, such as `user:ada`, in a namespace of their own.

    Without a `model`, texts are stored unchanged, and the learner (`membus learn`) can extract facts from
    conversations. With a model, `record` extracts facts and replaces facts that are no longer true. The old version
    stays in the history.

    In the shared tier "semantic", memories that no user stated go to the namespace `quarantine/about/<subject>`. They
    are recalled after a person has approved them (`LongTermMemory.promote` in JavaScript).

    Raises:
        ValueError: If the subject is empty or over 64 characters, or the tier is unknown.
    """

    def __init__(
        self, client: AsyncAgentMemory, subject: str, *, tier: MemoryTier = "episodic", model: ChatModel | None = None
    ) -> None:
        require_tier(tier)
        self._memory = client.in_namespace(subject_namespace(subject))
        # Other agents read the shared tier, so only what users said goes there without approval [REC-9].
        isolated = f"quarantine/{subject_namespace(subject)}"
        self._untrusted = client.in_namespace(isolated) if tier == "semantic" else self._memory
        self._subject = subject
        self._tier: MemoryTier = tier
        self._model = model

    @property
    def subject(self) -> str:
        return self._subject

    async def record(
        self,
        messages: Recordable,
        *,
        infer: bool = True,
        at: float | None = None,
        category: str | None = None,
        sources: Sequence[str] | None = None,
    ) -> list[RecordOutcome]:
        """Store the facts of texts or messages, without instructions and recalled memories.

        A message may have a `name`, which becomes the speaker of its facts, and its time as `at`. Texts over 8,192
        characters are divided.

        Args:
            infer: Whether the model extracts facts. Without a model, and with False, texts are stored unchanged.
            at: Unix seconds from which the facts are true. Default: the `at` of the message, else now.
            sources: Key hashes of the entries that the facts are derived from.

        Raises:
            ModelError: If the model gives no valid answer. Nothing is stored.
            MembusError: If a fact cannot be stored. Earlier facts of the call stay stored.
        """
        utterances = utterances_of(messages, time.time() if at is None else at)
        settings = {"category": category, "sources": sources}
        if infer and self._model is not None and utterances:
            return await self._record_extracted(self._model, utterances, settings)
        # The facts of one conversation help to find each other.
        is_group = len(utterances) > 1 and not isinstance(messages, str)
        group = {"group": str(uuid.uuid4())} if is_group and any(not isinstance(each, str) for each in messages) else {}
        outcomes = []
        earlier: list[str] = []
        for each in utterances:
            text = f"{each.speaker}: {each.text}" if each.speaker else each.text
            context = {"context": "\n".join(earlier[-_CONTEXT_COUNT:])} if group and earlier else {}
            for part in split_text(text, FACT_LENGTH_MAX):
                fields = {**settings, "fields": {**group, **context}}
                outcomes.append(await self._record_fact(canonical_text(part), [each], fields, is_compared=True))
            earlier.append(canonical_text(text)[: FACT_LENGTH_MAX])
        return outcomes

    async def record_experiences(
        self,
        messages: Recordable,
        *,
        value: float = 1.0,
        when_to_use: str = "",
        infer: bool = True,
        sources: Sequence[str] | None = None,
    ) -> list[RecordOutcome]:
        """Store what was learned from a task. `value` is its success, 0..1. A known experience gets the new value.

        Experiences that no model extracts are found by `when_to_use`, or by their text if it is empty.
        """
        require_number("value", value, "0..1", lambda number: 0 <= number <= 1)
        utterances = utterances_of(messages, None)
        trust = _lowest_trust(utterances)
        if infer and self._model is not None and utterances:
            lessons = await extract_experiences(self._model, utterances, value)
        else:
            texts = [canonical_text(each.text) for each in utterances]
            lessons = [(text, canonical_text(when_to_use) or text) for text in texts]
        entries = {text: self._experience(text, when, value, trust, sources) for text, when in lessons if text}
        result = await self._view(trust).store(entries.values())
        names = {"created": "new", "updated": "updated"}
        outcomes = [names.get(receipt["outcome"], "duplicate") for receipt in result["receipts"]]
        return [RecordOutcome(outcome, text, next(fact_ids(text))) for outcome, text in zip(outcomes, entries)]

    async def record_tool_calls(self, reports: Iterable[Mapping[str, Any] | str]) -> list[str]:
        """Store reports of tool calls, and update the guidelines of their tools.

        A report has `tool_name`, `input`, `output` and `success`, and optionally `create_time` (UTC), `token_cost` and
        `time_cost` (seconds). It may be JSON.

        Returns:
            The ids of the calls. A known call is not counted twice.

        Raises:
            ValueError: For an invalid report. Nothing is stored.
        """
        return await record_tool_calls(self._view("tool"), self._tier, reports)

    async def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        min_score: float = 0.2,
        kinds: Sequence[str] = RECALLED_KINDS,
        since: float | None = None,
        until: float | None = None,
    ) -> Recall:
        """Return current memories that match a query, best first.

        With `since` or `until` (Unix seconds), `min_score` is ignored, and an empty query returns the newest memories of
        that range. Without both, an empty query returns nothing.
        """
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown or not kinds:
            raise ValueError(f"kinds must be some of {', '.join(KINDS)}, got {unknown}")
        asked = query[: LIMITS["queryLength"]].strip()
        is_ranged = since is not None or until is not None
        if not asked and not is_ranged:
            return Recall([])
        score = 0.0 if is_ranged else min_score
        how: Any = {"query": asked, "min_score": score} if asked else {"order": "newest"}
        return Recall(await self._items(kinds, limit=limit, since=since, until=until, **how))

    async def items(self, *, limit: int = 100, kinds: Sequence[str] = RECALLED_KINDS) -> list[LongTermItem]:
        """Return the newest current memories."""
        return await self._items(kinds, order="newest", limit=limit)

    async def history(self, id: str) -> list[LongTermItem]:
        """Return a fact and the facts that it replaced, newest first. Empty if there is no fact with this id."""
        found: dict[str, LongTermItem] = {}
        hashes = [key_hash({"fact": id})]
        keys: list[Any] = [{"fact": id}]
        page = await self._memory.retrieve(tier=self._tier, keys=keys)
        while page["entries"] and len(found) < LIMITS["retrieveLimit"]:
            new = [item for item in map(read_item, page["entries"]) if item and item.id not in found]
            found.update({item.id: item for item in new})
            hashes = [item.entry["key_hash"] for item in new]
            if not hashes:
                break
            where: Any = {"field": "metadata.superseded_by", "op": "in", "value": hashes}
            page = await self._memory.retrieve(tier=self._tier, where=where, limit=LIMITS["retrieveLimit"])
        return [*found.values()]

    async def forget(self, *, ids: Sequence[str] | None = None, all: bool = False, purge: bool = False) -> int:
        """Delete memories by id, or everything about the subject with `all`, with what was derived from them.

        With `purge`, return once no byte of them is left on disk.

        Raises:
            ValueError: Unless exactly one of `ids` and `all` is given.
        """
        if (ids is not None) == all:
            raise ValueError("either ids or all=True is required")
        how: Any = {"tier": self._tier, "cascade": True, "purge": purge}
        views = [self._memory] if self._untrusted is self._memory else [self._memory, self._untrusted]
        if ids is None:
            return sum([(await view.forget(all=True, **how))["deleted"] for view in views])
        keys: list[Any] = [{kind: id} for id in ids for kind in KINDS]
        step = LIMITS["criteriaKeys"]
        chunks = [keys[at : at + step] for at in range(0, len(keys), step)]
        return sum([(await view.forget(keys=some, **how))["deleted"] for view in views for some in chunks])

    def _view(self, trust: str) -> AsyncAgentMemory:
        return self._memory if trust == "user" else self._untrusted

    async def _items(self, kinds: Sequence[str], **request: Any) -> list[LongTermItem]:
        where: Any = {"all": [{"field": "metadata.kind", "op": "in", "value": [*kinds]}, *current_at(time.time())]}
        given = {name: value for name, value in request.items() if value is not None}
        page = await self._memory.retrieve(tier=self._tier, where=where, **given)
        return [item for item in map(read_item, page["entries"]) if item is not None]

    async def _record_extracted(
        self, model: ChatModel, utterances: Sequence[Utterance], settings: Mapping[str, Any]
    ) -> list[RecordOutcome]:
        facts = await extract_facts(model, utterances, self._subject)
        known = [await self._related(fact.text) for fact in facts]
        news = [(fact.text, _time_of(fact.stated_by)) for fact in facts]
        shown = [[(item.text, item.at) for item in items] for items in known]
        decisions = await decide_facts(model, self._subject, news, shown) if any(known) else [Decision("new")] * len(facts)
        replaced: set[str] = set()
        outcomes = []
        for fact, items, decision in zip(facts, known, decisions):
            old = None if decision.fact is None else items[decision.fact]
            plan, text = ("new", fact.text) if old is None else _plan(fact, decision, old)
            if old is not None and plan == "duplicate":
                outcomes.append(RecordOutcome("duplicate", old.text, old.id))
                continue
            outcome = await self._record_fact(text, fact.stated_by, settings)
            if old is not None and plan == "superseded" and old.id not in {*replaced, outcome.id}:
                replaced.add(old.id)
                outcome = await self._supersede(old, outcome, _time_of(fact.stated_by))
            outcomes.append(outcome)
        return outcomes

    async def _related(self, text: str) -> list[LongTermItem]:
        """Return similar facts, those with the most words in common first. Others are left out if any has one."""
        found = (await self.recall(text, limit=_NEIGHBOURS, min_score=0.1, kinds=["fact"])).memories
        found = sorted(found, key=lambda item: -shared_words(text, item.text))
        return [item for item in found if shared_words(text, item.text) > 0] or found

    async def _record_fact(
        self, text: str, stated_by: Sequence[Utterance], settings: Mapping[str, Any], *, is_compared: bool = False
    ) -> RecordOutcome:
        speakers = {each.speaker for each in stated_by}
        speaker = {"speaker": speakers.pop()} if len(speakers) == 1 and "" not in speakers else {}
        trust = _lowest_trust(stated_by)
        if is_compared:
            words = normalized_words(text)
            for item in (await self.recall(text, min_score=0.1, kinds=["fact"])).memories:
                if words and normalized_words(item.text) == words:
                    return RecordOutcome("duplicate", item.text, item.id)
        since = _time_of(stated_by)
        category = {"category": settings["category"]} if settings["category"] else {}
        metadata = {"kind": "fact", **speaker, "about": self._subject, "trust": trust, "valid_from": since, **category}
        sources = {"sources": [*settings["sources"]]} if settings["sources"] else {}
        entry = {"tier": self._tier, "metadata": metadata, "occurred_at": since, **sources, **settings.get("fields", {})}
        id, is_new = await add_fact(self._view(trust), text, entry)
        return RecordOutcome("new" if is_new else "duplicate", text, id)

    async def _supersede(self, old: LongTermItem, outcome: RecordOutcome, at: float) -> RecordOutcome:
        """End a fact. If it was changed concurrently, both stay."""
        ends = {"valid_until": at, "superseded_by": key_hash({"fact": outcome.id})}
        changed = {**old.entry, "metadata": {**old.entry.get("metadata", {}), **ends}, "if_revision": old.entry["revision"]}
        for error in (await self._memory.store(changed, partial=True))["errors"]:
            if error["code"] != "conflict":
                raise error_of(error)
            return outcome
        return RecordOutcome("superseded", outcome.text, outcome.id, old.id)

    def _experience(
        self, text: str, when_to_use: str, value: float, trust: str, sources: Sequence[str] | None
    ) -> dict[str, Any]:
        return {
            "key": {"experience": next(fact_ids(text))},
            "content": {"text": text, "when_to_use": when_to_use},
            "metadata": {"kind": "experience", "value": value, "trust": trust},
            "text": when_to_use,
            "context": text,
            "tier": self._tier,
            **({"sources": [*sources]} if sources else {}),
        }


def _plan(fact: ExtractedFact, decision: Decision, old: LongTermItem) -> tuple[str, str]:
    """Return what is done with a fact, and its text. Nothing is lost: a fact with a new name or number is no duplicate,
    and a merged text keeps the names and numbers of both.
    """
    if decision.outcome == "duplicate":
        return ("new" if has_new_detail(fact.text, old.text) else "duplicate"), fact.text
    if decision.outcome == "new" or not _may_replace(fact, old):
        return "new", fact.text
    merged = decision.text
    if decision.outcome in ("updated", "extended") and merged and not has_new_detail(fact.text, merged):
        is_whole = decision.outcome == "updated" or not has_new_detail(old.text, merged)
        return ("superseded", merged) if is_whole else ("new", fact.text)
    return ("new" if decision.outcome == "extended" else "superseded"), fact.text


def _may_replace(fact: ExtractedFact, old: LongTermItem) -> bool:
    """Return whether the trust is high enough, and the speaker is the same or named in both facts."""
    if old.entry.get("metadata", {}).get("trust") == "user" and _lowest_trust(fact.stated_by) != "user":
        return False
    return all(is_comparable((fact.text, each.speaker), (old.text, speaker_of(old))) for each in fact.stated_by)


def _lowest_trust(utterances: Sequence[Utterance]) -> str:
    trusts = {_TRUST.get(each.role, "agent") for each in utterances}
    return next((trust for trust in ("tool", "agent") if trust in trusts), "user")


def _time_of(utterances: Sequence[Utterance]) -> float:
    """Return the time of the latest message, now for messages without a time."""
    return max((time.time() if each.at is None else each.at for each in utterances), default=time.time())


def utterances_of(messages: Recordable, at: float | None) -> list[Utterance]:
    """Return the texts of messages, without instructions and recalled memories. Empty texts are omitted.

    Raises:
        TypeError: For a value that is neither a text nor a message with a role.
    """
    given = [messages] if isinstance(messages, (str, Mapping)) else [*messages]
    spoken: list[Any] = [{"role": "user", "content": message} if isinstance(message, str) else message for message in given]
    for message in spoken:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise TypeError(f"a message must be a text or have a role, got {message!r:.100}")
    recalling = {call.get("id") for each in spoken for call in each.get("tool_calls") or () if _name_of(call) in _RECALL_TOOLS}
    utterances = []
    for message in spoken:
        role, name = message["role"], str(message.get("name") or "")
        is_recalled = role == "tool" and (name in _RECALL_TOOLS or message.get("tool_call_id") in recalling)
        text = without_recalled(text_of(message.get("content")))
        if text and not is_recalled and role not in ("system", "developer"):
            speaker = name if role in ("user", "assistant") else ""
            said_at = message.get("at", at)
            if said_at is not None:
                require_number("at", said_at, "Unix seconds of the years 70 to 9800", lambda number: -6e10 < number < 2.47e11)
            utterances.append(Utterance(role, text, speaker, said_at))
    return utterances


def _name_of(call: Mapping[str, Any]) -> Any:
    return call.get("function", call).get("name")

"""Tests Memory, LongTermMemory, Conversation and ContextWindow, with and without a model."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from running_bus import RunningBus
from scripted_model import scripted_model

import membus
from membus import AsyncContextWindow, AsyncConversation, AsyncLongTermMemory, AsyncMemory, ChatModel, ModelError, TooLargeError, aio
from membus._dates import resolve_dates
from membus._memories import estimate_tokens
from membus._statement import is_statement
from membus.context import tokens_of


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


def assistant(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **fields}


def texts(items: Any) -> list[str]:
    return [item.text for item in items]


def test_three_lines_remember_a_preference(bus: RunningBus, agent: str) -> None:
    memory = membus.Memory(membus.connect(bus.url, agent=agent))
    memory.add("I prefer the night train", user="ada")
    assert texts(memory.search("which train?", user="ada")) == ["I prefer the night train"]


def test_the_synchronous_classes_share_records(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as client:
        memory = membus.Memory(client)
        memory.add([user("I live in Lisbon"), assistant("Noted")], user="ada")
        assert [each.message["content"] for each in memory.history("ada")] == ["I live in Lisbon", "Noted"]
        facts = membus.LongTermMemory(client, "user:ada")
        assert (facts.subject, texts(facts.items())) == ("user:ada", ["I live in Lisbon"])
        conversation = membus.Conversation(client, "user:ada")
        assert (conversation.id, conversation.size()) == ("user:ada", 2)
        assert membus.ContextWindow(conversation).messages() == [user("I live in Lisbon"), assistant("Noted")]


async def test_users_never_share_memories(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = AsyncMemory(client)
        added = await memory.add([user("I prefer the night train"), user("Which one is it?"), assistant("The 9 pm one")], user="ada")
        assert (len(added.message_ids), texts(added.facts), added.degraded) == (3, ["I prefer the night train"], None)
        assert await memory.search("train", user="bob") == []
        assert await memory.history("bob") == []
        assert [each.message["content"] for each in await memory.history("ada", last=1)] == ["The 9 pm one"]
        again = await memory.add("I prefer the night train.", user="ada")
        assert [fact.outcome for fact in again.facts] == ["duplicate"]
        for name in ("", "a" * 60, 7):
            with pytest.raises(ValueError, match="user must be 1..59 characters"):
                await memory.add("x", user=name)  # type: ignore[arg-type]


async def test_a_known_message_is_not_added_again(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = AsyncMemory(client)
        for _ in range(2):
            assert (await memory.add(user("Hello", id="m-1"), user="ada")).message_ids == ["m-1"]
        for invalid in (user("x", at="today"), {"content": "x"}):
            with pytest.raises(TypeError):
                await memory.add([user("Bye"), invalid], user="ada")
        assert len(await memory.history("ada")) == 1


async def test_the_context_has_facts_and_history_within_its_limit(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        memory = AsyncMemory(client, context_tokens_max=400)
        await memory.add("I prefer the night train", user="ada")
        await memory.add([user(f"What about day {n}? {'words ' * 20}") for n in range(12)], user="ada")
        await memory.add(user("Which train leaves?"), user="ada")
        asked = [{"role": "system", "content": "Be brief."}, user("Which train leaves?")]
        system, *others = await memory.context("ada", asked)
        assert system["content"].startswith("Be brief.\n\n<recalled-memories>")
        assert "I prefer the night train" in system["content"]
        contents = [message["content"] for message in others]
        assert contents.count("Which train leaves?") == 1 and contents[-1] == "Which train leaves?"
        assert contents[-2].startswith("What about day 11?") and len(contents) < 8
        with pytest.raises(TooLargeError, match="the messages have .* tokens, limit 400"):
            await memory.context("ada", [user("x" * 5_000)])


async def test_the_context_keeps_its_limit_when_the_model_fails(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        conversation = AsyncConversation(client, "user:ada")
        await conversation.add([user(f"message {n} {'x' * 90}") for n in range(12)])
        with scripted_model() as model:
            memory = AsyncMemory(client, model=model.chat_model(), context_tokens_max=200)
            cut = await memory.context("ada", [user("Hello")])
            assert len(model.requests) == 1
            assert [message["content"][:10] for message in cut] == ["message 7 ", "message 8 ", "message 9 ", "message 10", "message 11", "Hello"]
            model.answers = ["a long summary " * 100]
            summarized = await memory.context("ada", [user("Hello")])
            assert summarized[0]["content"].startswith("a long summary a long") and summarized[-2]["content"].startswith("message 11")
        await conversation.add(user("Bye"))
        assert [message["content"] for message in await AsyncMemory(client, context_tokens_max=200).context("ada", [user("Hello")])][-2:] == ["Bye", "Hello"]
        for context_memory in (memory, AsyncMemory(client, context_tokens_max=200)):
            messages = await context_memory.context("ada", [user("Hello")])
            assert tokens_of(messages, estimate_tokens) <= 200


async def test_a_model_extracts_facts_and_keeps_what_they_replace(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        with scripted_model() as model:
            memory = AsyncMemory(client, model=model.chat_model())
            model.answers = [{"facts": [{"text": "Ada's manager is Bob.", "message": 1}]}]
            first = await memory.add(user("My manager is Bob", name="Ada", at=1_750_000_000), user="ada")
            assert [fact.outcome for fact in first.facts] == ["new"]
            assert '{"message": 1, "speaker": "Ada", "date": "2025-06-15", "text": "My manager is Bob"}' in model.prompt()
            assert model.requests[0]["max_tokens"] == 2_000
            decided = {"decisions": [{"news": 1, "fact": 1, "outcome": "superseded", "text": None}]}
            model.answers = ['Sure! ```json\n{"facts": [{"text": "Ada\'s manager is Eve.", "message": 1}]}\n```', decided]
            second = await memory.add(user("My manager is Eve now", name="Ada"), user="ada")
            assert '{"fact": 1, "date": "2025-06-15", "text": "Ada\'s manager is Bob."}' in model.prompt()
            assert second.facts[0].replaced == first.facts[0].id
        facts = AsyncLongTermMemory(client, "user:ada")
        found = await facts.recall("Who is the manager?")
        assert texts(found.memories) == ["Ada's manager is Eve."]
        assert found.memories[0].entry.get("metadata", {})["speaker"] == "Ada"
        assert texts(await facts.history(found.memories[0].id)) == ["Ada's manager is Eve.", "Ada's manager is Bob."]
        output = bus.conformance("records", "--namespace", "about/user:ada", "--agent", agent)
        assert output.endswith("Every record is valid.\n")


async def test_nothing_is_lost_when_the_model_fails(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        with scripted_model() as model:
            memory = AsyncMemory(client, model=model.chat_model())
            model.answers = ["no JSON", "no JSON", 429]
            added = await memory.add([user("I live in Lisbon"), user("Why?")], user="ada")
            assert (texts(added.facts), added.degraded) == (["I live in Lisbon"], "invalid_output: the reply was twice no JSON object")
            assert len(await memory.history("ada")) == 2
            with pytest.raises(ModelError, match="rate_limited: HTTP 429"):
                await AsyncLongTermMemory(client, "user:ada", model=model.chat_model()).record("x")
        with pytest.raises(ModelError, match="unavailable"):
            await AsyncLongTermMemory(client, "user:ada", model=model.chat_model()).record("x")


async def test_replies_of_every_kind_of_server_are_read() -> None:
    asked = [user("Hello")]
    with scripted_model() as model:
        chat = model.chat_model()
        model.answers = ["Good  day\\n", b'{"choices": [{"message": {"content": "whole"}}]}', ""]
        assert [await chat.complete(asked) for _ in range(3)] == ["Good  day\\n", "whole", ""]
        assert model.requests[0]["stream"] is True
        for answer, code in ((b"garbage", "invalid_output"), (b'{"choices": []}', "invalid_output"), (401, "unauthorized"), (400, "invalid_request")):
            model.answers = [answer]
            with pytest.raises(ModelError, match=f"^{code}: "):
                await chat.complete(asked)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hanging = ChatModel(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "m", timeout_s=0.05)
        with pytest.raises(ModelError, match="^timeout: no token within 0.05 s"):
            await hanging.complete(asked)
        assert "key" not in repr(ChatModel("http://x", "m", "secret-key"))


async def test_what_a_model_answers_is_bounded_and_checked(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        facts = AsyncLongTermMemory(client, "user:ada")
        await facts.record("I like tea")
        with scripted_model() as model:
            learning = AsyncLongTermMemory(client, "user:ada", model=model.chat_model())
            wrong = [7, {"text": ""}, {"text": "x" * 301}, {"text": "a", "message": 9}, {"text": "I like no tea", "message": 2}]
            decided = {"decisions": [{"news": 2, "fact": 1, "outcome": "superseded"}, 7, {"news": 99}, {"news": 1, "fact": 70}]}
            model.answers = [{"facts": [*wrong, *({"text": f"fact {n}"} for n in range(30))]}, decided, {"facts": "none"}]
            outcomes = await learning.record([user("I like tea, do I?"), assistant("You do")])
            assert [each.outcome for each in outcomes] == ["new"] * 17
            assert await learning.record("hello") == []
        assert "I like tea" in texts(await facts.items())


async def test_recalled_memories_are_not_recorded(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        facts = AsyncLongTermMemory(client, "user:ada")
        await facts.record("I like <b>tea</b>")
        text = (await facts.recall("tea")).text()
        assert text.split("\n")[2].endswith(", by user) I like &lt;b&gt;tea&lt;/b&gt;")
        assert await facts.record([{"role": "system", "content": "Be brief"}, user(text), user("")]) == []
        await facts.record("tea " * 1_000)
        assert len((await facts.recall("tea")).text(max_tokens=200)) <= 600
        assert (await facts.recall("tea")).text(max_tokens=5) == ""
        calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "t", "name": "search_memory", "arguments": "{}"}]}
        assert await facts.record([calls, {"role": "tool", "content": "tea", "tool_call_id": "t"}]) == []
        assert len(await facts.items()) == 2
        with pytest.raises(TypeError, match="a message must be a text or have a role"):
            await facts.record([{"content": "x"}])


async def test_a_statement_of_two_speakers_is_two_facts(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        facts = AsyncLongTermMemory(client, "group:friends")
        said = [user("I am vegetarian", name=name, at=at) for name, at in (("Ada", 1_000_000), ("Bob", 2_000_000))]
        assert [each.outcome for each in await facts.record(said)] == ["new", "new"]
        assert [(item.text, item.at) for item in await facts.items()] == [
            ("Bob: I am vegetarian", 2_000_000),
            ("Ada: I am vegetarian", 1_000_000),
        ]
        with scripted_model() as model:
            learning = AsyncLongTermMemory(client, "group:friends", model=model.chat_model())
            decided = {"decisions": [{"news": 1, "fact": 1, "outcome": "superseded", "text": None}]}
            model.answers = [{"facts": [{"text": "I ate fish yesterday", "message": 1}]}, decided]
            (outcome,) = await learning.record(user("I ate fish yesterday", name="Eve", at=1_715_018_400))
            assert (outcome.outcome, outcome.text) == ("new", "Eve: I ate fish on 2024-05-05")
            with pytest.raises(ValueError, match="at must be Unix seconds"):
                await learning.record(user("x", at=1e15))
        assert len(await facts.items()) == 3


@pytest.mark.parametrize(
    ("outcome", "text", "fact", "expected"),
    [
        ("duplicate", None, "Ada lives in Lisbon now.", ["Ada lives in Lisbon."]),
        ("duplicate", None, "Ada lives in Lisbon since 2019.", ["Ada lives in Lisbon since 2019.", "Ada lives in Lisbon."]),
        ("extended", "Ada has lived in Lisbon since 2019.", "Ada moved in 2019.", ["Ada has lived in Lisbon since 2019."]),
        ("extended", "Ada moved in 2019.", "Ada moved in 2019.", ["Ada lives in Lisbon.", "Ada moved in 2019."]),
        ("updated", "Ada lives in Porto.", "Ada lives in Porto, not Lisbon.", ["Ada lives in Porto, not Lisbon."]),
        ("unknown", None, "Ada lives in Porto.", ["Ada lives in Lisbon.", "Ada lives in Porto."]),
    ],
)
async def test_a_decision_loses_nothing(
    bus: RunningBus, agent: str, outcome: str, text: str | None, fact: str, expected: list[str]
) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        facts = AsyncLongTermMemory(client, "user:ada")
        await facts.record("Ada lives in Lisbon.")
        with scripted_model() as model:
            decided = {"decisions": [{"news": 1, "fact": 1, "outcome": outcome, "text": text}]}
            model.answers = [{"facts": [{"text": fact, "message": 1}]}, decided]
            await AsyncLongTermMemory(client, "user:ada", model=model.chat_model()).record(fact)
            assert len(model.requests) == 2
        assert sorted(texts(await facts.items())) == sorted(expected)


async def test_long_texts_are_divided(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        facts = AsyncLongTermMemory(client, "user:ada")
        paragraphs = [f"Paragraph {n} {'word ' * 600}end." for n in range(4)]
        outcomes = await facts.record("\n\n".join(paragraphs))
        assert [each.text.split(" ")[1] for each in outcomes] == ["0", "2"]
        assert " ".join(each.text for each in outcomes) == " ".join(paragraphs)
        with scripted_model() as model:
            model.answers = [{"facts": []}, {"facts": []}]
            await AsyncLongTermMemory(client, "user:ada", model=model.chat_model()).record("\n\n".join(paragraphs))
            counts = [request["messages"][-1]["content"].count("Paragraph") for request in model.requests]
            assert (len(counts), sum(counts)) == (2, 4)


async def test_newer_statements_of_the_same_kind_come_first(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        facts = AsyncLongTermMemory(client, "user:ada")
        await facts.record("My manager is Bob", at=1_000_000)
        await facts.record("My manager is Eve", at=2_000_000)
        lines = (await facts.recall("Who is my manager Bob?")).text().split("\n")[2:-1]
        assert [line.partition(") ")[2] for line in lines] == ["My manager is Eve", "My manager is Bob"]
        assert "(fact of 1970-01-24, by user)" in lines[0]


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("We met yesterday evening.", "We met on 2024-05-05 in the evening."),
        ("until tomorrow", "until 2024-05-07"),
        ("the day after tomorrow", "on 2024-05-08"),
        ("I start next Friday", "I start on 2024-05-10"),
        ("We met last Monday", "We met on 2024-04-29"),
        ("last night", "on 2024-05-05 at night"),
        ("I moved last month", "I moved in April 2024"),
        ("It was three weeks ago", "It was in the week of 2024-04-15"),
        ("in two days", "on 2024-05-08"),
        ("I quit next year", "I quit in 2025"),
        ("call `today()` or dates.today", "call `today()` or dates.today"),
        ("today's news", "today's news"),
        ("明天", "明天"),
    ],
)
def test_relative_dates_are_resolved_as_in_javascript(text: str, resolved: str) -> None:
    monday = 1_715_018_400
    assert resolve_dates(text, monday) == resolved


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Lisbon", True),
        ("Version 1.5 works. Why?", True),
        ("Where do I live?", False),
        ("what is my name", False),
        ("I don't know.", False),
        ("Keine Ahnung", False),
        ("我不知道。", False),
        ("Sorry, I don't remember that. Which one?", False),
        ("I don't know how to swim", True),
        ("...", False),
    ],
)
def test_questions_are_no_statements(text: str, expected: bool) -> None:
    assert is_statement(text) is expected


async def test_a_range_of_time_is_recalled_without_a_query(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        facts = AsyncLongTermMemory(client, "user:ada")
        await facts.record("I was in Rome", at=1_000_000)
        await facts.record("I was in Oslo", at=2_000_000)
        assert texts((await facts.recall("", since=1_500_000)).memories) == ["I was in Oslo"]
        assert texts((await facts.recall("", until=1_500_000)).memories) == ["I was in Rome"]
        assert (await facts.recall(" ")).memories == []


async def test_only_what_users_said_is_shared(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent, tenant=agent) as client:
        facts = AsyncLongTermMemory(client, "project:apollo", tier="semantic")
        await facts.record([user("The launch is on Monday"), assistant("The launch is on Friday")])
        assert texts(await facts.items()) == ["The launch is on Monday"]
        assert (await client.retrieve(namespace="quarantine/about/project:apollo"))["total"] == 1
        assert await facts.forget(all=True) == 2
        with pytest.raises(ValueError, match="either ids or all=True"):
            await facts.forget()


async def test_messages_are_changed_and_removed(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        conversation = AsyncConversation(client, "c-1")
        call = {"id": "t", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        ids = await conversation.add([user("The cat sleeps", name="ada"), {"role": "assistant", "content": None, "tool_calls": [call]}])
        assert (await conversation.get(ids=ids[1:]))[0].message["tool_calls"] == [{"id": "t", "type": "function", "name": "look", "arguments": "{}"}]
        assert [each.id for each in await conversation.search("cat", limit=1)] == [ids[0]]
        assert await conversation.update(ids[0], {"content": "The dog sleeps", "name": None})
        assert not await conversation.update("other", {"content": "x"})
        assert (await conversation.messages())[0] == user("The dog sleeps")
        await conversation.set_summary("A cat slept", await conversation.get(last=1))
        assert await conversation.summary() == "A cat slept"
        assert await conversation.remove(ids[1:]) == 1
        assert await conversation.summary() == ""
        for message in ({"role": "robot", "content": "x"}, {"role": "user", "content": 7}):
            with pytest.raises(TypeError, match="message"):
                await conversation.add([user("y"), message])
        assert await conversation.size() == 1
        assert await conversation.clear() == 1


async def test_a_window_summarizes_once_and_keeps_calls_with_results(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        conversation = AsyncConversation(client, "c-1")
        call = {"role": "assistant", "content": None, "tool_calls": [{"id": "t", "name": "look", "arguments": "{}"}]}
        result = {"role": "tool", "content": "x" * 150, "tool_call_id": "t"}
        await conversation.add([{"role": "system", "content": "Be brief"}, *(user(f"message {n} {'x' * 150}") for n in range(6)), call, result])
        cut = await AsyncContextWindow(conversation, tokens_max=80).messages()
        assert cut == [{"role": "system", "content": "Be brief"}]
        with scripted_model() as model:
            model.answers = ["Six messages were sent"]
            window = AsyncContextWindow(conversation, tokens_max=200, model=model.chat_model())
            expected = [{"role": "system", "content": "Be brief"}, user("Six messages were sent"), call, result]
            assert await window.messages() == expected
            assert await AsyncContextWindow(conversation, tokens_max=200, model=model.chat_model()).messages() == expected
            assert len(model.requests) == 1
        assert await conversation.size() == 9
        assert bus.conformance("records", "--namespace", "conversations", "--agent", agent).endswith("Every record is valid.\n")

"""Tests that Python and JavaScript read each other's facts, messages and summaries."""

from __future__ import annotations

import json
from typing import Any

from running_bus import RunningBus

import membus

SETUP = """
import { MemoryClient } from "@membus/agent-client";
import { ContextWindow, LongTermMemory, openConversation } from "@membus/agentic";
const client = await MemoryClient.connect({ servers: process.env.NATS_URL, agent: AGENT });
const facts = new LongTermMemory(client, { subject: "user:ada" });
const conversation = await openConversation(client, { id: "user:ada" });
const show = (value) => console.log(JSON.stringify(value));
"""


def javascript(bus: RunningBus, agent: str, code: str) -> Any:
    program = f"{SETUP.replace('AGENT', json.dumps(agent))}\n{code}\nawait facts.close();\nawait client.close();"
    return json.loads(bus.node(program))


def test_python_reads_what_javascript_writes(bus: RunningBus, agent: str) -> None:
    ids = javascript(bus, agent, """
      await facts.record([{ role: "user", content: "I prefer the night train" }]);
      await facts.recordExperiences("Book early to save money", { value: 0.5 });
      await facts.recordToolCalls([{ tool_name: "search", input: {}, output: "", success: true }]);
      const { ids } = await conversation.add([
        { role: "user", content: "Which train?" },
        { role: "assistant", content: null, tool_calls: [{ id: "t", name: "look", arguments: "{}" }] },
        { role: "tool", content: "x".repeat(600000), tool_call_id: "t" },
        { role: "assistant", content: "The 9 pm one" },
      ]);
      const [first, , , last] = await conversation.get();
      await conversation.setSummary({
        text: "Ada asked for a train",
        keyFacts: ["9 pm"],
        covers: { from: first.seq, to: last.seq - 1 },
      });
      show(ids);
    """)
    with membus.connect(bus.url, agent=agent) as client:
        facts = membus.LongTermMemory(client, "user:ada")
        found = sorted((item.kind, item.text) for item in facts.items())
        assert found == [
            ("experience", "Book early to save money"),
            ("fact", "I prefer the night train"),
            ("guideline", "search: no call has failed. 1 call, 100 % successful."),
        ]
        assert [outcome.outcome for outcome in facts.record("I prefer the night train")] == ["duplicate"]
        history = membus.Memory(client).history("ada")
        assert [message.id for message in history] == ids
        assert [len(message.message["content"] or "") for message in history] == [12, 0, 600_000, 12]
        summary = "What happened:\nAda asked for a train\n\nFacts to keep:\n- 9 pm"
        window = membus.ContextWindow(membus.Conversation(client, "user:ada"))
        assert window.messages() == [{"role": "user", "content": summary}, {"role": "assistant", "content": "The 9 pm one"}]


def test_javascript_reads_what_python_writes(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as client:
        memory = membus.Memory(client)
        memory.add([{"role": "user", "content": "I prefer the night train"}, {"role": "assistant", "content": "Noted"}], user="ada")
        facts = membus.LongTermMemory(client, "user:ada")
        facts.record_experiences("Book early to save money", value=0.5)
        facts.record_tool_calls([{"tool_name": "search", "input": {}, "output": "", "success": True}])
        conversation = membus.Conversation(client, "user:ada")
        conversation.set_summary("Ada prefers a train", conversation.get()[:1])
        shown = javascript(bus, agent, """
          const { memories } = await facts.retrieve("night train, save money, search", { limit: 10, minScore: 0 });
          show({
            memories: memories.map(({ kind, text }) => [kind, text]).sort(),
            again: (await facts.record("I prefer the night train")).outcomes.map(({ outcome }) => outcome),
            messages: await conversation.messages(),
            view: await new ContextWindow(conversation).messages(),
            removed: (await conversation.remove({ indices: [0] })).count,
          });
        """)
        assert shown["memories"] == [
            ["experience", "Book early to save money"],
            ["fact", "I prefer the night train"],
            ["guideline", "search: no call has failed. 1 call, 100 % successful."],
        ]
        assert shown["again"] == ["duplicate"]
        assert shown["messages"] == [{"role": "user", "content": "I prefer the night train"}, {"role": "assistant", "content": "Noted"}]
        assert [message["content"] for message in shown["view"]][-1] == "Noted"
        assert "Ada prefers a train" in shown["view"][0]["content"]
        assert (shown["removed"], conversation.size(), conversation.summary()) == (1, 1, "")

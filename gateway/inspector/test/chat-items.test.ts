import type { ChatMessage } from "@membus/gateway/inspector-api";
import { expect, it } from "vitest";
import { type ChatParts, chatItems } from "../src/views/conversations/chat-items.js";

function message(id: string, seq: number): ChatMessage {
  const place = { key_hash: `hash-${id}`, id, seq, tier: "episodic", namespace: "conversations" } as const;
  const said = { role: "user", author: "alice", occurred_at: seq, text: id, truncated: false };
  return { ...place, ...said, tool_calls: [], marks: [] };
}

const summary = (key_hash: string, from: number, to: number) => {
  return {
    key_hash,
    text: key_hash,
    key_facts: [],
    open_threads: [],
    covers: { from, to },
    level: 1,
    created: 1,
  };
};

const page = (parts: Partial<ChatParts>): ChatParts => ({
  messages: [message("a", 10), message("b", 20), message("c", 30)],
  summaries: [],
  offloads: [],
  learned: [],
  ...parts,
});

/** Each item by what it is called; `*` for a message that a summary stands for. */
function lines(given: ChatParts): string[] {
  return chatItems(given).map((item) =>
    "summary" in item
      ? `${item.summary.key_hash} of ${item.covered}`
      : `${item.message.id}${item.isCompacted ? "*" : ""}`,
  );
}

it("a summary follows the last message that it stands for", () => {
  expect(lines(page({ summaries: [summary("S", 10, 20)] }))).toEqual(["a*", "b*", "S of 2", "c"]);
});

it("a summary whose messages began on another page stands for those of this one", () => {
  expect(lines(page({ summaries: [summary("S", 1, 10)] }))).toEqual(["a*", "S of 1", "b", "c"]);
});

it("a summary of another page, and one of nothing, are left out", () => {
  expect(lines(page({ summaries: [summary("S", 1, 9), summary("none", 0, 0)] }))).toEqual(["a", "b", "c"]);
});

it("what was learned of a message, and what was taken out of it, stands with it", () => {
  const learned = {
    key_hash: "f",
    tier: "episodic" as const,
    namespace: "about/x",
    text: "fact",
    author: "alice",
    created: 1,
    sources: ["hash-b"],
  };
  const items = chatItems(page({ learned: [learned], offloads: [{ message: "c", bytes: 7 }] }));
  expect(items).toMatchObject([
    { learned: [], offloads: [] },
    { learned: [{ text: "fact" }], offloads: [] },
    { learned: [], offloads: [{ bytes: 7 }] },
  ]);
});

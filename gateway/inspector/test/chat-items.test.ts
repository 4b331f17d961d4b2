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

/** Returns a name for each item, with `*` for a message that a summary replaces. */
function lines(given: ChatParts): string[] {
  return chatItems(given).map((item) =>
    "summary" in item
      ? `${item.summary.key_hash} of ${item.covered}`
      : `${item.message.id}${item.isCompacted ? "*" : ""}`,
  );
}

it("places a summary after the last message that it replaces", () => {
  expect(lines(page({ summaries: [summary("S", 10, 20)] }))).toEqual(["a*", "b*", "S of 2", "c"]);
});

it("shows a summary that begins on another page", () => {
  expect(lines(page({ summaries: [summary("S", 1, 10)] }))).toEqual(["a*", "S of 1", "b", "c"]);
});

it("leaves out summaries without messages on the page", () => {
  expect(lines(page({ summaries: [summary("S", 1, 9), summary("none", 0, 0)] }))).toEqual(["a", "b", "c"]);
});

it("adds learned entries and offloads to their message", () => {
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

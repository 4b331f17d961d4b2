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
      : "message" in item
        ? `${item.message.id}${item.isCompacted ? "*" : ""}`
        : `${item.learned.map(({ text }) => text).join()} from ${item.from}`,
  );
}

const fact = (text: string, ...sources: readonly string[]) => {
  const place = { key_hash: text, tier: "episodic", namespace: "about/x" } as const;
  return { ...place, text, author: "alice", created: 1, sources };
};

it("places a summary after the last message that it replaces", () => {
  expect(lines(page({ summaries: [summary("S", 10, 20)] }))).toEqual(["a*", "b*", "S of 2", "c"]);
});

it("shows a summary that begins on another page", () => {
  expect(lines(page({ summaries: [summary("S", 1, 10)] }))).toEqual(["a*", "S of 1", "b", "c"]);
});

it("shows entries learned from the same messages once, after the last of them", () => {
  const learned = [
    fact("tea", "hash-a", "hash-b"),
    fact("rain", "hash-b", "hash-a"),
    fact("sun", "hash-a", "hash-c"),
    fact("own", "hash-b", "hash-b"),
  ];
  const given = page({ learned, summaries: [summary("S", 10, 20)] });
  expect(lines(given)).toEqual(["a*", "b*", "tea,rain from 2", "S of 2", "c", "sun from 2"]);
  expect(chatItems(given)[1]).toMatchObject({ learned: [{ text: "own" }] });
});

it("leaves out summaries without messages on the page", () => {
  expect(lines(page({ summaries: [summary("S", 1, 9), summary("none", 0, 0)] }))).toEqual(["a", "b", "c"]);
});

it("adds learned entries and offloads to their message", () => {
  const items = chatItems(
    page({ learned: [fact("fact", "hash-b")], offloads: [{ message: "c", bytes: 7 }] }),
  );
  expect(items).toMatchObject([
    { learned: [], offloads: [] },
    { learned: [{ text: "fact" }], offloads: [] },
    { learned: [], offloads: [{ bytes: 7 }] },
  ]);
});

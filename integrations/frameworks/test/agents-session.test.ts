import type { MemoryClient } from "@membus/agent-client";
import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelResponse,
  OpenAIResponsesCompactionSession,
  Runner,
  type Session,
  tool,
  Usage,
} from "@openai/agents";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { rejection } from "../../../bus/test/expect-error.js";
import { MembusSession, type SessionOptions } from "../src/openai-agents/index.js";
import { RealHost, startRealHost } from "./real-host.js";
import { resultOrError } from "./result-or-error.js";

const user = (content: string): AgentInputItem => ({ role: "user", content });

const host = new RealHost();
let memory: MemoryClient;
let agents = 0;
beforeAll(() => host.start());
afterAll(() => host.close());
beforeEach(async () => {
  memory = await host.connect({ agent: `agent${agents++}` });
});

const open = (options: SessionOptions = {}, client = memory) =>
  new MembusSession<AgentInputItem>(client, { sessionId: "talk", ...options });

async function entryCount(): Promise<number> {
  return (await memory.retrieve({ namespace: "openai-sessions", tier: "episodic", limit: 0 })).total;
}

describe("a session", () => {
  it("has the given id, or a generated one", async () => {
    expect(await open().getSessionId()).toBe("talk");
    const ids = [new MembusSession(memory), new MembusSession(memory)].map((one) => one.getSessionId());
    expect(new Set(await Promise.all(ids)).size).toBe(2);
    expect(() => open({ sessionId: "" })).toThrow(TypeError);
    expect(() => open({ sessionIds: "x" } as never)).toThrow(/unknown option `sessionIds`/);
  });

  it("returns copies with bytes, without values that JSON does not have", async () => {
    const item = {
      role: "user",
      content: [
        { type: "input_image", image: new Uint8Array([0, 255, 7]) },
        { type: "input_file", file: Buffer.from("hello"), detail: undefined },
      ],
    };
    const session = new MembusSession(memory, { sessionId: "bytes" });
    await session.addItems([item]);
    item.content.length = 0;
    const [read] = await session.getItems();
    expect(read).toStrictEqual({
      role: "user",
      content: [
        { type: "input_image", image: new Uint8Array([0, 255, 7]) },
        { type: "input_file", file: new Uint8Array(Buffer.from("hello")) },
      ],
    });
  });

  it("returns objects that look like encoded bytes unchanged", async () => {
    const session = new MembusSession(memory, { sessionId: "marks" });
    const items = [
      { $bytes: "hello" },
      {
        role: "tool",
        output: [
          { $bytes: "aGk=", detail: undefined },
          { $bytes: "x", n: 1 },
        ],
      },
      { $bytes: { $bytes: ["aGk="] } },
      { $bytes: [new Uint8Array([1])], $other: null },
      { $bytes: { $bytes: new Uint8Array([2]) } },
      { toJSON: 1, $bytes: "hello", part: new Uint8Array([3]) },
      { toJSON: () => ({ $bytes: "hello" }) },
    ];
    await session.addItems(items);
    expect(await session.getItems()).toStrictEqual([
      { $bytes: "hello" },
      { role: "tool", output: [{ $bytes: "aGk=" }, { $bytes: "x", n: 1 }] },
      { $bytes: { $bytes: ["aGk="] } },
      { $bytes: [new Uint8Array([1])], $other: null },
      { $bytes: { $bytes: new Uint8Array([2]) } },
      { toJSON: 1, $bytes: "hello", part: new Uint8Array([3]) },
      { $bytes: "hello" },
    ]);
    await expect(session.addItems([(() => {}) as never])).rejects.toThrow(/^an item is function/);
    const cyclic: Record<string, unknown> = {};
    cyclic.itself = cyclic;
    await expect(session.addItems([cyclic])).rejects.toThrow(TypeError);
  });

  it("stores items that are larger than an entry, and forgets them with their parts", async () => {
    const session = open();
    const long = 'é"\\🦊 words '.repeat(40_000);
    await session.addItems([user("before"), user(long)]);
    await session.addItems([user("after")]);
    expect(await open().getItems()).toEqual([user("before"), user(long), user("after")]);
    expect(await entryCount()).toBeGreaterThan(4);
    expect(await session.popItem()).toEqual(user("after"));
    expect(await session.popItem()).toEqual(user(long));
    expect(await open().getItems()).toEqual([user("before")]);
    await session.clearSession();
    expect(await open().getItems()).toEqual([]);
    expect(await entryCount()).toBe(1);
  });

  it("leaves no entries of popped, replaced or cleared items", async () => {
    const session = open();
    for (const words of ["one", "secret two", "three"]) await session.addItems([user(words)]);
    await session.popItem();
    await session.popItem();
    await session.replaceHistoryWithCompaction([user("short")]);
    const { entries } = await memory.retrieve({ namespace: "openai-sessions", tier: "episodic" });
    expect(JSON.stringify(entries)).not.toMatch(/one|secret|three/);
    expect(entries).toHaveLength(1);
  });

  it("is found by texts of user and assistant, not by tool results", async () => {
    await open().addItems([
      user("When does the train to Zürich leave?"),
      { type: "function_call", callId: "1", name: "timetable", arguments: '{"secret":"walrus"}' },
      { role: "assistant", status: "completed", content: [{ type: "output_text", text: "At nine." }] },
    ]);
    const find = async (query: string) => {
      const request = { namespace: "openai-sessions", query, fields: ["text" as const], min_score: 0.2 };
      return (await memory.retrieve(request)).entries.length;
    };
    expect(await find("train to Zürich")).toBe(1);
    expect(await find("walrus")).toBe(0);
  });

  it("is separate from other ids, agents and namespaces", async () => {
    const other = await host.connect({ agent: `agent${agents++}` });
    await open().addItems([user("mine")]);
    for (const session of [
      open({ sessionId: "tal" }),
      open({ sessionId: "talk2" }),
      open({ namespace: "elsewhere" }),
      open({}, other),
    ]) {
      expect(await session.getItems()).toEqual([]);
      await session.clearSession();
      expect(await session.popItem()).toBeUndefined();
    }
    expect(await open().getItems()).toEqual([user("mine")]);
  });
});

describe("transactions", () => {
  it("append once, also after other changes of the history", async () => {
    const session = open();
    const append = { operationId: "1", transaction: { type: "append_items", items: [user("a")] } } as const;
    await session.applyHistoryTransaction(append);
    await session.applyHistoryTransaction(append);
    await session.popItem();
    await open().applyHistoryTransaction(append);
    expect(await session.getItems()).toEqual([]);
    await session.replaceHistoryWithCompaction([user("b")]);
    await session.applyHistoryTransaction(append);
    expect(await session.getItems()).toEqual([user("b")]);
    await session.clearSession();
    await session.applyHistoryTransaction(append);
    expect(await session.getItems()).toEqual([user("a")]);
  });

  it("with one id have one effect when sent concurrently", async () => {
    const append = { operationId: "1", transaction: { type: "append_items", items: [user("a")] } } as const;
    const sessions = [1, 2, 3, 4, 5].map(() => open());
    await Promise.all(sessions.map((session) => session.applyHistoryTransaction(append)));
    expect(await open().getItems()).toEqual([user("a")]);
  });

  it("are equal regardless of field order, and others with the same id are rejected", async () => {
    const session = open();
    const items = [{ role: "user", content: "a" }];
    await session.applyHistoryTransaction({ operationId: "1", transaction: { type: "append_items", items } });
    const reordered = { items: [{ content: "a", role: "user" }], type: "append_items" } as const;
    await session.applyHistoryTransaction({ operationId: "1", transaction: reordered });
    const other = { type: "append_items", items: [user("b")] } as const;
    expect(
      await resultOrError(session.applyHistoryTransaction({ operationId: "1", transaction: other })),
    ).toBe(
      "SessionHistoryError: Session history operation was already applied with a different transaction.",
    );
    const suffix = { type: "replace_suffix", expectedSuffix: [user("x")], replacement: [] } as const;
    expect(
      await resultOrError(session.applyHistoryTransaction({ operationId: "2", transaction: suffix })),
    ).toBe("SessionHistoryError: Session history suffix no longer matches the transaction precondition.");
    for (const bad of [
      { operationId: " ", transaction: other },
      { operationId: "3", transaction: { type: "forget_all" } },
      { operationId: "3", transaction: { type: "replace_suffix", expectedSuffix: [] } },
    ]) {
      await expect(session.applyHistoryTransaction(bad as never)).rejects.toThrow(TypeError);
    }
    expect(await session.getItems()).toEqual([user("a")]);
  });

  it("are remembered up to a limit, newest first", async () => {
    const session = open({ operationCountMax: 2 });
    const append = (n: number) => ({
      operationId: String(n),
      transaction: { type: "append_items", items: [user(String(n))] } as const,
    });
    for (const n of [1, 2, 3]) await session.applyHistoryTransaction(append(n));
    await session.replaceHistoryWithCompaction([]);
    for (const n of [3, 2, 1]) await session.applyHistoryTransaction(append(n));
    expect(await session.getItems()).toEqual([user("1")]);
  });
});

describe("many at once", () => {
  it("append to one session concurrently, each its items together, without loss", async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => host.connect({ agent: memory.agent })));
    await Promise.all(
      clients.map(async (client, writer) => {
        const session = open({ attemptsMax: 1_000 }, client);
        for (let n = 0; n < 20; n++)
          await session.addItems([user(`${writer} ${n} a`), user(`${writer} ${n} b`)]);
      }),
    );
    const contents = (await open().getItems()).map((item) => (item as { content: string }).content);
    const pairs = contents.flatMap((words, at) => (at % 2 === 0 ? [[words, contents[at + 1]]] : []));
    for (const [first, second] of pairs) expect(second).toBe(first!.replace("a", "b"));
    for (const writer of [0, 1, 2, 3]) {
      const own = contents.filter((words) => words.startsWith(`${writer} `) && words.endsWith("a"));
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => `${writer} ${n} a`));
    }
  });

  it("pop different items from one session", async () => {
    const items = Array.from({ length: 12 }, (_, n) => user(String(n)));
    await open().addItems(items);
    const popped = await Promise.all(
      Array.from({ length: 15 }, () => open({ attemptsMax: 1_000 }).popItem()),
    );
    const byWords = (list: readonly unknown[]) => list.map((item) => JSON.stringify(item)).sort();
    expect(byWords(popped.filter((item) => item !== undefined))).toEqual(byWords(items));
    expect(await open().getItems()).toEqual([]);
  });

  it("append during a compaction without loss", async () => {
    const adding = (async () => {
      for (let n = 0; n < 30; n++) await open({ attemptsMax: 1_000 }).addItems([user(`new ${n}`)]);
    })();
    for (let n = 0; n < 10; n++) {
      const session = open({ attemptsMax: 1_000 });
      const items = await session.getItems();
      const transaction = {
        type: "replace_suffix",
        expectedSuffix: items,
        replacement: [user(`kept ${items.length}`), ...items],
      } as const;
      await resultOrError(session.applyHistoryTransaction({ operationId: `c${n}`, transaction }));
    }
    await adding;
    const contents = (await open().getItems()).map((item) => (item as { content: string }).content);
    expect(contents.filter((words) => words.startsWith("new"))).toEqual(
      Array.from({ length: 30 }, (_, n) => `new ${n}`),
    );
  });
});

/** Calls its tool once per turn, then answers with the texts so far. */
class ScriptedModel implements Model {
  async getResponse({ input }: { input: string | AgentInputItem[] }): Promise<ModelResponse> {
    const items = typeof input === "string" ? [] : input;
    const isAnswered = items.at(-1)?.type === "function_call_result";
    const id = `${items.length}`;
    const text = items
      .flatMap((item) => ("role" in item && item.role === "user" ? [item.content] : []))
      .join(", ");
    const output: ModelResponse["output"] = isAnswered
      ? [
          {
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text }],
          },
        ]
      : [{ type: "function_call", callId: id, name: "clock", arguments: "{}", status: "completed" }];
    return { usage: new Usage(), output };
  }

  async *getStreamedResponse(): AsyncGenerator<never> {}
}

it("works with the runner of the framework, with tools, over turns and processes", async () => {
  const clock = tool({
    name: "clock",
    description: "The time",
    parameters: z.object({}),
    execute: () => "nine",
  });
  const agent = new Agent({ name: "a", model: new ScriptedModel(), tools: [clock] });
  const runner = new Runner({ tracingDisabled: true });
  const sessions: Session[] = [open(), open()];
  expect((await runner.run(agent, "one", { session: sessions[0]! })).finalOutput).toBe("one");
  expect((await runner.run(agent, "two", { session: sessions[1]! })).finalOutput).toBe("one, two");
  expect((await open().getItems()).map((item) => item.type)).toEqual(
    Array(2).fill(["message", "function_call", "function_call_result", "message"]).flat(),
  );
});

it("is compacted by the framework", async () => {
  await open().addItems([user("one"), user("two")]);
  const output = [{ type: "compaction", id: "c", encrypted_content: "short" }];
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const session = new OpenAIResponsesCompactionSession({
    client: { responses: { compact: async () => ({ output, usage }) } } as never,
    underlyingSession: open(),
    model: "gpt-5",
  });
  await session.runCompaction({ force: true, compactionMode: "input" });
  expect(await open().getItems()).toMatchObject([{ type: "compaction", encrypted_content: "short" }]);
});

it("reports an error if no host answers", async () => {
  const lonely = await startRealHost();
  const impatient = await lonely.connect({ agent: "alice", timeoutMs: 200, retryTimeoutMs: 0 });
  await lonely.stopHost();
  await rejection(open({}, impatient).getItems(), "unavailable");
});

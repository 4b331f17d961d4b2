import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMemory, RetrieveRequest } from "@membus/agent-client";
import { isNamespace } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

const TIERS = ["working", "episodic", "semantic"] as const;
/** Flushes everything to LanceDB immediately, so that its filters also process the texts. */
const CONFIG = { kit: { flushCount: 1, flushIdleMs: 1 } };

const HOSTILE = [
  "'; DROP TABLE memories; --",
  "x' OR '1'='1",
  '" OR ""="',
  "\\'; --",
  "100%_",
  "a\u0000b",
  "*.>",
  "__proto__",
  "constructor",
  "naïve 日本 🧠 \u202e",
];

/** Returns criteria that contain the text in every possible place. */
function criteriaFor(text: string): RetrieveRequest[] {
  return [
    { keys: [{ id: text }] },
    { match: { id: text } },
    { tags: [text] },
    { group: text },
    { where: { field: "metadata.m", op: "eq", value: text } },
    { where: { field: "key.id", op: "starts_with", value: text } },
    { where: { field: "source", op: "in", value: [text, "nobody"] } },
  ];
}

function entryOf(text: string, tier: (typeof TIERS)[number]) {
  return {
    key: { id: text },
    content: text,
    tier,
    tags: [text],
    group: text,
    source: text,
    metadata: { m: text },
  };
}

async function expectFoundAlone(memory: AgentMemory, text: string, tier: (typeof TIERS)[number]) {
  for (const criteria of criteriaFor(text)) {
    const { entries, total } = await memory.retrieve({ ...criteria, tier });
    expect([total, entries.map(({ content }) => content)], JSON.stringify(criteria)).toEqual([1, [text]]);
  }
}

describe("text with a special meaning in SQL, NATS or C", () => {
  let folder: string;
  let wire: Wire;
  let memory: AgentMemory;

  async function start(): Promise<void> {
    wire = await Wire.start({ binary: NATS_SERVERS[0]!, config: { ...CONFIG, data: folder } });
    memory = await wire.client(HOSTILE[1]!);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "membus-hostile-"));
    await start();
  });
  afterAll(async () => {
    await wire?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(TIERS)("is stored and found literally in the %s tier", async (tier) => {
    await memory.store(HOSTILE.map((text) => entryOf(text, tier)));
    for (const text of HOSTILE) await expectFoundAlone(memory, text, tier);
  });

  it("can name a session and a namespace", async () => {
    for (const name of HOSTILE.filter(isNamespace)) {
      const own = memory.forSession(name).inNamespace(name);
      for (const tier of TIERS) await own.remember("who", [name, tier], { tier });
    }
    const first = memory.forSession(HOSTILE[0]!).inNamespace(HOSTILE[0]!);
    const { entries, total } = await first.retrieve({ order: "oldest" });
    expect(total).toBe(3);
    expect(entries.map(({ content }) => content)).toEqual(TIERS.map((tier) => [HOSTILE[0], tier]));
  });

  it("can name a field of a key and of metadata", async () => {
    const own = memory.inNamespace("fields");
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      const [key, metadata] = [{ [name]: "key" }, { [name]: "value" }];
      expect((await own.retrieve({ where: { field: `key.${name}`, op: "exists", value: true } })).total).toBe(
        0,
      );
      await own.store({ key, content: name, metadata, tier: "semantic" });
      for (const where of [
        { field: `key.${name}`, op: "eq", value: "key" },
        { field: `metadata.${name}`, op: "eq", value: "value" },
      ] as const) {
        const { total, entries } = await own.retrieve({ match: key, where });
        expect([total, entries[0]]).toMatchObject([1, { key, metadata, content: name }]);
      }
    }
  });

  it("is found by a host that reloads it from disk", async () => {
    await wire.close();
    await start();
    for (const text of HOSTILE) await expectFoundAlone(memory, text, "episodic");
    const named = memory.inNamespace(HOSTILE[1]!);
    expect(await named.recall("who", null, { tier: "semantic" })).toEqual([HOSTILE[1], "semantic"]);
  });

  it.each(["episodic", "semantic"] as const)(
    "selects exactly the matching entries for forget in the %s tier",
    async (tier) => {
      const [first, ...others] = HOSTILE;
      expect(await memory.forget({ tags: [first!], tier })).toMatchObject({ deleted: 1 });
      expect(await memory.retrieve({ tags: [first!], tier })).toMatchObject({ total: 0 });
      for (const text of others) await expectFoundAlone(memory, text, tier);
      expect(
        await memory.forget({ where: { field: "key.id", op: "in", value: others }, tier }),
      ).toMatchObject({
        deleted: others.length,
      });
    },
  );
});

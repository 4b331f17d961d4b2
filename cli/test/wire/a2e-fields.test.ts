import type { MemoryClient } from "@membus/agent-client";
import { type MemoryEntry, type Message, TIERS } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const KNOWN_TO_A2E = ["key", "content", "tier", "tags", "source", "score", "ttl", "timestamps"];

const EXTENDED = {
  key: { id: "meeting" },
  content: { text: "The meeting is on Monday" },
  tags: ["plan"],
  importance: 0.7,
  metadata: { room: "blue", guests: ["Bob", "Eve"], floor: 3 },
  context: "asked by the project lead",
  group: "conversation-1",
  occurred_at: 1_700_000_000,
};

/** Fields that must be unchanged after the content was changed. */
const UNCHANGED = [
  "importance",
  "metadata",
  "context",
  "group",
  "occurred_at",
  "seq",
  "tags",
  "source",
] as const;

describe.each(TIERS)("a client that knows only A2E's fields, in the %s tier", (tier) => {
  let wire: Wire;
  let memory: MemoryClient;
  let nats: NatsConnection;
  let before: MemoryEntry;

  beforeAll(async () => {
    wire = await Wire.start({ binary: NATS_SERVERS[0]! });
    memory = await wire.client("alice");
    nats = await wire.connection();
    await memory.store({ ...EXTENDED, tier });
    before = await current();
  });
  afterAll(() => wire?.close());

  async function current(): Promise<MemoryEntry> {
    const { entries } = await memory.retrieve({ keys: [EXTENDED.key], include: ["context"] });
    expect(entries.length).toBe(1);
    return entries[0]!;
  }

  /** Reads an entry, removes fields unknown to A2E, and changes the content. */
  async function readAndChange(request: Message, content: unknown): Promise<Message> {
    const reply = await ask(nats, "alice", "memory/retrieve/req", request);
    const [entry] = reply.entries as Message[];
    const known = Object.entries(entry!).filter(([name]) => KNOWN_TO_A2E.includes(name));
    return { ...Object.fromEntries(known), content };
  }

  it("changes a content without affecting other fields", async () => {
    const changed = await readAndChange({ query: "meeting" }, { text: "The dentist called about teeth" });
    expect(changed.score).not.toBe(before.importance);
    const reply = await ask(nats, "alice", "memory/store/req", { entries: [changed] });
    expect(reply).toMatchObject({ errors: [], receipts: [{ outcome: "updated" }] });
    const after = await current();
    expect(after.content).toEqual({ text: "The dentist called about teeth" });
    for (const field of UNCHANGED) expect(after[field], field).toEqual(before[field]);
    expect(after.timestamps.created).toBe(before.timestamps.created);
    expect(after.timestamps.updated).toBeGreaterThan(before.timestamps.updated);
    expect(after.revision).toBeGreaterThan(before.revision);
  });

  it("finds the new text by words and by meaning, and no longer the old one", async () => {
    const find = (query: string, mode: "text" | "vector") => memory.retrieve({ query, mode, min_score: 0.2 });
    expect((await find("dentist", "text")).total).toBe(1);
    expect((await find("toothache", "vector")).total).toBe(1);
    expect((await find("Monday", "text")).total).toBe(0);
  });

  it("stores an entry it has read, without a change", async () => {
    const { revision } = await current();
    const same = await readAndChange({ keys: [EXTENDED.key] }, { text: "The dentist called about teeth" });
    const reply = await ask(nats, "alice", "memory/store/req", { entries: [same] });
    expect(reply).toMatchObject({ receipts: [{ outcome: "unchanged", revision }] });
  });
});

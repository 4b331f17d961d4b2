import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { openConversation } from "@membus/agentic";
import { keyHash } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placeFile } from "../../src/export/place-file.js";
import { openSource } from "../../src/import/foreign-format.js";
import { importSource } from "../../src/import/import-source.js";
import type { OpenedMemory } from "../../src/index.js";
import { ExportFixture, exportTo, importFrom } from "./export-fixture.js";

let fixture: ExportFixture;
let source: OpenedMemory;
let target: OpenedMemory;

const SOON = Math.floor(Date.now() / 1000) + 3_600;

beforeAll(async () => {
  fixture = await ExportFixture.create();
  source = await fixture.host("source");
  target = await fixture.host("target");
  const { client } = source;
  await client.inNamespace("notes/tea").store([
    {
      key: { note: 1, part: "a" },
      content: { text: "Grüße, 世界", list: [1, null, { deep: true }] },
      tier: "episodic",
      tags: ["carried", "carried"],
      source: "a book",
      metadata: { page: 3, open: false, names: ["x", "y"], ratio: 0.1 },
      text: "greetings",
      context: "what stood before",
      group: "chapter 1",
      occurred_at: 1_700_000_000.5,
      importance: 0.25,
      sources: [keyHash("origin")],
    },
    { key: "same time 1", content: null, tier: "episodic", occurred_at: 1_600_000_000 },
    { key: "same time 2", content: 2, tier: "episodic", occurred_at: 1_600_000_000 },
    { key: "ends", content: "soon", tier: "episodic", expires_at: SOON },
    { key: "empty text", content: "not indexed", tier: "semantic", text: "", source: "" },
  ]);
  await client.store([
    { key: "plain", content: "one", tier: "semantic" },
    { key: "session", content: "two", tier: "working" },
  ]);
  await client.forAgent("other").store({ key: "shared", content: "by another agent", tier: "semantic" });
});

afterAll(() => fixture.stop());

/** Fields that a host sets itself. */
const HOST_FIELDS = ["revision", "seq", "timestamps", "author", "ttl"];

const withoutHostFields = (lines: readonly Record<string, unknown>[]) =>
  lines.slice(1, -1).map((line) => {
    const entry = { ...line };
    for (const name of HOST_FIELDS) delete entry[name];
    return JSON.stringify(entry);
  });

describe("an export of everything", () => {
  it("has a manifest, all tiers and namespaces in order, and a trailer with counts and a checksum", async () => {
    const file = fixture.path("first.jsonl");
    expect(await exportTo(source.client, file)).toEqual({ exported: 8, skipped: 0, omitted: [] });
    const lines = fixture.lines("first.jsonl");
    expect(lines[0]).toEqual({
      format: "membus-export",
      format_version: 1,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      membus: "0.1.0",
      tenant: "default",
      agent: "tests",
      session: source.client.session,
      tiers: {
        working: { embedder: "static-minilm-v1/128" },
        episodic: { embedder: "static-minilm-v1/128" },
        semantic: { embedder: "static-minilm-v1/128" },
      },
      filters: null,
      omitted: [],
    });
    expect(lines.slice(1, -1).map(({ tier, namespace, key }) => [tier, namespace, key])).toEqual([
      ["working", "default", { name: "session" }],
      ["episodic", "notes/tea", { name: "same time 1" }],
      ["episodic", "notes/tea", { name: "same time 2" }],
      ["episodic", "notes/tea", { note: 1, part: "a" }],
      ["episodic", "notes/tea", { name: "ends" }],
      ["semantic", "default", { name: "plain" }],
      ["semantic", "default", { name: "shared" }],
      ["semantic", "notes/tea", { name: "empty text" }],
    ]);
    expect(lines.at(-1)).toEqual({
      format: "membus-export-end",
      entries: { working: 1, episodic: 4, semantic: 3 },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await readdir(fixture.folder)).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("is the same after an import into an empty host, apart from the fields that a host sets", async () => {
    const file = fixture.path("first.jsonl");
    expect(await importFrom(target.client, file)).toMatchObject({
      stored: 8,
      unchanged: 0,
      expired: 0,
      failed: {},
    });
    await exportTo(target.client, fixture.path("second.jsonl"));
    const [first, second] = [fixture.lines("first.jsonl"), fixture.lines("second.jsonl")];
    expect(withoutHostFields(second)).toEqual(withoutHostFields(first));
    const differing = new Set(
      first.slice(1, -1).flatMap((entry, index) => {
        const other = second[index + 1]!;
        return Object.keys(entry).filter(
          (name) => JSON.stringify(entry[name]) !== JSON.stringify(other[name]),
        );
      }),
    );
    expect([...differing].sort()).toEqual(["author", "revision", "seq", "timestamps", "ttl"]);
  });

  it("changes nothing when it is imported a second time", async () => {
    const before = readFileSync(fixture.path("second.jsonl"), "utf8");
    expect(await importFrom(target.client, fixture.path("first.jsonl"))).toMatchObject({
      stored: 0,
      unchanged: 8,
      failed: {},
    });
    await exportTo(target.client, fixture.path("third.jsonl"));
    const after = readFileSync(fixture.path("third.jsonl"), "utf8");
    const revisions = (text: string) => text.match(/"revision":\d+/g);
    expect(revisions(after)).toEqual(revisions(before));
  });
});

it("keeps only the entries that the flags select, and says so in the manifest", async () => {
  const selection = { criteria: { tags: ["carried"] }, namespace: "notes/**" };
  await exportTo(source.client, fixture.path("some.jsonl"), selection);
  const [manifest, ...rest] = fixture.lines("some.jsonl");
  expect(manifest?.filters).toEqual({ tags: ["carried"], namespace: "notes/**" });
  expect(rest).toMatchObject([
    { key: { note: 1, part: "a" } },
    { entries: { working: 0, episodic: 1, semantic: 0 } },
  ]);
  await exportTo(source.client, fixture.path("tier.jsonl"), { criteria: { tier: "semantic" } });
  expect(Object.keys(fixture.lines("tier.jsonl")[0]?.tiers as object)).toEqual(["semantic"]);
});

it("restores an entry exactly over a later version, which has more fields", async () => {
  const { client } = target;
  const entry = { key: "plain", content: "one", tier: "semantic" as const };
  await client.store({
    ...entry,
    metadata: { later: true },
    context: "later",
    group: "later",
    text: "later",
  });
  expect(await importFrom(client, fixture.path("first.jsonl"))).toMatchObject({ stored: 1, unchanged: 7 });
  await exportTo(client, fixture.path("restored.jsonl"));
  const lines = (name: string) => withoutHostFields(fixture.lines(name));
  expect(lines("restored.jsonl")).toEqual(lines("first.jsonl"));
});

it("carries vectors to a host with the same embedder, and leaves out vectors of another one", async () => {
  const file = fixture.path("vectors.jsonl");
  await exportTo(source.client, file, { criteria: { tags: ["carried"] }, hasEmbeddings: true });
  const [, entry] = fixture.lines("vectors.jsonl");
  expect(entry).toMatchObject({ embedding_model: "static-minilm-v1/128", embedding: { length: 128 } });
  // A vector of the caller replaces the vector of the host.
  expect(await importFrom(target.client, file)).toMatchObject({ stored: 1, unchanged: 0, failed: {} });
  expect(await importFrom(target.client, file)).toMatchObject({ stored: 0, unchanged: 1, failed: {} });

  const text = readFileSync(file, "utf8").split("\n");
  const other = text[1]!.replace('"embedding_model":"static-minilm-v1/128"', '"embedding_model":"another"');
  const lines = `${text[0]}\n${other}\n`;
  const trailer = { format: "membus-export-end", entries: { episodic: 1 }, sha256: sha256(lines) };
  writeFileSync(file, `${lines}${JSON.stringify(trailer)}\n`);
  expect(await importFrom(target.client, file)).toMatchObject({ stored: 0, unchanged: 1, failed: {} });
});

it("stores shared entries as their authors on request", async () => {
  const { client } = await fixture.host("authors", "importer");
  const file = fixture.path("first.jsonl");
  expect(await importFrom(client, file, undefined, true)).toMatchObject({ stored: 8, failed: {} });
  const { entries } = await client.retrieve({ tier: "semantic", namespace: "default", order: "oldest" });
  expect(entries.map(({ key, author }) => [key.name, author])).toEqual([
    ["plain", "tests"],
    ["shared", "other"],
  ]);
  expect(await importFrom(client, file)).toMatchObject({ stored: 0, unchanged: 8 });
});

it("resumes an interrupted import only on the same bus and for the same agent", async () => {
  const { client } = await fixture.host("interrupted", "first");
  const path = fixture.path("many.jsonl");
  const lines = Array.from({ length: 250 }, (_, n) => JSON.stringify({ key: { n }, content: n }));
  writeFileSync(path, lines.join("\n"));
  const file = await openSource(path);
  const run = (agent: string, onProgress: () => void, bus = "test") => {
    const options = { defaults: { tier: "episodic" }, bus, onProgress };
    return importSource(client.forAgent(agent), file, options);
  };
  const stop = () => {
    throw new Error("interrupted");
  };
  await expect(run("first", stop)).rejects.toThrow("interrupted");
  expect(await run("second", () => {})).toMatchObject({ items: 250, stored: 250 });
  const second = await client.forAgent("second").retrieve({ tier: "episodic", limit: 0 });
  expect(second.total).toBe(250);
  await expect(run("first", stop)).rejects.toThrow("interrupted");
  let batches = 0;
  expect(await run("first", () => batches++)).toMatchObject({ items: 250, unchanged: 100, stored: 150 });
  expect(batches).toBe(2);
  await expect(run("first", stop, "one bus")).rejects.toThrow("interrupted");
  batches = 0;
  await run("first", () => batches++, "another bus");
  expect(batches).toBe(3);
});

it("counts entries that have expired since the export, and does not store them", async () => {
  const entry = { key: { name: "over" }, content: 1, tier: "episodic", namespace: "default", expires_at: 1 };
  const manifest = JSON.stringify(fixture.lines("first.jsonl")[0]);
  const lines = `${manifest}\n${JSON.stringify(entry)}\n`;
  const trailer = { format: "membus-export-end", entries: { episodic: 1 }, sha256: sha256(lines) };
  writeFileSync(fixture.path("over.jsonl"), `${lines}${JSON.stringify(trailer)}\n`);
  expect(await importFrom(target.client, fixture.path("over.jsonl"))).toMatchObject({
    stored: 0,
    expired: 1,
    failed: {},
  });
});

it("copies the parts of a record that was split as they are", async () => {
  const { client } = source;
  const file = fixture.path("long.jsonl");
  const long = await openConversation(client, { id: "long" });
  await long.add({ role: "user", content: "é".repeat(300_000) });
  await exportTo(client, file, { namespace: "conversations" });
  expect(fixture.lines("long.jsonl").length).toBeGreaterThan(4);
  expect(await importFrom(target.client, file)).toMatchObject({ failed: {} });
  const messages = await (await openConversation(target.client, { id: "long" })).messages();
  expect(messages[0]?.content).toBe("é".repeat(300_000));
  await exportTo(target.client, fixture.path("long again.jsonl"), { namespace: "conversations" });
  const lines = (name: string) => withoutHostFields(fixture.lines(name));
  expect(lines("long again.jsonl")).toEqual(lines("long.jsonl"));
});

it("keeps the earlier file if an export fails", async () => {
  const file = fixture.path("kept.jsonl");
  writeFileSync(file, "earlier");
  async function* failing() {
    yield "half";
    throw new Error("the host is gone");
  }
  await expect(placeFile(file, failing())).rejects.toThrow("the host is gone");
  expect(readFileSync(file, "utf8")).toBe("earlier");
  expect((await readdir(fixture.folder)).filter((name) => name.endsWith(".partial"))).toEqual([]);
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

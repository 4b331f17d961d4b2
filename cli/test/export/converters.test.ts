import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWriter } from "../../src/export/export-formats.js";
import type { OpenedMemory } from "../../src/index.js";
import { ExportFixture, exportTo, importFrom } from "./export-fixture.js";

let fixture: ExportFixture;
let source: OpenedMemory;

beforeAll(async () => {
  fixture = await ExportFixture.create();
  source = await fixture.host("source");
});

afterAll(() => fixture.stop());

const exportAs = (client: OpenedMemory["client"], to: string, name: string, selection = {}) =>
  exportTo(client, "", { write: openWriter(to, fixture.path(name)), ...selection });

/** Entries of an export without the fields that a host sets, without times. */
const entriesOf = (name: string) =>
  fixture
    .lines(name)
    .slice(1, -1)
    .map(({ revision: _r, seq: _s, timestamps: _t, author: _a, ttl: _l, ...entry }) => JSON.stringify(entry));

describe("markdown", () => {
  beforeAll(async () => {
    await source.client.inNamespace("notes/tea and more").store([
      {
        key: { title: "Sencha / 煎茶", n: 1 },
        content: "# Water\n\n70 degrees\r\n\n---\nkey: value\n\n\r",
        tier: "episodic",
        tags: ["#tea", "a, b", "true"],
        metadata: { rating: 4.5, ok: true, list: ["x"], text: "null" },
        context: "c",
        occurred_at: 1_700_000_000.125,
        importance: 0.3,
      },
      { key: "text", content: { text: "only a text" }, tier: "semantic", group: "g" },
      { key: "json", content: { a: [1, "```", null] }, tier: "semantic", text: "" },
      { key: "empty", content: "", tier: "episodic" },
      { key: "number", content: 1e21, tier: "working" },
    ]);
  });

  it("writes a file for each entry that an import reads back exactly", async () => {
    expect(await exportAs(source.client, "markdown", "vault")).toMatchObject({ exported: 5, skipped: 0 });
    const files = await readdir(fixture.path("vault"), { recursive: true });
    const paths = files
      .filter((path) => path.endsWith(".md"))
      .map((path) => path.replace(/[0-9a-f]{16}/, "*"));
    expect(paths.sort()).toEqual([
      "episodic/notes/tea-and-more/000002-Sencha-煎茶-1-*.md",
      "episodic/notes/tea-and-more/000003-empty-*.md",
      "semantic/notes/tea-and-more/000004-text-*.md",
      "semantic/notes/tea-and-more/000005-json-*.md",
      "working/notes/tea-and-more/000001-number-*.md",
    ]);
    const target = await fixture.host("from markdown");
    expect(await importFrom(target.client, fixture.path("vault"), "markdown")).toMatchObject({
      stored: 5,
      failed: {},
    });
    await exportTo(source.client, fixture.path("before.jsonl"));
    await exportTo(target.client, fixture.path("after.jsonl"));
    expect(entriesOf("after.jsonl").sort()).toEqual(entriesOf("before.jsonl").sort());
    expect(await importFrom(target.client, fixture.path("vault"), "markdown")).toMatchObject({
      stored: 0,
      unchanged: 5,
    });
  });

  it("has the text as it is, and imports an edited text", async () => {
    const folder = fixture.path("vault/semantic/notes/tea-and-more");
    const file = join(folder, (await readdir(folder)).find((name) => name.includes("-text-"))!);
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/^---\ncreated: \S+\ntags: \[\]\nmembus: \{.*\}\n---\nonly a text\n$/);
    writeFileSync(file, text.replace("only a text", "an edited text"));
    const target = await fixture.host("edited");
    await importFrom(target.client, fixture.path("vault"), "markdown");
    const request = { namespace: "notes/tea and more", keys: ["text"] };
    const { entries } = await target.client.retrieve(request);
    expect(entries).toMatchObject([{ content: { text: "an edited text" }, group: "g", tier: "semantic" }]);
  });

  it("rejects a file with broken fields, and a folder with files", async () => {
    await mkdir(fixture.path("broken"));
    const front = (fields: object) => `---\nmembus: ${JSON.stringify(fields)}\n---\n{\n`;
    const good = { key: { a: 1 }, tier: "episodic", namespace: "default" };
    writeFileSync(fixture.path("broken/a.md"), front({ ...good, tier: "none", content: "text" }));
    writeFileSync(fixture.path("broken/b.md"), front({ ...good, content: "json" }));
    const report = await importFrom(source.client, fixture.path("broken"), "markdown");
    expect(report).toMatchObject({ stored: 0, failed: { schema_violation: 2 } });
    await expect(exportAs(source.client, "markdown", "broken")).rejects.toThrow("is not empty");
    expect(() => openWriter("markdown", undefined)).toThrow("--to markdown requires a folder");
    expect(() => openWriter("zip", "x")).toThrow("--to must be one of markdown, mem0, aimem, got zip");
  });
});

describe("mem0", () => {
  const rows = [
    {
      id: "m1",
      memory: "Ada grows tomatoes",
      user_id: "ada",
      agent_id: "helper",
      metadata: { category: "hobby", source: "chat", trust: "high" },
      categories: ["hobby", "garden"],
      created_at: "2024-05-01T10:00:00.000Z",
      expiration_date: "2030-01-01",
    },
    { id: "m2", memory: "Answers briefly", agent_id: "helper", created_at: "2024-06-01T00:00:00Z" },
  ];

  it("writes current facts in the shape of get_all, which an import reads back", async () => {
    const origin = await fixture.host("mem0 origin");
    const path = fixture.path("mem0.json");
    writeFileSync(path, JSON.stringify({ results: rows }));
    await importFrom(origin.client, path, "mem0");
    await origin.client.store({ key: "a note", content: "no fact", tier: "episodic" });
    expect(await exportAs(origin.client, "mem0", "out.json")).toMatchObject({ exported: 2, skipped: 1 });
    const { results } = JSON.parse(readFileSync(fixture.path("out.json"), "utf8"));
    expect(results).toEqual([
      {
        id: "m2",
        memory: "Answers briefly",
        hash: hash("md5", "Answers briefly"),
        agent_id: "helper",
        metadata: {},
        created_at: "2024-06-01T00:00:00.000Z",
        updated_at: expect.any(String),
      },
      {
        id: "m1",
        memory: "Ada grows tomatoes",
        hash: hash("md5", "Ada grows tomatoes"),
        user_id: "ada",
        agent_id: "helper",
        metadata: { source: "chat", trust: "high" },
        categories: ["hobby", "garden"],
        expiration_date: "2030-01-01T00:00:00.000Z",
        created_at: "2024-05-01T10:00:00.000Z",
        updated_at: expect.any(String),
      },
    ]);
    const target = await fixture.host("mem0 target");
    expect(await importFrom(target.client, fixture.path("out.json"), "mem0")).toMatchObject({ stored: 2 });
    await exportTo(origin.client, fixture.path("origin.jsonl"), { namespace: "about/**" });
    await exportTo(target.client, fixture.path("target.jsonl"), { namespace: "about/**" });
    expect(entriesOf("target.jsonl")).toEqual(entriesOf("origin.jsonl"));
  });
});

describe("aimem", () => {
  it("writes a bundle with a checksum over its canonical form", async () => {
    const origin = await fixture.host("aimem origin");
    const { client } = origin;
    await client.store([
      { key: "note", content: "Grüße", tier: "semantic", tags: ["b", "a", "b"], occurred_at: 1_700_000_000 },
      { key: "object", content: { size: 3 }, tier: "episodic", occurred_at: 1_700_000_000 },
      { key: "long", content: "x".repeat(65_537), tier: "episodic" },
      { key: "nothing", content: null, tier: "episodic" },
    ]);
    await client.inNamespace("about/user:ada").store({
      key: { fact: "f1" },
      content: { text: "Prefers tea" },
      metadata: { kind: "fact", about: "user:ada", trust: "user", category: "preference" },
      tier: "episodic",
      occurred_at: 1_700_000_000,
    });
    expect(await exportAs(client, "aimem", "bundle.json")).toMatchObject({ exported: 3, skipped: 2 });
    const { checksum, ...bundle } = JSON.parse(readFileSync(fixture.path("bundle.json"), "utf8"));
    expect(checksum).toBe(`sha256:${hash("sha256", canonicalJson(bundle))}`);
    const chunk = (content: string, memory_type: string, tags: string[] = []) => ({
      id: expect.stringMatching(/^urn:aimem:membus:[0-9a-f]{64}$/),
      content,
      content_hash: `sha256:${hash("sha256", content)}`,
      memory_type,
      is_pinned: false,
      created_at: "2023-11-14T22:13:20.000Z",
      tags,
    });
    expect(bundle).toEqual({
      format: "aimem-bundle",
      version: "1",
      producer: "membus",
      tenant_id: "urn:membus:default:tests",
      exported_at: expect.stringMatching(/Z$/),
      scope: "FULL",
      chunks: [
        chunk("Prefers tea", "preference"),
        chunk("size: 3", "episodic"),
        chunk("Grüße", "fact", ["b", "a"]),
      ],
      edges: [],
      entities: [],
      chunk_entities: [],
    });
    await exportAs(client, "aimem", "since.json", { criteria: { since: 1_600_000_000, tier: "semantic" } });
    const partial = JSON.parse(readFileSync(fixture.path("since.json"), "utf8"));
    expect(partial).toMatchObject({ scope: "SINCE", since: "2020-09-13T12:26:40.000Z", chunks: [{}] });
  });
});

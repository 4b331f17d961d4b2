import { describe, expect, it } from "vitest";
import { vectorOf } from "./scripted-embedder.js";
import { kitWith } from "./steering-fixture.js";

const SNIPPET = ["snippet"] as const;

/** A text of about 10,000 units. The words of the query are in its last third. */
const FILLER = Array.from({ length: 30 }, (_, n) => `Paragraph ${n}: ${"some other words. ".repeat(18)}`);
const LONG = FILLER.with(22, "At dawn a grey heron stood in the lake.").join("\n\n");
/** Where the passage with the query's words begins. */
const PLACE = LONG.indexOf("Paragraph 20:");

const ENTRIES = [
  { key: { id: "long" }, content: LONG, group: "g" },
  { key: { id: "object" }, content: { title: "a heron", text: LONG }, group: "g" },
  { key: { id: "own text" }, content: "something else", text: "the heron of the text" },
  { key: { id: "leaves" }, content: { bird: "heron", place: "lake" } },
  { key: { id: "context" }, content: "an invoice", context: "after the heron" },
  { key: { id: "empty" }, content: "an invoice", text: "", context: "after the heron" },
];

async function snippets(request: object) {
  const { find } = await kitWith(ENTRIES);
  const { entries } = await find(request);
  return new Map(entries.map((entry) => [entry.key.id, entry]));
}

describe("snippets (clauses RET-43 to RET-46)", () => {
  it("are the passage with the words of the query, and its place in the indexed text", async () => {
    const found = await snippets({ query: "a heron in the lake", include: SNIPPET });
    for (const id of ["long", "object"]) {
      const { text, start } = found.get(id)!.snippet!;
      expect(start).toBe(PLACE);
      expect(text).toBe(LONG.slice(start, start + text.length));
      expect(text).toContain("grey heron stood in the lake");
      expect(text.length).toBeLessThanOrEqual(1_800);
    }
    expect(found.get("own text")!.snippet).toEqual({ text: "the heron of the text", start: 0 });
    expect(found.get("leaves")!.snippet).toEqual({ text: "bird: heron\nplace: lake", start: 0 });
    expect(found.get("context")!.snippet).toEqual({ text: "an invoice", start: 0 });
    expect(found.get("empty")!.snippet).toEqual({ text: "", start: 0 });
  });

  it("are the same in every mode, for all fields, and with other ranking options", async () => {
    const query = "grey heron";
    const embedding = Float32Array.from(vectorOf(query, 8)!);
    const { find } = await kitWith([
      { key: "long", content: LONG, context: query, embedding, embedding_model: "scripted/8" },
    ]);
    for (const steering of [
      { mode: "vector" },
      { mode: "text" },
      { mode: "text", fields: ["context"] },
      { recency: { half_life_s: 60, weight: 0.5 } },
      { order: "oldest" },
      { explain: true, expand: { before: 1, after: 1 } },
    ] as const) {
      const { entries } = await find({ query, include: SNIPPET, ...steering });
      expect([steering, entries[0]?.snippet?.start]).toEqual([steering, PLACE]);
    }
  });

  it("are the first passage without a query", async () => {
    const { snippet } = (await snippets({ include: SNIPPET })).get("long")!;
    expect(snippet!.start).toBe(0);
    expect(snippet!.text).toMatch(/^Paragraph 0: /);
  });

  it("are returned only on request, and not for neighbours", async () => {
    const request = { query: "heron lake", expand: { before: 1, after: 1 } };
    const [plain, asked] = [await snippets(request), await snippets({ ...request, include: SNIPPET })];
    for (const entry of plain.values()) expect(entry).not.toHaveProperty("snippet");
    const { before } = asked.get("object")!.neighbours!;
    expect(before.map(({ key }) => key.id)).toEqual(["long"]);
    expect(before[0]).not.toHaveProperty("snippet");
  });

  it("do not change scores and order, and are named by the explanation", async () => {
    const query = "a heron in the lake";
    const [plain, asked] = [
      await snippets({ query, explain: true }),
      await snippets({ query, include: SNIPPET }),
    ];
    expect([...asked].map(([id, { score }]) => [id, score])).toEqual(
      [...plain].map(([id, { score }]) => [id, score]),
    );
    for (const [id, { explain }] of plain) {
      const { text, start } = asked.get(id)!.snippet!;
      expect(explain!.passage).toEqual({ start, end: start + text.length });
    }
  });

  it("count towards the size of a page", async () => {
    const { find } = await kitWith(Array.from({ length: 9 }, (_, id) => ({ key: { id }, content: LONG })));
    const size = { max_bytes: 4 * LONG.length + 4_000 };
    expect((await find(size)).entries).toHaveLength(5);
    expect((await find({ ...size, include: SNIPPET })).entries).toHaveLength(4);
  });
});

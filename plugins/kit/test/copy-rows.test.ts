import { parseScopeId, type Scope, scopeId } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import type { KitOptions, Row } from "../src/index.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

const PAGE = { after: 0, countMax: 2, bytesMax: 1_000_000 };

/** Copies every entry of a kit in small pages. */
async function copy(from: TestKit, to: TestKit, limits = PAGE) {
  const counts = { written: 0, kept: 0, pages: 0 };
  for (const tenant of from.plugin.tenants()) {
    for (const scope of await from.plugin.scopesOf(tenant)) {
      for (let after: number | undefined = 0; after !== undefined; ) {
        const page = await from.plugin.readRows(scope, { ...limits, after });
        const { writtenCount, keptCount } = await to.plugin.writeRows(scope, page.rows);
        counts.written += writtenCount;
        counts.kept += keptCount;
        counts.pages += 1;
        after = page.next;
      }
    }
  }
  return counts;
}

/** A kit with entries of two tenants, in storage and in the log. */
async function sourceKit(options?: KitOptions): Promise<TestKit> {
  const kit = await TestKit.open({ ...(options && { options }) });
  await calls(kit).store([{ key: "a" }, { key: "b", tags: ["x"] }, { key: "gone" }]);
  await calls(kit, { tenant: "Globex", agent: "bob" }).store([{ key: "c" }]);
  await kit.flush();
  await calls(kit).store([{ key: "a", content: "changed" }, { key: "d" }]);
  await calls(kit).forget({ keys: ["gone"] });
  return kit;
}

async function entriesOf(kit: TestKit, fields = {}) {
  const { entries } = await calls(kit, fields).retrieve({ limit: 100 });
  // The time of the last access is only in RAM.
  const lasting = entries.map(({ score: _, timestamps: { created, updated }, ...entry }) => {
    return { ...entry, created, updated };
  });
  return lasting.sort((x, y) => (x.key_hash < y.key_hash ? -1 : 1));
}

const scopeOfA = (kit: TestKit): Promise<Scope> => kit.plugin.scopesOf("acme").then(([scope]) => scope!);

async function rowsOf(kit: TestKit): Promise<readonly Row[]> {
  return (await kit.plugin.readRows(await scopeOfA(kit), { ...PAGE, countMax: 10 })).rows;
}

describe("a copy of all entries", () => {
  it("has their revisions, times and attributes, also after a crash", async () => {
    const [from, to] = [await sourceKit(), await TestKit.open()];
    expect(from.plugin.tenants()).toEqual(["Globex", "acme"]);
    expect(await copy(from, to)).toEqual({ written: 4, kept: 0, pages: 3 });
    await to.crash();
    for (const fields of [{}, { tenant: "Globex", agent: "bob" }])
      expect(await entriesOf(to, fields)).toEqual(await entriesOf(from, fields));
  });

  it("has the vectors of a source that has none in RAM", async () => {
    const [from, to] = [await sourceKit({ partitionVectorBytesMax: 0 }), await TestKit.open()];
    await copy(from, to);
    const vectorsOf = async (kit: TestKit) =>
      (await rowsOf(kit)).map(({ keyHash, embedder, vector }) => [keyHash, embedder, vector]).sort();
    expect(await vectorsOf(to)).toEqual(await vectorsOf(await sourceKit()));
    expect((await rowsOf(to)).some(({ vector }) => vector !== null)).toBe(true);
  });

  it("is found by words and by meaning", async () => {
    const [from, to] = [await sourceKit(), await TestKit.open()];
    await copy(from, to);
    const search = { query: "changed", limit: 1 };
    const [found] = (await calls(to).retrieve(search)).entries;
    expect(found).toMatchObject({
      key: { name: "a" },
      score: (await calls(from).retrieve(search)).entries[0]!.score,
    });
  });

  it("repeated writes nothing", async () => {
    const [from, to] = [await sourceKit(), await TestKit.open()];
    await copy(from, to);
    expect(await copy(from, to)).toEqual({ written: 0, kept: 4, pages: 3 });
  });

  it("brings later changes, and keeps later ones of its target", async () => {
    const [from, to] = [await sourceKit(), await TestKit.open()];
    await copy(from, to);
    from.clock.advance(1);
    to.clock.advance(2);
    await calls(from).store([{ key: "a", content: "again" }]);
    await calls(to).store([{ key: "b", content: "mine" }]);
    expect(await copy(from, to)).toMatchObject({ written: 1, kept: 3 });
    expect((await calls(to).entry("a"))?.content).toBe("again");
    expect((await calls(to).entry("b"))?.content).toBe("mine");
  });

  it("gives later entries higher revisions, also if the clock of its source was ahead", async () => {
    const from = await TestKit.open();
    from.clock.advance(3_600);
    await calls(from).store([{ key: "a" }]);
    const to = await TestKit.open();
    await copy(from, to);
    await calls(to).store([{ key: "a", content: "changed" }]);
    const revisionIn = async (kit: TestKit) => (await calls(kit).entry("a"))!.revision;
    expect(await revisionIn(to)).toBeGreaterThan(await revisionIn(from));
  });
});

describe("a page of rows", () => {
  it("ends at its limit of bytes, but has one row at least", async () => {
    const kit = await sourceKit();
    const page = await kit.plugin.readRows(await scopeOfA(kit), { ...PAGE, bytesMax: 1 });
    expect(page.rows).toHaveLength(1);
    expect(page.next).toBe(page.rows[0]!.rowId);
  });

  it("counts attributes and vectors", async () => {
    const kit = await TestKit.open();
    const metadata = { note: "x".repeat(1_000) };
    await calls(kit).store(["a", "b", "c"].map((key) => ({ key, metadata })));
    const page = await kit.plugin.readRows(await scopeOfA(kit), { after: 0, countMax: 10, bytesMax: 3_000 });
    expect(page.rows).toHaveLength(2);
  });

  it("has no expired entry", async () => {
    const kit = await TestKit.open();
    await calls(kit).store([{ key: "a", ttl: 10 }, { key: "b" }]);
    kit.clock.advance(11);
    expect(await rowsOf(kit)).toHaveLength(1);
  });
});

describe("a forget during a copy", () => {
  it("wins over rows that were read before", async () => {
    const kit = await sourceKit();
    const [scope, rows] = [await scopeOfA(kit), await rowsOf(kit)];
    const target = await TestKit.open();
    const writing = target.plugin.writeRows(scope, rows);
    await calls(target).forget({ keys: ["b"] });
    await writing;
    expect(await calls(target).entry("b")).toBeUndefined();
    expect(await target.plugin.countMissingRows(scope, rows)).toBe(1);
  });
});

it("a full scope accepts rows that it has", async () => {
  const from = await sourceKit();
  const [scope, rows] = [await scopeOfA(from), await rowsOf(from)];
  const kit = await TestKit.open({ options: { partitionRowsMax: rows.length } });
  await kit.plugin.writeRows(scope, rows);
  expect(await kit.plugin.writeRows(scope, rows)).toEqual({ writtenCount: 0, keptCount: rows.length });
});

describe("rows are refused", () => {
  it("with the revision of another entry", async () => {
    const kit = await sourceKit();
    const [row] = await rowsOf(kit);
    const other = { ...row!, body: JSON.stringify({ content: "other", ttl: null }) };
    const refusal = { code: "conflict", detail: { reason: "different_entry" } };
    await expect(kit.plugin.writeRows(await scopeOfA(kit), [other])).rejects.toMatchObject(refusal);
  });

  it("beyond the limit of a scope", async () => {
    const kit = await TestKit.open({ options: { partitionRowsMax: 2 } });
    const from = await sourceKit();
    const scope = parseScopeId(scopeId(await scopeOfA(from)));
    await expect(kit.plugin.writeRows(scope, await rowsOf(from))).rejects.toMatchObject({
      code: "memory_full",
    });
    expect(await entriesOf(kit)).toEqual([]);
  });
});

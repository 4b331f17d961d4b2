import type { Logger } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import type { FolderFacts, RecordedPart, TierPlace } from "../src/place/index.js";

/** A place of the tier `semantic` that several processes open one after the other. */
export interface PlaceUnderTest {
  /** Opens the place as the next process. */
  open(logger: Logger): Promise<Pick<TierPlace, "manifest" | "markers" | "release">>;
}

/** Facts of a tier without parts. */
export const FACTS: FolderFacts = {
  id: "0d9a2a34-9e0f-4c6e-8c43-4a8a6f1b8f10",
  tier: "semantic",
  flushedSeq: 41,
  newestAt: 1_800_000_000.25,
  scopes: ["shared/é", "agent/ü"],
  log: [{ name: "1.log", id: 7 }],
  parts: [],
  erased: { seq: 12, at: 1_799_999_999 },
  erasing: [{ tenant: "default", agent: "alice" }, { tenant: "other" }],
};

function part(name: string, version: number): RecordedPart {
  return { name, version, rowCount: version * 10, contentId: `content ${version}` };
}

const neverMade = () => {
  throw new Error("the facts are missing");
};

/** Registers tests of the contract of `TierPlace` that every place passes. */
export function registerPlaceSuite(title: string, create: () => Promise<PlaceUnderTest>): void {
  describe(`the manifest of ${title}`, () => registerManifestTests(create));
  describe(`the markers of ${title}`, () => registerMarkerTests(create));
}

/** Returns functions that open a new place again and again, with its warnings. */
async function openNew(create: () => Promise<PlaceUnderTest>) {
  const place = await create();
  const warnings: string[] = [];
  const logger = {
    debug() {},
    info() {},
    warn: (_: object, text: string) => warnings.push(text),
    error() {},
  };
  /** Runs `work` in the next process. */
  const run = async <T>(work: (opened: Awaited<ReturnType<PlaceUnderTest["open"]>>) => Promise<T>) => {
    const opened = await place.open(logger);
    const result = await work(opened);
    await opened.release();
    return result;
  };
  return { run, warnings };
}

function sorted({ parts, ...facts }: FolderFacts): FolderFacts {
  return { ...facts, parts: parts.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

function registerManifestTests(create: () => Promise<PlaceUnderTest>): void {
  it("has the given facts until the first write", async () => {
    const { run } = await openNew(create);
    const made = { ...FACTS, id: "made" };
    expect(await run(({ manifest }) => manifest.claim(() => made))).toEqual(made);
    const other = { ...FACTS, id: "made again" };
    expect(await run(({ manifest }) => manifest.claim(() => other))).toEqual(other);
  });

  it("has the facts of the last write", async () => {
    const { run } = await openNew(create);
    await run(async ({ manifest }) => {
      await manifest.claim(() => FACTS);
      await manifest.write(FACTS);
      await manifest.write({ ...FACTS, flushedSeq: 42, erasing: [] });
    });
    const found = await run(({ manifest }) => manifest.claim(neverMade));
    expect(found).toEqual({ ...FACTS, flushedSeq: 42, erasing: [] });
  });

  it("has the parts of the last write, whatever their names", async () => {
    const { run } = await openNew(create);
    await run(async ({ manifest }) => {
      await manifest.claim(() => FACTS);
      await manifest.write({ ...FACTS, parts: [part("a", 1), part("b.c *>", 1), part("ü", 1)] });
      await manifest.write({ ...FACTS, parts: [part("a", 1), part("b.c *>", 2)] });
    });
    const first = await run(({ manifest }) => manifest.claim(neverMade));
    expect(sorted(first).parts).toEqual([part("a", 1), part("b.c *>", 2)]);
    await run(async ({ manifest }) => {
      const facts = await manifest.claim(neverMade);
      await manifest.write({ ...facts, parts: [...facts.parts, part("d", 3)] });
    });
    const second = await run(({ manifest }) => manifest.claim(neverMade));
    expect(sorted(second).parts).toEqual([part("a", 1), part("b.c *>", 2), part("d", 3)]);
  });

  it("has the facts of many parts", async () => {
    const { run } = await openNew(create);
    const parts = Array.from({ length: 300 }, (_, index) => part(`table-${index + 1_000}`, index + 1));
    await run(async ({ manifest }) => {
      await manifest.claim(() => FACTS);
      await manifest.write({ ...FACTS, parts });
    });
    const found = await run(({ manifest }) => manifest.claim(neverMade));
    expect(sorted(found)).toEqual({ ...FACTS, parts });
  });
}

function registerMarkerTests(create: () => Promise<PlaceUnderTest>): void {
  const isValid = ({ count }: { readonly count?: unknown }) => Number.isInteger(count);

  it("are undefined before the first write", async () => {
    const { run, warnings } = await openNew(create);
    expect(await run(({ markers }) => markers.read("first.json", isValid))).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it("have the value of the last write", async () => {
    const { run } = await openNew(create);
    await run(async ({ markers }) => {
      await markers.write("first.json", { count: 1 });
      await markers.write("first.json", { count: 2 });
      await markers.write("second", { count: 3 });
    });
    const values = await run(async ({ markers }) => [
      await markers.read("first.json", isValid),
      await markers.read("second", isValid),
    ]);
    expect(values).toEqual([{ count: 2 }, { count: 3 }]);
  });

  it("are undefined with a warning if they are not valid", async () => {
    const { run, warnings } = await openNew(create);
    await run(({ markers }) => markers.write("first.json", { count: "two" }));
    expect(await run(({ markers }) => markers.read("first.json", isValid))).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^marker .* rebuilding it from the /)]);
  });
}

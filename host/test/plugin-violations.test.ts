import type { MemoryEntry } from "@membus/protocol";
import { keyHash } from "@membus/protocol";
import type { PluginRetrieveResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

type Page = { -readonly [K in keyof PluginRetrieveResult]: PluginRetrieveResult[K] };

/** Returns a plugin that changes its pages before it returns them. */
function pluginWithPages(tamper: (page: Page, entry: MemoryEntry) => unknown): MapPlugin {
  const plugin = new MapPlugin();
  const honest = plugin.onRetrieve.bind(plugin);
  plugin.onRetrieve = async (selector, request) => {
    const page = structuredClone(await honest(selector, request));
    tamper(page, page.entries[0]!);
    return page as Awaited<ReturnType<typeof honest>>;
  };
  return plugin;
}

const FAULTS: [string, Parameters<typeof pluginWithPages>[0]][] = [
  ["more entries than the limit", (page, entry) => (page.entries = [entry, entry, entry, entry])],
  ["a total below the number of returned entries", (page) => (page.total = 1)],
  ["a total below the number of returned entries", (page) => (page.total = Number.NaN)],
  ["no total_relation", (page) => (page.total_relation = "about" as never)],
  ["no list of entries", (page) => (page.entries = undefined as never)],
  ["an entry of another tier", (_, entry) => (entry.tier = "semantic")],
  ["an entry of another namespace", (_, entry) => (entry.namespace = "other")],
  ["an entry that does not match the filter", (_, entry) => (entry.tags = [])],
  ["an entry below min_score", (_, entry) => (entry.score = 0.1)],
  ["a malformed entry (score)", (_, entry) => (entry.score = Number.NaN)],
  ["a malformed entry (score)", (_, entry) => (entry.score = 1.5)],
  ["a malformed entry (content)", (_, entry) => Reflect.deleteProperty(entry, "content")],
  ["a malformed entry (revision)", (_, entry) => (entry.revision = 0.5)],
  ["an entry with a seq above its revision", (_, entry) => (entry.seq = entry.revision + 1)],
  ["an entry with a key_hash of another key", (_, entry) => (entry.key_hash = keyHash("other"))],
  ["context, which was not requested", (_, entry) => (entry.context = "secret")],
  ["a vector, which was not requested", (_, entry) => (entry.embedding = new Float32Array(2))],
  ["entries out of order, or before the cursor", (page) => (page.entries = [...page.entries].reverse())],
  ["entries out of order, or before the cursor", (page, entry) => (page.entries = [entry, entry])],
  ["a `degraded` that is not a MemoryError", (page) => (page.degraded = new Error("x") as never)],
];

describe("a plugin that returns", () => {
  it.each(FAULTS)("%s is answered runtime_error, logged and counted", async (problem, tamper) => {
    const fixture = await HostFixture.start({ plugins: { working: pluginWithPages(tamper) } });
    await fixture.store([1, 2].map((number) => ({ key: { number }, content: number, tags: ["t"] })));
    const answer = await fixture.retrieve({ tags: ["t"], min_score: 0.5, limit: 3 });
    expect(answer).toMatchObject({
      code: "runtime_error",
      message: "internal error of the working tier. The host's log has the cause",
    });
    expect(fixture.host.stats().violations).toEqual({ working: 1 });
    expect(fixture.logger.messages("error")).toEqual(["plugin violated its contract"]);
    expect(fixture.logger.lines[0]!.fields.err).toEqual(new Error(`returned ${problem}`));
  });

  it("entries before the cursor is caught on the next page", async () => {
    const plugin = new MapPlugin();
    const honest = plugin.onRetrieve.bind(plugin);
    plugin.onRetrieve = async (selector, { after: _, ...request }) => honest(selector, request);
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    await fixture.store([1, 2].map((number) => ({ key: { number }, content: number })));
    const { cursor } = await fixture.retrieve({ limit: 1 });
    expect(await fixture.retrieve({ limit: 1, cursor })).toMatchObject({ code: "runtime_error" });
  });

  it("entries that have expired since omits them from page and total", async () => {
    const plugin = pluginWithPages((page, entry) => {
      page.entries = [{ ...entry, expires_at: 1_800_000_000, ttl: 1 }, ...page.entries.slice(1)];
    });
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    await fixture.store([1, 2].map((number) => ({ key: { number }, content: number })));
    expect(await fixture.retrieve()).toMatchObject({ entries: [{ content: 1 }], total: 1 });
  });

  it("nothing, or throws synchronously, is answered runtime_error", async () => {
    const plugin = new MapPlugin();
    plugin.onRetrieve = (() => undefined) as never;
    plugin.onForget = () => {
      throw new Error("at once");
    };
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    expect(await fixture.retrieve()).toMatchObject({ code: "runtime_error" });
    expect(await fixture.forget({ all: true })).toMatchObject({ code: "runtime_error" });
  });
});

describe("a plugin with a store result that", () => {
  const receipt = { index: 0, key_hash: keyHash("a"), outcome: "created", revision: 1 };
  it.each([
    ["omits an entry", { receipts: [], errors: [] }],
    ["contains an entry twice", { receipts: [receipt, receipt], errors: [] }],
    ["contains an unknown entry", { receipts: [receipt, { ...receipt, index: 1 }], errors: [] }],
    ["has another key hash", { receipts: [{ ...receipt, key_hash: keyHash("b") }], errors: [] }],
    ["has an unknown outcome", { receipts: [{ ...receipt, outcome: "done" }], errors: [] }],
    ["has no revision", { receipts: [{ ...receipt, revision: 0 }], errors: [] }],
    ["has a plain error", { receipts: [], errors: [{ index: 0, error: new Error("x") }] }],
    ["is undefined", undefined],
  ])("%s fails these entries, and reports nothing as stored", async (_what, result) => {
    const plugin = new MapPlugin();
    plugin.onStore = async () => result as never;
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const reply = await fixture.store([{ key: "a", content: 1 }]);
    expect(reply).toMatchObject({ stored: [], receipts: [] });
    expect(reply.errors).toMatchObject([{ index: 0, key: { name: "a" }, code: "runtime_error" }]);
  });

  it.each([undefined, [-1], [2.5], [3, 1], Array(17).fill(0), "3"])(
    "of a forget of 3 with cascade has the levels %j is answered runtime_error",
    async (cascaded) => {
      const plugin = new MapPlugin({ cascade: true });
      plugin.onForget = async () => ({ deleted: 3, cascaded, purge: "done" }) as never;
      const fixture = await HostFixture.start({ plugins: { working: plugin } });
      expect(await fixture.forget({ all: true, cascade: true })).toMatchObject({ code: "runtime_error" });
    },
  );

  it("of a forget with purge that is only scheduled is answered runtime_error", async () => {
    const plugin = new MapPlugin({ purge: true });
    plugin.onForget = async () => ({ deleted: 1, purge: "scheduled" }) as never;
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    expect(await fixture.forget({ all: true })).toMatchObject({ deleted: 1 });
    expect(await fixture.forget({ all: true, purge: true })).toMatchObject({ code: "runtime_error" });
  });

  it("of a forget without a count is answered runtime_error", async () => {
    const plugin = new MapPlugin();
    plugin.onForget = async () => ({ deleted: -1, purge: "done" as const });
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    expect(await fixture.forget({ all: true })).toMatchObject({ code: "runtime_error" });
  });
});

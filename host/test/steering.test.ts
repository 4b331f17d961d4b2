import type { MemoryEntry } from "@membus/protocol";
import type { Feature, PluginRetrieveRequest, PluginRetrieveResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { contents, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const STEERING = ["fields", "recency", "diversity", "expand", "explain", "rerank"] as const;
const FEATURES: readonly Feature[] = [...STEERING, "snippet"];
const RANKING = { analyzer: "words", embedder: null, generation: null, candidates: 3, terms: ["tea"] };

type Page = { -readonly [K in keyof PluginRetrieveResult]: PluginRetrieveResult[K] };

/** Plugin with all features. The neighbours of an entry are the entries before and after it. */
class SteeredPlugin extends MapPlugin {
  readonly requests: PluginRetrieveRequest[] = [];
  tamper: (page: Page, entry: MemoryEntry) => unknown = () => undefined;

  constructor(features: readonly Feature[] = FEATURES) {
    super(Object.fromEntries(features.map((name) => [name, true])));
  }

  override async onRetrieve(...[selector, request]: Parameters<MapPlugin["onRetrieve"]>) {
    this.requests.push(request);
    const page: Page = structuredClone(await super.onRetrieve(selector, request));
    const all = await super.onRetrieve(selector, { ...request, query: undefined as never, limit: 99 });
    for (const entry of page.entries) decorate(entry, all.entries, request);
    if (request.explain) page.explain = RANKING;
    this.tamper(page, page.entries[0]!);
    return page as Awaited<ReturnType<MapPlugin["onRetrieve"]>>;
  }
}

function decorate(
  entry: MemoryEntry,
  all: readonly MemoryEntry[],
  { expand, explain, include = [] }: PluginRetrieveRequest,
) {
  const { importance, score, seq, group, content } = entry;
  if (include.includes("snippet")) entry.snippet = { text: String(content), start: 0 };
  if (explain) {
    const relevance = score / importance;
    entry.explain = { terms: [], lexical: 0, similarity: null, group: 0, relevance, importance, recency: 1 };
  }
  if (expand === undefined) return;
  const near = (holds: (other: MemoryEntry) => boolean) =>
    all
      .filter((other) => other.group === group && holds(other))
      .map((other) => ({ ...other, score: other.importance }))
      .sort((a, b) => a.seq - b.seq);
  entry.neighbours = {
    before: near((other) => other.seq < seq).slice(0, expand.before),
    after: near((other) => other.seq > seq).slice(0, expand.after),
  };
}

async function start(plugin: MapPlugin = new SteeredPlugin()): Promise<HostFixture> {
  const fixture = await HostFixture.start({ plugins: { working: plugin } });
  const words = ["black coffee", "green tea", "cold milk"];
  await fixture.store(words.map((content, n) => ({ key: { n }, content, group: "g", occurred_at: n })));
  return fixture;
}

describe("ranking options", () => {
  it("reach the plugin with their defaults, and are omitted if they are off", async () => {
    const plugin = new SteeredPlugin();
    const fixture = await start(plugin);
    await fixture.retrieve({
      query: "tea",
      diversity: 0,
      explain: false,
      rerank: false,
      fields: [],
      expand: null,
    });
    for (const name of STEERING) expect(plugin.requests[0]).not.toHaveProperty(name);
    await fixture.retrieve({
      query: "tea",
      fields: ["text"],
      recency: { half_life_s: 60 },
      diversity: 0.5,
      expand: { after: 1 },
      explain: true,
      rerank: true,
    });
    expect(plugin.requests[1]).toMatchObject({
      fields: ["text"],
      recency: { half_life_s: 60, weight: 0.5 },
      diversity: 0.5,
      expand: { before: 0, after: 1 },
      explain: true,
      rerank: true,
    });
  });

  it.each([
    { fields: ["text"] },
    { recency: { half_life_s: 60 } },
    { diversity: 0.5 },
    { expand: {} },
    { explain: true },
    { rerank: true },
    { include: ["snippet"] },
  ])("%o is unsupported by a tier that does not declare it (clauses RET-22 and RET-47)", async (steering) => {
    const [feature] = "include" in steering ? steering.include : Object.keys(steering);
    const plugin = new SteeredPlugin(FEATURES.filter((name) => name !== feature));
    const fixture = await start(plugin);
    for (const tier of [undefined, "working"]) {
      const answer = await fixture.retrieve({ query: "tea", tier, ...steering });
      expect(answer).toMatchObject({ code: "unsupported", detail: { feature } });
    }
    expect(plugin.requests).toEqual([]);
  });

  it("`exact` reaches only tiers that may be approximate, and these are named (clauses RET-49 and RET-50)", async () => {
    const indexed = new SteeredPlugin([...FEATURES, "approximate"]);
    indexed.tamper = (page) => {
      if (!indexed.requests.at(-1)!.exact) Object.assign(page, { approximate: true, total_relation: "gte" });
    };
    const always = new SteeredPlugin();
    const fixture = await HostFixture.start({ plugins: { working: always, semantic: indexed } });
    for (const tier of ["working", "semantic"]) await fixture.store([{ key: tier, content: tier, tier }]);
    const found = await fixture.retrieve({});
    expect(found).toMatchObject({ approximate: ["semantic"], total_relation: "gte", total: 2 });
    const exact = await fixture.retrieve({ exact: true });
    expect([exact.approximate, exact.total_relation]).toEqual([undefined, "eq"]);
    expect([always, indexed].map(({ requests }) => requests.map((request) => request.exact))).toEqual([
      [undefined, undefined],
      [undefined, true],
    ]);
  });

  it.each([
    ["undeclared", FEATURES, { approximate: true, total_relation: "gte" }],
    ["with an exact total", [...FEATURES, "approximate"], { approximate: true }],
  ] as const)("an approximate page, %s, is refused", async (_, features, changes) => {
    const plugin = new SteeredPlugin(features);
    plugin.tamper = (page) => Object.assign(page, changes);
    const fixture = await start(plugin);
    expect(await fixture.retrieve({ tier: "working" })).toMatchObject({ code: "runtime_error" });
  });

  it("are answered by the tiers that support them, and the reply names the others", async () => {
    const plugins = { working: new MapPlugin(), semantic: new SteeredPlugin() };
    const fixture = await HostFixture.start({ plugins });
    for (const tier of ["working", "semantic"]) await fixture.store([{ key: tier, content: tier, tier }]);
    const reply = await fixture.retrieve({ recency: { half_life_s: 60 }, explain: true });
    expect(contents(reply)).toEqual(["semantic"]);
    expect(reply.degraded).toMatchObject([{ tier: "working", code: "unsupported" }]);
    expect(reply.explain).toEqual([{ tier: "semantic", ...RANKING }]);
  });

  it("are too_large if they allow more entries than a page may have", async () => {
    const fixture = await start();
    const expand = { before: 20, after: 20 };
    expect(await fixture.retrieve({ expand, limit: 122 })).toMatchObject({
      code: "too_large",
      detail: { limit: "expandedEntries", max: 5_000, got: 5_002, path: "expand" },
    });
    expect(await fixture.retrieve({ expand, limit: 121 })).toMatchObject({ total: 3 });
  });
});

describe("one page (clause RET-27)", () => {
  it.each([{ diversity: 0.5 }, { rerank: true }])("%o has no cursor, even if it is cut", async (steering) => {
    const fixture = await start();
    const query = { query: "coffee tea milk", limit: 2 };
    expect(await fixture.retrieve(query)).toHaveProperty("cursor");
    const reply = await fixture.retrieve({ ...query, ...steering });
    expect(reply.entries).toHaveLength(2);
    expect([reply.total, "cursor" in reply]).toEqual([3, false]);
  });

  it("requires the same ranking options", async () => {
    const fixture = await start();
    const { cursor } = await fixture.retrieve({ query: "coffee tea milk", limit: 1, explain: true });
    const again = { query: "coffee tea milk", limit: 1, cursor };
    expect(await fixture.retrieve({ ...again, explain: true })).toHaveProperty("entries");
    for (const other of [
      {},
      { explain: true, recency: { half_life_s: 1 } },
      { explain: true, fields: ["text"] },
    ]) {
      expect(await fixture.retrieve({ ...again, ...other })).toMatchObject({ code: "schema_violation" });
    }
  });
});

describe("a page with neighbours", () => {
  const expand = { before: 1, after: 1 };

  it("passes them on, without neighbours that have expired since", async () => {
    const plugin = new SteeredPlugin();
    const fixture = await start(plugin);
    const around = async () => {
      const reply = await fixture.retrieve({ query: "tea", expand });
      const [{ neighbours }] = reply.entries as [{ neighbours: MemoryEntry["neighbours"] }];
      return [neighbours!.before, neighbours!.after].map((list) => list.map(({ content }) => content));
    };
    expect(await around()).toEqual([["black coffee"], ["cold milk"]]);
    plugin.tamper = (_, entry) => {
      Object.assign(entry.neighbours!.after[0]!, { expires_at: 1_800_000_000 });
    };
    expect(await around()).toEqual([["black coffee"], []]);
  });

  it("is cut to the message size, including neighbours", async () => {
    const fixture = await HostFixture.start({
      plugins: { working: new SteeredPlugin() },
      bus: { maxPayloadBytes: 100_000 },
    });
    const content = "x".repeat(15_000);
    for (let n = 0; n < 6; n++) await fixture.store([{ key: { n }, content, group: "g" }]);
    const reply = await fixture.retrieve({ order: "oldest", expand });
    expect((reply.entries as unknown[]).length).toBe(2);
    expect(reply).toHaveProperty("cursor");
  });

  const NEIGHBOUR_FAULTS: [string, (entry: MemoryEntry, neighbour: Record<string, unknown>) => unknown][] = [
    ["a neighbour of another partition", (_, neighbour) => (neighbour.namespace = "other")],
    ["a neighbour of another partition", (_, neighbour) => (neighbour.tier = "semantic")],
    ["a neighbour of another group", (_, neighbour) => (neighbour.group = "h")],
    ["a neighbour of another group", (_, neighbour) => Reflect.deleteProperty(neighbour, "group")],
    ["a neighbour with a score other than its importance", (_, neighbour) => (neighbour.score = 0.5)],
    ["a neighbour with a vector", (_, neighbour) => (neighbour.embedding = [1])],
    ["context, which was not requested", (_, neighbour) => (neighbour.context = "secret")],
    ["neighbours that are not in the order of seq", (entry, neighbour) => (neighbour.seq = entry.seq)],
    ["more neighbours than requested", ({ neighbours }, one) => neighbours!.before.push(one as never)],
    ["an entry without the requested neighbours", (entry) => Reflect.deleteProperty(entry, "neighbours")],
    [
      "a malformed entry (neighbours.before.0.content)",
      (_, neighbour) => Reflect.deleteProperty(neighbour, "content"),
    ],
  ];

  it.each(NEIGHBOUR_FAULTS)("and with %s is answered runtime_error", async (problem, tamper) => {
    const plugin = new SteeredPlugin();
    plugin.tamper = (_, entry) => tamper(entry, entry.neighbours!.before[0]!);
    const fixture = await start(plugin);
    expect(await fixture.retrieve({ query: "tea", expand })).toMatchObject({ code: "runtime_error" });
    expect(fixture.logger.lines[0]!.fields.err).toEqual(new Error(`returned ${problem}`));
  });
});

describe("an explained page", () => {
  it("contains the ranking of each tier, and the score components of each entry", async () => {
    const fixture = await start();
    const reply = await fixture.retrieve({ query: "tea", explain: true });
    expect(reply).toMatchObject({
      entries: [{ explain: { relevance: 1, importance: 1, recency: 1 } }],
      explain: [{ tier: "working", ...RANKING }],
    });
    expect(await fixture.retrieve({ query: "tea" })).not.toHaveProperty("explain");
  });

  const EXPLAIN_FAULTS: [string, SteeredPlugin["tamper"], object][] = [
    ["no explanation of the ranking", (page) => Reflect.deleteProperty(page, "explain"), { explain: true }],
    [
      "an entry without the requested explanation",
      (_, entry) => Reflect.deleteProperty(entry, "explain"),
      { explain: true },
    ],
    [
      "a score that does not match its explanation",
      (_, entry) => (entry.explain!.recency = 0.5),
      { explain: true },
    ],
    [
      "an explanation, which was not requested",
      (_, entry) => decorate(entry, [], { explain: true } as PluginRetrieveRequest),
      {},
    ],
    [
      "neighbours, which were not requested",
      (_, entry) => decorate(entry, [], { expand: { before: 0, after: 0 } } as PluginRetrieveRequest),
      {},
    ],
  ];

  it.each(EXPLAIN_FAULTS)("with %s is answered runtime_error", async (problem, tamper, steering) => {
    const plugin = new SteeredPlugin();
    plugin.tamper = tamper;
    const fixture = await start(plugin);
    expect(await fixture.retrieve({ query: "tea", ...steering })).toMatchObject({ code: "runtime_error" });
    expect(fixture.logger.lines[0]!.fields.err).toEqual(new Error(`returned ${problem}`));
  });
});

describe("a page with snippets", () => {
  const include = ["snippet"];

  it("merges the snippets of all tiers that have them, and names the others (clause RET-47)", async () => {
    const plugins = {
      working: new SteeredPlugin(),
      episodic: new MapPlugin(),
      semantic: new SteeredPlugin(),
    };
    const fixture = await HostFixture.start({ plugins });
    for (const tier of Object.keys(plugins)) await fixture.store([{ key: tier, content: tier, tier }]);
    const reply = await fixture.retrieve({ include });
    expect(reply.entries).toMatchObject([
      { tier: "working", snippet: { text: "working", start: 0 } },
      { tier: "semantic", snippet: { text: "semantic", start: 0 } },
    ]);
    expect(reply.degraded).toMatchObject([{ tier: "episodic", code: "unsupported" }]);
    const plain = await fixture.retrieve({});
    expect(contents(plain)).toHaveLength(3);
    for (const entry of plain.entries as object[]) expect(entry).not.toHaveProperty("snippet");
  });

  const SNIPPET_FAULTS: [string, SteeredPlugin["tamper"], object][] = [
    [
      "an entry without the requested snippet",
      (_, entry) => Reflect.deleteProperty(entry, "snippet"),
      { include },
    ],
    ["a snippet, which was not requested", (_, entry) => (entry.snippet = { text: "tea", start: 0 }), {}],
    [
      "a malformed entry (snippet.text)",
      (_, entry) => (entry.snippet!.text = "x".repeat(2_049)),
      { include },
    ],
    ["a malformed entry (snippet.start)", (_, entry) => (entry.snippet!.start = -1), { include }],
    [
      "a neighbour with a snippet",
      (_, entry) => Object.assign(entry.neighbours!.before[0]!, { snippet: entry.snippet }),
      { include, expand: { before: 1 } },
    ],
  ];

  it.each(SNIPPET_FAULTS)("with %s is answered runtime_error", async (problem, tamper, steering) => {
    const plugin = new SteeredPlugin();
    plugin.tamper = tamper;
    const fixture = await start(plugin);
    expect(await fixture.retrieve({ query: "tea", ...steering })).toMatchObject({ code: "runtime_error" });
    expect(fixture.logger.lines[0]!.fields.err).toEqual(new Error(`returned ${problem}`));
  });
});

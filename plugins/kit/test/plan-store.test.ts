import { describe, expect, it } from "vitest";
import { type Plan, type Previous, planStore } from "../src/operations/store/plan-store.js";
import { storeItem, type TestStoreEntry } from "./kit-requests.js";

const NOW = 1_800_000_100;
const GIVEN = Float32Array.of(1, 0);
const CONTEXT = { agent: "bob", acceptedAt: NOW, embedder: "test/2", ownOnly: false };

/** Returns the former version of the key `k`, as alice stored it. */
function previous(fields: Partial<Previous> = {}, body: Partial<Previous["body"]> = {}): Previous {
  return {
    rowId: 1,
    keyHash: storeItem({ key: "k" }, 0, NOW).key_hash,
    revision: 77,
    seq: 70,
    created: 1_800_000_000,
    updated: 1_800_000_050,
    occurredAt: 1_700_000_000,
    expiresAt: 0,
    importance: 0.5,
    group: "g",
    embedder: "test/2",
    vector: Float32Array.of(0, 1),
    ...fields,
    facets: {
      key: { name: "k" },
      tags: ["t"],
      source: "sensor",
      author: "alice",
      metadata: { m: 1 },
      ...fields.facets,
    },
    body: { content: { a: 1, b: 2 }, ttl: null, text: "given text", context: "given context", ...body },
  };
}

function plan(entry: Partial<TestStoreEntry>, former: Previous | undefined = previous()): Plan {
  const item = storeItem({ key: "k", content: { a: 1, b: 2 }, ...entry }, 0, NOW);
  return planStore(item, former, CONTEXT);
}

/** Caller fields that equal `previous`. */
const SAME = { content: { b: 2, a: 1 }, tags: ["t"], source: "sensor" };

describe("a store of a new key", () => {
  const created = (entry: Partial<TestStoreEntry>) =>
    planStore(storeItem({ key: "k", ...entry }, 0, NOW), undefined, CONTEXT);

  it("uses the defaults", () => {
    expect(created({ content: "c" })).toEqual({
      outcome: "created",
      draft: {
        keyHash: previous().keyHash,
        seq: 0,
        created: NOW,
        updated: NOW,
        occurredAt: NOW,
        expiresAt: 0,
        importance: 1,
        group: "",
        facets: { key: { name: "k" }, tags: [], source: "bob", author: "bob" },
        body: { content: "c", ttl: null },
        embedder: "",
        vector: null,
      },
    });
  });

  const table: readonly [what: string, entry: Partial<TestStoreEntry>, draft: object][] = [
    ["prefers importance to score", { importance: 0.2, score: 0.9 }, { importance: 0.2 }],
    ["uses score as importance", { score: 0.9 }, { importance: 0.9 }],
    ["uses score if importance is null", { importance: null, score: 0.9 }, { importance: 0.9 }],
    ["importance 0", { importance: 0 }, { importance: 0 }],
    [
      "treats null like absent extension fields",
      { group: null, occurred_at: null, context: null },
      { group: "", occurredAt: NOW },
    ],
    ["stores expiry and ttl", { ttl: 5 }, { expiresAt: NOW + 5, body: { content: null, ttl: 5 } }],
    [
      "stores a given vector with the host's embedder",
      { embedding: GIVEN },
      { vector: GIVEN, embedder: "test/2", body: { content: null, ttl: null, embedding_given: true } },
    ],
  ];
  it.each(table)("takes %s", (_, entry, draft) => {
    expect(created(entry)).toMatchObject({ outcome: "created", draft });
  });
});

describe("an update", () => {
  const table: readonly [what: string, entry: Partial<TestStoreEntry>, draft: object][] = [
    [
      "replaces content, tags and source, absent ones by their defaults",
      { content: 1 },
      { facets: { tags: [], source: "bob", author: "bob" } },
    ],
    [
      "keeps created and seq, and sets updated",
      { content: 1 },
      { created: 1_800_000_000, seq: 70, updated: NOW },
    ],
    [
      "keeps absent extension fields",
      { content: 1 },
      { importance: 0.5, group: "g", occurredAt: 1_700_000_000, facets: { metadata: { m: 1 } } },
    ],
    ["ignores score", { content: 1, score: 0.9 }, { importance: 0.5 }],
    ["clears importance by null", { importance: null }, { importance: 1 }],
    ["clears group by null", { group: null }, { group: "" }],
    ["clears occurred_at by null", { occurred_at: null }, { occurredAt: 1_800_000_000 }],
    [
      "keeps the context with other content",
      { content: 1 },
      { body: { content: 1, ttl: null, context: "given context" } },
    ],
    ["keeps the text with unchanged content", { ...SAME, source: "s" }, { body: { text: "given text" } }],
    [
      "derives the text from other content",
      { content: "new" },
      { body: { content: "new", ttl: null, context: "given context" } },
    ],
    ["uses the text given with other content", { content: "new", text: "x" }, { body: { text: "x" } }],
    ["drops the expiry unless it is given again", { ...SAME, source: "s" }, { expiresAt: 0 }],
  ];
  it.each(table)("%s", (_, entry, draft) => {
    expect(plan(entry, previous())).toMatchObject({ outcome: "updated", draft });
  });

  it("clears metadata, text and context by null", () => {
    const { draft } = plan({ ...SAME, metadata: null, text: null, context: null }) as Extract<
      Plan,
      { draft: object }
    >;
    expect(draft.facets).toEqual({ key: { name: "k" }, tags: ["t"], source: "sensor", author: "bob" });
    expect(draft.body).toEqual({ content: { b: 2, a: 1 }, ttl: null });
  });
});

describe("an update of an entry with a given vector", () => {
  const former = previous({}, { embedding_given: true });
  const draftOf = (entry: Partial<TestStoreEntry>) =>
    (plan({ ...SAME, source: "s", ...entry }, former) as Extract<Plan, { draft: object }>).draft;

  it("keeps the vector with unchanged content and text", () => {
    expect(draftOf({})).toMatchObject({
      vector: former.vector,
      embedder: "test/2",
      body: { embedding_given: true },
    });
    expect(draftOf({ text: "given text" }).vector).toBe(former.vector);
  });

  it("drops the vector with other content or text, or when it is cleared", () => {
    for (const entry of [{ content: 1 }, { text: "other" }, { text: null }, { embedding: null }]) {
      expect(draftOf(entry)).toMatchObject({ vector: null, embedder: "" });
      expect(draftOf(entry).body.embedding_given).toBeUndefined();
    }
  });

  it("replaces the vector", () => {
    expect(draftOf({ content: 1, embedding: GIVEN })).toMatchObject({
      vector: GIVEN,
      body: { embedding_given: true },
    });
  });
});

describe("a store that changes nothing", () => {
  it("is unchanged by canonical JSON, for any sender", () => {
    expect(plan(SAME)).toEqual({ outcome: "unchanged", revision: 77 });
    const all = { ...SAME, text: "given text", context: "given context", group: "g", metadata: { m: 1 } };
    expect(plan({ ...all, importance: 0.5, occurred_at: 1_700_000_000, score: 0.1 })).toMatchObject({
      outcome: "unchanged",
    });
  });

  it("is an update with a ttl, with an expiry to drop, or with a given vector", () => {
    expect(plan({ ...SAME, ttl: 60 }).outcome).toBe("updated");
    expect(plan({ ...SAME, expires_at: NOW + 60 }).outcome).toBe("updated");
    expect(plan(SAME, previous({ expiresAt: NOW + 60 })).outcome).toBe("updated");
    expect(plan({ ...SAME, embedding: GIVEN }).outcome).toBe("updated");
    const given = previous({ vector: GIVEN }, { embedding_given: true });
    expect(plan({ ...SAME, embedding: Float32Array.of(1, 0) }, given).outcome).toBe("unchanged");
    expect(plan({ ...SAME, embedding: Float32Array.of(0, 1) }, given).outcome).toBe("updated");
  });

  it.each([
    ["tags", { tags: ["t", "u"] }],
    ["source", { source: "x" }],
    ["group", { group: "h" }],
    ["metadata", { metadata: { m: 2 } }],
    ["importance", { importance: 0.6 }],
    ["occurred_at", { occurred_at: 5 }],
    ["context", { context: "c" }],
    ["text", { text: "t" }],
  ])("is an update with another %s", (_, entry) => {
    expect(plan({ ...SAME, ...entry }).outcome).toBe("updated");
  });
});

describe("a condition", () => {
  it("rejects another revision, and reports the current one", () => {
    expect(plan({ if_revision: 76 })).toMatchObject({
      outcome: "refused",
      error: { code: "conflict", detail: { revision: 77 } },
    });
    expect(plan({ if_revision: 0 })).toMatchObject({ error: { detail: { revision: 77 } } });
    const absent = planStore(storeItem({ key: "k", if_revision: 5 }, 0, NOW), undefined, CONTEXT);
    expect(absent).toMatchObject({
      outcome: "refused",
      error: { code: "conflict", detail: { revision: 0 } },
    });
  });

  it("succeeds on the current revision, and on 0 for a missing key", () => {
    expect(plan({ content: 1, if_revision: 77 }).outcome).toBe("updated");
    expect(plan({ ...SAME, if_revision: 77 }).outcome).toBe("unchanged");
    expect(planStore(storeItem({ key: "k", if_revision: 0 }, 0, NOW), undefined, CONTEXT).outcome).toBe(
      "created",
    );
    expect(planStore(storeItem({ key: "k", if_revision: null }, 0, NOW), previous(), CONTEXT).outcome).toBe(
      "updated",
    );
  });
});

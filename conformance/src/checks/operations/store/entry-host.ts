import { type Check, hostTierCheck } from "../../../catalogue/check.js";
import type { HostContext } from "../../../context.js";
import { entryAccepted, entryRefused, request, storedEntries } from "../../../fixtures/bare-messages.js";
import { readEntry } from "../../../fixtures/read-entry.js";

const METADATA_NAMES = ["a b", "", "a.b", "zo\u00eb", "a/b", "n".repeat(65)];
const METADATA_VALUES = [{ b: 1 }, {}, [1, 2], ["x", 1], [["x"]], [null], [{ b: "c" }]];
const NO_METADATA = ["text", 5, ["x"], true];

/** Expects each entry to be refused separately with `schema_violation`, and none to be stored. */
async function expectRefused(t: HostContext, entries: readonly (readonly [string, object])[]): Promise<void> {
  for (const [what, fields] of entries) {
    const store = request(t, "store", { entries: [{ ...t.entry(), ...fields }] });
    await entryRefused(t, what, store, "schema_violation");
  }
  t.expect.equal(await storedEntries(t), [], "entries after stores that were refused");
}

export const entryHostChecks: readonly Check[] = [
  hostTierCheck({
    id: "entry/without-tier-goes-to-working",
    clauses: ["ENTRY-2"],
    tiers: ["working"],
    async run(t) {
      const { tier: _, ...entry } = t.entry();
      await entryAccepted(t, "an entry without a tier", request(t, "store", { entries: [entry] }));
      const { entries, total } = await t.caller.retrieve({ tier: null });
      t.expect.equal(total, 1, "entries in all tiers after a store of one without a tier");
      t.expect.equal(entries[0]?.tier, "working", "tier of an entry stored without one");
    },
  }),
  hostTierCheck({
    id: "entry/what-only-the-host-sets-is-ignored",
    clauses: ["ENTRY-7", "ENTRY-16"],
    async run(t) {
      const timestamps = { created: 1, updated: 2, accessed: 3 };
      const set = { author: "another name", revision: 1, seq: 1, key_hash: "0".repeat(64), timestamps };
      const entry = t.entry();
      const what = "an entry with caller-defined author, revision, seq, key_hash and timestamps";
      const store = request(t, "store", { entries: [{ ...entry, ...set }] });
      const { receipts } = await entryAccepted(t, what, store);
      const [receipt] = receipts as readonly { revision: number; key_hash: string }[];
      const read = await readEntry(t.caller, entry.key);
      const { author, revision, seq, key_hash } = read ?? {};
      const expected = { author: t.caller.agent, revision: receipt?.revision, seq: receipt?.revision };
      t.expect.equal({ author, revision, seq }, expected, `author, revision and seq of ${what}`);
      t.expect.equal(key_hash, receipt?.key_hash, `key_hash of ${what}, as in its receipt`);
      t.expect.notEqual(key_hash, set.key_hash, `key_hash of ${what}`);
      t.expect.atLeast(read?.timestamps.created ?? 0, 1_000, `\`timestamps.created\` of ${what}`);
    },
  }),
  hostTierCheck({
    id: "entry/unknown-fields-are-ignored",
    clauses: ["ENTRY-7"],
    async run(t) {
      const entry = t.entry({ content: "known" });
      const unknown = {
        colour: "red",
        x_own: { a: 1 },
        Content: "another",
        revision: "no number",
        timestamps: null,
      };
      const what = "an entry with fields that are unknown, and with some that the host sets, of any type";
      await entryAccepted(t, what, request(t, "store", { entries: [{ ...entry, ...unknown }] }));
      const read: Readonly<Record<string, unknown>> = (await readEntry(t.caller, entry.key)) ?? {};
      t.expect.equal(read.content, "known", `content of ${what}`);
      t.expect.equal(
        [read.colour, read.x_own, read.Content],
        [undefined, undefined, undefined],
        `the unknown fields of ${what}, as it is returned`,
      );
    },
  }),
  hostTierCheck({
    id: "entry/unknown-conditions-are-refused",
    clauses: ["ENTRY-8"],
    run: (t) =>
      expectRefused(t, [
        ["the field if_absent", { if_absent: true }],
        ["the field if_revison", { if_revison: 0 }],
        ["the field if_", { if_: 1 }],
        ["the field if_match", { if_match: "*" }],
      ]),
  }),
  hostTierCheck({
    id: "entry/metadata-must-be-flat",
    clauses: ["ENTRY-9"],
    run: (t) =>
      expectRefused(t, [
        ...METADATA_VALUES.map((a) => [`metadata ${JSON.stringify({ a })}`, { metadata: { a } }] as const),
        ...NO_METADATA.map((metadata) => [`metadata ${JSON.stringify(metadata)}`, { metadata }] as const),
      ]),
  }),
  hostTierCheck({
    id: "entry/metadata-names-are-plain",
    clauses: ["ENTRY-9"],
    run: (t) =>
      expectRefused(
        t,
        METADATA_NAMES.map((name) => {
          const metadata = { [name]: 1 };
          return [`metadata ${JSON.stringify(metadata)}`, { metadata }] as const;
        }),
      ),
  }),
  hostTierCheck({
    id: "entry/embedding-is-of-the-hosts-model",
    clauses: ["ENTRY-11"],
    async run(t) {
      const embedding = Array.from({ length: t.embedder?.dimensions ?? 4 }, (_, at) => (at === 0 ? 1 : 0));
      await expectRefused(t, [
        ["an embedding without embedding_model", { embedding }],
        ["an embedding of the model `another`", { embedding, embedding_model: "another" }],
        ["an embedding and embedding_model null", { embedding, embedding_model: null }],
      ]);
    },
  }),
  hostTierCheck({
    id: "entry/embedding-has-the-models-dimensions",
    clauses: ["ENTRY-12"],
    features: ["similarity"],
    async run(t) {
      t.expect.notEqual(
        t.embedder,
        undefined,
        "the embedder that discovery names for a tier with similarity",
      );
      const { id: embedding_model, dimensions } = t.embedder ?? { id: "unknown", dimensions: 4 };
      const vector = (length: number) => Array.from({ length }, (_, at) => (at === 0 ? 1 : 0));
      const given = (length: number) => ({ embedding: vector(length), embedding_model });
      await expectRefused(t, [
        ["an embedding with one component too many", given(dimensions + 1)],
        ["an embedding with one component too few", given(dimensions - 1)],
      ]);
      const store = request(t, "store", { entries: [{ ...t.entry(), ...given(dimensions) }] });
      await entryAccepted(t, "an embedding of the host's model and dimensions", store);
    },
  }),
  hostTierCheck({
    id: "entry/without-content-is-refused",
    clauses: ["ENTRY-17"],
    async run(t) {
      const { content: _, ...entry } = t.entry();
      const what = "an entry without content";
      await entryRefused(t, what, request(t, "store", { entries: [entry] }), "schema_violation");
      t.expect.equal(await storedEntries(t), [], `entries after a store of ${what}`);
      await entryAccepted(t, "content null", request(t, "store", { entries: [{ ...entry, content: null }] }));
    },
  }),
  hostTierCheck({
    id: "entry/end-long-past-is-refused",
    clauses: ["ENTRY-19"],
    features: ["ttl"],
    run: (t) =>
      expectRefused(t, [
        ["an expires_at of a day ago", { expires_at: t.now() - 86_400 }],
        ["an expires_at of 1970", { expires_at: 1 }],
      ]),
  }),
];

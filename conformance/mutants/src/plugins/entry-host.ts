import { wordEmbedder } from "@membus/conformance";
import { canonicalJson, type Json, type Message, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { rewriteReplies } from "../hosts/intercept.js";
import { entriesOf, isFields, readingEntries, readingStores, without } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant } from "../mutant.js";

type Fields = Readonly<Record<string, unknown>>;

/** Keeps fields of an entry as they were given, and returns them. */
function keeping(...names: readonly string[]): (bus: Bus) => Bus {
  const kept = new Map<string, Fields>();
  const identity = (namespace: unknown, { key }: Fields) =>
    canonicalJson([namespace, typeof key === "string" ? { name: key } : key] as Json);
  const isKept = ([name, value]: [string, unknown]) => names.includes(name) && value !== null;
  const keep = (store: Message) => {
    for (const entry of entriesOf(store).filter(isFields)) {
      const given = Object.entries(entry).filter(isKept);
      if (given.length > 0) kept.set(identity(store.namespace, entry), Object.fromEntries(given));
    }
    return store;
  };
  const restored = (reply: Message) => {
    if (reply.type !== "memory/retrieve/resp") return reply;
    const withKept = (entry: Message) => ({ ...entry, ...kept.get(identity(entry.namespace, entry)) });
    return { ...reply, entries: (reply.entries as Message[]).map(withKept) } as Message;
  };
  return (bus) => rewriteReplies(readingStores(keep)(bus), restored);
}

/** Rewrites the metadata of entries. */
function readingMetadata(
  change: (name: string, value: unknown) => readonly [string, unknown],
): (bus: Bus) => Bus {
  return readingEntries((entry) => {
    if (!isFields(entry.metadata)) return entry;
    const fields = Object.entries(entry.metadata).map(([name, value]) => change(name, value));
    return { ...entry, metadata: Object.fromEntries(fields) };
  });
}

/** Rewrites the vectors of entries. */
function readingVectors(change: (vector: readonly unknown[]) => readonly unknown[]): (bus: Bus) => Bus {
  return readingEntries((entry) =>
    Array.isArray(entry.embedding) ? { ...entry, embedding: change(entry.embedding) } : entry,
  );
}

export const entryHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "entry-without-tier-is-episodic",
    defect: "an entry without a tier goes to the episodic tier",
    check: "entry/without-tier-goes-to-working",
    names: /tier of an entry stored without one/,
    bus: readingEntries((entry) => ({ tier: "episodic", ...entry })),
  }),
  hostMutant({
    id: "entry-timestamps-are-forged",
    defect: "an entry keeps the timestamps that its store names",
    check: "entry/what-only-the-host-sets-is-ignored",
    names: /`timestamps\.created` of an entry/,
    bus: keeping("timestamps"),
  }),
  hostMutant({
    id: "entry-unknown-fields-are-kept",
    defect: "unknown fields of an entry are kept and returned",
    check: "entry/unknown-fields-are-ignored",
    names: /the unknown fields of an entry/,
    bus: keeping("colour", "x_own"),
  }),
  hostMutant({
    id: "entry-names-without-case",
    defect: "the case of a field's name in an entry does not matter",
    check: "entry/unknown-fields-are-ignored",
    names: /content of an entry with fields that are unknown/,
    bus: readingEntries((entry) =>
      entry.Content === undefined ? entry : { ...entry, content: entry.Content },
    ),
  }),
  hostMutant({
    id: "entry-unknown-conditions-are-ignored",
    defect: "a condition that the host does not know is ignored, and the entry stored",
    check: "entry/unknown-conditions-are-refused",
    names: /error of entry 0, the field if_absent/,
    bus: readingEntries((entry) => {
      const conditions = Object.keys(entry).filter(
        (name) => name.startsWith("if_") && name !== "if_revision",
      );
      return without(entry, ...conditions);
    }),
  }),
  hostMutant({
    id: "entry-metadata-lists-of-anything",
    defect: "lists of numbers in the metadata are accepted, and kept as strings",
    check: "entry/metadata-must-be-flat",
    names: /error of entry 0, metadata \{"a":\[1,2\]\}/,
    bus: readingMetadata((name, value) => [name, Array.isArray(value) ? value.map(String) : value]),
  }),
  hostMutant({
    id: "entry-metadata-names-are-cut",
    defect: "a name in the metadata is cut to 64 characters",
    check: "entry/metadata-names-are-plain",
    names: /error of entry 0, metadata \{"nnnn/,
    bus: readingMetadata((name, value) => [name.slice(0, 64), value]),
  }),
  hostMutant({
    id: "entry-embedding-of-any-model",
    defect: "a vector of another model than the host's embedder is accepted",
    check: "entry/embedding-is-of-the-hosts-model",
    names: /error of entry 0, an embedding of the model `another`/,
    bus: readingEntries((entry) =>
      entry.embedding_model ? { ...entry, embedding_model: wordEmbedder.id } : entry,
    ),
  }),
  hostMutant({
    id: "entry-embedding-is-padded",
    defect: "a vector with too few components is filled up with zeros",
    check: "entry/embedding-has-the-models-dimensions",
    names: /error of entry 0, an embedding with one component too few/,
    bus: readingVectors((vector) => [
      ...vector,
      ...Array.from({ length: Math.max(0, wordEmbedder.dimensions - vector.length) }, () => 0),
    ]),
  }),
  hostMutant({
    id: "entry-null-content-is-absent",
    defect: "a content of null is treated as absent",
    check: "entry/without-content-is-refused",
    names: /errors of a store with content null/,
    bus: readingEntries((entry) => (entry.content === null ? without(entry, "content") : entry)),
  }),
  hostMutant({
    id: "entry-end-long-past-is-accepted",
    defect: "an expires_at of long ago is accepted, and the entry stored without expiry",
    check: "entry/end-long-past-is-refused",
    names: /error of entry 0, an expires_at of a day ago/,
    bus: readingStores((store) => {
      const oldest = systemClock.now() - 600;
      const isOld = (entry: unknown) => isFields(entry) && Number(entry.expires_at ?? oldest) < oldest;
      const entries = entriesOf(store).map((entry) =>
        isOld(entry) ? without(entry as Fields, "expires_at") : entry,
      );
      return { ...store, entries };
    }),
  }),
];

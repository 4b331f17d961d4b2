import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { type ReadReply, rewriteReplies } from "../hosts/intercept.js";
import { entriesOf, isFields, readingEntries, readingStores, without } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant } from "../mutant.js";

const listOf = (value: unknown) => (Array.isArray(value) ? (value as Message[]) : []);

/** Rewrites the replies to stores. */
function answering(change: (reply: Message, asked: ReadReply["asked"]) => object): (bus: Bus) => Bus {
  return (bus) =>
    rewriteReplies(bus, (message, { asked }) =>
      message.type === "memory/store/resp" ? ({ ...message, ...change(message, asked) } as Message) : message,
    );
}

/** Returns the name of a key that is a string or an object. */
function nameOf({ key }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(typeof key === "string" ? { name: key } : key);
}

/** Rewrites the entries of a store, with access to the entries before each. */
function readingInOrder(
  change: (
    entry: Readonly<Record<string, unknown>>,
    earlier: readonly Readonly<Record<string, unknown>>[],
  ) => Readonly<Record<string, unknown>>,
): (bus: Bus) => Bus {
  return readingStores((store) => {
    const entries = entriesOf(store);
    const read = entries.map((entry, at) =>
      isFields(entry) ? change(entry, entries.slice(0, at).filter(isFields)) : entry,
    );
    return { ...store, entries: read };
  });
}

export const storeHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "store-lists-entries-as-stored",
    defect: "`stored` lists entries instead of keys",
    check: "store/every-entry-of-a-batch-is-kept",
    names: /`stored`, the keys of the stored entries/,
    bus: answering(({ receipts }, asked) => {
      const entries = listOf(asked?.entries);
      return { stored: listOf(receipts).map(({ index }) => entries[index as number]!) };
    }),
  }),
  hostMutant({
    id: "store-unchanged-is-not-stored",
    defect: "`stored` omits the keys of unchanged entries",
    check: "store/outcomes-of-one-batch",
    names: /`stored` of a store of an existing entry/,
    bus: answering(({ receipts, stored }) => ({
      stored: listOf(stored).filter((_, at) => listOf(receipts)[at]?.outcome !== "unchanged"),
    })),
  }),
  hostMutant({
    id: "store-refused-counts-as-stored",
    defect: "`stored` also contains the keys of refused entries",
    check: "store/refused-entries-leave-the-others",
    names: /`stored` of a store of 6 entries/,
    bus: answering(({ stored, errors }) => ({
      stored: [...listOf(stored), ...listOf(errors).flatMap(({ key }) => (isFields(key) ? [key] : []))],
    })),
  }),
  hostMutant({
    id: "store-first-of-equal-keys-wins",
    defect: "the first of several entries with the same key in one store is stored",
    check: "store/last-of-equal-keys-is-stored",
    names: /content of the key after a store of a key four times/,
    bus: readingInOrder((entry, earlier) => {
      const first = earlier.find((one) => nameOf(one) === nameOf(entry) && one.tier === entry.tier);
      return first === undefined || !("content" in entry) ? entry : { ...entry, content: first.content };
    }),
  }),
  hostMutant({
    id: "store-invalid-last-wins",
    defect: "the last entry of a key wins even if it is invalid",
    check: "store/last-of-equal-keys-is-stored",
    names: /indexes of the receipts of a store of a key four times/,
    bus: readingStores((store) => {
      const entries = entriesOf(store).filter(isFields);
      const invalid = entries.filter((entry) => !("content" in entry)).map(nameOf);
      if (entries.length < entriesOf(store).length || invalid.length === 0) return store;
      return {
        ...store,
        entries: entries.map((entry) =>
          invalid.includes(nameOf(entry)) ? without(entry, "content") : entry,
        ),
      };
    }),
  }),
  hostMutant({
    id: "store-equal-keys-in-other-tiers-are-refused",
    defect:
      "all but the first of several entries with the same key in one store are refused, even in different tiers",
    check: "store/a-key-in-every-tier",
    names: /errors of a store of one key in each of the tiers/,
    bus: readingInOrder((entry, earlier) => {
      const hasOther = earlier.some((one) => nameOf(one) === nameOf(entry) && one.tier !== entry.tier);
      return hasOther ? without(entry, "content") : entry;
    }),
  }),
  hostMutant({
    id: "store-of-none-is-answered",
    defect: "a store of an empty list is accepted",
    check: "store/no-entries-are-refused",
    names: /the reply to a store of an empty list/,
    bus: (bus) =>
      rewriteReplies(bus, ({ id, version, ts, req_id, ...reply }, { asked }) =>
        asked?.type === "memory/store/req" &&
        listOf(asked.entries).length === 0 &&
        Array.isArray(asked.entries)
          ? ({
              type: "memory/store/resp",
              id,
              version,
              ts,
              req_id,
              stored: [],
              receipts: [],
              errors: [],
            } as Message)
          : ({ id, version, ts, req_id, ...reply } as Message),
      ),
  }),
  hostMutant({
    id: "store-in-a-subtree-goes-to-its-root",
    defect: "a store that names a subtree is stored in its root",
    check: "store/subtree-is-refused",
    names: /the reply to a store in a subtree/,
    bus: readingStores((store) => ({
      ...store,
      namespace: String(store.namespace ?? "default").replace(/\/\*\*$/, ""),
    })),
  }),
  hostMutant({
    id: "store-tier-without-case",
    defect: "the tier's name is matched in any case",
    check: "store/unknown-tier-is-refused",
    names: /codes of the errors of a store of an entry for the tier Working/,
    bus: readingEntries((entry) =>
      typeof entry.tier === "string" ? { ...entry, tier: entry.tier.toLowerCase() } : entry,
    ),
  }),
  hostMutant({
    id: "store-unserved-tier-is-unknown",
    defect: "an entry for a tier that is not served is refused like one for an unknown tier",
    check: "store/tier-that-is-not-served-is-unsupported",
    names: /indexes and codes of the errors of a store of 3 entries on a host/,
    bus: answering(({ errors }) => ({
      errors: listOf(errors).map((error) => {
        const isUnserved = error.code === "unsupported" && !("feature" in (error.detail as object));
        return isUnserved ? { ...error, code: "schema_violation" } : error;
      }),
    })),
  }),
];

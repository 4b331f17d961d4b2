import { keyHash, type MemoryEntry, type MemoryTier, type Order, TIERS } from "@membus/protocol";
import { comparePositions, type PluginRetrieveRequest, positionOf } from "@membus/protocol/plugin";
import { type Check, hostCheck } from "../../../catalogue/check.js";
import { readPages } from "../../../fixtures/read-pages.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";

const FEATURES = { subtree: true, full_text: true } as const;
/** Names that are ordered differently by locale, by case or by code points. */
const NAMES = ["b", "B", "\uff5e", "\u{1f600}"];
const PLACES = [
  { score: 0.5, occurred_at: 7, seq: 5 },
  { score: 0.5, occurred_at: 7, seq: 6 },
  { score: 0.75, occurred_at: 6, seq: 9 },
] as const;

/** Returns entries of a tier. Their scores, times and sequence numbers recur in all tiers and namespaces. */
function tiedEntries(tier: MemoryTier, above: string, author: string): MemoryEntry[] {
  const timestamps = { created: 1, updated: 1, accessed: 1 };
  return NAMES.flatMap((name) =>
    PLACES.map((place, at) => {
      const key = { at };
      const fields = {
        content: "heron",
        tags: [],
        source: author,
        author,
        ttl: null,
        timestamps,
        importance: 1,
      };
      const { seq } = place;
      return {
        key,
        key_hash: keyHash(key),
        tier,
        namespace: `${above}/${name}`,
        ...fields,
        ...place,
        revision: seq,
      };
    }),
  );
}

/** Returns the page of sorted entries that a plugin must return. */
function pageOf(entries: readonly MemoryEntry[], { order, after, limit }: PluginRetrieveRequest) {
  const compare = (a: MemoryEntry, b: MemoryEntry) =>
    comparePositions(positionOf(a, order), positionOf(b, order), order);
  const isBehind = (one: MemoryEntry) => !after || comparePositions(after, positionOf(one, order), order) < 0;
  const page = entries.toSorted(compare).filter(isBehind).slice(0, limit);
  return { entries: page, total: entries.length, total_relation: "eq" } as const;
}

const byCodeUnits = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/** The total order of clause RET-5, level by level. */
function byLevels(order: Order) {
  const direction = order === "oldest" ? 1 : -1;
  return (a: MemoryEntry, b: MemoryEntry): number =>
    (order === "relevance"
      ? b.score - a.score
      : direction * (a.occurred_at - b.occurred_at) || direction * (a.seq - b.seq)) ||
    TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier) ||
    byCodeUnits(a.namespace, b.namespace) ||
    byCodeUnits(a.key_hash, b.key_hash);
}

export const orderOfTiersChecks: readonly Check[] = [
  hostCheck({
    id: "order/tiers-are-merged-at-every-level",
    clauses: ["RET-5", "RET-7", "RET-19", "CRIT-14"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const plugins = {
        working: new ScriptedPlugin(FEATURES),
        episodic: new ScriptedPlugin(FEATURES),
        semantic: new ScriptedPlugin(FEATURES),
      };
      const { caller } = await startHost({ plugins });
      const all = TIERS.flatMap((tier) => {
        const entries = tiedEntries(tier, caller.namespace, caller.agent);
        plugins[tier].script = { onRetrieve: async (_, request) => pageOf(entries, request) };
        return entries;
      });
      const shown = (entries: readonly MemoryEntry[]) =>
        entries.map(({ tier, namespace, key }) => `${tier} ${namespace.split("/").at(-1)} ${key.at}`);
      for (const order of ["newest", "oldest", "relevance"] as const) {
        const asked = { namespace: `${caller.namespace}/**`, tier: null, order };
        const request = order === "relevance" ? { ...asked, query: "heron" } : asked;
        const expected = shown(all.toSorted(byLevels(order)));
        for (const limit of [1, 5, 100]) {
          const pages = await readPages(caller, { ...request, limit });
          const got = shown(pages.flatMap(({ entries }) => entries));
          const what = `tier, namespace and number of entries of equal rank in three tiers, with order ${order} and limit ${limit}`;
          expect.equal(got, expected, what);
        }
      }
    },
  }),
];

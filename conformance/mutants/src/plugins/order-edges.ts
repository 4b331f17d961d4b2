import type { Message, Order } from "@membus/protocol";
import type { Position } from "@membus/protocol/plugin";
import { rewriteReplies } from "../hosts/intercept.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { filteringBy } from "../reference/filter-rules.js";
import { ListingPlugin } from "../reference/listing-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found } from "../reference/row.js";

/** The reference plugin with another order of entries with equal times and sequence numbers. */
function comparingNamespaces(compare: (a: string, b: string, order: Order) => number): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override compare(...[a, b, request]: Parameters<ReferencePlugin["compare"]>) {
      const { order } = request;
      const [of, other] = [this.position(a, order), this.position(b, order)];
      const isTie = of.rank === other.rank && of.seq === other.seq && order !== "relevance";
      const way = isTie ? compare(of.namespace, other.namespace, order) : 0;
      return way || super.compare(a, b, request);
    }
  })();
}

interface Listed {
  readonly tier: string;
  readonly namespace: string;
  readonly occurred_at: number;
  readonly seq: number;
}

/** Sorts the entries of equal times in the replies to requests in an order of time. */
function orderingReplies(compare: (a: Listed, b: Listed) => number) {
  return (bus: Parameters<typeof rewriteReplies>[0]) =>
    rewriteReplies(bus, (message, { asked }) => {
      const isByTime = asked?.order === "newest" || asked?.order === "oldest";
      if (!isByTime || !Array.isArray(message.entries)) return message;
      const isTie = (a: Listed, b: Listed) => a.occurred_at === b.occurred_at && a.seq === b.seq;
      const entries = (message.entries as Listed[]).toSorted((a, b) => (isTie(a, b) ? compare(a, b) : 0));
      return { ...message, entries } as unknown as Message;
    });
}

const closeTimes: readonly Mutant[] = [
  pluginMutant({
    id: "order-times-in-single-precision",
    defect: "times after 1970 are compared in single precision",
    check: "order/times-that-are-close",
    names: /occurred_at of close times, newest first/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override position(found: Found, order: Order): Position {
          const sound = super.position(found, order);
          const isLate = order !== "relevance" && sound.rank > 1e7;
          return isLate ? { ...sound, rank: Math.fround(sound.rank) } : sound;
        }
      })(),
  }),
  pluginMutant({
    id: "order-since-in-milliseconds",
    defect: "`since` and `until` compare times in milliseconds",
    check: "order/times-that-are-close",
    names: /occurred_at of the entries (since|until) /,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) => {
          if (field !== "occurred_at" || typeof value !== "number") return sound;
          const [time, limit] = [Number(actual), value].map((one) => Math.floor(one * 1_000));
          return op === "gte" ? time! >= limit! : op === "lt" ? time! < limit! : sound;
        },
      }),
  }),
  pluginMutant({
    id: "order-newest-of-a-list-in-seconds",
    defect: "`newest` of a list is a whole second if the time has microseconds",
    check: "order/times-that-are-close",
    names: /groups and `newest` of a list of entries with close times/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override item(...[value, rows]: Parameters<ListingPlugin["item"]>) {
          const item = super.item(value, rows);
          return { ...item, newest: Math.round(item.newest * 1_000) / 1_000 };
        }
      })(),
  }),
];

const ties: readonly Mutant[] = [
  pluginMutant({
    id: "order-newest-turns-every-level",
    defect: "the order `newest` is the order `oldest` turned around, names of namespaces included",
    check: "order/ties-at-every-level",
    names: /places of 27 entries that were stored at one moment, with order newest/,
    createPlugin: () =>
      comparingNamespaces((a, b, order) => (order === "newest" && a !== b ? (a < b ? 1 : -1) : 0)),
  }),
  pluginMutant({
    id: "order-namespaces-segment-by-segment",
    defect: "entries of equal times are ordered by the segments of their namespaces",
    check: "order/ties-at-every-level",
    names: /places of 27 entries that were stored at one moment, with order newest/,
    createPlugin: () => {
      const segments = (path: string) => path.split("/").join("\u0000");
      return comparingNamespaces((a, b) => (a === b ? 0 : segments(a) < segments(b) ? -1 : 1));
    },
  }),
  hostMutant({
    id: "order-tiers-by-name",
    defect: "entries of equal times are merged by the names of their tiers",
    check: "order/tiers-are-merged-at-every-level",
    names: /entries of equal rank in three tiers, with order newest/,
    bus: orderingReplies((a, b) => (a.tier === b.tier ? 0 : a.tier < b.tier ? -1 : 1)),
  }),
  hostMutant({
    id: "order-namespaces-before-tiers",
    defect: "entries of equal times are merged by namespace first, and then by tier",
    check: "order/tiers-are-merged-at-every-level",
    names: /entries of equal rank in three tiers, with order newest/,
    bus: orderingReplies((a, b) => (a.namespace === b.namespace ? 0 : a.namespace < b.namespace ? -1 : 1)),
  }),
];

interface ListedValue {
  readonly value: unknown;
  readonly count: number;
}

/** Sorts the namespaces in the replies to lists by name. */
function namespacesBy(compare: (a: string, b: string) => number) {
  return (bus: Parameters<typeof rewriteReplies>[0]) =>
    rewriteReplies(bus, (message, { asked }) => {
      const isListed = asked?.field === undefined && Array.isArray(message.items);
      if (!isListed || (asked?.order ?? "name") !== "name") return message;
      const sorted = (message.items as ListedValue[]).toSorted((a, b) => compare(`${a.value}`, `${b.value}`));
      return { ...message, items: sorted } as unknown as Message;
    });
}

const lists: readonly Mutant[] = [
  hostMutant({
    id: "list-namespaces-by-locale",
    defect: "namespaces are listed in the order of the locale",
    check: "list/namespaces-are-ordered-by-code-units",
    names: /namespaces of a list by name with limit/,
    bus: namespacesBy((a, b) => a.localeCompare(b)),
  }),
  hostMutant({
    id: "list-namespaces-by-segments",
    defect: "namespaces are listed like folders: each one right before those below it",
    check: "list/namespaces-are-ordered-by-code-units",
    names: /namespaces of a list by name with limit/,
    bus: namespacesBy((a, b) => {
      const segments = (path: string) => path.replaceAll("/", "\u0000");
      return segments(a) < segments(b) ? -1 : 1;
    }),
  }),
];

export const orderEdgeMutants: readonly Mutant[] = [...closeTimes, ...ties, ...lists];

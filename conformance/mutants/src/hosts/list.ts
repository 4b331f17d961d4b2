import { MemoryError, type MemoryTier, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { ListingPlugin } from "../reference/listing-plugin.js";
import { refuseRequests, rewriteReplies, rewriteRequests } from "./intercept.js";
import { without } from "./rewrite-entries.js";

type Item = Readonly<{ value: string | number | boolean; count: number; newest: number; bytes: number }>;
type Reply = Message & { items: readonly Item[]; total: number; cursor?: string };

const plugins = { episodic: () => new ListingPlugin() };

/** Rewrites the items of list replies. `asked` is the original request. */
function giving(change: (reply: Reply, asked: Message) => Message): (bus: Bus) => Bus {
  return (bus) =>
    rewriteReplies(bus, (message, { asked = {} }) =>
      message.type === "memory/list/resp" ? change(message as Reply, asked) : message,
    );
}

/** Rewrites list requests. */
function reading(change: (list: Message) => Message): (bus: Bus) => Bus {
  return (bus) =>
    rewriteRequests(bus, (fields) => (fields.type === "memory/list/req" ? change(fields) : fields));
}

const sorted = (items: readonly Item[], compare: (a: Item, b: Item) => number) => items.toSorted(compare);

/** Lets any agent continue with a cursor at its owner's position. */
function cursorsOfAll(bus: Bus): Bus {
  const owners = new Map<string, Message[]>();
  return rewriteReplies(bus, (message, { asked = {} }) => {
    if (message.type !== "memory/list/resp") return message;
    const { items, cursor } = message as Reply;
    if (typeof asked.cursor === "string" && owners.has(asked.cursor)) {
      return { ...message, items: [...owners.get(asked.cursor)!, ...items] };
    }
    if (cursor !== undefined) owners.set(cursor, [...items] as unknown as Message[]);
    return message;
  });
}

const pages: readonly Mutant[] = [
  hostMutant({
    id: "list-ties-by-size",
    defect: "equal ones are sorted by size instead of name",
    check: "list/order-is-by-name-count-or-newest",
    names: /values of a list by newest/,
    bus: giving(({ items, ...reply }, { order }) => {
      const byTime = (a: Item, b: Item) => b.newest - a.newest || a.count - b.count;
      return { ...reply, items: order === "newest" ? sorted(items, byTime) : items };
    }),
  }),
  hostMutant({
    id: "list-limit-of-ten",
    defect: "an absent `limit` is 10, as in a retrieve",
    check: "list/limit-is-a-hundred-unless-given",
    names: /items of a list with limit undefined/,
    bus: reading((list) => ({ ...list, limit: list.limit ?? 10 })),
  }),
  hostMutant({
    id: "list-depth-from-the-root",
    defect: "`depth` counts the segments of the whole path",
    check: "list/depth-cuts-namespaces",
    names: /namespaces, counts and newest of a list to depth/,
    bus: giving(({ items, ...reply }, { depth }) => {
      const kept = typeof depth === "number" ? depth : 8;
      const cut = ({ value, ...rest }: Item) => ({
        value: String(value).split("/").slice(0, kept).join("/"),
        ...rest,
      });
      return { ...reply, items: items.map(cut) };
    }),
  }),
  hostMutant({
    id: "list-page-passes-over-one",
    defect: "the last item of a page with a cursor is skipped",
    check: "list/pages-hold-all-once",
    names: /values on all pages of a list by/,
    bus: giving((reply) =>
      reply.cursor !== undefined && reply.items.length > 1
        ? { ...reply, items: reply.items.slice(0, -1) }
        : reply,
    ),
  }),
  hostMutant({
    id: "list-long-values-cut-off",
    defect: "items that do not fit into a page are dropped without a cursor",
    check: "list/long-values-come-on-several-pages",
    names: /ends of the values on all pages/,
    bus: giving((reply, { limit }) =>
      limit === 1_000 && reply.items.length > 10 ? (without(reply, "cursor") as Message) : reply,
    ),
  }),
  hostMutant({
    id: "list-cursor-of-anything",
    defect: "a cursor of another list is ignored",
    check: "list/cursor-of-another-list-is-refused",
    names: /a list with \{"field":"tags"\}/,
    bus: reading((list) =>
      list.cursor && list.field !== "group" ? (without(list, "cursor") as Message) : list,
    ),
  }),
  hostMutant({
    id: "list-cursor-of-all",
    defect: "a cursor continues with the values of its owner",
    check: "list/cursor-gives-another-agent-nothing",
    names: /values of other agents that an agent gets with the first agent's cursor/,
    bus: cursorsOfAll,
  }),
  hostMutant({
    id: "list-stars-for-all",
    defect: "`**` is all namespaces below `default`, in any request",
    check: "list/all-namespaces-are-for-lists-alone",
    names: /a (store in|retrieve of) \*\*/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        fields.namespace === "**" ? { ...fields, namespace: "default" } : fields,
      ),
  }),
];

/** Uses only the first of several tiers. */
function ofOneTier(tier: MemoryTier): (bus: Bus) => Bus {
  return reading((list) => (list.tier == null ? { ...list, tier } : list));
}

const tiers: readonly Mutant[] = [
  hostMutant({
    id: "list-of-the-first-tier",
    defect: "a list without a tier only covers the first served one",
    check: "list/tiers-are-counted-together",
    names: /values and counts of a list of tags by count, in two tiers/,
    plugins,
    bus: ofOneTier("working"),
  }),
  hostMutant({
    id: "list-tiers-not-named",
    defect: "tiers that do not declare `list` are omitted without a report",
    check: "list/tiers-that-cannot-are-named",
    names: /of a list of two tiers, with `list` declared only by the episodic one/,
    bus: giving((reply) => ({ ...(without(reply, "degraded") as Message), total_relation: "eq" })),
  }),
  hostMutant({
    id: "list-items-unchecked",
    defect: "a value that a plugin returns twice is passed on",
    check: "list/what-plugins-give-is-checked",
    names: /a list of a plugin that returns a value twice/,
    parts: ({ plugins: given = {}, ...parts }) => {
      for (const plugin of Object.values(given)) {
        const usual = plugin.onList?.bind(plugin);
        plugin.onList = async (...asked) => {
          const { items } = await usual!(...asked);
          return { items: [...new Map(items.map((item) => [item.value, item])).values()] };
        };
      }
      return { ...parts, plugins: given };
    },
  }),
];

const bounds: readonly Mutant[] = [
  hostMutant({
    id: "list-refuses-half-of-its-values",
    defect: "a list of 50,001 values is too large",
    check: "list/no-more-than-100000-values",
    names: /too_large/,
    parts: ({ plugins: given = {}, ...parts }) => {
      for (const plugin of Object.values(given)) {
        plugin.onList = () => {
          const detail = { limit: "listValues", max: 50_000, got: 50_001 };
          return Promise.reject(new MemoryError("too_large", "too many values", detail));
        };
      }
      return { ...parts, plugins: given };
    },
  }),
];

const golden: readonly Mutant[] = [
  hostMutant({
    id: "list-golden-depth-refused",
    defect: "a list to a depth of 8 is refused",
    check: "envelope/golden-lists-accepted",
    names: /"every field of a list of namespaces"/,
    bus: (bus) => refuseRequests(bus, (fields) => (fields?.depth === 8 ? "schema_violation" : undefined)),
  }),
  hostMutant({
    id: "list-golden-depth-of-values",
    defect: "`depth` is ignored in a list of values",
    check: "envelope/golden-broken-lists-refused",
    names: /"a list of values with a depth"/,
    bus: reading((list) => (list.field ? (without(list, "depth") as Message) : list)),
  }),
];

export const listHostMutants: readonly Mutant[] = [...pages, ...tiers, ...bounds, ...golden];

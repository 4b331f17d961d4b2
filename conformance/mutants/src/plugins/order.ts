import { importanceFactor, type Message, type Order } from "@membus/protocol";
import type { Position } from "@membus/protocol/plugin";
import { rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found } from "../reference/row.js";

/** The reference plugin with other sort values of entries. */
function withPosition(
  where: (found: Found, order: Order, sound: Position) => Partial<Position>,
): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override position(found: Found, order: Order) {
      const sound = super.position(found, order);
      return { ...sound, ...where(found, order, sound) };
    }
  })();
}

/** The reference plugin with another order of entries of equal rank. */
function comparingTies(compare: (a: Found, b: Found, order: Order) => number): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override compare(...[a, b, request]: Parameters<ReferencePlugin["compare"]>) {
      const { order } = request;
      const isTie = this.position(a, order).rank === this.position(b, order).rank;
      return isTie ? compare(a, b, order) : super.compare(a, b, request);
    }
  })();
}

/** Sets another default order of retrieves. */
function orderDefaults(to: (fields: Message) => Order | undefined) {
  return (bus: Parameters<typeof rewriteRequests>[0]) =>
    rewriteRequests(bus, (fields) => {
      const order = fields.type === "memory/retrieve/req" ? (fields.order ?? to(fields)) : undefined;
      return order === undefined ? fields : { ...fields, order };
    });
}

/** Returns a text that is ordered as the code points of `text`. */
function codePoints(text: string): string {
  return Array.from(text, (one) => one.codePointAt(0)!.toString(16).padStart(6, "0")).join("");
}

const isByTime = (order: Order) => order !== "relevance";

const pluginMutants: readonly Mutant[] = [
  pluginMutant({
    id: "order-times-by-the-second",
    defect: "entries of the same second are listed in the order of arrival",
    check: "order/by-occurred-at",
    names: /occurred_at of entries with order newest/,
    createPlugin: () =>
      withPosition((_, order, { rank }) => (isByTime(order) ? { rank: Math.floor(rank) } : {})),
  }),
  pluginMutant({
    id: "order-equal-times-by-revision",
    defect: "entries of the same time are listed by their last change",
    check: "order/equal-times-by-seq",
    names: /key and seq of 5 entries with the same occurred_at/,
    createPlugin: () => withPosition(({ row }) => ({ seq: row.revision })),
  }),
  pluginMutant({
    id: "order-by-relevance-alone",
    defect: "query results are ordered by relevance, and multiplied by importance afterwards",
    check: "order/by-descending-score",
    names: /importances of query results/,
    createPlugin: () =>
      withPosition(({ row, score }, order) =>
        order === "relevance"
          ? { rank: Math.round((score / importanceFactor(row.importance)) * 1e9) / 1e9 }
          : {},
      ),
  }),
  pluginMutant({
    id: "order-equal-scores-as-stored",
    defect: "entries of the same score are listed in the order of their stores",
    check: "order/equal-scores-by-key-hash",
    names: /score and key hash of the same, in order/,
    createPlugin: () =>
      comparingTies((a, b, order) => (order === "newest" ? -1 : 1) * (a.row.seq - b.row.seq)),
  }),
  pluginMutant({
    id: "order-equal-scores-across-namespaces",
    defect: "entries of the same score are listed by key hash, regardless of their namespaces",
    check: "order/equal-scores-by-namespace",
    names: /score, namespace and key hash of the results of a subtree query/,
    createPlugin: () => withPosition(() => ({ namespace: "" })),
  }),
  pluginMutant({
    id: "order-equal-scores-without-case",
    defect: "namespaces are compared without their case",
    check: "order/equal-scores-by-namespace",
    names: /score, namespace and key hash of the results of a subtree query/,
    createPlugin: () => withPosition((_, __, { namespace }) => ({ namespace: namespace.toLowerCase() })),
  }),
  pluginMutant({
    id: "order-equal-scores-by-code-points",
    defect: "namespaces are compared by code points",
    check: "order/equal-scores-by-namespace",
    names: /score, namespace and key hash of the results of a subtree query/,
    createPlugin: () => withPosition((_, __, { namespace }) => ({ namespace: codePoints(namespace) })),
  }),
  pluginMutant({
    id: "order-by-time-ignores-the-query",
    defect: "with an order by time the query is ignored, and everything is listed",
    check: "order/by-time-with-a-query",
    names: /occurred_at of the results of a query in mode text with order newest/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isFound(...[score, request, isRanked]: Parameters<ReferencePlugin["isFound"]>) {
          return super.isFound(score, request, isRanked && request.order === "relevance");
        }
      })(),
  }),
];

const hostMutants: readonly Mutant[] = [
  hostMutant({
    id: "order-defaults-to-oldest",
    defect: "a retrieve without order and query lists the oldest first",
    check: "order/defaults-to-newest",
    names: /occurred_at of the entries of a retrieve without order/,
    bus: orderDefaults(({ query, embedding }) => (query || embedding ? undefined : "oldest")),
  }),
  hostMutant({
    id: "order-of-a-query-by-time",
    defect: "a query without order lists the newest first",
    check: "order/defaults-to-relevance",
    names: /importances of the results of a query without order/,
    bus: orderDefaults(({ query }) => (query ? "newest" : undefined)),
  }),
  hostMutant({
    id: "order-of-an-embedding-by-time",
    defect: "only a query makes relevance the order, an embedding does not",
    check: "order/defaults-to-relevance-with-an-embedding",
    names: /importances of the results of an embedding without order/,
    bus: orderDefaults(({ query, embedding }) => (embedding && !query ? "newest" : undefined)),
  }),
];

export const orderMutants: readonly Mutant[] = [...pluginMutants, ...hostMutants];

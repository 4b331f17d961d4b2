import type { Message, Order, Position } from "@membus/protocol";
import { rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found } from "../reference/row.js";

/** The reference plugin, for which entries stand elsewhere in the order than they do. */
function standing(
  where: (found: Found, order: Order, sound: Position) => Partial<Position>,
): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override position(found: Found, order: Order) {
      const sound = super.position(found, order);
      return { ...sound, ...where(found, order, sound) };
    }
  })();
}

/** The reference plugin, which compares entries of equal rank otherwise. */
function comparingTies(compare: (a: Found, b: Found, order: Order) => number): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override compare(...[a, b, request]: Parameters<ReferencePlugin["compare"]>) {
      const { order } = request;
      const isTie = this.position(a, order).rank === this.position(b, order).rank;
      return isTie ? compare(a, b, order) : super.compare(a, b, request);
    }
  })();
}

/** A host that reads an absent order of a retrieve otherwise. */
function orderDefaults(to: (fields: Message) => Order | undefined) {
  return (bus: Parameters<typeof rewriteRequests>[0]) =>
    rewriteRequests(bus, (fields) => {
      const order = fields.type === "memory/retrieve/req" ? (fields.order ?? to(fields)) : undefined;
      return order === undefined ? fields : { ...fields, order };
    });
}

const isByTime = (order: Order) => order !== "relevance";

const pluginMutants: readonly Mutant[] = [
  pluginMutant({
    id: "order-times-by-the-second",
    defect: "entries of the same second are listed as they came",
    check: "order/by-occurred-at",
    names: /occurred_at of entries with order newest/,
    createPlugin: () => standing((_, order, { rank }) => (isByTime(order) ? { rank: Math.floor(rank) } : {})),
  }),
  pluginMutant({
    id: "order-equal-times-by-revision",
    defect: "entries of the same time are listed by their last change",
    check: "order/equal-times-by-seq",
    names: /key and seq of 5 entries with the same occurred_at/,
    createPlugin: () => standing(({ row }) => ({ seq: row.revision })),
  }),
  pluginMutant({
    id: "order-by-relevance-alone",
    defect: "what a query finds is ordered by relevance, and multiplied by importance afterwards",
    check: "order/by-descending-score",
    names: /importances of what a query finds/,
    createPlugin: () =>
      standing(({ row, score }, order) =>
        order === "relevance" ? { rank: Math.round((score / row.importance) * 1e9) / 1e9 } : {},
      ),
  }),
  pluginMutant({
    id: "order-equal-scores-as-stored",
    defect: "entries of the same score are listed as they were stored",
    check: "order/equal-scores-by-key-hash",
    names: /score and key hash of the same, in order/,
    createPlugin: () =>
      comparingTies((a, b, order) => (order === "newest" ? -1 : 1) * (a.row.seq - b.row.seq)),
  }),
  pluginMutant({
    id: "order-equal-scores-across-namespaces",
    defect: "entries of the same score are listed by key hash, whatever their namespaces",
    check: "order/equal-scores-by-namespace",
    names: /score, namespace and key hash of what a query of a subtree finds/,
    createPlugin: () => standing(() => ({ namespace: "" })),
  }),
  pluginMutant({
    id: "order-by-time-ignores-the-query",
    defect: "with an order by time the query is not looked at, and everything is listed",
    check: "order/by-time-with-a-query",
    names: /occurred_at of what a query in mode text finds with order newest/,
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
    names: /importances of what a query without order finds/,
    bus: orderDefaults(({ query }) => (query ? "newest" : undefined)),
  }),
  hostMutant({
    id: "order-of-an-embedding-by-time",
    defect: "only a query makes relevance the order, an embedding does not",
    check: "order/defaults-to-relevance-with-an-embedding",
    names: /importances of what an embedding without order finds/,
    bus: orderDefaults(({ query, embedding }) => (embedding && !query ? "newest" : undefined)),
  }),
];

export const orderMutants: readonly Mutant[] = [...pluginMutants, ...hostMutants];

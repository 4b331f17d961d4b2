import { type MemoryTier, type Message, TIERS } from "@membus/protocol";
import { interceptReplies, rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant } from "../mutant.js";

const isRetrieve = ({ type }: Message) => type === "memory/retrieve/req";

/** Rewrites retrieve requests. */
function retrieving(change: (fields: Message) => Message) {
  return (bus: Parameters<typeof rewriteRequests>[0]) =>
    rewriteRequests(bus, (fields) => (isRetrieve(fields) ? change(fields) : fields));
}

/** Rewrites the pages of retrieves. */
function answering(change: (fields: Message, asked: Message | undefined) => Message) {
  return (bus: Parameters<typeof rewriteReplies>[0]) =>
    rewriteReplies(bus, (fields, { asked }) =>
      fields.type === "memory/retrieve/resp" ? change(fields, asked) : fields,
    );
}

export const retrieveHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "retrieve-limit-defaults-to-all",
    defect: "a retrieve without limit returns everything",
    check: "retrieve/limit-defaults-to-ten",
    names: /entries of a retrieve without limit, of 15/,
    bus: retrieving((fields) => ({ ...fields, limit: fields.limit ?? 1_000 })),
  }),
  hostMutant({
    id: "retrieve-limit-ten-for-keys",
    defect: "a retrieve without limit returns 10 entries, regardless of its number of keys",
    check: "retrieve/limit-defaults-to-number-of-keys",
    names: /entries of a retrieve of 13 keys without limit/,
    bus: retrieving((fields) => ({ ...fields, limit: fields.limit ?? 10 })),
  }),
  hostMutant({
    id: "retrieve-limit-below-number-of-keys",
    defect: "a retrieve returns every given key, regardless of its limit",
    check: "retrieve/limit-defaults-to-number-of-keys",
    names: /13 keys with limit 4/,
    bus: retrieving(({ limit, ...fields }) => (fields.keys ? fields : { ...fields, limit })),
  }),
  hostMutant({
    id: "retrieve-tier-defaults-to-working",
    defect: "a retrieve without tier only reads the working tier",
    check: "retrieve/without-tier-concerns-all-tiers",
    names: /tiers of the entries of a retrieve without tier/,
    bus: retrieving((fields) => ({ ...fields, tier: fields.tier ?? "working" })),
  }),
  hostMutant({
    id: "retrieve-tiers-not-merged",
    defect: "the entries of one tier follow another tier's, regardless of their scores",
    check: "retrieve/query-without-tier-merges-all-tiers",
    tier: "semantic",
    names: /score and tier of the results of a query without tier/,
    bus: answering((fields) => {
      const entries = [...(fields.entries as { readonly tier: MemoryTier }[])];
      entries.sort((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier));
      return { ...fields, entries };
    }),
  }),
  hostMutant({
    id: "retrieve-cut-page-is-last",
    defect: "a page that was cut to the size of a message has no cursor",
    check: "retrieve/page-is-cut-to-payload",
    names: /ids on the pages of \d+ entries of 200 kB/,
    bus: answering(({ cursor, ...fields }, asked) => {
      const isFull = (fields.entries as unknown[]).length === asked?.limit;
      return isFull ? { ...fields, cursor } : fields;
    }),
  }),
  hostMutant({
    id: "retrieve-too-large-page-refused",
    defect: "a page above the size of a message is refused instead of cut",
    check: "retrieve/page-is-cut-to-payload",
    names: /too_large/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        const { entries, cursor } = reply.message;
        const isCut =
          Array.isArray(entries) && cursor !== undefined && entries.length < Number(reply.asked?.limit);
        if (!isCut) return send(reply);
        const { id, version, ts, req_id } = reply.message;
        const detail = { limit: "maxPayloadBytes", max: 1, got: 2 };
        const error = { type: "error", code: "too_large", message: "the page is too large", detail };
        send({
          ...reply,
          message: { id, version, ts, req_id, ...error, retryable: false, capability_name: "memory" },
        });
      }),
  }),
  hostMutant({
    id: "retrieve-order-relevance-of-nothing",
    defect: "order relevance without a query or embedding is treated as newest",
    check: "retrieve/order-relevance-needs-something-to-rank-by",
    names: /a retrieve with order relevance, without query and embedding/,
    bus: retrieving(({ order, ...fields }) =>
      order === "relevance" && !fields.query && !fields.embedding ? fields : { ...fields, order },
    ),
  }),
  hostMutant({
    id: "retrieve-took-ms-empty",
    defect: "`took_ms` is empty",
    check: "retrieve/took-ms-names-stages",
    names: /number of stages in `took_ms`/,
    bus: answering((fields) => ({ ...fields, took_ms: {} })),
  }),
];

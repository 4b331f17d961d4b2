import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { refuseRequests, rewriteReplies, rewriteRequests } from "./intercept.js";

const OF_ENTRIES = "host-plugins/refused-tier-refuses-its-own-entries";
const NAMED = "host-plugins/refused-tier-that-is-named-is-refused";
const LEFT_OUT = "host-plugins/refused-tiers-are-left-out-of-reads";
const OF_FORGET = "host-plugins/forget-where-a-tier-is-refused-is-refused";

const isOf = (operation: string, { type }: Message) => type === `memory/${operation}/req`;

/** Restricts a request for a subtree to the permitted namespaces. */
function subtreeInPart(operation: string) {
  return (bus: Bus) =>
    rewriteRequests(bus, (request) => {
      const { namespace, tier } = request;
      const isOne = isOf(operation, request) && tier === "semantic" && `${namespace}`.endsWith("/**");
      return isOne && !`${namespace}`.includes("/open")
        ? { ...request, namespace: `${namespace}`.replace("/**", "/open/**") }
        : request;
    });
}

/** Rewrites the replies to reads without a tier. */
function withReadsOfAll(type: string, change: (reply: Message) => Message) {
  return (bus: Bus) =>
    rewriteReplies(bus, (reply, { asked }) => (reply.type === type && !asked?.tier ? change(reply) : reply));
}

const namedMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-rules-heard-by-nobody",
    defect: "a host with rules permits everything",
    check: OF_ENTRIES,
    names: /errors of a store of an entry for each tier/,
    parts: ({ allowed: _, ...parts }) => parts,
  }),
  hostMutant({
    id: "host-plugins-refused-entry-refuses-the-store",
    defect: "a store with an entry of a refused tier is refused as a whole",
    check: OF_ENTRIES,
    names: /that the protocol allows .*unauthorized/,
    bus: (bus) =>
      refuseRequests(bus, (fields, { subject }) => {
        const entries = Array.isArray(fields?.entries) ? (fields.entries as Message[]) : [];
        const isOne = subject.includes("conformance-second") && entries.length === 3;
        return isOne && !`${fields?.namespace}`.includes("/open") ? "unauthorized" : undefined;
      }),
  }),
  ...(["retrieve", "list", "forget"] as const).map((operation) =>
    hostMutant({
      id: `host-plugins-${operation}-of-a-subtree-in-part`,
      defect: `a ${operation} of a subtree is restricted to the permitted namespaces`,
      check: NAMED,
      names: new RegExp(`a ${operation} of the semantic tier in .*/\\*\\* with another agent refused`),
      bus: subtreeInPart(operation),
    }),
  ),
];

const unnamedMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-refused-tier-is-degraded",
    defect: "a retrieve without a tier reports a refused one in `degraded`",
    check: LEFT_OUT,
    names: /refusals reported by a retrieve that names no tier,/,
    bus: withReadsOfAll("memory/retrieve/resp", (reply) => ({
      ...reply,
      degraded: [{ tier: "semantic", code: "unauthorized", message: "not allowed" }],
    })),
  }),
  hostMutant({
    id: "host-plugins-refused-tier-refuses-all",
    defect: "a retrieve without a tier is refused if one tier is refused",
    check: LEFT_OUT,
    names: /that the protocol allows .*unauthorized/,
    bus: (bus) =>
      refuseRequests(bus, (fields, { subject }) => {
        const isOne = fields !== undefined && isOf("retrieve", fields) && fields.tier === null;
        return isOne && subject.includes("conformance-second") ? "unauthorized" : undefined;
      }),
  }),
  hostMutant({
    id: "host-plugins-nothing-allowed-is-empty",
    defect: "a list without a tier is empty if all tiers are refused",
    check: LEFT_OUT,
    names: /a list without a tier, with all tiers refused/,
    bus: (bus) =>
      rewriteReplies(bus, (reply, { asked }) => {
        if (reply.code !== "unauthorized" || !asked || !isOf("list", asked)) return reply;
        const { id, version, ts, req_id } = reply;
        return {
          type: "memory/list/resp",
          ...{ id, version, ts, req_id, items: [], total: 0, total_relation: "eq" },
        };
      }),
  }),
  hostMutant({
    id: "host-plugins-forget-leaves-out-a-refused-tier",
    defect: "a forget without a tier is executed in the permitted tiers",
    check: OF_FORGET,
    names: /a forget that names no tier with another agent refused/,
    bus: (bus) =>
      rewriteRequests(bus, (request) =>
        isOf("forget", request) && request.tier === null ? { ...request, tier: "working" } : request,
      ),
  }),
];

export const rulesMutants: readonly Mutant[] = [...namedMutants, ...unnamedMutants];

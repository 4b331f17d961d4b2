import { randomUUID } from "node:crypto";
import { type ErrorCode, isMemoryError, MemoryError, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { type ReadReply, rewriteReplies, rewriteServices } from "./intercept.js";
import { betweenPlugins, rethrowing } from "./passing-plugin.js";

/** Returns the envelope fields of a reply. */
function envelopeOf({ message }: ReadReply): Message {
  const { id, version, ts, req_id } = message;
  return { id, version, ts, req_id };
}

function withPages(change: (page: Message) => Message) {
  return (bus: Bus) =>
    rewriteReplies(bus, (message) => (message.type === "memory/retrieve/resp" ? change(message) : message));
}

const thrownMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-all-errors-are-runtime-errors",
    defect: "every error of a plugin becomes `runtime_error`",
    check: "host-plugins/thrown-memory-error-is-sent",
    names: /errors of a store after the plugin threw memory_full/,
    parts: rethrowing((error) => (isMemoryError(error) ? new Error("hidden") : error)),
  }),
  hostMutant({
    id: "host-plugins-errors-as-empty-pages",
    defect: "an error of a plugin is treated as an empty result",
    check: "host-plugins/what-else-is-thrown-is-runtime-error",
    names: /a retrieve after the plugin threw an Error/,
    parts: betweenPlugins((inner) => ({
      onRetrieve: (selector, request) =>
        inner.onRetrieve(selector, request).catch((error: unknown) => {
          if (isMemoryError(error)) throw error;
          return { entries: [], total: 0, total_relation: "eq" };
        }),
    })),
  }),
  hostMutant({
    id: "host-plugins-trusts-a-code",
    defect: "every thrown object with a `code` is sent as an error of the protocol",
    check: "host-plugins/what-else-is-thrown-is-runtime-error",
    names: /threw an object that looks like one of the protocol/,
    parts: rethrowing((error) => {
      const { code } = (error ?? {}) as { code?: ErrorCode };
      return code !== undefined && !isMemoryError(error) ? new MemoryError(code, "of a plugin") : error;
    }),
  }),
  hostMutant({
    id: "host-plugins-cause-is-the-message",
    defect: "the message of `runtime_error` is the thrown error",
    check: "host-plugins/cause-is-never-sent",
    names: /reply to a store after the plugin threw an Error that contains a password/,
    parts: rethrowing((error) =>
      isMemoryError(error) ? error : new MemoryError("runtime_error", String(error)),
    ),
  }),
  hostMutant({
    id: "host-plugins-cause-in-the-detail",
    defect: "the detail of an error names its cause",
    check: "host-plugins/cause-is-never-sent",
    names: /unavailable with an Error that contains a password/,
    parts: rethrowing((error) =>
      isMemoryError(error) && error.cause !== undefined
        ? new MemoryError(error.code, error.message, { cause: String(error.cause) })
        : error,
    ),
  }),
  hostMutant({
    id: "host-plugins-failing-tier-fails-the-store",
    defect: "a store with one failed tier is refused as a whole, although the others have stored",
    check: "host-plugins/failing-tier-refuses-its-own-entries",
    names: /memory\/store\/req|that the protocol allows|`stored` of a store for three tiers/,
    bus: (bus) =>
      rewriteReplies(bus, (message, reply) => {
        const failed = Array.isArray(message.errors)
          ? (message.errors as Message[]).find(({ code }) => code === "unavailable")
          : undefined;
        if (failed === undefined) return message;
        const { index: _, key: __, ...error } = failed;
        return { type: "error", ...envelopeOf(reply), ...error, capability_name: "memory" };
      }),
  }),
];

const mergeMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-degraded-missing",
    defect: "a page of the tiers that answered does not report the failed ones",
    check: "host-plugins/degraded-names-the-failing-tier",
    names: /tier and code in `degraded`/,
    bus: withPages(({ degraded: _, ...page }) => page),
  }),
  hostMutant({
    id: "host-plugins-degraded-total-is-exact",
    defect: "the total of a page without a failed tier is reported as exact",
    check: "host-plugins/degraded-names-the-failing-tier",
    names: /`total_relation` of a retrieve of three tiers with two failures/,
    bus: withPages((page) => ({ ...page, total_relation: "eq" })),
  }),
  hostMutant({
    id: "host-plugins-total-is-never-exact",
    defect: "the total of several tiers is always reported as a lower bound",
    check: "host-plugins/no-degraded-where-all-answer",
    names: /total of a retrieve of three tiers that all answer/,
    bus: (bus) =>
      rewriteReplies(bus, (message, { asked }) =>
        message.type === "memory/retrieve/resp" && asked?.tier == null
          ? { ...message, total_relation: "gte" }
          : message,
      ),
  }),
  hostMutant({
    id: "host-plugins-page-where-no-tier-answers",
    defect: "a retrieve with only failed tiers returns an empty page",
    check: "host-plugins/error-where-no-tier-answers",
    names: /a retrieve of three tiers that all failed/,
    bus: (bus) =>
      rewriteReplies(bus, (message, reply) => {
        const isFailure = message.code === "unavailable" && reply.asked?.type === "memory/retrieve/req";
        if (!isFailure) return message;
        const degraded = [{ tier: "working", code: message.code, message: message.message }];
        const page = { entries: [], total: 0, total_relation: "gte", degraded, took_ms: { total: 1 } };
        return { type: "memory/retrieve/resp", ...envelopeOf(reply), ...page };
      }),
  }),
  hostMutant({
    id: "host-plugins-forget-in-part-is-fine",
    defect: "a forget that failed in one tier returns the counts of the others",
    check: "host-plugins/forget-that-fails-in-a-tier-is-an-error",
    names: /a forget in three tiers with one failure/,
    bus: (bus) =>
      rewriteReplies(bus, (message, reply) => {
        const isFailure = message.code === "unavailable" && reply.asked?.type === "memory/forget/req";
        if (!isFailure) return message;
        const receipt = {
          id: randomUUID(),
          at: message.ts,
          by_tier: { working: 1, episodic: 1 },
          purge: "done",
        };
        return { type: "memory/forget/resp", ...envelopeOf(reply), deleted: 2, receipt };
      }),
  }),
  hostMutant({
    id: "host-plugins-retried-forget-is-a-new-one",
    defect: "plugins receive a new operation for a repeated forget, so it counts only the remaining entries",
    check: "host-plugins/forget-that-fails-in-a-tier-is-an-error",
    names: /`by_tier` of the same forget sent again/,
    parts: betweenPlugins((inner) => ({
      onForget: (selector, request) =>
        inner.onForget(selector, { ...request, op: { ...request.op, id: randomUUID() } }),
    })),
  }),
];

/** Rewrites the metrics of tiers in `$SRV.STATS`. */
function withTiers(change: (figures: Message) => Message) {
  return (bus: Bus) =>
    rewriteServices(bus, (answer) => {
      const tiers = Object.entries((answer.tiers ?? {}) as Record<string, Message>);
      const changed = Object.fromEntries(tiers.map(([tier, figures]) => [tier, change(figures)]));
      return answer.tiers === undefined ? answer : { ...answer, tiers: changed };
    });
}

const SERVING = "host-plugins/tier-that-takes-no-stores-is-told";

const servingMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-every-tier-is-serving",
    defect: "`serving` is true for every tier, even if its plugin failed",
    check: SERVING,
    names: /`serving` of each tier .* have `failed` 1/,
    bus: withTiers((figures) => ({ ...figures, serving: true })),
  }),
  hostMutant({
    id: "host-plugins-figures-kept-to-itself",
    defect: "only the plugin metrics that the host itself has are shown",
    check: SERVING,
    names: /a metric of the plugin of the semantic tier/,
    bus: withTiers(({ plugin, serving }) => ({ plugin, serving })),
  }),
];

export const failureMutants: readonly Mutant[] = [...thrownMutants, ...mergeMutants, ...servingMutants];

import { DEFAULTS, type MemoryEntry, type MemoryTier, type Neighbours } from "@membus/protocol";
import { encodeCursor, type PluginRetrieveResult, positionOf } from "@membus/protocol/plugin";
import type { Features } from "../plugin-calls/index.js";
import type { Reply } from "../replies/index.js";
import { mayHaveMore, mergePages } from "./merge.js";
import { degradedOf, readTiers, resultsOf, type TierAnswer } from "./read-tiers.js";
import {
  planRetrieve,
  type RetrievePlan,
  type RetrieveRequest,
  requestFor,
  retrieveFeatureError,
} from "./retrieve-plan.js";
import { checkNamespace, type RequestContext, type Runtime } from "./runtime.js";

type TierResult = TierAnswer<PluginRetrieveResult>;

/**
 * Returns one page of the named tier, or of all served tiers merged. A tier that fails, is too slow or lacks
 * a required feature is named in `degraded`. If all tiers fail, the request fails with the first error. If a
 * tier finds an error in the request itself, the request fails with that error (clauses RET-13 and RET-21).
 */
export async function retrieve(
  runtime: Runtime,
  context: RequestContext,
  body: RetrieveRequest,
): Promise<Reply> {
  checkNamespace(runtime, context.caller, body.namespace ?? DEFAULTS.namespace, "retrieve");
  const plan = planRetrieve(body, runtime, context.caller, context.acceptedAt);
  const namespace = body.namespace ?? DEFAULTS.namespace;
  const missingFeature = (tier: MemoryTier, features: Features) => retrieveFeatureError(tier, features, body);
  const answers = await readTiers(
    runtime,
    context,
    { tier: body.tier, namespace, missingFeature },
    (runner, selector, latest) => runner.retrieve(selector, requestFor(plan, runner.features), latest),
  );
  return pageReply(runtime, context, plan, answers);
}

function pageReply(
  runtime: Runtime,
  context: RequestContext,
  plan: RetrievePlan,
  answers: readonly TierResult[],
): Reply {
  const now = runtime.clock.now();
  const results = resultsOf(answers);
  const { limit, order, after } = plan.request;
  const merged = mergePages(results, order, limit);
  const entries = merged.filter((entry) => !isExpired(entry, now)).map((entry) => withoutExpired(entry, now));
  const isComplete =
    results.length === answers.length && results.every((result) => result.total_relation === "eq");
  const fields = {
    // Entries that expired after the plugin read them are neither returned nor counted.
    total: results.reduce((sum, { total }) => sum + total, 0) - (merged.length - entries.length),
    total_relation: isComplete ? "eq" : "gte",
    degraded: degradedOf(answers, (result) => result.degraded),
    approximate: approximateOf(answers),
    explain: plan.request.explain && answers.flatMap(explanationOf),
    took_ms: stageTimes(answers, (now - context.acceptedAt) * 1_000),
  };
  const hasMore = !plan.isOnePage && mayHaveMore(results, limit, after === undefined);
  return {
    fields: { ...fields, entries, cursor: hasMore ? cursorAfter(plan, merged.at(-1)) : undefined },
    counts: { returned: entries.length, total: fields.total },
    shorten(count) {
      const cursor = plan.isOnePage ? undefined : cursorAfter(plan, entries[count - 1]);
      return { ...fields, entries: entries.slice(0, count), cursor };
    },
  };
}

function cursorAfter({ request, digest }: RetrievePlan, last: MemoryEntry | undefined): string | undefined {
  if (last === undefined) return undefined;
  return encodeCursor({ after: positionOf(last, request.order), as_of: request.as_of, digest });
}

function isExpired({ expires_at }: { readonly expires_at?: number | undefined }, now: number): boolean {
  return expires_at !== undefined && expires_at <= now;
}

/** Neighbours may also have expired since the plugin read them (clause RET-30). */
function withoutExpired(entry: MemoryEntry, now: number): MemoryEntry {
  const { neighbours } = entry;
  if (neighbours === undefined) return entry;
  const isLasting = (neighbour: Neighbours["before"][number]) => !isExpired(neighbour, now);
  const before = neighbours.before.filter(isLasting);
  return { ...entry, neighbours: { before, after: neighbours.after.filter(isLasting) } };
}

function approximateOf(answers: readonly TierResult[]): MemoryTier[] | undefined {
  const tiers = answers.flatMap(({ tier, outcome }) =>
    outcome.ok && outcome.value.approximate ? [tier] : [],
  );
  return tiers.length === 0 ? undefined : tiers;
}

function explanationOf({ tier, outcome }: TierResult): object[] {
  return outcome.ok && outcome.value.explain !== undefined ? [{ tier, ...outcome.value.explain }] : [];
}

/**
 * Returns the milliseconds of the whole request, of each tier, and of the stages that a plugin reports, as
 * `<tier>.<stage>`.
 */
function stageTimes(answers: readonly TierResult[], totalMs: number): Record<string, number> {
  const times: Record<string, number> = { total: roundMs(totalMs) };
  for (const { tier, outcome, tookMs } of answers) {
    times[tier] = roundMs(tookMs);
    const stages = outcome.ok ? (outcome.value.took_ms ?? {}) : {};
    for (const [stage, ms] of Object.entries(stages)) times[`${tier}.${stage}`] = roundMs(ms);
  }
  return times;
}

function roundMs(ms: number): number {
  return Number.isFinite(ms) ? Math.round(ms * 1_000) / 1_000 : 0;
}

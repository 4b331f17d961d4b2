import {
  DEFAULTS,
  type ErrorCode,
  encodeCursor,
  type MemoryEntry,
  type MemoryError,
  type MemoryTier,
  type Neighbours,
  type PluginRetrieveResult,
  parseNamespacePattern,
  positionOf,
  selectorOf,
} from "@membus/protocol";
import { failure, type Outcome } from "../outcome.js";
import type { PluginRunner } from "../plugin-calls/index.js";
import type { Reply } from "../replies/index.js";
import { mayHaveMore, mergePages } from "./merge.js";
import { chooseTiers, planRetrieve, type RetrievePlan, type RetrieveRequest } from "./retrieve-plan.js";
import { checkNamespace, type RequestContext, type Runtime } from "./runtime.js";

/** How much of a request's time its tiers may take: the rest is for an answer without the slow ones. */
const TIER_SHARE_OF_DEADLINE = 0.9;

/** Faults of the request itself: neither a retry nor another tier makes up for them. */
const REQUEST_FAULTS: ReadonlySet<ErrorCode> = new Set(["schema_violation", "too_large"]);

interface TierResult {
  readonly tier: MemoryTier;
  readonly outcome: Outcome<PluginRetrieveResult>;
  readonly tookMs: number;
}

/**
 * One page of the named tier, or of all served ones merged. A tier that fails, is too slow or lacks what is demanded
 * is named in `degraded`; when no tier answers, the request fails with the first one's error, and when one finds
 * fault with the request itself, with that (clauses RET-13 and RET-21).
 */
export async function retrieve(
  runtime: Runtime,
  context: RequestContext,
  body: RetrieveRequest,
): Promise<Reply> {
  checkNamespace(runtime, context.caller, body.namespace ?? DEFAULTS.namespace, "retrieve");
  const plan = planRetrieve(body, runtime, context.acceptedAt);
  const { asked, lacking } = chooseTiers(runtime.tiers, body);
  const answers = await Promise.all(
    asked.map((runner) => askTier(runtime, context, runner, plan, body.namespace)),
  );
  const refused = lacking.map(({ tier, error }) => ({ tier, outcome: failure(error), tookMs: 0 }));
  return pageReply(runtime, context, plan, [...answers, ...refused]);
}

async function askTier(
  runtime: Runtime,
  { caller, acceptedAt, deadlineAt }: RequestContext,
  runner: PluginRunner,
  plan: RetrievePlan,
  namespace: string | null | undefined,
): Promise<TierResult> {
  const { clock, deadlines, options } = runtime;
  const selector = selectorOf(runner.tier, caller, parseNamespacePattern(namespace ?? DEFAULTS.namespace));
  const share = acceptedAt + (deadlineAt - acceptedAt) * TIER_SHARE_OF_DEADLINE;
  const latest = Math.min(share, acceptedAt + options.pluginTimeoutMs / 1_000);
  const startedAt = clock.now();
  const outcome = await deadlines.race(runner.retrieve(selector, plan.request, latest), latest);
  return { tier: runner.tier, outcome, tookMs: (clock.now() - startedAt) * 1_000 };
}

function pageReply(
  runtime: Runtime,
  context: RequestContext,
  plan: RetrievePlan,
  answers: readonly TierResult[],
): Reply {
  const now = runtime.clock.now();
  const results = resultsOf(answers);
  const degraded = degradations(answers);
  const { limit, order, after } = plan.request;
  const merged = mergePages(results, order, limit);
  const entries = merged.filter((entry) => !isOver(entry, now)).map((entry) => withoutExpired(entry, now));
  const isComplete =
    results.length === answers.length && results.every((result) => result.total_relation === "eq");
  const fields = {
    // What ended between the plugin's look and this one is neither shown nor counted.
    total: results.reduce((sum, { total }) => sum + total, 0) - (merged.length - entries.length),
    total_relation: isComplete ? "eq" : "gte",
    degraded: degraded.length === 0 ? undefined : degraded.map(degradedFields),
    explain: plan.request.explain && answers.flatMap(explanationOf),
    took_ms: stageTimes(answers, (now - context.acceptedAt) * 1_000),
  };
  const hasMore = !plan.isOnePage && mayHaveMore(results, limit, after === undefined);
  return {
    fields: { ...fields, entries, cursor: hasMore ? cursorBehind(plan, merged.at(-1)) : undefined },
    counts: { returned: entries.length, total: fields.total },
    shorten(count) {
      const cursor = plan.isOnePage ? undefined : cursorBehind(plan, entries[count - 1]);
      return { ...fields, entries: entries.slice(0, count), cursor };
    },
  };
}

/** @throws {MemoryError} what a tier has against the request, or the first one's error when none answered. */
function resultsOf(answers: readonly TierResult[]): PluginRetrieveResult[] {
  const errors = answers.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.error]));
  const fault = errors.find(({ code }) => REQUEST_FAULTS.has(code));
  if (fault !== undefined) throw fault;
  if (errors.length === answers.length) throw errors[0]!;
  return answers.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []));
}

function cursorBehind({ request, digest }: RetrievePlan, last: MemoryEntry | undefined): string | undefined {
  if (last === undefined) return undefined;
  return encodeCursor({ after: positionOf(last, request.order), as_of: request.as_of, digest });
}

function isOver({ expires_at }: { readonly expires_at?: number | undefined }, now: number): boolean {
  return expires_at !== undefined && expires_at <= now;
}

/** Neighbours too may end between the plugin's look and this one (clause RET-30). */
function withoutExpired(entry: MemoryEntry, now: number): MemoryEntry {
  const { neighbours } = entry;
  if (neighbours === undefined) return entry;
  const isLasting = (neighbour: Neighbours["before"][number]) => !isOver(neighbour, now);
  const before = neighbours.before.filter(isLasting);
  return { ...entry, neighbours: { before, after: neighbours.after.filter(isLasting) } };
}

function explanationOf({ tier, outcome }: TierResult): object[] {
  return outcome.ok && outcome.value.explain !== undefined ? [{ tier, ...outcome.value.explain }] : [];
}

interface Degradation {
  readonly tier: MemoryTier;
  readonly error: MemoryError;
}

function degradations(answers: readonly TierResult[]): Degradation[] {
  return answers.flatMap(({ tier, outcome }) => {
    const error = outcome.ok ? outcome.value.degraded : outcome.error;
    return error === undefined ? [] : [{ tier, error }];
  });
}

function degradedFields({ tier, error }: Degradation) {
  return { tier, code: error.code, message: error.message };
}

/** Milliseconds of the whole, of each tier, and of the stages that a plugin tells of, as `<tier>.<stage>`. */
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

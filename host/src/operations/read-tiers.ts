import {
  type ErrorCode,
  type MemoryError,
  type MemoryTier,
  type NamespaceSelector,
  parseNamespacePattern,
  type ScopeSelector,
  selectorOf,
} from "@membus/protocol";
import { accessDenied } from "../access-rules.js";
import { failure, type Outcome } from "../outcome.js";
import { type Features, type PluginRunner, tierNotServedError } from "../plugin-calls/index.js";
import type { RequestContext, Runtime } from "./runtime.js";

/**
 * Share of a request's time that its tiers may use. The rest is reserved for a reply without the slow tiers.
 */
const TIER_SHARE_OF_DEADLINE = 0.9;

/** Errors in the request itself: neither a retry nor another tier can succeed. */
const REQUEST_FAULTS: ReadonlySet<ErrorCode> = new Set(["schema_violation", "too_large"]);

/** One tier's answer to a read. */
export interface TierAnswer<Result> {
  readonly tier: MemoryTier;
  readonly outcome: Outcome<Result>;
  readonly tookMs: number;
}

/** Reads from one tier until `latest` (Unix seconds). */
export type ReadTier<Result> = (
  runner: PluginRunner,
  selector: ScopeSelector,
  latest: number,
) => Promise<Outcome<Result>>;

/** Returns the error for a feature that a tier lacks for a request, or undefined. */
export type FeatureCheck = (tier: MemoryTier, features: Features) => MemoryError | undefined;

interface TierSelection {
  /** Named tier. If absent: all served tiers. */
  readonly tier: MemoryTier | null | undefined;
  readonly namespace: string;
  readonly missingFeature: FeatureCheck;
}

/**
 * Queries the named tier, or all served tiers concurrently. A tier that lacks a required feature is not
 * queried and answers with an error.
 * @throws {MemoryError} `unsupported` if no tier has the features, `unauthorized` if the caller may read
 * none.
 */
export async function readTiers<Result>(
  runtime: Runtime,
  context: RequestContext,
  { tier, namespace, missingFeature }: TierSelection,
  read: ReadTier<Result>,
): Promise<TierAnswer<Result>[]> {
  const selected = parseNamespacePattern(namespace);
  const runners = readableTiers(runtime, context, tier, selected);
  return queryTiers(runtime, context, { runners, selected, missingFeature }, read);
}

interface ChosenTiers {
  readonly runners: readonly PluginRunner[];
  readonly selected: NamespaceSelector;
  readonly missingFeature: FeatureCheck;
}

/**
 * Queries the tiers concurrently. A tier that lacks a required feature answers with an error.
 * @throws {MemoryError} `unsupported` if no tier has the features.
 */
export async function queryTiers<Result>(
  runtime: Runtime,
  context: RequestContext,
  { runners, selected, missingFeature }: ChosenTiers,
  read: ReadTier<Result>,
): Promise<TierAnswer<Result>[]> {
  const { queried, unsupported } = chooseTiers(runners, missingFeature);
  const answers = queried.map((runner) => queryTier(runtime, context, { runner, selected }, read));
  const refused = unsupported.map(({ tier, error }) => ({ tier, outcome: failure(error), tookMs: 0 }));
  return [...(await Promise.all(answers)), ...refused];
}

interface TierChoice {
  readonly queried: readonly PluginRunner[];
  readonly unsupported: readonly { readonly tier: MemoryTier; readonly error: MemoryError }[];
}

/**
 * Returns the named tier, or the served tiers that the caller may read. The reply does not mention the others
 * (clause NS-11).
 */
function readableTiers(
  { tiers, rules }: Runtime,
  { caller }: RequestContext,
  tier: MemoryTier | null | undefined,
  selected: NamespaceSelector,
): readonly PluginRunner[] {
  const named = tier == null ? undefined : tiers.get(tier);
  if (tier != null && named === undefined) throw tierNotServedError(tier);
  const selectedRunners = named === undefined ? [...tiers.values()] : [named];
  const readable = selectedRunners.filter((runner) =>
    rules.allows({ caller, tier: runner.tier, selected }, "read"),
  );
  if (readable.length === 0) throw accessDenied(selectedRunners[0]!.tier);
  return readable;
}

function chooseTiers(readable: readonly PluginRunner[], missingFeature: FeatureCheck): TierChoice {
  const queried: PluginRunner[] = [];
  const unsupported: { tier: MemoryTier; error: MemoryError }[] = [];
  for (const runner of readable) {
    const error = missingFeature(runner.tier, runner.features);
    if (error === undefined) queried.push(runner);
    else unsupported.push({ tier: runner.tier, error });
  }
  if (queried.length === 0) throw unsupported[0]!.error;
  return { queried, unsupported };
}

async function queryTier<Result>(
  { clock, deadlines, options }: Runtime,
  { caller, acceptedAt, deadlineAt }: RequestContext,
  { runner, selected }: { readonly runner: PluginRunner; readonly selected: NamespaceSelector },
  read: ReadTier<Result>,
): Promise<TierAnswer<Result>> {
  const selector = selectorOf(runner.tier, caller, selected);
  const share = acceptedAt + (deadlineAt - acceptedAt) * TIER_SHARE_OF_DEADLINE;
  const latest = Math.min(share, acceptedAt + options.pluginTimeoutMs / 1_000);
  const startedAt = clock.now();
  const outcome = await deadlines.race(read(runner, selector, latest), latest);
  return { tier: runner.tier, outcome, tookMs: (clock.now() - startedAt) * 1_000 };
}

/**
 * Returns the results of the tiers that succeeded.
 * @throws {MemoryError} An error in the request itself, or the first error if all tiers failed.
 */
export function resultsOf<Result>(answers: readonly TierAnswer<Result>[]): Result[] {
  const errors = answers.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.error]));
  const fault = errors.find(({ code }) => REQUEST_FAULTS.has(code));
  if (fault !== undefined) throw fault;
  if (errors.length === answers.length) throw errors[0]!;
  return answers.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []));
}

/**
 * Returns `degraded` of a reply: the tiers that failed or returned less than requested. Undefined if there
 * are none.
 */
export function degradedOf<Result>(
  answers: readonly TierAnswer<Result>[],
  reasonOf: (result: Result) => MemoryError | undefined = () => undefined,
): object[] | undefined {
  const degraded = answers.flatMap(({ tier, outcome }) => {
    const error = outcome.ok ? reasonOf(outcome.value) : outcome.error;
    return error === undefined ? [] : [{ tier, code: error.code, message: error.message }];
  });
  return degraded.length === 0 ? undefined : degraded;
}

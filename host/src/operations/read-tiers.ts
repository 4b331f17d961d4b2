import {
  type ErrorCode,
  type MemoryError,
  type MemoryTier,
  type NamespaceSelector,
  parseNamespacePattern,
  type ScopeSelector,
  selectorOf,
} from "@membus/protocol";
import { notAllowed } from "../access-rules.js";
import { failure, type Outcome } from "../outcome.js";
import { type Features, notServed, type PluginRunner } from "../plugin-calls/index.js";
import type { RequestContext, Runtime } from "./runtime.js";

/** How much of a request's time its tiers may take: the rest is for an answer without the slow ones. */
const TIER_SHARE_OF_DEADLINE = 0.9;

/** Faults of the request itself: neither a retry nor another tier makes up for them. */
const REQUEST_FAULTS: ReadonlySet<ErrorCode> = new Set(["schema_violation", "too_large"]);

/** What one tier answered to a read. */
export interface TierAnswer<Result> {
  readonly tier: MemoryTier;
  readonly outcome: Outcome<Result>;
  readonly tookMs: number;
}

/** One tier's part of a read, to be answered by `latest` (Unix seconds). */
export type ReadTier<Result> = (
  runner: PluginRunner,
  selector: ScopeSelector,
  latest: number,
) => Promise<Outcome<Result>>;

/** What a tier with these features lacks for a request; undefined: nothing. */
export type LackOf = (tier: MemoryTier, features: Features) => MemoryError | undefined;

interface TiersRead {
  /** The named tier; absent: all that are served. */
  readonly tier: MemoryTier | null | undefined;
  readonly namespace: string;
  readonly lackOf: LackOf;
}

/**
 * Asks the named tier, or all served ones at once. Those that lack something are not asked, and answer with that.
 * @throws {MemoryError} `unsupported` when none can be asked, `unauthorized` when the caller may read none.
 */
export async function readTiers<Result>(
  runtime: Runtime,
  context: RequestContext,
  { tier, namespace, lackOf }: TiersRead,
  read: ReadTier<Result>,
): Promise<TierAnswer<Result>[]> {
  const selected = parseNamespacePattern(namespace);
  const readable = readableTiers(runtime, context, tier, selected);
  const { asked, lacking } = chooseTiers(readable, lackOf);
  const answers = asked.map((runner) => askTier(runtime, context, { runner, selected }, read));
  const refused = lacking.map(({ tier, error }) => ({ tier, outcome: failure(error), tookMs: 0 }));
  return [...(await Promise.all(answers)), ...refused];
}

interface ChosenTiers {
  readonly asked: readonly PluginRunner[];
  readonly lacking: readonly { readonly tier: MemoryTier; readonly error: MemoryError }[];
}

/** The named tier, or those served ones that the caller may read: of the others it is told nothing (clause NS-11). */
function readableTiers(
  { tiers, rules }: Runtime,
  { caller }: RequestContext,
  tier: MemoryTier | null | undefined,
  selected: NamespaceSelector,
): readonly PluginRunner[] {
  const named = tier == null ? undefined : tiers.get(tier);
  if (tier != null && named === undefined) throw notServed(tier);
  const wanted = named === undefined ? [...tiers.values()] : [named];
  const readable = wanted.filter((runner) => rules.allows({ caller, tier: runner.tier, selected }, "read"));
  if (readable.length === 0) throw notAllowed(wanted[0]!.tier);
  return readable;
}

function chooseTiers(readable: readonly PluginRunner[], lackOf: LackOf): ChosenTiers {
  const asked: PluginRunner[] = [];
  const lacking: { tier: MemoryTier; error: MemoryError }[] = [];
  for (const runner of readable) {
    const error = lackOf(runner.tier, runner.features);
    if (error === undefined) asked.push(runner);
    else lacking.push({ tier: runner.tier, error });
  }
  if (asked.length === 0) throw lacking[0]!.error;
  return { asked, lacking };
}

async function askTier<Result>(
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
 * What the tiers that did not fail gave.
 * @throws {MemoryError} what a tier has against the request, or the first one's error when none answered.
 */
export function resultsOf<Result>(answers: readonly TierAnswer<Result>[]): Result[] {
  const errors = answers.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.error]));
  const fault = errors.find(({ code }) => REQUEST_FAULTS.has(code));
  if (fault !== undefined) throw fault;
  if (errors.length === answers.length) throw errors[0]!;
  return answers.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []));
}

/** `degraded` of a reply: tiers that failed, or gave less than was asked; undefined for none. */
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

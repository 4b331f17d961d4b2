import type { Check, Turn } from "../catalogue/check.js";
import { levelOf } from "../catalogue/clauses.js";
import { Random, seedFor } from "../fixtures/random.js";
import type { TierFacts, World } from "../world.js";
import { type CaseResult, type CheckResult, worstOf } from "./outcome.js";
import { runCase } from "./run-case.js";

export interface RunOptions {
  /** Determines the order of checks and their random values. */
  readonly seed: number;
  /** Number of runs of each check, each with a separate seed. Default 1. */
  readonly repeat?: number;
  /** Time in which a check or one of its calls must end, in milliseconds. Default 30000, more for a slow host. */
  readonly checkTimeoutMs?: number;
  /** Passes replies on to checks even if they are malformed. */
  readonly anyForm?: boolean;
  /** Returns the command that repeats one check, for the report. */
  readonly rerun?: (checkId: string, seed: number) => string;
  readonly onResult?: (result: CaseResult, check: Check, progress: Progress) => void;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

interface Case {
  readonly check: Check;
  readonly facts: TierFacts;
  readonly seed: number;
}

const CHECK_TIMEOUT_MS = 30_000;

/**
 * Runs checks on all tiers of a world, in an order derived from the seed. A failing implementation never
 * makes it reject.
 */
export async function runSuite(
  checks: readonly Check[],
  world: World,
  options: RunOptions,
): Promise<CheckResult[]> {
  const applicable = checks.filter(({ routes }) => routes.includes(world.route));
  const cases = new Random(options.seed).shuffle(
    applicable.flatMap((check) => casesOf(check, world, options)),
  );
  const results = new Map<Check, CaseResult[]>(applicable.map((check) => [check, []]));
  let done = 0;
  const run = async ({ check, facts, seed }: Case): Promise<void> => {
    const timeoutMs = options.checkTimeoutMs ?? CHECK_TIMEOUT_MS + (world.patienceMs ?? 0);
    const result = await runCase(check, facts, world, { seed, timeoutMs, anyForm: options.anyForm ?? false });
    results.get(check)!.push(result);
    options.onResult?.(result, check, { done: ++done, total: cases.length });
  };
  const inTurn = (group: Group) => cases.filter(({ check }) => groupOf(check, world) === group);
  const lasting = inTurn("lasting");
  await Promise.all([
    runConcurrently(lasting, lasting.length, run),
    runConcurrently(inTurn("usual"), world.concurrency, run),
  ]);
  for (const group of ["alone", "restarting", "last"] as const) await runConcurrently(inTurn(group), 1, run);
  return applicable.map((check) => checkResult(check, results.get(check)!, options));
}

/**
 * Restarting checks run after checks that inspect the whole host, because a restarted host may see earlier
 * forgets late.
 */
type Group = "usual" | "restarting" | Turn;

function groupOf({ turn, provisions }: Check, { isShared = false }: World): Group {
  if (turn === "lasting") return isShared ? "alone" : "lasting";
  if (turn === "alone" && provisions?.includes("restart")) return "restarting";
  return turn ?? "usual";
}

function casesOf(check: Check, world: World, { seed, repeat = 1 }: RunOptions): Case[] {
  const tiers = check.per === "tier" ? world.tiers : world.tiers.slice(0, 1);
  const seeds = Array.from({ length: repeat }, (_, round) => seedFor(seed + round, check.id));
  return tiers.flatMap((facts) => seeds.map((caseSeed) => ({ check, facts, seed: caseSeed })));
}

async function runConcurrently<Item>(
  items: readonly Item[],
  concurrency: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await run(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

function checkResult(check: Check, cases: readonly CaseResult[], { seed, rerun }: RunOptions): CheckResult {
  const { id, clauses } = check;
  const outcome = worstOf(cases.map((result) => result.outcome));
  return {
    id,
    level: levelOf(clauses),
    clauses,
    outcome,
    cases,
    rerun: rerun?.(id, seed) ?? `--only ${id} --seed ${seed}`,
  };
}

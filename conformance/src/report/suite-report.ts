import { readFileSync } from "node:fs";
import { type MemoryTier, PROTOCOL_VERSION, systemClock } from "@membus/protocol";
import { FEATURES, type Feature, type FurtherSuite } from "@membus/protocol/plugin";
import { type Baseline, staleEntries } from "../catalogue/baseline.js";
import type { Check, Route } from "../catalogue/check.js";
import { type ExcludedClause, loadExclusions } from "../catalogue/exclusions.js";
import { loadProfiles, type Profile, type ProfileScore, scoreProfile } from "../catalogue/profile.js";
import { CHECKS } from "../checks/index.js";
import { seedFor } from "../fixtures/random.js";
import { withoutBlocked } from "../run/blocked.js";
import { type CheckResult, isOpen } from "../run/outcome.js";
import { type RunOptions, runSuite } from "../run/run-suite.js";
import type { TierFacts, World } from "../world.js";
import { type ClauseCoverage, clauseCoverage } from "./clause-coverage.js";

const PACKAGE_FILE = new URL("../../package.json", import.meta.url);

/** Version of this package, which is also the version of the check catalogue. */
export const SUITE_VERSION: string = JSON.parse(readFileSync(PACKAGE_FILE, "utf8")).version;

/** A feature that the manifest declares false, so no check proves that it works. */
export interface UnclaimedFeature {
  readonly feature: Feature;
  readonly meaning: string;
  /** Tiers that do not declare the feature. */
  readonly tiers: readonly MemoryTier[];
}

export interface ReportedCheck extends CheckResult {
  /** Names of the profiles that score the check. A check in no profile is reported but not scored. */
  readonly profiles: readonly string[];
  /** Seed that reproduces the outcome. */
  readonly seed: number;
  /** Reason from the baseline, if the check is red and listed there. */
  readonly known?: string;
}

/** Results of one run of the suite. */
export interface SuiteReport {
  readonly suiteVersion: string;
  readonly protocolVersion: string;
  readonly implementation: string;
  readonly route: Route;
  readonly seed: number;
  readonly repeat: number;
  /** Start time in Unix seconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly tiers: readonly TierFacts[];
  readonly notClaimed: readonly UnclaimedFeature[];
  /** Suites that the plugin names for its parts. */
  readonly furtherSuites: readonly FurtherSuite[];
  readonly checks: readonly ReportedCheck[];
  readonly profiles: readonly ProfileScore[];
  readonly excludedClauses: readonly ExcludedClause[];
  readonly clauses: ClauseCoverage;
  /** Baseline entries of checks that are not red. */
  readonly staleBaseline: readonly string[];
  /** False if only selected checks ran. */
  readonly complete: boolean;
  /**
   * Whether every claimed profile is kept. Only a complete run can be conformant. The baseline has no effect.
   */
  readonly conformant: boolean;
}

export interface ReportOptions extends Omit<RunOptions, "rerun"> {
  /** Returns the command that runs one check with the given seed. */
  readonly rerun: (checkId: string, seed: number) => string;
  /** Checks to run. Default: all. */
  readonly selected?: readonly Check[];
  readonly baseline?: Baseline;
  /** Check catalogue. Default: the catalogue of this package. */
  readonly catalogue?: readonly Check[];
  readonly profiles?: readonly Profile[];
}

/** Runs the suite on a world and returns the report. A failing implementation never makes it reject. */
export async function runToReport(world: World, options: ReportOptions): Promise<SuiteReport> {
  const { catalogue = CHECKS, selected = catalogue, seed, repeat = 1, baseline = new Map() } = options;
  const profiles = options.profiles ?? loadProfiles();
  const startedAt = systemClock.now();
  const found = await runSuite(selected, world, options);
  const results = await withoutBlocked(found, selected, world, options);
  const scores = profiles.flatMap((profile) => scoreProfile(profile, catalogue, results, world) ?? []);
  return {
    suiteVersion: SUITE_VERSION,
    protocolVersion: PROTOCOL_VERSION,
    implementation: world.name,
    route: world.route,
    seed,
    repeat,
    startedAt,
    durationMs: Math.round((systemClock.now() - startedAt) * 1_000),
    tiers: world.tiers,
    notClaimed: unclaimedFeatures(world, catalogue),
    furtherSuites: world.furtherSuites ?? [],
    checks: results.map((result) => reported(result, profiles, baseline, options)),
    profiles: scores,
    excludedClauses: loadExclusions(),
    clauses: clauseCoverage(results),
    staleBaseline: staleEntries(baseline, results),
    complete: catalogue.every(
      (check) =>
        !check.routes.includes(world.route) ||
        world.profile?.checks.includes(check.id) === false ||
        results.some(({ id }) => id === check.id),
    ),
    conformant: isConformant(scores, results),
  };
}

function isConformant(scores: readonly ProfileScore[], results: readonly CheckResult[]): boolean {
  const claimed = scores.filter((score) => score.claimed);
  const suiteFailed = results.some(({ outcome }) => outcome === "suite-error");
  return claimed.length > 0 && claimed.every((score) => score.conformant) && !suiteFailed;
}

function reported(
  result: CheckResult,
  profiles: readonly Profile[],
  baseline: Baseline,
  { seed, repeat = 1, rerun }: ReportOptions,
): ReportedCheck {
  const shownBy = seed + roundOf(result, seed, repeat);
  const known = isOpen(result.outcome) ? baseline.get(result.id) : undefined;
  return {
    ...result,
    seed: shownBy,
    rerun: rerun(result.id, shownBy),
    profiles: profiles.filter(({ checks }) => checks.includes(result.id)).map(({ name }) => name),
    ...(known === undefined ? {} : { known }),
  };
}

/**
 * Returns the first round of a repeated run with the check's outcome. The seed of that round reproduces the
 * outcome.
 */
function roundOf({ id, outcome, cases }: CheckResult, seed: number, repeat: number): number {
  const shows = cases.find((result) => result.outcome === outcome);
  const rounds = Array.from({ length: repeat }, (_, round) => round);
  return rounds.find((round) => seedFor(seed + round, id) === shows?.seed) ?? 0;
}

/**
 * Lists undeclared features. For a host with a single profile only features that checks of that profile test.
 */
function unclaimedFeatures({ tiers, profile }: World, catalogue: readonly Check[]): UnclaimedFeature[] {
  const ofProfile = catalogue
    .filter(({ id }) => profile?.checks.includes(id))
    .flatMap(({ features = [] }) => features);
  return (Object.keys(FEATURES) as Feature[]).flatMap((feature) => {
    if (profile !== undefined && !ofProfile.includes(feature)) return [];
    const without = tiers.filter(({ features }) => !features[feature]).map(({ tier }) => tier);
    return without.length === 0 ? [] : [{ feature, meaning: FEATURES[feature], tiers: without }];
  });
}

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FEATURES, type Feature, type PluginManifest } from "@membus/protocol";
import { parse } from "yaml";
import { z } from "zod";
import { type CheckResult, isOpen } from "../run/outcome.js";
import type { Check, Route } from "./check.js";

const FOLDER = fileURLToPath(new URL("../../profiles", import.meta.url));

const ProfileSchema = z.strictObject({
  name: z.string().regex(/^[a-z-]+$/),
  version: z.string(),
  describes: z.string(),
  /** Scored only where one of these is declared; elsewhere the report says that it is not claimed. */
  features: z
    .array(z.enum(Object.keys(FEATURES) as [Feature, ...Feature[]]))
    .min(1)
    .optional(),
  /** Kept in place of all others, by a host that says so (clause DISC-7). */
  alone: z.literal(true).optional(),
  checks: z.array(z.string()).min(1),
});

/** A frozen list of checks: what a name such as `core 1.0` stands for. It never changes after its release. */
export type Profile = z.infer<typeof ProfileSchema>;

/** All profiles, by name. */
export function loadProfiles(): Profile[] {
  const files = readdirSync(FOLDER)
    .filter((file) => file.endsWith(".yaml"))
    .sort();
  return files.map((file) => ProfileSchema.parse(parse(readFileSync(`${FOLDER}/${file}`, "utf8"))));
}

export interface ProfileScore {
  readonly profile: string;
  readonly version: string;
  /** False where no feature that it is about is declared: nothing is scored then. */
  readonly claimed: boolean;
  readonly conformant: boolean;
  readonly must: Score;
  readonly should: Score;
  /** Checks that do not apply, with the reason. They count in no score. */
  readonly notApplicable: readonly string[];
  /** Checks of the profile that the run left out, by `--only`: then it is not conformant. */
  readonly notRun: readonly string[];
}

export interface Score {
  readonly passed: number;
  readonly total: number;
}

/** What a run was about. */
interface Scored {
  readonly route: Route;
  /** Kept in place of all others. */
  readonly profile?: Profile | undefined;
  readonly tiers: readonly Pick<PluginManifest, "features">[];
}

/**
 * Scores a run over a profile's own list, never over what happened to run. Undefined where it is not about this route,
 * or about those that keep another profile alone.
 */
export function scoreProfile(
  profile: Profile,
  catalogue: readonly Check[],
  results: readonly CheckResult[],
  { route, profile: kept, tiers }: Scored,
): ProfileScore | undefined {
  if (kept === undefined ? profile.alone : profile.name !== kept.name) return undefined;
  const declares = (feature: Feature) => tiers.some(({ features }) => features[feature]);
  const routes = new Map(catalogue.map((check) => [check.id, check.routes]));
  const ids = profile.checks.filter((id) => routes.get(id)?.includes(route));
  if (ids.length === 0) return undefined;
  const found = new Map(results.map((result) => [result.id, result]));
  const ran = ids.flatMap((id) => found.get(id) ?? []);
  const counted = ran.filter(({ outcome }) => outcome !== "not-applicable");
  const notRun = ids.filter((id) => !found.has(id));
  const claimed = profile.features === undefined || profile.features.some(declares);
  return {
    profile: profile.name,
    version: profile.version,
    claimed,
    conformant:
      claimed &&
      notRun.length === 0 &&
      !counted.some(({ level, outcome }) => level === "MUST" && isOpen(outcome)),
    must: scoreOf(counted, "MUST"),
    should: scoreOf(counted, "SHOULD"),
    notApplicable: ran.filter(({ outcome }) => outcome === "not-applicable").map(({ id }) => id),
    notRun,
  };
}

function scoreOf(results: readonly CheckResult[], level: CheckResult["level"]): Score {
  const ofLevel = results.filter((result) => result.level === level);
  return { passed: ofLevel.filter(({ outcome }) => outcome === "pass").length, total: ofLevel.length };
}

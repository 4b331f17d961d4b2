import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FEATURES, type Feature, type PluginManifest } from "@membus/protocol/plugin";
import { parse } from "yaml";
import { z } from "zod";
import { type CheckResult, isOpen } from "../run/outcome.js";
import type { Check, Route } from "./check.js";

const FOLDER = fileURLToPath(new URL("../../profiles", import.meta.url));

const ProfileSchema = z.strictObject({
  name: z.string().regex(/^[a-z-]+$/),
  version: z.string(),
  describes: z.string(),
  /**
   * Scored only if one of these features is declared. Otherwise the report shows the profile as not claimed.
   */
  features: z
    .array(z.enum(Object.keys(FEATURES) as [Feature, ...Feature[]]))
    .min(1)
    .optional(),
  /** Set for a profile that a host keeps instead of all others, and declares in discovery (clause DISC-7). */
  alone: z.literal(true).optional(),
  checks: z.array(z.string()).min(1),
});

/** A frozen list of checks with a name such as `core 1.0`. It never changes after its release. */
export type Profile = z.infer<typeof ProfileSchema>;

/** Loads all profiles, sorted by name. */
export function loadProfiles(): Profile[] {
  const files = readdirSync(FOLDER)
    .filter((file) => file.endsWith(".yaml"))
    .sort();
  return files.map((file) => ProfileSchema.parse(parse(readFileSync(`${FOLDER}/${file}`, "utf8"))));
}

export interface ProfileScore {
  readonly profile: string;
  readonly version: string;
  /** False if none of the profile's features is declared. The profile is then not scored. */
  readonly claimed: boolean;
  readonly conformant: boolean;
  readonly must: Score;
  readonly should: Score;
  /** Ids of checks that do not apply. They count in no score. */
  readonly notApplicable: readonly string[];
  /** Ids of the profile's checks that `--only` left out. The run is then not conformant. */
  readonly notRun: readonly string[];
}

export interface Score {
  readonly passed: number;
  readonly total: number;
}

/** Implementation and route of a run. */
interface Scored {
  readonly route: Route;
  /** Profile that the host keeps instead of all others. */
  readonly profile?: Profile | undefined;
  readonly tiers: readonly Pick<PluginManifest, "features">[];
}

/**
 * Scores a run against all checks of a profile, not only those that ran.
 *
 * Returns undefined if the profile is not for this route, or if the host keeps another profile instead.
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

import { didYouMean } from "@membus/protocol";
import type { Check, Route } from "../catalogue/check.js";
import { loadProfiles, type Profile } from "../catalogue/profile.js";
import { CHECKS } from "../checks/index.js";
import { UsageError } from "./usage-error.js";

/**
 * Returns the checks of a route that match the ids, areas or profiles. Without names it returns all.
 *
 * `list` is both an area and a profile and selects the checks of both.
 * @throws {UsageError} for an unknown name, with the nearest known name, or for a name of the other route.
 */
export function selectChecks(names: readonly string[] | undefined, route: Route): readonly Check[] {
  const ofRoute = CHECKS.filter(({ routes }) => routes.includes(route));
  if (names === undefined) return ofRoute;
  const profiles = loadProfiles();
  const named = new Set(names.flatMap((name) => checksNamed(name, ofRoute, route, profiles)));
  return ofRoute.filter((check) => named.has(check));
}

function checksNamed(
  name: string,
  ofRoute: readonly Check[],
  route: Route,
  profiles: readonly Profile[],
): Check[] {
  const profile = profiles.find((one) => one.name === name);
  const isNamed = ({ id, area }: Check) => id === name || area === name || profile?.checks.includes(id);
  const found = ofRoute.filter(isNamed);
  if (found.length > 0) return found;
  if (CHECKS.some(isNamed))
    throw new UsageError(`\`${name}\` does not apply to a ${route}: it runs on the other route`);
  const known = new Set([
    ...ofRoute.flatMap(({ id, area }) => [area, id]),
    ...profiles.map((one) => one.name),
  ]);
  throw new UsageError(`unknown check, area or profile \`${name}\`${didYouMean(name, known)}`);
}

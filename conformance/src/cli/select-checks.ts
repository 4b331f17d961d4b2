import { didYouMean } from "@membus/protocol";
import type { Check, Route } from "../catalogue/check.js";
import { CHECKS } from "../checks/index.js";
import { UsageError } from "./usage-error.js";

/**
 * The checks of a route that ids or areas name; without names, all of them.
 * @throws {UsageError} for a name that is neither, naming the nearest, and for one of the other route.
 */
export function selectChecks(names: readonly string[] | undefined, route: Route): readonly Check[] {
  const ofRoute = CHECKS.filter(({ routes }) => routes.includes(route));
  if (names === undefined) return ofRoute;
  const named = new Set(names.flatMap((name) => checksNamed(name, ofRoute, route)));
  return ofRoute.filter((check) => named.has(check));
}

function checksNamed(name: string, ofRoute: readonly Check[], route: Route): Check[] {
  const isNamed = ({ id, area }: Check) => id === name || area === name;
  const found = ofRoute.filter(isNamed);
  if (found.length > 0) return found;
  if (CHECKS.some(isNamed))
    throw new UsageError(`\`${name}\` is not about a ${route}: it runs on the other route`);
  const known = new Set(ofRoute.flatMap(({ id, area }) => [area, id]));
  throw new UsageError(`no check and no area is called \`${name}\`${didYouMean(name, known)}`);
}

import { didYouMean, type MemoryTier, TIERS } from "@membus/protocol";
import type { TierAccess } from "./auth-state.js";

interface TierFlags {
  readonly tiers?: string;
  readonly readOnlyTiers?: string;
}

/**
 * What the flags ask for; undefined where neither is given.
 * @throws {TypeError} for what is no tier, and for one in both.
 */
export function tierAccess({ tiers, readOnlyTiers }: TierFlags): TierAccess | undefined {
  if (tiers === undefined && readOnlyTiers === undefined) return undefined;
  const access = {
    tiers: tierList("--tiers", tiers),
    read_only_tiers: tierList("--read-only-tiers", readOnlyTiers),
  };
  const twice = access.tiers.find((tier) => access.read_only_tiers.includes(tier));
  if (twice !== undefined) throw new TypeError(`\`${twice}\` is in --tiers and in --read-only-tiers`);
  return access;
}

/** Whether there is anything that an agent may not do. */
export function isRestricted(access: TierAccess): boolean {
  return access.tiers.length < TIERS.length;
}

function tierList(flag: string, value = ""): MemoryTier[] {
  const names = value.split(",").filter((name) => name !== "");
  for (const name of names) {
    if (TIERS.some((tier) => tier === name)) continue;
    throw new TypeError(`${flag}: \`${name}\` is no tier${didYouMean(name, TIERS)}: ${TIERS.join(", ")}`);
  }
  return TIERS.filter((tier) => names.includes(tier));
}

/** What an agent may publish besides its pings: `own` is what all its subjects begin with (clause SUBJ-12). */
export function requestSubjects(own: string, access: TierAccess | undefined): string[] {
  if (access === undefined) return [`${own}.memory.*.req`, `${own}.memory.*.*.req`];
  return [
    ...access.tiers.map((tier) => `${own}.memory.*.${tier}.req`),
    ...access.read_only_tiers.flatMap((tier) => [
      `${own}.memory.retrieve.${tier}.req`,
      `${own}.memory.list.${tier}.req`,
    ]),
  ];
}

/** Whether an agent may hear of entries of a tier that others have stored. */
export function mayHear(tier: MemoryTier, access: TierAccess | undefined): boolean {
  return access === undefined || access.tiers.includes(tier) || access.read_only_tiers.includes(tier);
}

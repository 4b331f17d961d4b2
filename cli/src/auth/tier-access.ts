import { didYouMean, type MemoryTier, TIERS } from "@membus/protocol";
import type { TierAccess } from "./auth-state.js";

interface TierFlags {
  readonly tiers?: string;
  readonly readOnlyTiers?: string;
}

/**
 * Returns the access requested by the flags, or undefined if neither flag is given.
 * @throws {TypeError} for an unknown tier, or a tier in both flags.
 */
export function tierAccess({ tiers, readOnlyTiers }: TierFlags): TierAccess | undefined {
  if (tiers === undefined && readOnlyTiers === undefined) return undefined;
  const access = {
    tiers: tierList("--tiers", tiers),
    read_only_tiers: tierList("--read-only-tiers", readOnlyTiers),
  };
  const twice = access.tiers.find((tier) => access.read_only_tiers.includes(tier));
  if (twice !== undefined)
    throw new TypeError(`tier \`${twice}\` is in both --tiers and --read-only-tiers: name it in one of them`);
  return access;
}

/** Returns whether the access excludes anything. */
export function isRestricted(access: TierAccess): boolean {
  return access.tiers.length < TIERS.length;
}

function tierList(flag: string, value = ""): MemoryTier[] {
  const names = value.split(",").filter((name) => name !== "");
  for (const name of names) {
    if (TIERS.some((tier) => tier === name)) continue;
    throw new TypeError(
      `${flag}: unknown tier \`${name}\`${didYouMean(name, TIERS)}, expected one of ${TIERS.join(", ")}`,
    );
  }
  return TIERS.filter((tier) => names.includes(tier));
}

/**
 * Returns the subjects that an agent may publish requests on, in addition to its pings. `own` is the prefix
 * of all its subjects (clause SUBJ-12).
 */
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

/** Returns whether an agent may receive events of entries that other agents have stored in a tier. */
export function mayReceiveEvents(tier: MemoryTier, access: TierAccess | undefined): boolean {
  return access === undefined || access.tiers.includes(tier) || access.read_only_tiers.includes(tier);
}

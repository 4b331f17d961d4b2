import { LIMITS, MemoryError, type MemoryTier, TIERS } from "@membus/protocol";

/** The query of a URL. */
export type Query = URLSearchParams;

/** @throws {MemoryError} `schema_violation` if the field is missing or too long. */
export function textField(query: Query, name: string): string {
  const value = optionalText(query, name);
  if (value === undefined) throw invalidField(name, "is required");
  return value;
}

/**
 * Returns undefined if the field is missing or empty. @throws {MemoryError} `schema_violation` if it is too
 * long.
 */
export function optionalText(query: Query, name: string): string | undefined {
  const value = query.get(name) ?? "";
  if (value.length > LIMITS.stringLength) {
    throw invalidField(name, `has at most ${LIMITS.stringLength} characters`);
  }
  return value === "" ? undefined : value;
}

/** @throws {MemoryError} `schema_violation` if the field is not an integer of `min`..`max`. */
export function countField(
  query: Query,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const text = query.get(name) ?? "";
  const value = text === "" ? fallback : Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw invalidField(name, `must be an integer of ${min}..${max}`);
  }
  return value;
}

/** @throws {MemoryError} `schema_violation` for an unknown tier. */
export function tierField(query: Query, name = "tier"): MemoryTier | undefined {
  const value = optionalText(query, name);
  if (value === undefined) return undefined;
  const tier = TIERS.find((known) => known === value);
  if (tier === undefined) throw invalidField(name, `must be one of ${TIERS.join(", ")}`);
  return tier;
}

export function invalidField(path: string, reason: string): MemoryError {
  return new MemoryError("schema_violation", `${path}: ${reason}`, { path });
}

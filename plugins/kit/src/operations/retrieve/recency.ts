import type { PluginRetrieveRequest } from "@membus/protocol/plugin";

/**
 * Returns the score factor for the age of an entry, 0 to 1. 1 if recency is not requested (clause RET-24).
 */
export function recencyOf(
  { recency, as_of }: Pick<PluginRetrieveRequest, "recency" | "as_of">,
  occurredAt: number,
): number {
  if (recency === undefined) return 1;
  const age = Math.max(0, as_of - occurredAt);
  return 1 - recency.weight + recency.weight * 0.5 ** (age / recency.half_life_s);
}

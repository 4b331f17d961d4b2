import { type DecodedRequest, MemoryError, type MemoryTier } from "@membus/protocol";

/**
 * A request as its subject means it: about the tier that the subject names, if it names one (clause SUBJ-12). Of a store
 * each entry is looked at by itself, when it is stored.
 * @throws {MemoryError} `unauthorized` for a request that names another tier.
 */
export function inTierOfSubject(request: DecodedRequest, tier: MemoryTier | undefined): DecodedRequest {
  if (tier === undefined) return request;
  switch (request.type) {
    case "memory/retrieve/req":
    case "memory/forget/req":
    case "memory/list/req":
      requireTierOfSubject(tier, request.tier ?? tier);
      return { ...request, tier };
    case "memory/store/req":
    case "memory/status/req":
    case "ping":
      return request;
  }
}

/** @throws {MemoryError} `unauthorized` for another tier than that of the subject. */
export function requireTierOfSubject(tier: MemoryTier | undefined, named: MemoryTier): void {
  if (tier === undefined || tier === named) return;
  const text = `the subject is of the ${tier} tier, not of the ${named} one`;
  throw new MemoryError("unauthorized", text, { path: "tier", tier: named });
}

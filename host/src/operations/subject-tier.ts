import { type DecodedRequest, MemoryError, type MemoryTier } from "@membus/protocol";

/**
 * Restricts a request to the tier that its subject names, if any (clause SUBJ-12). The entries of a store are
 * checked one by one when they are stored.
 * @throws {MemoryError} `unauthorized` for a request that names another tier.
 */
export function restrictToSubjectTier(request: DecodedRequest, tier: MemoryTier | undefined): DecodedRequest {
  if (tier === undefined) return request;
  switch (request.type) {
    case "memory/retrieve/req":
    case "memory/forget/req":
    case "memory/list/req":
      requireSubjectTier(tier, request.tier ?? tier);
      return { ...request, tier };
    case "memory/store/req":
    case "memory/status/req":
    case "memory/agents/req":
    case "ping":
      return request;
  }
}

/** @throws {MemoryError} `unauthorized`, if `named` is not the tier of the subject. */
export function requireSubjectTier(tier: MemoryTier | undefined, named: MemoryTier): void {
  if (tier === undefined || tier === named) return;
  const text = `the subject is limited to the ${tier} tier, but the request names the ${named} tier`;
  throw new MemoryError("unauthorized", text, { path: "tier", tier: named });
}

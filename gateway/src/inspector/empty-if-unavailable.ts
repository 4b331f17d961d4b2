import type { ListResult } from "@membus/agent-client";
import { type DegradedTier, isMemoryError } from "@membus/protocol";

interface Items extends Pick<ListResult, "items"> {
  readonly truncated?: boolean;
  readonly degraded?: readonly DegradedTier[] | undefined;
}

/** Returns an empty list for a tier that is not served, or that the agent may not read. */
export async function emptyIfUnavailable(list: Promise<Items>): Promise<Items> {
  try {
    return await list;
  } catch (error) {
    if (isMemoryError(error) && ["unsupported", "unauthorized"].includes(error.code)) return { items: [] };
    throw error;
  }
}

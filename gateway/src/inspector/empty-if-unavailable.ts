import type { ListResult } from "@membus/agent-client";
import { isMemoryError } from "@membus/protocol";

/** Returns an empty list for a tier that is not served, or that the agent may not read. */
export async function emptyIfUnavailable(
  list: Promise<Pick<ListResult, "items">>,
): Promise<Pick<ListResult, "items">> {
  try {
    return await list;
  } catch (error) {
    if (isMemoryError(error) && ["unsupported", "unauthorized"].includes(error.code)) return { items: [] };
    throw error;
  }
}

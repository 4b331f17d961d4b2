import { isMemoryError } from "@membus/protocol";
import type { ForgetReply, StoreReply } from "./memory-agent.js";

/** What a store came to, without what every reply has of its own. */
export function storeFate({ stored, receipts, errors }: StoreReply) {
  return { stored, receipts, errors };
}

export function forgetFate({ deleted, receipt }: ForgetReply) {
  return { deleted, receipt };
}

/** The codes that a request is refused with: of the request as a whole, or of each entry of a store; none where it is not. */
export async function refusalCodes(request: Promise<StoreReply | ForgetReply>): Promise<string[]> {
  try {
    const reply = await request;
    return "errors" in reply ? reply.errors.map(({ code }) => code) : [];
  } catch (error) {
    if (isMemoryError(error)) return [error.code];
    throw error;
  }
}

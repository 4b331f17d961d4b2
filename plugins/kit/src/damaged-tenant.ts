import { MemoryError } from "@membus/protocol";

/** What the tenant is told whose files are damaged; which ones, and what to do, is in the host's log. */
export function tenantDamaged(cause?: unknown): MemoryError {
  const message = "what is stored of this tenant is damaged, and waits for the host's operator";
  return new MemoryError("unavailable", message, { reason: "storage_damaged" }, { cause });
}

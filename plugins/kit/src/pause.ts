import { isMemoryError } from "@membus/protocol";

/** The longest pause that a provider may ask for. */
const PAUSE_MS_MAX = 600_000;

/** What a provider or a full log has asked for; 0 where nothing was. */
export function pauseMsOf(error: unknown): number {
  const asked = isMemoryError(error) ? error.detail.retry_after_ms : undefined;
  return typeof asked === "number" ? Math.min(asked, PAUSE_MS_MAX) : 0;
}

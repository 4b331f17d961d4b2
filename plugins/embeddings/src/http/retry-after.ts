import type { Clock } from "@membus/protocol";

/**
 * Returns the requested wait in milliseconds: `Retry-After` in seconds or as a date, or OpenAI's more precise
 * `Retry-After-Ms`. Undefined if the headers are absent or invalid.
 */
export function retryAfterMs(headers: Headers, clock: Clock): number | undefined {
  const preciseMs = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  const waitMs = preciseMs > 0 ? preciseMs : waitMsOf(headers.get("retry-after") ?? "", clock);
  return Number.isFinite(waitMs) ? Math.max(0, Math.ceil(waitMs)) : undefined;
}

function waitMsOf(retryAfter: string, clock: Clock): number {
  const seconds = Number.parseFloat(retryAfter);
  return Number.isNaN(seconds) ? Date.parse(retryAfter) - clock.now() * 1000 : seconds * 1000;
}

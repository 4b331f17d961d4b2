import { randomInt } from "node:crypto";

const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 8_000;

/**
 * Returns the pause after failed attempt `attempt` (from 0) in milliseconds: 0.5 s, 1 s, 2 s and so on up to
 * 8 s, minus a random part of up to a quarter. The random part separates clients that failed together.
 */
export function backoffMs(attempt: number): number {
  const fullMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** attempt);
  return fullMs - randomInt(fullMs / 4);
}

import { stat, utimes } from "node:fs/promises";
import { type Clock, delay } from "@membus/protocol";

const HEARTBEAT_MS = 2_000;
/**
 * Milliseconds without a heartbeat after which a holder is dead. A busy process or machine may miss some
 * beats.
 */
const HEARTBEAT_TIMEOUT_MS = 20_000;

/** Touches the file periodically. @returns a function that stops the heartbeat. */
export function startHeartbeat(path: string, clock: Clock): () => void {
  let cancel: () => void = () => {};
  const beat = async () => {
    const nowS = clock.now() / 1_000;
    // A temporarily missing folder is reported by other code.
    await utimes(path, nowS, nowS).catch(() => undefined);
    if (!ended) next();
  };
  let ended = false;
  const next = () => {
    cancel = clock.after(HEARTBEAT_MS, () => void beat(), { background: true });
  };
  next();
  return () => {
    ended = true;
    cancel();
  };
}

/** Returns whether another process touches the file. Takes up to `SILENCE_MS`. */
export async function hasHeartbeat(path: string, clock: Clock): Promise<boolean> {
  const before = await touchedAt(path);
  for (let waitedMs = 0; waitedMs < HEARTBEAT_TIMEOUT_MS; waitedMs += HEARTBEAT_MS) {
    await delay(clock, HEARTBEAT_MS);
    const now = await touchedAt(path);
    if (now === undefined) return false;
    if (now !== before) return true;
  }
  return false;
}

async function touchedAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

import { stat, utimes } from "node:fs/promises";
import { type Clock, delay } from "@membus/protocol";

const BEAT_MS = 2_000;
/** A process that is busy, or a machine that is, may miss some. */
const SILENCE_MS = 20_000;

/** Touches the file now and then, until it is told to end. */
export function startBeating(path: string, clock: Clock): () => void {
  let cancel: () => void = () => {};
  const beat = async () => {
    const nowS = clock.now() / 1_000;
    // A folder that is away for a moment is another one's to report.
    await utimes(path, nowS, nowS).catch(() => undefined);
    if (!ended) next();
  };
  let ended = false;
  const next = () => {
    cancel = clock.after(BEAT_MS, () => void beat(), { background: true });
  };
  next();
  return () => {
    ended = true;
    cancel();
  };
}

/** Whether somebody touches the file, which takes a while to tell. */
export async function beats(path: string, clock: Clock): Promise<boolean> {
  const before = await touchedAt(path);
  for (let waitedMs = 0; waitedMs < SILENCE_MS; waitedMs += BEAT_MS) {
    await delay(clock, BEAT_MS);
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

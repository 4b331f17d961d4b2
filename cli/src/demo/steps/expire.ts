import { delay, systemClock } from "@membus/protocol";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

export const EXPIRING_KEY = "door_code";

const TTL_SECONDS = 2;
const TIERS = ["working", "episodic"] as const;

/** An entry with a ttl in two tiers, before and after its end. */
export async function expire({ alice }: Stage, transcript: Transcript): Promise<void> {
  const options = { ttl: TTL_SECONDS };
  for (const tier of TIERS) await alice.ask("remember", EXPIRING_KEY, "2 4 7 1", { ...options, tier });
  const request = { keys: [EXPIRING_KEY] };
  const before = await alice.ask("retrieve", request);
  const expiresAt = Math.max(...before.entries.map(({ expires_at = 0 }) => expires_at));
  transcript.check(
    `alice keeps the door code for ${TTL_SECONDS} s, in two tiers`,
    before.total === TIERS.length,
    `${before.total} found at once`,
  );
  await delay(systemClock, Math.max(0, expiresAt - systemClock.now()) * 1000);
  const after = await alice.ask("retrieve", request);
  const code = await alice.ask("recall", EXPIRING_KEY);
  transcript.check(
    "it is gone when its time is over",
    after.total === 0 && code === null,
    `${after.total} found, recalled: ${code}`,
  );
}

import type { ChannelVersion, StoredCheckpoint } from "./checkpoint-entry.js";
import type { CheckpointRecords } from "./checkpoint-records.js";
import type { Place } from "./place.js";

export interface Retention {
  /** Number of checkpoints to keep. */
  readonly count: number;
  versionsOf(checkpoint: StoredCheckpoint): Promise<Readonly<Record<string, ChannelVersion>>>;
}

/**
 * Forgets old checkpoints of a place once a tenth more than `count` exist. After a crash, values without a
 * checkpoint may remain until the thread is deleted.
 */
export async function retain(place: Place, records: CheckpointRecords, retention: Retention): Promise<void> {
  const slack = Math.floor(retention.count / 10);
  if ((await records.count(place)) <= retention.count + slack) return;
  const all: StoredCheckpoint[] = [];
  for await (const stored of records.select({ ...place, id: undefined })) all.push(stored);
  const kept = retainedOf(all, retention.count);
  const dropped = all.filter((stored) => !kept.has(stored));
  if (dropped.length === 0) return;
  const used = await namesOf([...kept], retention);
  const unused = [...(await namesOf(dropped, retention))].filter(([name]) => !used.has(name));
  await records.forgetCheckpoints(
    place,
    dropped.map(({ id }) => id),
  );
  await records.forgetChannels(
    place,
    unused.map(([, version]) => version),
  );
}

/** Returns the newest checkpoints, and the checkpoints that their channels may be built from. */
function retainedOf(newestFirst: readonly StoredCheckpoint[], count: number): Set<StoredCheckpoint> {
  const byId = new Map(newestFirst.map((stored) => [stored.id, stored]));
  const newest = newestFirst.slice(0, count);
  const kept = new Set(newest);
  for (const { parent, deltaSteps } of newest) {
    let ancestor = byId.get(parent ?? "");
    for (let step = 0; step < deltaSteps && ancestor !== undefined; step++) {
      kept.add(ancestor);
      ancestor = byId.get(ancestor.parent ?? "");
    }
  }
  return kept;
}

/** Returns unique channels with their versions. */
async function namesOf(
  checkpoints: readonly StoredCheckpoint[],
  { versionsOf }: Retention,
): Promise<Map<string, readonly [string, ChannelVersion]>> {
  const versions = await Promise.all(checkpoints.map(versionsOf));
  const pairs = versions.flatMap((each) => Object.entries(each));
  return new Map(pairs.map((pair) => [JSON.stringify(pair), pair]));
}

import { randomFillSync } from "node:crypto";
import { v7 as uuidv7 } from "uuid";

const RANDOM_BYTES = 16;
/** Random bytes for many ids: asking for them one id at a time costs more than the rest of an id. */
const pool = new Uint8Array(RANDOM_BYTES * 256);
let used = pool.length;

/** A UUIDv7 for a message of the host's own: a reply, an event, or a request that came without an id. */
export function messageId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  return uuidv7({ random });
}

import { randomFillSync } from "node:crypto";
import { v7 as uuidv7 } from "uuid";

const ID_BYTES = 16;

/** Drawn for many ids at once: a draw for each would cost as much as the rest of its request. */
const randomBytes = new Uint8Array(ID_BYTES * 256);
let used = randomBytes.length;

/** A UUIDv7: an idempotency key that no other call has. */
export function newRequestId(): string {
  if (used === randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  const random = randomBytes.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  return uuidv7({ random });
}

import { randomUUID } from "node:crypto";

/** A name that no request had before. Not from the seed: a host outlives the run, and remembers ids. */
export function newRequestId(): string {
  return randomUUID();
}

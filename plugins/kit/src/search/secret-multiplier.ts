import { randomBytes } from "node:crypto";

/** Odd, and unknown to whoever chooses words and keys: nobody can make them all fall on one place of a table. */
export const SECRET_MULTIPLIER = randomBytes(4).readUInt32LE() | 1;

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json, StoreEntry } from "../src/index.js";

const FOLDER = fileURLToPath(new URL("../vectors/records/", import.meta.url));

export interface GoldenRecord {
  readonly name: string;
  readonly entry: StoreEntry & { readonly key: { readonly [name: string]: Json } };
  /** Of one that is no record of its kind. */
  readonly error?: { readonly path: string; readonly reason: string };
  /** False where JSON Schema cannot state the rule that is broken. */
  readonly schema?: boolean;
  /** Of a head: the content that the parts in `part.json` hold. */
  readonly joined?: Json;
}

/** The golden records of each file, by its name: the kinds, and `head` and `part`. */
export const GOLDEN_RECORDS = new Map(
  readdirSync(FOLDER).map((file) => [
    file.replace(/\.json$/, ""),
    JSON.parse(readFileSync(FOLDER + file, "utf8")) as readonly GoldenRecord[],
  ]),
);

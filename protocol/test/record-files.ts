import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json, StoreEntry } from "../src/index.js";

const FOLDER = fileURLToPath(new URL("../vectors/records/", import.meta.url));

export interface GoldenRecord {
  readonly name: string;
  readonly entry: StoreEntry & { readonly key: { readonly [name: string]: Json } };
  /** Expected problem of an invalid record. */
  readonly error?: { readonly path: string; readonly reason: string };
  /** False if JSON Schema cannot express the violated rule. */
  readonly schema?: boolean;
  /** For a head: the joined content of the parts in `part.json`. */
  readonly joined?: Json;
}

/** Golden records by file name: the kinds, `head` and `part`. */
export const GOLDEN_RECORDS = new Map(
  readdirSync(FOLDER).map((file) => [
    file.replace(/\.json$/, ""),
    JSON.parse(readFileSync(FOLDER + file, "utf8")) as readonly GoldenRecord[],
  ]),
);

import { readFile } from "node:fs/promises";
import { MemoryError } from "@membus/protocol";
import { lazy } from "../lazy.js";
import { parseVocabulary, type Vocabulary } from "./vocabulary.js";

export const TABLE_ID = "static-minilm-v1";
/** Number of components of one row. */
export const TABLE_DIMENSIONS = 256;

export interface TokenTable {
  readonly vocabulary: Vocabulary;
  /** Rows of `TABLE_DIMENSIONS` components per token. */
  readonly rows: Int8Array;
  /** Scale factor per token. The vector of a token is its row times this factor. */
  readonly scales: Float32Array;
}

// The folder is next to src and dist, so the same path works from both.
const TABLE_URL = new URL(`../../${TABLE_ID}/`, import.meta.url);

/**
 * Loads the table of this package, once per process and shared: 8 MB.
 * @throws {MemoryError} `unavailable` if its files cannot be read or do not match each other.
 */
export const loadTokenTable: () => Promise<TokenTable> = lazy(async () => {
  try {
    return await readTokenTable(TABLE_URL);
  } catch (cause) {
    throw new MemoryError("unavailable", `cannot load the token table ${TABLE_ID}`, {}, { cause });
  }
});

async function readTokenTable(folder: URL): Promise<TokenTable> {
  const [rows, scales, lines] = await Promise.all([
    readFile(new URL("vectors.int8", folder)),
    readFile(new URL("scales.f32", folder)),
    readFile(new URL("vocab.txt", folder), "utf8"),
  ]);
  const vocabulary = parseVocabulary(lines);
  if (rows.length !== vocabulary.size * TABLE_DIMENSIONS || scales.length !== vocabulary.size * 4) {
    throw new RangeError(
      `files do not match: ${vocabulary.size} tokens, ${rows.length} components, ${scales.length} scale bytes`,
    );
  }
  return {
    vocabulary,
    rows: new Int8Array(rows.buffer, rows.byteOffset, rows.length),
    scales: new Float32Array(new Uint8Array(scales).buffer),
  };
}

import { readFile } from "node:fs/promises";
import { MemoryError } from "@membus/protocol";
import { lazy } from "../lazy.js";
import { parseVocabulary, type Vocabulary } from "./vocabulary.js";

export const TABLE_ID = "static-minilm-v1";
/** Components of one row. */
export const TABLE_DIMENSIONS = 256;

export interface TokenTable {
  readonly vocabulary: Vocabulary;
  /** Row-major, `TABLE_DIMENSIONS` components a token. */
  readonly rows: Int8Array;
  /** One a token: its vector is its row times this. */
  readonly scales: Float32Array;
}

// The folder lies beside src and dist, so the same path leads to it from both.
const TABLE_URL = new URL(`../../${TABLE_ID}/`, import.meta.url);

/**
 * The table that comes with this package, read once a process and shared: 8 MB.
 * @throws {MemoryError} `unavailable` when its files cannot be read or do not fit together.
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
      `${vocabulary.size} tokens, ${rows.length} components, ${scales.length} scale bytes`,
    );
  }
  return {
    vocabulary,
    rows: new Int8Array(rows.buffer, rows.byteOffset, rows.length),
    scales: new Float32Array(new Uint8Array(scales).buffer),
  };
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { toUnitVector } from "../unit-vector.js";
import { loadTokenTable, TABLE_DIMENSIONS, TABLE_ID, type TokenTable } from "./token-table.js";
import { tokenIds } from "./vocabulary.js";

export const StaticEmbedderOptionsSchema = optionSet({
  /** Number of vector components. The first 128 rank about as well as all 256. */
  dimensions: option.integer(1, TABLE_DIMENSIONS).default(128),
});

export interface StaticEmbedderOptions extends OptionsOf<typeof StaticEmbedderOptionsSchema> {}

export const STATIC_EMBEDDER_DEFAULTS: ResolvedOptionsOf<typeof StaticEmbedderOptionsSchema> = parseOptions(
  StaticEmbedderOptionsSchema,
  {},
);

export interface StaticEmbedderDependencies {
  /** Returns whether a text is certainly in another language than English. By default no text is. */
  isOtherLanguage?(text: string): boolean;
}

/** Matches letters that the table has no words for, only single characters without a meaning. */
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}]+/gu;

/** Characters embedded before other work gets a turn, which takes a few milliseconds. */
const TURN_CHARACTERS = 64 * 1024;
/** Number of components added per iteration. Divides the number of components in the table. */
const TOGETHER = 4;

/**
 * Creates an offline embedder for English. A vector is the sum of fixed token vectors, scaled to length 1.
 * Documents and queries are embedded alike. A text without a known token has no vector, and neither has a text
 * in another language: the vectors of its fragments would make unrelated texts similar. Letters of other
 * scripts do not count.
 *
 * The token table (8 MB, shared by all embedders of the process) is read at the first call of `embed`.
 * `embed` rejects with `unavailable` if the table cannot be read, and with the signal's reason when aborted.
 * Later calls do not wait, but yield to other work between texts if there are many.
 * @throws {TypeError} For an unknown option or a value out of range.
 */
export function createStaticEmbedder(
  input: StaticEmbedderOptions = {},
  { isOtherLanguage = () => false }: StaticEmbedderDependencies = {},
): Embedder {
  const { dimensions } = parseOptions(StaticEmbedderOptionsSchema, input);
  return Object.freeze<Embedder>({
    id: `${TABLE_ID}/${dimensions}`,
    dimensions,
    async embed(texts, _kind, { signal } = {}) {
      const table = await loadTokenTable();
      const vectors: (Float32Array | null)[] = [];
      let characters = 0;
      for (const text of texts) {
        signal?.throwIfAborted();
        vectors.push(isOtherLanguage(text) ? null : embedText(text, table, dimensions));
        characters += text.length;
        if (characters < TURN_CHARACTERS) continue;
        await nextTurn();
        characters = 0;
      }
      return vectors;
    },
  });
}

function embedText(text: string, table: TokenTable, dimensions: number): Float32Array | null {
  return toUnitVector(
    sumRows(tokenIds(text.replace(OTHER_SCRIPT, " "), table.vocabulary), table, dimensions),
  );
}

/**
 * Returns the sum of the tokens' vectors. Adds four components of all tokens at a time, because adding token
 * by token takes three times as long.
 */
function sumRows(ids: readonly number[], { rows, scales }: TokenTable, dimensions: number): Float32Array {
  const sum = new Float32Array(Math.ceil(dimensions / TOGETHER) * TOGETHER);
  for (let at = 0; at < sum.length; at += TOGETHER) {
    let first = 0;
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (const id of ids) {
      const scale = scales[id]!;
      const row = id * TABLE_DIMENSIONS + at;
      first += rows[row]! * scale;
      second += rows[row + 1]! * scale;
      third += rows[row + 2]! * scale;
      fourth += rows[row + 3]! * scale;
    }
    sum[at] = first;
    sum[at + 1] = second;
    sum[at + 2] = third;
    sum[at + 3] = fourth;
  }
  return sum.slice(0, dimensions);
}

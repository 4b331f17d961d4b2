import { setImmediate as nextTurn } from "node:timers/promises";
import { type Embedder, integerOption, resolveOptions } from "@membus/protocol";
import { toUnitVector } from "../unit-vector.js";
import { loadTokenTable, TABLE_DIMENSIONS, TABLE_ID, type TokenTable } from "./token-table.js";
import { tokenIds } from "./vocabulary.js";

export interface StaticEmbedderOptions {
  /**
   * Components of a vector, integer 1..256. The first 128 rank about as well as all 256.
   * @default 128
   */
  readonly dimensions?: number;
}

export const STATIC_EMBEDDER_DEFAULTS: Readonly<Required<StaticEmbedderOptions>> = Object.freeze({
  dimensions: 128,
});

/** Characters embedded before other work gets a turn: a few milliseconds. */
const TURN_CHARACTERS = 64 * 1024;

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveStaticEmbedderOptions(
  input: StaticEmbedderOptions = {},
): Readonly<Required<StaticEmbedderOptions>> {
  return resolveOptions<Required<StaticEmbedderOptions>>(input, STATIC_EMBEDDER_DEFAULTS, {
    dimensions: integerOption(1, TABLE_DIMENSIONS),
  });
}

/**
 * An offline embedder for English: the sum of fixed token vectors, scaled to length 1. Documents and queries
 * are embedded alike. A text without any known token has no vector.
 *
 * The token table (8 MB, shared by all embedders of the process) is read at the first call of `embed`, which
 * rejects with `unavailable` when it cannot be read, and with the signal's reason once that is aborted. Later
 * calls resolve without waiting for anything, but let other work run between texts when there is much of it.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function createStaticEmbedder(input: StaticEmbedderOptions = {}): Embedder {
  const { dimensions } = resolveStaticEmbedderOptions(input);
  return Object.freeze<Embedder>({
    id: `${TABLE_ID}/${dimensions}`,
    dimensions,
    async embed(texts, _kind, { signal } = {}) {
      const table = await loadTokenTable();
      const vectors: (Float32Array | null)[] = [];
      let characters = 0;
      for (const text of texts) {
        signal?.throwIfAborted();
        vectors.push(embedText(text, table, dimensions));
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
  const sum = new Float32Array(dimensions);
  for (const id of tokenIds(text, table.vocabulary)) {
    const row = id * TABLE_DIMENSIONS;
    const scale = table.scales[id]!;
    for (let i = 0; i < dimensions; i++) sum[i]! += table.rows[row + i]! * scale;
  }
  return toUnitVector(sum);
}

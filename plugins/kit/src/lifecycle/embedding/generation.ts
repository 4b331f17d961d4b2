import { join } from "node:path";
import { replaceFile } from "@membus/disk";
import type { Logger } from "@membus/protocol/plugin";
import { readMarkerFile } from "../../journal/index.js";
import type { Row } from "../../row.js";
import type { GenerationIds } from "../../storage.js";

/**
 * Returns whether a row must be rewritten for a generation. Without an embedder, vectors stay unchanged, and
 * so do rows with a vector. Their terms are recomputed at each load.
 */
export function isOutdated(
  row: Pick<Row, "analyzer" | "embedder">,
  { analyzer, embedder }: GenerationIds,
): boolean {
  if (embedder === undefined) return row.analyzer !== analyzer && row.embedder === "";
  return row.analyzer !== analyzer || row.embedder !== embedder;
}

/** Analyzer and embedder of the rows in a tier's directory. */
export interface GenerationMarker {
  /** Number of generations so far, including this one. */
  readonly generation: number;
  readonly analyzer: string;
  /** "" for none. */
  readonly embedder: string;
  /** False while rows of another generation may exist. */
  readonly done: boolean;
}

const FILE_NAME = "generation.json";

/**
 * Reads the marker of a directory. For a new directory or an unreadable file, it names no generation, so all
 * rows are checked.
 */
export async function readGenerationMarker(directory: string, logger: Logger): Promise<GenerationMarker> {
  const marker = await readMarkerFile<GenerationMarker>(join(directory, FILE_NAME), logger, isMarker);
  return marker ?? { generation: 0, analyzer: "", embedder: "", done: false };
}

function isMarker({ generation, analyzer, embedder, done }: Partial<GenerationMarker>): boolean {
  const hasTexts = typeof analyzer === "string" && typeof embedder === "string";
  return Number.isSafeInteger(generation) && hasTexts && typeof done === "boolean";
}

export async function writeGenerationMarker(directory: string, marker: GenerationMarker): Promise<void> {
  await replaceFile(join(directory, FILE_NAME), JSON.stringify(marker));
}

import { join } from "node:path";
import { readText, replaceFile } from "@membus/disk";
import type { Row } from "../../row.js";
import type { GenerationIds } from "../../storage.js";

/**
 * Whether a row has to be written anew for a generation. Without an embedder vectors stay as they are, and so does the
 * row that has one: its terms are made anew whenever it is loaded.
 */
export function isOutdated(
  row: Pick<Row, "analyzer" | "embedder">,
  { analyzer, embedder }: GenerationIds,
): boolean {
  if (embedder === undefined) return row.analyzer !== analyzer && row.embedder === "";
  return row.analyzer !== analyzer || row.embedder !== embedder;
}

/** Whose terms and vectors the rows of a tier's directory have. */
export interface GenerationMarker {
  /** How many there have been, this one included. */
  readonly generation: number;
  readonly analyzer: string;
  /** "" for none. */
  readonly embedder: string;
  /** False while there may be rows of another. */
  readonly done: boolean;
}

const FILE_NAME = "generation.json";

/** The marker of a directory; of a new one, and of one that an earlier version wrote, it names nothing. */
export async function readGenerationMarker(directory: string): Promise<GenerationMarker> {
  const text = await readText(join(directory, FILE_NAME));
  if (text === undefined) return { generation: 0, analyzer: "", embedder: "", done: false };
  return JSON.parse(text) as GenerationMarker;
}

export async function writeGenerationMarker(directory: string, marker: GenerationMarker): Promise<void> {
  await replaceFile(join(directory, FILE_NAME), JSON.stringify(marker));
}

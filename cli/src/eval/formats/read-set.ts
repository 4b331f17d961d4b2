import { type EvaluationSet, readEvaluationSet } from "../evaluation-set.js";
import { readBeamSet } from "./beam.js";
import { readLocomoSet } from "./locomo.js";
import { readLongMemEvalSet } from "./longmemeval.js";

/** File formats of evaluation sets. "membus" is a folder with docs.jsonl and queries.jsonl. */
export const SET_FORMATS = ["membus", "beam", "longmemeval", "locomo"] as const;
export type SetFormat = (typeof SET_FORMATS)[number];

/** Reads and validates a set. @throws {TypeError} with the file and the place of the first mistake. */
export async function readSet(path: string, format: SetFormat): Promise<EvaluationSet> {
  switch (format) {
    case "membus":
      return readEvaluationSet(path);
    case "beam":
      return readBeamSet(path);
    case "longmemeval":
      return readLongMemEvalSet(path);
    case "locomo":
      return readLocomoSet(path);
  }
}

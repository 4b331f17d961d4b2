import { z } from "zod";
import type { QuestionResult } from "./evaluation-report.js";
import { SET_LIMITS } from "./evaluation-set.js";
import { readJsonFile } from "./json-lines.js";

const BaselineSchema = z.object({
  questions: z
    .array(
      z.object({
        id: z.string(),
        type: z.string(),
        ranks: z.array(z.int().min(1).nullable()).min(1).max(SET_LIMITS.gold),
      }),
    )
    .max(SET_LIMITS.queries),
});

/**
 * Reads the questions of an earlier run from its JSON report.
 * @throws {TypeError} if the file is not such a report.
 */
export async function readBaseline(path: string): Promise<readonly QuestionResult[]> {
  return (await readJsonFile(path, BaselineSchema)).questions;
}

import { z } from "zod";
import { checkedSet, type EvaluationSet, type NewDocument, type NewQuery } from "../evaluation-set.js";
import { checkValue, readJsonFile } from "../json-lines.js";

/** Types by the number of the category. An adversarial question has no answer. */
const TYPES = new Map([
  [1, "multi-hop"],
  [2, "temporal"],
  [3, "open-domain"],
  [4, "single-hop"],
  [5, "adversarial"],
]);

const TurnsSchema = z.array(
  z.object({
    dia_id: z.string(),
    speaker: z.string(),
    text: z.string(),
    blip_caption: z.string().nullish(),
  }),
);
const SamplesSchema = z.array(
  z.object({
    sample_id: z.union([z.string(), z.number()]).transform(String),
    conversation: z.record(z.string(), z.unknown()),
    qa: z.array(
      z.object({
        question: z.string(),
        category: z.int(),
        evidence: z.array(z.string()).nullish(),
      }),
    ),
  }),
);

type Sample = z.infer<typeof SamplesSchema>[number];

/**
 * Reads LoCoMo's JSON file. Each turn is a document with its speaker, its picture's caption and the date of
 * its session. Evidence that names no turn is ignored. Questions without evidence are not scored, and
 * adversarial questions only with `--all`.
 * @throws {TypeError} for a file that is missing or invalid.
 */
export async function readLocomoSet(path: string): Promise<EvaluationSet> {
  const samples = await readJsonFile(path, SamplesSchema);
  const documents: NewDocument[] = [];
  const queries: NewQuery[] = [];
  for (const sample of samples) {
    const turns = sampleTurns(sample, path);
    documents.push(...turns);
    queries.push(...sampleQueries(sample, new Set(turns.map(({ id }) => id))));
  }
  return checkedSet(documents, queries, path);
}

function sampleTurns({ sample_id: conv, conversation }: Sample, path: string): NewDocument[] {
  const sessions = Object.keys(conversation)
    .flatMap((name) => /^session_(\d{1,6})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  return sessions.flatMap((session) => {
    const place = `${path}: ${conv}: session_${session}`;
    const turns = checkValue(conversation[`session_${session}`], TurnsSchema, place);
    const date = conversation[`session_${session}_date_time`];
    return turns.map(({ dia_id: id, speaker, text, blip_caption: caption }) => ({
      ...{ id: `${conv}/${id}`, conv, session, speaker, text, caption },
      date: typeof date === "string" ? date : undefined,
    }));
  });
}

function sampleQueries({ sample_id: conv, qa }: Sample, turnIds: ReadonlySet<string>): NewQuery[] {
  return qa.map(({ question, category, evidence }, index) => ({
    id: `${conv}/q${index}`,
    conv,
    type: TYPES.get(category) ?? `category ${category}`,
    question,
    gold: evidenceIds(evidence ?? [])
      .map((id) => `${conv}/${id}`)
      .filter((id) => turnIds.has(id)),
    main: category !== 5,
  }));
}

/** Returns turn ids. Some evidence holds several ids in one text, a colon too many, or a leading zero. */
function evidenceIds(evidence: readonly string[]): string[] {
  const ids = evidence.flatMap((text) =>
    [...text.matchAll(/D:?(\d{1,6}):(\d{1,6})/g)].map(
      ([, session, turn]) => `D${Number(session)}:${Number(turn)}`,
    ),
  );
  return [...new Set(ids)];
}

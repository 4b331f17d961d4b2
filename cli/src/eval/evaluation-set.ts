import { join } from "node:path";
import { LIMITS } from "@membus/protocol";
import { z } from "zod";
import { type Line, readJsonLines } from "./json-lines.js";

/** Limits of an evaluation set. */
export const SET_LIMITS = Object.freeze({
  documents: 200_000,
  queries: 50_000,
  gold: 1_000,
  nameLength: 512,
});

const name = z.string().min(1).max(SET_LIMITS.nameLength);

/** A document. Unknown fields are ignored. */
const DocumentSchema = z.object({
  id: name,
  conv: name.nullish(),
  session: z.union([name, z.number()]).nullish(),
  date: z.union([z.string(), z.number()]).nullish(),
  speaker: z.string().nullish(),
  text: z.string(),
  caption: z.string().nullish(),
});

/** A question and the documents that answer it. Unknown fields are ignored. */
const QuerySchema = z.object({
  id: name,
  conv: name.nullish(),
  type: name.default("untyped"),
  question: z.string().min(1).max(LIMITS.queryLength),
  gold: z.array(name).max(SET_LIMITS.gold),
  main: z.boolean().default(true),
});

export type EvaluationDocument = Line<z.infer<typeof DocumentSchema>>;
export type EvaluationQuery = Line<z.infer<typeof QuerySchema>>;

/** Documents in file order, and questions about them. */
export interface EvaluationSet {
  readonly documents: readonly EvaluationDocument[];
  readonly queries: readonly EvaluationQuery[];
}

/**
 * Reads `docs.jsonl` and `queries.jsonl` of a folder.
 * @throws {TypeError} with file and line, for a duplicate id or a question without gold documents. Also for gold
 * documents that do not exist or belong to another `conv`.
 */
export async function readEvaluationSet(directory: string): Promise<EvaluationSet> {
  const documentsPath = join(directory, "docs.jsonl");
  const queriesPath = join(directory, "queries.jsonl");
  const documents = await readJsonLines(documentsPath, DocumentSchema, SET_LIMITS.documents);
  const queries = await readJsonLines(queriesPath, QuerySchema, SET_LIMITS.queries);
  if (documents.length === 0) throw new TypeError(`${documentsPath} has no documents`);
  const documentsById = byId(documents, documentsPath);
  byId(queries, queriesPath);
  for (const query of queries) checkGold(query, documentsById, `${queriesPath}:${query.line}`);
  return { documents, queries };
}

function byId<T extends { readonly id: string; readonly line: number }>(
  lines: readonly T[],
  path: string,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const line of lines) {
    const earlier = found.get(line.id);
    if (earlier !== undefined)
      throw new TypeError(`${path}:${line.line}: duplicate id ${line.id}, also in line ${earlier.line}`);
    found.set(line.id, line);
  }
  return found;
}

function checkGold(
  { gold, conv, main }: EvaluationQuery,
  documents: ReadonlyMap<string, EvaluationDocument>,
  place: string,
): void {
  if (gold.length === 0 && main)
    throw new TypeError(`${place}: \`gold\` is empty: name at least one document`);
  if (new Set(gold).size < gold.length) throw new TypeError(`${place}: \`gold\` contains a document twice`);
  for (const id of gold) {
    const document = documents.get(id);
    if (document === undefined) throw new TypeError(`${place}: \`gold\`: document ${id} does not exist`);
    if (conv != null && document.conv !== conv)
      throw new TypeError(`${place}: \`gold\`: document ${id} does not belong to conv ${conv}`);
  }
}

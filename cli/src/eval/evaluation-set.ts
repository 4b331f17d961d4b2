import { join } from "node:path";
import { LIMITS } from "@membus/protocol";
import { z } from "zod";
import { checkValue, type Line, readJsonLines } from "./json-lines.js";

/** Limits of an evaluation set. */
export const SET_LIMITS = Object.freeze({
  documents: 500_000,
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

/** A document or query of another file format, before it has a number. */
export type NewDocument = z.input<typeof DocumentSchema>;
export type NewQuery = z.input<typeof QuerySchema>;

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
  const unanswerable = queries.find(({ gold, main }) => gold.length === 0 && main);
  if (unanswerable !== undefined)
    throw new TypeError(`${queriesPath}:${unanswerable.line}: \`gold\` is empty: name at least one document`);
  checkIds(documents, queries, {
    document: ({ line }) => `${documentsPath}:${line}`,
    query: ({ line }) => `${queriesPath}:${line}`,
  });
  return { documents, queries };
}

/**
 * Validates the documents and queries that another file format contains, and numbers them. Queries without
 * gold documents are kept, but not scored.
 * @throws {TypeError} with the path and the id of the first mistake.
 */
export function checkedSet(
  documents: readonly NewDocument[],
  queries: readonly NewQuery[],
  path: string,
): EvaluationSet {
  if (documents.length === 0) throw new TypeError(`${path} has no documents`);
  if (documents.length > SET_LIMITS.documents)
    throw new TypeError(`${path} has ${documents.length} documents, the limit is ${SET_LIMITS.documents}`);
  if (queries.length > SET_LIMITS.queries)
    throw new TypeError(`${path} has ${queries.length} questions, the limit is ${SET_LIMITS.queries}`);
  const place = ({ id }: { readonly id: string }) => `${path}: ${id}`;
  const numbered = <T extends object>(items: readonly { readonly id: string }[], schema: z.ZodType<T>) =>
    items.map((item, index) => ({ ...checkValue(item, schema, place(item)), line: index + 1 }));
  const set = {
    documents: numbered(documents, DocumentSchema),
    queries: numbered(queries, QuerySchema),
  };
  checkIds(set.documents, set.queries, { document: place, query: place });
  return set;
}

/** Return the file and the line, or another place, for an error message. */
interface Places {
  document(document: EvaluationDocument): string;
  query(query: EvaluationQuery): string;
}

function checkIds(
  documents: readonly EvaluationDocument[],
  queries: readonly EvaluationQuery[],
  places: Places,
): void {
  const documentsById = byId(documents, places.document);
  byId(queries, places.query);
  for (const query of queries) checkGold(query, documentsById, places.query(query));
}

function byId<T extends { readonly id: string; readonly line: number }>(
  items: readonly T[],
  placeOf: (item: T) => string,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const item of items) {
    const earlier = found.get(item.id);
    if (earlier !== undefined)
      throw new TypeError(`${placeOf(item)}: duplicate id ${item.id}, also at ${placeOf(earlier)}`);
    found.set(item.id, item);
  }
  return found;
}

function checkGold(
  { gold, conv }: EvaluationQuery,
  documents: ReadonlyMap<string, EvaluationDocument>,
  place: string,
): void {
  if (new Set(gold).size < gold.length) throw new TypeError(`${place}: \`gold\` contains a document twice`);
  for (const id of gold) {
    const document = documents.get(id);
    if (document === undefined) throw new TypeError(`${place}: \`gold\`: document ${id} does not exist`);
    if (conv != null && document.conv !== conv)
      throw new TypeError(`${place}: \`gold\`: document ${id} does not belong to conv ${conv}`);
  }
}

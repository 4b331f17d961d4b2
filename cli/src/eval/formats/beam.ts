import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { checkedSet, type EvaluationSet, type NewDocument, type NewQuery } from "../evaluation-set.js";
import { readJsonFile } from "../json-lines.js";

const CHAT_FILE = "chat.json";
const QUESTIONS_FILE = join("probing_questions", "probing_questions.json");
/** Levels of folders that are searched for conversations, and the maximum number of these. */
const FOLDER_DEPTH = 3;
const CHAT_COUNT_MAX = 1_000;

const MessageSchema = z.object({
  id: z.int(),
  role: z.string(),
  content: z.string(),
  time_anchor: z.string().nullish(),
});
const ChatSchema = z.array(
  z.object({ batch_number: z.int().optional(), turns: z.array(z.array(MessageSchema)) }),
);

type SourceIds = string | number | null | readonly SourceIds[] | { readonly [name: string]: SourceIds };
const SourceIdsSchema: z.ZodType<SourceIds> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.null(),
    z.array(SourceIdsSchema),
    z.record(z.string(), SourceIdsSchema),
  ]),
);
const QuestionsSchema = z.record(
  z.string(),
  z.array(z.object({ question: z.string().min(1), source_chat_ids: SourceIdsSchema.optional() })),
);

/**
 * Reads BEAM's folders: one per conversation, with chat.json and probing_questions/probing_questions.json.
 * `path` is such a folder or one that contains them. A batch is a session. Its date is the last time anchor
 * at or before its first message. Questions without `source_chat_ids`, such as abstention, are not scored.
 * @throws {TypeError} for a missing or invalid file, or without any conversation.
 */
export async function readBeamSet(path: string): Promise<EvaluationSet> {
  const folders = await chatFolders(path, FOLDER_DEPTH);
  if (folders.length === 0) throw new TypeError(`${path} contains no folder with ${CHAT_FILE}`);
  if (folders.length > CHAT_COUNT_MAX)
    throw new TypeError(`${path} has ${folders.length} conversations, the limit is ${CHAT_COUNT_MAX}`);
  const documents: NewDocument[] = [];
  const queries: NewQuery[] = [];
  for (const folder of folders) {
    const conv = folder === path ? basename(resolve(path)) : folder.slice(path.length).replace(/^[/\\]+/, "");
    const chat = await readJsonFile(join(folder, CHAT_FILE), ChatSchema);
    const questions = await readJsonFile(join(folder, QUESTIONS_FILE), QuestionsSchema);
    documents.push(...chatDocuments(chat, conv));
    queries.push(...chatQueries(questions, conv));
  }
  return checkedSet(documents, queries, path);
}

/** Returns the folders with a chat.json, in the order of their numbers. */
async function chatFolders(path: string, depth: number): Promise<string[]> {
  if ((await stat(join(path, CHAT_FILE)).catch(() => undefined)) !== undefined) return [path];
  if (depth === 0) return [];
  const entries = await readdir(path, { withFileTypes: true }).catch((error: Error) => {
    throw new TypeError(`cannot read ${path}: ${error.message}`, { cause: error });
  });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const found: string[] = [];
  for (const name of names) found.push(...(await chatFolders(join(path, name), depth - 1)));
  return found;
}

function chatDocuments(chat: z.infer<typeof ChatSchema>, conv: string): NewDocument[] {
  let date: string | undefined;
  return chat.flatMap(({ batch_number: number, turns }, index) => {
    const messages = turns.flat();
    date = messages[0]?.time_anchor ?? date;
    const common = { conv, session: number ?? index + 1, date };
    return messages.map(({ id, role, content }) => ({
      ...common,
      id: messageId(conv, id),
      speaker: role,
      text: content,
    }));
  });
}

function chatQueries(questions: z.infer<typeof QuestionsSchema>, conv: string): NewQuery[] {
  return Object.entries(questions).flatMap(([type, list]) =>
    list.map(({ question, source_chat_ids: sources = null }, index) => ({
      id: `${conv}/${type}/${index}`,
      conv,
      type,
      question,
      gold: [...new Set(numbersIn(sources))].map((id) => messageId(conv, id)),
    })),
  );
}

/** Returns all numbers of a list, or of an object with one list per role of the evidence. */
function numbersIn(sources: SourceIds): number[] {
  if (sources === null) return [];
  if (typeof sources === "object") return Object.values(sources).flatMap(numbersIn);
  return String(sources).trim() !== "" && Number.isInteger(Number(sources)) ? [Number(sources)] : [];
}

function messageId(conv: string, id: number): string {
  return `${conv}/${id}`;
}

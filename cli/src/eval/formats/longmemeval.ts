import { z } from "zod";
import { checkedSet, type EvaluationSet, type NewDocument, type NewQuery } from "../evaluation-set.js";
import { readJsonFile } from "../json-lines.js";

const TurnSchema = z.object({
  role: z.string(),
  content: z.string(),
  has_answer: z.boolean().nullish(),
});
const InstancesSchema = z.array(
  z.object({
    question_id: z.string(),
    question_type: z.string(),
    question: z.string(),
    haystack_session_ids: z.array(z.string()),
    haystack_dates: z.array(z.string()),
    haystack_sessions: z.array(z.array(TurnSchema)),
    answer_session_ids: z.array(z.string()),
  }),
);

type Instance = z.infer<typeof InstancesSchema>[number];

/**
 * Reads LongMemEval's JSON file. Each question has a separate conversation, its haystack, and each turn is a
 * document. The evidence of a session of `answer_session_ids` is its turns with `has_answer`, or all its
 * turns if none is marked. Abstention questions (their ids end with `_abs`) are not scored.
 * @throws {TypeError} for a file that is missing, invalid or larger than 400 MiB.
 */
export async function readLongMemEvalSet(path: string): Promise<EvaluationSet> {
  const instances = await readJsonFile(path, InstancesSchema);
  const documents: NewDocument[] = [];
  const queries: NewQuery[] = [];
  for (const instance of instances) {
    checkLengths(instance, path);
    const turns = haystackTurns(instance);
    documents.push(...turns.map(({ document }) => document));
    queries.push(haystackQuery(instance, turns));
  }
  return checkedSet(documents, queries, path);
}

function checkLengths(instance: Instance, path: string): void {
  const { haystack_sessions: sessions, haystack_session_ids: ids, haystack_dates: dates } = instance;
  if (ids.length === sessions.length && dates.length === sessions.length) return;
  throw new TypeError(
    `${path}: question ${instance.question_id}: ${sessions.length} haystack_sessions, but ${ids.length} haystack_session_ids and ${dates.length} haystack_dates`,
  );
}

interface HaystackTurn {
  readonly document: NewDocument;
  readonly sessionId: string;
  readonly hasAnswer: boolean;
}

function haystackTurns(instance: Instance): HaystackTurn[] {
  const { question_id: conv, haystack_session_ids: ids, haystack_dates: dates } = instance;
  return instance.haystack_sessions.flatMap((turns, index) => {
    const sessionId = ids[index]!;
    // A haystack may contain a session twice, so its position is part of the name.
    const session = `${index + 1}:${sessionId}`;
    return turns.map(({ role, content, has_answer: hasAnswer }, turn) => ({
      document: {
        ...{ conv, session, date: dates[index]!, speaker: role, text: content },
        id: `${conv}/${session}/${turn + 1}`,
      },
      sessionId,
      hasAnswer: hasAnswer === true,
    }));
  });
}

function haystackQuery(instance: Instance, turns: readonly HaystackTurn[]): NewQuery {
  const { question_id: id, question_type: type, question, answer_session_ids: answers } = instance;
  const isAbstention = id.endsWith("_abs");
  const gold = answers.flatMap((answer) => {
    const session = turns.filter(({ sessionId }) => sessionId === answer);
    const marked = session.filter(({ hasAnswer }) => hasAnswer);
    return (marked.length > 0 ? marked : session).map(({ document }) => document.id);
  });
  return { id, conv: id, type, question, gold: isAbstention ? [] : [...new Set(gold)] };
}

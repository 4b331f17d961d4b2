import { documentText } from "./document-entries.js";
import type { EvaluationDocument, EvaluationSet } from "./evaluation-set.js";

/**
 * Returns a set with one document per session. Its text contains the session's documents, one per line,
 * and its date is the first one. Documents without a session are kept. The gold documents of a question are the
 * sessions that contain them.
 */
export function sessionDocuments({ documents, queries }: EvaluationSet): EvaluationSet {
  const sessions = new Map<string, EvaluationDocument[]>();
  const sessionIds = new Map<string, string>();
  for (const document of documents) {
    const { id, conv, session } = document;
    const name = session == null ? JSON.stringify({ id }) : JSON.stringify({ conv, session });
    const members = sessions.get(name) ?? [];
    members.push(document);
    sessions.set(name, members);
    sessionIds.set(id, members[0]!.id);
  }
  return {
    documents: [...sessions.values()].map(sessionDocument),
    queries: queries.map((query) => ({
      ...query,
      gold: [...new Set(query.gold.map((id) => sessionIds.get(id)!))],
    })),
  };
}

/** The document of a session has the id and the number of its first one. */
function sessionDocument(members: readonly EvaluationDocument[]): EvaluationDocument {
  const [{ id, line, conv }] = members as [EvaluationDocument];
  const date = members.find((member) => member.date != null)?.date;
  return { id, line, conv, date, text: members.map(documentText).join("\n") };
}

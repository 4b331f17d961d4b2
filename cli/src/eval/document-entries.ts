import type { EntryInput } from "@membus/agent-client";
import type { EvaluationOptions } from "./evaluation-options.js";
import type { EvaluationDocument } from "./evaluation-set.js";
import { parseDate } from "./parse-date.js";

/** Entries for the documents of one `conv`. */
export interface ConversationEntries {
  /** Undefined for documents without a `conv`. */
  readonly conv: string | undefined;
  readonly entries: readonly EntryInput[];
}

export interface DocumentEntries {
  readonly conversations: readonly ConversationEntries[];
  /** Documents with an unparsable `date`. They are stored without it. */
  readonly unreadableDates: readonly EvaluationDocument[];
}

/**
 * Returns the entries of all documents, grouped by `conv`. Keys are line numbers, because words or ids in a
 * key would influence retrieval.
 */
export function documentEntries(
  documents: readonly EvaluationDocument[],
  options: EvaluationOptions,
): DocumentEntries {
  const conversations = new Map<string | undefined, EntryInput[]>();
  const sessions = new Map<string, string[]>();
  const unreadableDates: EvaluationDocument[] = [];
  for (const document of documents) {
    const session = sessionOf(document);
    const earlier = session === undefined ? [] : entryOf(sessions, session, () => []);
    const occurredAt = document.date == null ? undefined : parseDate(document.date);
    if (document.date != null && occurredAt === undefined) unreadableDates.push(document);
    const text = documentText(document);
    entryOf(conversations, document.conv ?? undefined, () => []).push({
      key: { line: document.line },
      content: text,
      tier: options.tier,
      ...(options.groups && session !== undefined && { group: session }),
      ...(options.dates && occurredAt !== undefined && { occurred_at: occurredAt }),
      ...contextField(earlier, options.contextTurns),
    });
    earlier.push(text);
  }
  return {
    conversations: [...conversations].map(([conv, entries]) => ({ conv, entries })),
    unreadableDates: options.dates ? unreadableDates : [],
  };
}

/** `Speaker: text [caption]`. */
export function documentText({ speaker, text, caption }: EvaluationDocument): string {
  return `${speaker ? `${speaker}: ` : ""}${text}${caption ? ` [${caption}]` : ""}`;
}

/** Returns a group name that is unique across conversations, even in a shared namespace. */
function sessionOf({ conv, session }: EvaluationDocument): string | undefined {
  if (session == null) return undefined;
  return conv == null ? `${session}` : `${conv}/${session}`;
}

function contextField(earlier: readonly string[], turns: number): { context?: string } {
  const context = turns === 0 ? [] : earlier.slice(-turns);
  return context.length === 0 ? {} : { context: context.join("\n") };
}

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
}

import type { EntryInput } from "@membus/agent-client";
import { canonicalText, factId, recordEntry, type Trust } from "@membus/protocol/records";
import type { NewWrite } from "../outbox/index.js";
import type { Project } from "../project/index.js";

export type Category = "preference" | "decision" | "fix" | "files";

/** A text to keep. */
export interface Note {
  readonly text: string;
  readonly category: Category;
  /** Origin of the text. Output of tools and of web pages is never trusted as the user's words. */
  readonly trust: Trust;
  /** Whether it holds in all projects of the user. */
  readonly isGlobal?: boolean;
  /** Tool that it comes from. */
  readonly tool?: string | undefined;
}

/** Where and when a note was made. */
export interface Provenance {
  readonly agent: string;
  readonly session: string;
  /** Unix seconds. */
  readonly now: number;
  readonly project: Project;
  /** Tier of the user's statements about a project. Other notes are always in the episodic tier. */
  readonly tier: "episodic" | "semantic";
}

/** Importance of each category, 0..1. */
const IMPORTANCE: Readonly<Record<Category, number>> = {
  preference: 0.9,
  decision: 0.9,
  fix: 0.6,
  files: 0.3,
};

/** Returns the write of a note: a fact (chapter 7) with a key of its text, so that a repetition adds nothing. */
export function toWrite({ text, category, trust, isGlobal = false, tool }: Note, from: Provenance): NewWrite {
  const { agent, session, now, project } = from;
  const subject = isGlobal ? project.user : project.subject;
  const canonical = canonicalText(text);
  const record = recordEntry({
    kind: "fact",
    key: { fact: factId(canonical) },
    content: { text: canonical },
    metadata: {
      about: subject.name,
      trust,
      category,
      valid_from: now,
      agent,
      session,
      ...(tool !== undefined && { tool }),
    },
  });
  const isShared = from.tier === "semantic" && trust === "user" && !isGlobal;
  const entry = {
    ...record,
    tier: isShared ? "semantic" : "episodic",
    source: agent,
    occurred_at: now,
    importance: IMPORTANCE[category],
  };
  return { namespace: subject.namespace, entry: entry as EntryInput };
}

import type { EntryInput } from "@membus/agent-client";
import { TURNS, type Turn } from "./conversation/turns.js";

export function turnsOf(assistant: string): Turn[] {
  return TURNS.filter((turn) => turn.assistant === assistant);
}

/** A turn as an episodic entry: the talk is its group, the turns before it are its context. */
export function turnEntry({ topic, number, speaker, text, tags, saidAt, context }: Turn): EntryInput {
  return {
    key: turnKey({ topic, number }),
    content: { speaker, text },
    tier: "episodic",
    tags: [...tags],
    group: topic,
    context,
    occurred_at: saidAt,
    metadata: { speaker, words: wordCount(text) },
  };
}

export function turnKey({ topic, number }: Pick<Turn, "topic" | "number">) {
  return { talk: topic, turn: number };
}

export function wordCount(text: string): number {
  return text.split(" ").length;
}

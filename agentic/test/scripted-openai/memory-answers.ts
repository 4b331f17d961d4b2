import type { ReceivedChat, ScriptedAnswer } from "./script.js";

/** Returns the name ("facts" or "decisions") and the prompt of a request. */
export function requestOf({ body }: ReceivedChat): { readonly name: string; readonly prompt: string } {
  const prompt = body.messages.map(({ content }) => String(content)).join("\n");
  return { name: body.response_format?.json_schema.name ?? "", prompt };
}

/** Returns an answer with these facts, each from the first message. */
export function foundFacts(...texts: readonly string[]): ScriptedAnswer {
  return { json: { facts: texts.map((text) => ({ text, message: 1, category: null })) } };
}

export interface ScriptedDecision {
  readonly outcome: string;
  /** Text of a known fact in the prompt. */
  readonly about?: string;
  readonly text?: string;
}

/** Returns an answer that decides about the news in order, and names known facts by their text. */
export function decided(request: ReceivedChat, ...decisions: readonly ScriptedDecision[]): ScriptedAnswer {
  const facts = knownFacts(request);
  return {
    json: {
      decisions: decisions.map(({ outcome, about, text }, n) => ({
        news: n + 1,
        outcome,
        fact: about === undefined ? null : (facts.find((fact) => fact.text === about)?.id ?? 999),
        text: text ?? null,
      })),
    },
  };
}

/** Returns the known facts in a question about decisions. */
export function knownFacts(request: ReceivedChat): { readonly id: number; readonly text: string }[] {
  const lines = requestOf(request)
    .prompt.split("\n")
    .filter((line) => line.startsWith('{"fact":'));
  return lines.map((line) => {
    const { fact: id, text } = JSON.parse(line) as { fact: number; text: string };
    return { id, text };
  });
}

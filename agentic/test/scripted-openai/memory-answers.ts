import type { ReceivedChat, ScriptedAnswer } from "./script.js";

/** What a request asks for: "facts" or "decisions", and the text of its prompt. */
export function askedFor({ body }: ReceivedChat): { readonly name: string; readonly prompt: string } {
  const prompt = body.messages.map(({ content }) => String(content)).join("\n");
  return { name: body.response_format?.json_schema.name ?? "", prompt };
}

/** An answer that finds these facts, each in the first message. */
export function foundFacts(...texts: readonly string[]): ScriptedAnswer {
  return { json: { facts: texts.map((text) => ({ text, messages: [1], category: null })) } };
}

export interface ScriptedDecision {
  readonly outcome: string;
  /** The words of a known fact, which the prompt has. */
  readonly about?: string;
  readonly text?: string;
}

/** An answer that decides about the news in their order, naming known facts by what they say. */
export function decided(request: ReceivedChat, ...decisions: readonly ScriptedDecision[]): ScriptedAnswer {
  const facts = knownFacts(request);
  return {
    json: {
      decisions: decisions.map(({ outcome, about, text }, n) => ({
        news: n + 1,
        outcome,
        fact: about === undefined ? null : (facts.find((fact) => fact.text === about)?.id ?? "F999"),
        text: text ?? null,
      })),
    },
  };
}

/** The facts that a question about decisions shows. */
export function knownFacts(request: ReceivedChat): { readonly id: string; readonly text: string }[] {
  const lines = askedFor(request)
    .prompt.split("\n")
    .filter((line) => line.startsWith('{"id":"F'));
  return lines.map((line) => JSON.parse(line) as { id: string; text: string });
}

import type { ReceivedChat, ScriptedAnswer } from "./script.js";

/** Returns the name ("facts" or "decisions") and the prompt of a request, without the turn that demonstrates it. */
export function requestOf({ body }: ReceivedChat): { readonly name: string; readonly prompt: string } {
  const [system, question, answer, ...rest] = body.messages;
  const isDemonstrated = system?.role === "system" && answer?.role === "assistant";
  const messages = isDemonstrated ? [system, ...rest] : [system, question, answer, ...rest];
  const prompt = messages.map((message) => String(message?.content ?? "")).join("\n");
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
  const known = knownFacts(request);
  return {
    json: {
      decisions: decisions.map(({ outcome, about, text }, n) => ({
        news: n + 1,
        outcome,
        fact:
          about === undefined
            ? null
            : (known.find((fact) => fact.text === about && fact.news === n + 1)?.id ?? 999),
        text: text ?? null,
      })),
    },
  };
}

export interface ShownFact {
  /** Number of the news item that it may concern. */
  readonly news: number;
  /** Its number among the known facts of the news item. */
  readonly id: number;
  readonly text: string;
}

/** Returns the known facts in a question about decisions. */
export function knownFacts(request: ReceivedChat): ShownFact[] {
  let item = 0;
  return requestOf(request)
    .prompt.split("\n")
    .filter((line) => /^\{"(news|fact)":/.test(line))
    .flatMap((line) => {
      const { news, fact, text } = JSON.parse(line) as { news?: number; fact?: number; text: string };
      if (fact === undefined) item = news!;
      return fact === undefined ? [] : [{ news: item, id: fact, text }];
    });
}

import {
  decided,
  foundFacts,
  knownFacts,
  type ReceivedChat,
  requestOf,
  type ScriptedAnswer,
} from "../../agentic/test/scripted-openai/index.js";
import { lastOf, wordsOf } from "./request.js";

const ADA = "The user's manager is Ada.";
const GRACE = "The user's manager is Grace.";
const MAILS = "The user likes mails of one line.";

export function assistantScript(request: ReceivedChat): ScriptedAnswer {
  return requestOf(request).name === "" ? converse(request) : learn(request);
}

/** Writes to the manager named by the user, or to the remembered one, which it searches for first. */
function converse(request: ReceivedChat): ScriptedAnswer {
  const { role, text } = lastOf(request);
  if (role === "user" && text.startsWith("Write a mail")) {
    return { calls: [{ name: "search_memory", arguments: { query: "Who is the manager?" } }] };
  }
  const words = wordsOf(request);
  const [, news] = /Write .*(I am \w+)/.exec(words) ?? [];
  const [, named] = /(\w+) is my manager/.exec(words) ?? /manager is (\w+)/.exec(words) ?? [];
  return { text: news === undefined ? "Noted." : `${named}, ${news} today.` };
}

/** Returns facts of the messages, and their relation to known facts. */
function learn(request: ReceivedChat): ScriptedAnswer {
  const { name, prompt } = requestOf(request);
  if (name === "facts") {
    if (prompt.includes("Ada is my manager")) return foundFacts(ADA, MAILS);
    return prompt.includes("Grace is my manager") ? foundFacts(GRACE) : foundFacts();
  }
  const isChanged = knownFacts(request).some(({ text }) => text === ADA);
  return decided(request, isChanged ? { outcome: "superseded", about: ADA } : { outcome: "new" });
}

import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { lastOf, wordsOf } from "./request.js";

/** Calls the tool for the price of the city, reports it, and remembers earlier messages. */
export function agentsSessionScript(request: ReceivedChat): ScriptedAnswer {
  const { role, text } = lastOf(request);
  if (role === "tool") return { text: `${text} euros.` };
  const [, city] = /to (Rome|Oslo)\?/.exec(text) ?? [];
  if (city !== undefined) return { calls: [{ name: "price_of_trip", arguments: { city } }] };
  const [, name] = /I am (\w+)/.exec(wordsOf(request)) ?? [];
  return { text: text === "Who am I?" ? `You are ${name}.` : "For the one that you make alone." };
}

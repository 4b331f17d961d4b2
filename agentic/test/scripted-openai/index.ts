export { decided, foundFacts, knownFacts, requestOf, type ScriptedDecision } from "./memory-answers.js";
export type { ReceivedChat, Script, ScriptedAnswer, ScriptedMessage, ScriptedReply } from "./script.js";
export { ScriptedOpenAi } from "./scripted-openai.js";

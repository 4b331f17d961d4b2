export type { ReceivedChat, Script, ScriptedAnswer, ScriptedMessage, ScriptedReply } from "./script.js";
export { ScriptedOpenAi } from "./scripted-openai.js";

import { type Script, ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";
import { agentsSessionScript } from "./agents-session.js";
import { aiSdkScript } from "./ai-sdk.js";
import { assistantScript } from "./assistant.js";
import { codingAgentScript } from "./coding-agent.js";
import { langchainScript } from "./langchain.js";
import { langgraphScript } from "./langgraph.js";
import { longTaskScript } from "./long-task.js";
import { memoryToolScript } from "./memory-tool.js";
import { teamScript } from "./team.js";

const SCRIPTS: Readonly<Record<string, Script>> = {
  assistant: assistantScript,
  "coding-agent": codingAgentScript,
  team: teamScript,
  "long-task": longTaskScript,
  langgraph: langgraphScript,
  langchain: langchainScript,
  "agents-session": agentsSessionScript,
  "ai-sdk": aiSdkScript,
  "memory-tool": memoryToolScript,
};

/** Runs `use` with the settings of a loopback server that answers with the script of an example. */
export async function withScript(
  example: string,
  use: (settings: NodeJS.ProcessEnv) => Promise<void>,
): Promise<void> {
  const server = await ScriptedOpenAi.start(SCRIPTS[example] ?? []);
  try {
    const anthropic = {
      ANTHROPIC_BASE_URL: server.baseUrl.replace(/\/v1$/, ""),
      ANTHROPIC_MODEL: "scripted",
    };
    await use({ OPENAI_BASE_URL: server.baseUrl, OPENAI_MODEL: "scripted", ...anthropic });
  } finally {
    await server.stop();
  }
}

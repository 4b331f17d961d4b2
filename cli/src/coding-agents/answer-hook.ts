import { type AgentName, type HookAnswer, type HookOptions, runHook } from "@membus/coding-agents";
import { systemClock, withTimeout } from "@membus/protocol";
import type { AgentSettings } from "./agent-settings.js";
import { connectAgent, connectOrStart } from "./hook-connection.js";
import { readInput } from "./read-input.js";

/** Time after which the agent continues without the answer. */
const ANSWER_TIMEOUT_MS = 15_000;

export interface HookSettings extends AgentSettings {
  readonly options: HookOptions;
  /** Whether the start of a session may start a host. */
  readonly startsHost: boolean;
  /** Folder of the project, if the agent names it. */
  readonly projectFolder?: string | undefined;
  readonly onConnected?: (() => void) | undefined;
}

/**
 * Reads a payload from standard input and returns the answer. The connection stays open, because the process
 * ends after the answer.
 */
export async function answerHook(agent: AgentName, settings: HookSettings): Promise<HookAnswer> {
  const payload = await readInput(process.stdin);
  const { stateFolder: folder, options, projectFolder, startsHost } = settings;
  const run = runHook(
    agent,
    payload,
    {
      folder,
      projectFolder,
      withMemory: async (isSessionStart, use) => {
        const memory = await (isSessionStart && startsHost ? connectOrStart : connectAgent)(settings);
        settings.onConnected?.();
        return use(memory);
      },
    },
    options,
  );
  const answer = await withTimeout(systemClock, ANSWER_TIMEOUT_MS, run);
  return answer ?? { systemMessage: "membus: the hook was not done after 15 seconds" };
}

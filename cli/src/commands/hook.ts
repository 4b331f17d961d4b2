import type { AgentName, HookOptions } from "@membus/coding-agents";
import { Argument, type Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";

interface HookFlags {
  readonly contextTokens?: string;
  readonly minScore?: string;
  readonly shared?: boolean;
  readonly capture: boolean;
  readonly start: boolean;
}

/** The names are repeated here, so that the help text loads no other package. */
const AGENTS = ["claude-code", "codex", "hermes", "opencode", "openclaw", "pi"] satisfies AgentName[];

const HELP = `
The agent runs this command. It reads the event as JSON on standard input and prints its answer as JSON. It
always ends with 0, so that it never stops the agent. Failures are in the answer.`;

/** @param onConnected called when an event needs the host, and it answers. */
export function registerHook(program: Command, onConnected?: () => void): void {
  program
    .command("hook")
    .description("answer a hook of a coding agent: keep its lessons, and recall memories that fit")
    .addArgument(new Argument("<agent>", "coding agent").choices(AGENTS))
    .option("--context-tokens <count>", "tokens of recalled memories per prompt (default 1000, 0: none)")
    .option("--min-score <relevance>", "minimum relevance of recalled memories, 0..1 (default 0.25)")
    .option("--shared", "share preferences and decisions about projects with all agents of the tenant")
    .option("--no-capture", "only recall")
    .option("--no-start", "do not start a host when a session starts and none answers")
    .option("--data <folder>", "data folder of a started host (default: the data folder of the user)")
    .option("--state <folder>", "folder of the outbox (default: the state folder of the user)")
    .addHelpText("after", HELP)
    .action(async (agent: AgentName, flags: HookFlags, command: Command) => {
      const { agentSettings } = await import("../coding-agents/agent-settings.js");
      const { answerHook } = await import("../coding-agents/answer-hook.js");
      const { printAnswer } = await import("../coding-agents/print-answer.js");
      await printAnswer(async () => {
        const settings = await agentSettings(command, process.env);
        // Agents that Claude Code starts inherit the variable, but may run in another project.
        const isClaude = agent === "claude-code";
        const projectFolder = (isClaude && process.env.CLAUDE_PROJECT_DIR) || undefined;
        const options = hookOptions(flags);
        const startsHost = flags.start;
        return answerHook(agent, { ...settings, options, startsHost, projectFolder, onConnected });
      });
    });
}

function hookOptions({ contextTokens, minScore, shared, capture }: HookFlags): HookOptions {
  return definedOnly({
    capture,
    tier: shared === true ? ("semantic" as const) : undefined,
    contextTokensMax: contextTokens === undefined ? undefined : numberFlag("--context-tokens", contextTokens),
    minScore: minScore === undefined ? undefined : numberFlag("--min-score", minScore),
  });
}

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Command } from "commander";
import type { CommonFlags } from "../session.js";

const HELP = `
The agent starts this command and talks to it on standard input and output. Without --namespace it serves the
memory of the project in the working folder. The hooks use the same memory. \`membus-mcp\` is the same server
with more flags, for example for HTTP.`;

export function registerMcp(program: Command): void {
  program
    .command("mcp")
    .description("serve the memory of the current project to a coding agent over MCP")
    .addHelpText("after", HELP)
    .action(async (_flags: object, command: Command) => {
      const { passedFlags } = await import("../install/programs.js");
      const { connection, namespace } = passedFlags(command.optsWithGlobals<CommonFlags>());
      const { projectOf } = await import("@membus/coding-agents");
      const project = namespace ?? (await projectOf(process.cwd())).subject.namespace;
      await useHost(command);
      await runServer([...connection, "--namespace", project]);
    });
}

/**
 * The program reads the address and the key from the environment, as other clients do. It starts before the first hook
 * has started a host, so it may choose them. A server without a key ignores it.
 */
async function useHost(command: Command): Promise<void> {
  const { agentSettings } = await import("../coding-agents/agent-settings.js");
  const { usesHostKey } = await import("../flags/nats-options.js");
  const settings = await agentSettings(command, process.env);
  const { config } = settings;
  const { namesServer } = await import("../flags/local-server.js");
  if (!namesServer(config)) {
    const { expectedUrl } = await import("../coding-agents/start-host.js");
    process.env.NATS_URL = await expectedUrl(settings);
  }
  if (!usesHostKey(config)) return;
  const { createHostKey } = await import("../coding-agents/host-key.js");
  process.env.MEMBUS_NATS_NKEY = await createHostKey(process.env);
}

/** Runs the program of the package in this process. It reads its arguments from the process. */
async function runServer(flags: readonly string[]): Promise<void> {
  const folder = dirname(fileURLToPath(import.meta.resolve("@membus/mcp")));
  const program = join(folder, "program/main.js");
  process.argv = [process.execPath, program, ...flags];
  await import(pathToFileURL(program).href);
}

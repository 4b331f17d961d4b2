import { Command } from "commander";
import { ENVIRONMENT } from "./config/environment.js";
import { MEMBUS_VERSION } from "./version.js";

/** Creates the command `membus` with the options of all commands. */
export function createRootCommand(): Command {
  return (
    new Command("membus")
      .description("a memory bus for AI agents")
      .version(MEMBUS_VERSION)
      .option("--config <file>", "settings file (default ./membus.yaml, if it exists)")
      .option("--nats <url>", "NATS server (default nats://127.0.0.1:4222)")
      .option("--creds <file>", "NATS credentials file")
      .option("--prefix <prefix>", "first tokens of every subject (default a2e)")
      .option("--tenant <tenant>", "tenant (default default)")
      .option("--agent <agent>", "agent that stores and retrieves (default cli)")
      .option("--session <id>", "session of the working tier")
      .option("--namespace <path>", "namespace a/b/c (default default)")
      .option("--timeout-ms <ms>", "timeout of a request in milliseconds (default 5000)")
      .option("--json", "print results as JSON")
      .addHelpText("after", `\n${precedenceHelp()}`)
      // Argument errors are reported like other failures.
      .exitOverride()
      .configureOutput({ outputError: () => {} })
  );
}

function precedenceHelp(): string {
  const variables = Object.entries(ENVIRONMENT).map(
    ([variable, setting]) => `  ${variable.padEnd(24)} ${setting}`,
  );
  return [
    "Precedence of settings: flags, environment variables, membus.yaml, defaults.",
    "Environment:",
    ...variables,
  ].join("\n");
}

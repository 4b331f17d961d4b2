import { Command } from "commander";
import { registerA2e } from "./commands/a2e.js";
import { registerAdmin } from "./commands/admin.js";
import { registerAudit } from "./commands/audit.js";
import { registerAuth } from "./commands/auth.js";
import { registerBackup, registerRestore, registerVerify } from "./commands/backup.js";
import { registerChat } from "./commands/chat.js";
import { registerConformance } from "./commands/conformance.js";
import { registerCreatePlugin } from "./commands/create-plugin.js";
import { registerDoctor } from "./commands/doctor.js";
import { registerEval } from "./commands/eval.js";
import { registerExport } from "./commands/export.js";
import { registerForget } from "./commands/forget.js";
import { registerGateway } from "./commands/gateway.js";
import { registerImport } from "./commands/import.js";
import { registerLearn } from "./commands/learn.js";
import { registerList } from "./commands/list.js";
import { registerLog } from "./commands/log.js";
import { registerNats } from "./commands/nats.js";
import { registerReindex } from "./commands/reindex.js";
import { registerRecall, registerRemember } from "./commands/remember.js";
import { registerRetrieve } from "./commands/retrieve.js";
import { registerStats } from "./commands/stats.js";
import { registerStore } from "./commands/store.js";
import { registerUp } from "./commands/up.js";
import { registerWatch } from "./commands/watch.js";
import { ENVIRONMENT } from "./config/environment.js";

type Register = (program: Command) => void;

/** Commands by their headings in the help text. */
const COMMANDS: readonly (readonly [title: string, commands: readonly Register[]])[] = [
  ["Run a bus:", [registerUp, registerGateway, registerA2e, registerNats]],
  [
    "Use memory:",
    [
      registerRemember,
      registerRecall,
      registerStore,
      registerRetrieve,
      registerList,
      registerForget,
      registerWatch,
      registerImport,
      registerExport,
      registerChat,
      registerLearn,
    ],
  ],
  [
    "Operate a host:",
    [
      registerDoctor,
      registerStats,
      registerBackup,
      registerRestore,
      registerVerify,
      registerReindex,
      registerAuth,
      registerAudit,
      registerAdmin,
      registerLog,
    ],
  ],
  ["Develop and measure:", [registerCreatePlugin, registerConformance, registerEval]],
];

/**
 * Creates the command line of membus. Each command imports its dependencies on demand, so that no command
 * loads the dependencies of another command.
 */
export function createProgram(): Command {
  const program = new Command("membus")
    .description("a memory bus for AI agents")
    .version("0.1.0")
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
    .configureOutput({ outputError: () => {} });
  for (const [title, commands] of COMMANDS) {
    program.commandsGroup(title);
    for (const register of commands) register(program);
  }
  return program;
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

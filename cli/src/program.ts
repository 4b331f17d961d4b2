import type { Command } from "commander";
import { registerA2e } from "./commands/a2e.js";
import { registerAdmin } from "./commands/admin.js";
import { registerAgents } from "./commands/agents.js";
import { registerAudit } from "./commands/audit.js";
import { registerAuth } from "./commands/auth.js";
import { registerBackup, registerMigrate, registerRestore, registerVerify } from "./commands/backup.js";
import { registerChat } from "./commands/chat.js";
import { registerCluster } from "./commands/cluster.js";
import { registerConformance } from "./commands/conformance.js";
import { registerCreatePlugin } from "./commands/create-plugin.js";
import { registerDoctor } from "./commands/doctor.js";
import { registerEval } from "./commands/eval.js";
import { registerExport } from "./commands/export.js";
import { registerForget } from "./commands/forget.js";
import { registerGateway } from "./commands/gateway.js";
import { registerHook } from "./commands/hook.js";
import { registerImport } from "./commands/import.js";
import { registerInstall, registerUninstall } from "./commands/install.js";
import { registerLearn } from "./commands/learn.js";
import { registerList } from "./commands/list.js";
import { registerLog } from "./commands/log.js";
import { registerMcp } from "./commands/mcp.js";
import { registerNats } from "./commands/nats.js";
import { registerOutbox } from "./commands/outbox.js";
import { registerReindex } from "./commands/reindex.js";
import { registerRecall, registerRemember } from "./commands/remember.js";
import { registerRetrieve } from "./commands/retrieve.js";
import { registerStats } from "./commands/stats.js";
import { registerStore } from "./commands/store.js";
import { registerUp } from "./commands/up.js";
import { registerWatch } from "./commands/watch.js";
import { createRootCommand } from "./root-command.js";

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
    "Give coding agents a memory:",
    [registerInstall, registerUninstall, registerMcp, registerHook, registerOutbox],
  ],
  [
    "Operate a host:",
    [
      registerDoctor,
      registerStats,
      registerAgents,
      registerCluster,
      registerBackup,
      registerRestore,
      registerMigrate,
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
  const program = createRootCommand();
  for (const [title, commands] of COMMANDS) {
    program.commandsGroup(title);
    for (const register of commands) register(program);
  }
  return program;
}

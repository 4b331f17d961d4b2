import { join } from "node:path";
import { OUTBOX_FOLDER } from "@membus/coding-agents";
import type { Command } from "commander";
import type { Config } from "../config/config-schema.js";
import { resolveConfig } from "../config/resolve-config.js";
import { type CommonFlags, commonConfig, mergedNats } from "../session.js";
import { userFolders } from "./user-folders.js";

/** Agent of all coding agents of a user, so that they share their memories. */
const AGENT = "coding-agent";

export interface AgentSettings {
  readonly config: Config;
  /** Outbox, journals of sessions, and the log of the host. */
  readonly stateFolder: string;
}

export interface FolderFlags {
  readonly data?: string;
  readonly state?: string;
}

/**
 * Reads the settings of the commands for coding agents from flags, the environment and `--config`. The
 * `membus.yaml` of the working folder is not read, because an untrusted project could name another server in
 * it.
 */
export async function agentSettings(command: Command, env: NodeJS.ProcessEnv): Promise<AgentSettings> {
  const flags = command.optsWithGlobals<CommonFlags & FolderFlags>();
  const folders = userFolders(env);
  const config = await resolveConfig({
    flags: {
      ...commonConfig(flags),
      ...mergedNats(flags, {}),
      agent: flags.agent ?? (env.MEMBUS_AGENT || AGENT),
      data: flags.data ?? (env.MEMBUS_DATA || folders.data),
    },
    env,
    configPath: flags.config ?? false,
  });
  return { config, stateFolder: flags.state ?? folders.state };
}

/** Returns the folder of the outbox that the hooks write to. */
export function outboxFolder({ stateFolder }: AgentSettings): string {
  return join(stateFolder, OUTBOX_FOLDER);
}

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommonFlags } from "../session.js";

/** Absolute paths of the programs that an agent starts, because it starts them without a shell profile. */
export interface Programs {
  readonly node: string;
  readonly membus: string;
  /** Folder of the plugins, one for each agent. */
  readonly plugins: string;
}

/** Returns the programs of this installation. */
export function installedPrograms(): Programs {
  return {
    node: process.execPath,
    membus: fileURLToPath(new URL("../../bin/membus.js", import.meta.url)),
    plugins: fileURLToPath(new URL("../plugins", import.meta.resolve("@membus/coding-agents"))),
  };
}

/** Agent of all coding agents of a user, as in `membus hook`. */
const AGENT = "coding-agent";

/** Flags of every command that the programs of an agent do not have. */
const NOT_PASSED = ["config", "prefix", "session", "timeoutMs"] as const;

/** Flags that an agent passes to its programs. */
export interface PassedFlags {
  readonly connection: readonly string[];
  /** Further flags of the hooks. */
  readonly hook: readonly string[];
  readonly namespace?: string | undefined;
}

/**
 * Returns the flags to write into the configuration of an agent.
 * @param startsHost whether its hooks start a host if none answers.
 * @throws {TypeError} for a flag that would have no effect there.
 */
export function passedFlags(flags: CommonFlags, startsHost = true): PassedFlags {
  const refused = NOT_PASSED.find((name) => flags[name] !== undefined);
  if (refused !== undefined) {
    const flag = refused === "timeoutMs" ? "timeout-ms" : refused;
    throw new TypeError(
      `--${flag} has no effect on an agent. These flags have: --nats, --creds, --tenant, --agent, --namespace`,
    );
  }
  const { nats, creds, tenant, namespace } = flags;
  // The server and the hooks have different defaults, but share a memory only as the same agent.
  const given = { nats, creds: creds && resolve(creds), tenant, agent: flags.agent ?? AGENT };
  return {
    connection: Object.entries(given).flatMap(([name, value]) => (value ? [`--${name}`, value] : [])),
    hook: startsHost ? [] : ["--no-start"],
    namespace,
  };
}

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { ConnectOptions } from "@membus/agent-client";
import { isNamespacePattern, type MemoryTier, TIERS } from "@membus/protocol";
import { Command, Option } from "commander";
import { MCP_DEFAULTS, type McpOptions } from "../options.js";
import { VERSION } from "../version.js";
import type { HttpOptions } from "./http-server.js";

/** Tries of a call end before the minute after which most clients give it up. */
const RETRY_TIMEOUT_MS = 20_000;
const HTTP_HOST = "127.0.0.1";

/** What flags need another one. */
const NEEDED: Readonly<Record<string, "http" | "graph">> = {
  token: "http",
  allowHost: "http",
  allowOrigin: "http",
  import: "graph",
};

/** What the command line and the environment say. */
export interface Flags {
  readonly connect: ConnectOptions;
  readonly options: McpOptions;
  readonly http?: HttpOptions | undefined;
  /** A file to import, instead of serving. */
  readonly importFile?: string | undefined;
  readonly isVerbose: boolean;
}

interface RawFlags {
  readonly nats?: string;
  readonly creds?: string;
  readonly tenant?: string;
  readonly agent: string;
  readonly namespace?: string;
  readonly tier: MemoryTier;
  readonly readOnly?: true;
  readonly graph?: true;
  readonly graphCharsMax: string;
  readonly import?: string;
  readonly http?: string;
  readonly token?: string;
  readonly allowHost: string[];
  readonly allowOrigin: string[];
  readonly verbose?: true;
}

const ENVIRONMENT_HELP = `
Flags with a variable in their help may be given by it. So may what membus reads elsewhere: MEMBUS_NATS_USER,
MEMBUS_NATS_PASSWORD, MEMBUS_NATS_TOKEN, MEMBUS_NATS_NKEY (a file), MEMBUS_NATS_TLS_CA, MEMBUS_NATS_TLS_CERT,
MEMBUS_NATS_TLS_KEY, MEMBUS_INBOX_PREFIX, MEMBUS_TIER_SUBJECTS, MEMBUS_PREFIX.`;

function command(): Command {
  return new Command("membus-mcp")
    .description(
      "A memory on membus for clients of the Model Context Protocol, on standard input and output or over HTTP",
    )
    .version(VERSION)
    .addOption(new Option("--nats <url>", "nats-server (default nats://127.0.0.1:4222)").env("NATS_URL"))
    .addOption(new Option("--creds <file>", "credentials for it").env("MEMBUS_NATS_CREDENTIALS"))
    .addOption(
      new Option("--tenant <name>", 'whose agents share the semantic tier (default "default")').env(
        "MEMBUS_TENANT",
      ),
    )
    .addOption(new Option("--agent <name>", "whose memory it is").env("MEMBUS_AGENT").default("mcp"))
    .addOption(
      new Option("--namespace <path>", "where memories are (default: the folder's name)").env(
        "MEMBUS_NAMESPACE",
      ),
    )
    .addOption(
      new Option("--tier <tier>", "where memories go without another word")
        .choices(TIERS)
        .default(MCP_DEFAULTS.tier),
    )
    .option("--read-only", "without the tools that change something")
    .option("--graph", "the tools of @modelcontextprotocol/server-memory instead")
    .option("--graph-chars-max <count>", "of a graph as a whole", String(MCP_DEFAULTS.graphCharsMax))
    .option(
      "--import <file>",
      "add the JSONL file of @modelcontextprotocol/server-memory to the graph, and end",
    )
    .option("--http <address>", "a port of loopback, or address:port: streamable HTTP at /mcp")
    .addOption(new Option("--token <token>", "what clients over HTTP must bring").env("MEMBUS_MCP_TOKEN"))
    .option("--allow-host <name...>", "a name by which it may be called over HTTP", [])
    .option("--allow-origin <name...>", "a host whose pages may call it over HTTP", [])
    .option("--verbose", "log what goes well, too")
    .addHelpText("after", ENVIRONMENT_HELP);
}

/**
 * @param folder the project's, which the namespace is named after.
 * @throws {TypeError} for what cannot be read, or has no meaning. `--help` and a wrong flag end the process.
 */
export async function readFlags(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<Flags> {
  const parsed = command().parse(argv);
  const flags = parsed.opts<RawFlags>();
  refuseAlone(parsed, flags);
  const { agent, tier, readOnly = false, graph = false, http, import: importFile } = flags;
  return {
    connect: {
      ...(await connectionOf(flags, env)),
      agent,
      ...(flags.tenant && { tenant: flags.tenant }),
      namespace: flags.namespace ?? namespaceOf(folder),
      retryTimeoutMs: RETRY_TIMEOUT_MS,
    },
    options: { tier, readOnly, graph, graphCharsMax: Number(flags.graphCharsMax) },
    http: http === undefined ? undefined : httpOf(http, flags),
    importFile,
    isVerbose: flags.verbose === true,
  };
}

/** A flag that says nothing without another; a variable may be set for whoever needs it. */
function refuseAlone(parsed: Command, flags: RawFlags): void {
  for (const option of parsed.options) {
    const name = option.attributeName();
    const needed = NEEDED[name];
    const isMissing = needed !== undefined && flags[needed] === undefined;
    if (isMissing && parsed.getOptionValueSource(name) === "cli")
      throw new TypeError(`${option.long} needs --${needed}`);
  }
}

async function connectionOf({ nats, creds }: RawFlags, env: NodeJS.ProcessEnv) {
  const tls = given({
    caFile: env.MEMBUS_NATS_TLS_CA,
    certFile: env.MEMBUS_NATS_TLS_CERT,
    keyFile: env.MEMBUS_NATS_TLS_KEY,
  });
  return {
    name: "membus-mcp",
    ...given({
      servers: nats,
      user: env.MEMBUS_NATS_USER,
      pass: env.MEMBUS_NATS_PASSWORD,
      token: env.MEMBUS_NATS_TOKEN,
      creds: creds && (await textOf("--creds", creds)),
      nkeySeed: env.MEMBUS_NATS_NKEY && (await textOf("MEMBUS_NATS_NKEY", env.MEMBUS_NATS_NKEY)).trim(),
      inboxPrefix: env.MEMBUS_INBOX_PREFIX,
      prefix: env.MEMBUS_PREFIX,
    }),
    ...(env.MEMBUS_TIER_SUBJECTS === "true" && { tierSubjects: true }),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}

/** An empty variable counts as not set. */
function given<T extends Readonly<Record<string, string | undefined>>>(
  values: T,
): Partial<Record<keyof T, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Partial<
    Record<keyof T, string>
  >;
}

async function textOf(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new TypeError(`${name} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The folder's name, not its path: a project that is moved keeps its memory. `-` is for what a namespace cannot have. */
function namespaceOf(folder: string): string {
  const name = basename(folder)
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .slice(0, 64);
  return isNamespacePattern(name) ? name : "default";
}

function httpOf(address: string, { token, allowHost, allowOrigin }: RawFlags): HttpOptions {
  const [, host = HTTP_HOST, port] = /^(?:\[?([^\]]+?)\]?:)?(\d{1,5})$/.exec(address) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new TypeError(`--http: ${address} is no port, nor address:port`);
  return { host, port: Number(port), token: token || undefined, hosts: allowHost, origins: allowOrigin };
}

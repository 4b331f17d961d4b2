import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { ConnectOptions } from "@membus/agent-client";
import type { OAuthOptions } from "@membus/http";
import { isNamespacePattern, type MemoryTier, TIERS } from "@membus/protocol";
import { Command, Option } from "commander";
import { MCP_DEFAULTS, type McpOptions } from "../options.js";
import { VERSION } from "../version.js";
import type { HttpOptions } from "./http-server.js";

/** Retries end before one minute, after which most clients give up. */
const RETRY_TIMEOUT_MS = 20_000;
const HTTP_HOST = "127.0.0.1";

/** Flags that require another flag. */
const NEEDED: Readonly<Record<string, "http" | "graph" | "oauthIssuer">> = {
  token: "http",
  allowHost: "http",
  allowOrigin: "http",
  oauthIssuer: "http",
  oauthResource: "oauthIssuer",
  oauthAudience: "oauthIssuer",
  oauthJwks: "oauthIssuer",
  oauthScope: "oauthIssuer",
  oauthAgentClaim: "oauthIssuer",
  import: "graph",
};

/** Settings from the command line and the environment. */
export interface Flags {
  readonly connect: ConnectOptions;
  readonly options: McpOptions;
  readonly http?: HttpOptions | undefined;
  /** File to import, instead of serving. */
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
  readonly oauthIssuer?: string;
  readonly oauthResource?: string;
  readonly oauthAudience?: string;
  readonly oauthJwks?: string;
  readonly oauthScope?: string[];
  readonly oauthAgentClaim?: string;
  readonly verbose?: true;
}

const ENVIRONMENT_HELP = `
Flags that name a variable in their help can be set by it. These variables are read too: MEMBUS_NATS_USER,
MEMBUS_NATS_PASSWORD, MEMBUS_NATS_TOKEN, MEMBUS_NATS_NKEY (a file), MEMBUS_NATS_TLS_CA, MEMBUS_NATS_TLS_CERT,
MEMBUS_NATS_TLS_KEY, MEMBUS_INBOX_PREFIX, MEMBUS_TIER_SUBJECTS, MEMBUS_PREFIX.`;

function command(): Command {
  return new Command("membus-mcp")
    .description(
      "Memory on membus for clients of the Model Context Protocol, on standard input and output or over HTTP",
    )
    .version(VERSION)
    .addOption(
      new Option("--nats <url>", "URL of nats-server (default nats://127.0.0.1:4222)").env("NATS_URL"),
    )
    .addOption(new Option("--creds <file>", "file with NATS credentials").env("MEMBUS_NATS_CREDENTIALS"))
    .addOption(
      new Option("--tenant <name>", 'tenant: all its agents share the semantic tier (default "default")').env(
        "MEMBUS_TENANT",
      ),
    )
    .addOption(
      new Option("--agent <name>", "agent that owns the memories").env("MEMBUS_AGENT").default("mcp"),
    )
    .addOption(
      new Option("--namespace <path>", "namespace of the memories (default: the name of the folder)").env(
        "MEMBUS_NAMESPACE",
      ),
    )
    .addOption(
      new Option("--tier <tier>", "tier of memories for calls without a tier")
        .choices(TIERS)
        .default(MCP_DEFAULTS.tier),
    )
    .option("--read-only", "leave out the tools that change memories")
    .option("--graph", "offer the tools of @modelcontextprotocol/server-memory instead")
    .option(
      "--graph-chars-max <count>",
      "maximum characters of a returned graph",
      String(MCP_DEFAULTS.graphCharsMax),
    )
    .option(
      "--import <file>",
      "add the JSONL file of @modelcontextprotocol/server-memory to the graph, then exit",
    )
    .option("--http <address>", "serve streamable HTTP at /mcp on this loopback port, or on address:port")
    .addOption(
      new Option("--token <token>", "bearer token that HTTP clients must send").env("MEMBUS_MCP_TOKEN"),
    )
    .option("--allow-host <name...>", "host names that HTTP requests may use, in addition to loopback", [])
    .option(
      "--allow-origin <name...>",
      "origins of web pages that may call the server over HTTP, or their hosts",
      [],
    )
    .option("--oauth-issuer <url>", "accept access tokens of this authorization server over HTTP")
    .option("--oauth-resource <url>", "URL of this server, as clients use it, with its path /mcp")
    .option("--oauth-audience <text>", "audience of access tokens (default: the resource)")
    .option("--oauth-jwks <url>", "public keys of the issuer (default: jwks_uri of its metadata)")
    .option("--oauth-scope <name...>", "scopes that an access token must have")
    .option("--oauth-agent-claim <name>", "claim that must be equal to --agent (default sub)")
    .option("--verbose", "also log successful operations")
    .addHelpText("after", ENVIRONMENT_HELP);
}

/**
 * Reads the settings. `--help` and an unknown flag end the process.
 * @param folder the project folder, which names the default namespace.
 * @throws {TypeError} for an unreadable file or an invalid value.
 */
export async function readFlags(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<Flags> {
  const parsed = command().parse(argv);
  const flags = parsed.opts<RawFlags>();
  checkDependentFlags(parsed, flags);
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

/**
 * Rejects a flag that has no effect without another flag. A variable without effect is allowed, because
 * several programs may share it.
 */
function checkDependentFlags(parsed: Command, flags: RawFlags): void {
  for (const option of parsed.options) {
    const name = option.attributeName();
    const needed = NEEDED[name];
    const isMissing = needed !== undefined && flags[needed] === undefined;
    if (isMissing && parsed.getOptionValueSource(name) === "cli")
      throw new TypeError(`${option.long} needs --${kebab(needed)}`);
  }
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
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

/** Leaves out empty variables. */
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
    throw new TypeError(`cannot read ${name}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Returns the name of the folder, so that a moved project keeps its memory. `-` replaces characters that a
 * namespace cannot have.
 */
function namespaceOf(folder: string): string {
  const name = basename(folder)
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .slice(0, 64);
  return isNamespacePattern(name) ? name : "default";
}

function httpOf(address: string, flags: RawFlags): HttpOptions {
  const { token, agent, allowHost, allowOrigin } = flags;
  const [, host = HTTP_HOST, port] = /^(?:\[?([^\]]+?)\]?:)?(\d{1,5})$/.exec(address) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new TypeError(`--http: ${address} is neither a port nor address:port`);
  const at = { host, port: Number(port) };
  const names = { hosts: allowHost, origins: allowOrigin };
  return { ...at, ...names, token: token || undefined, agent, oauth: oauthOf(flags) };
}

function oauthOf(flags: RawFlags): OAuthOptions | undefined {
  const { oauthIssuer: issuer, oauthResource: resource, oauthScope: scopes } = flags;
  if (issuer === undefined) return undefined;
  if (resource === undefined) throw new TypeError("--oauth-issuer needs --oauth-resource");
  const { oauthAudience: audience, oauthJwks: jwksUrl, oauthAgentClaim: agentClaim } = flags;
  return { issuer, resource, scopes, audience, jwksUrl, agentClaim };
}

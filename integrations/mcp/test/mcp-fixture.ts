import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryClient } from "@membus/agent-client";
import { connectNatsBus } from "@membus/bus";
import { createHost } from "@membus/host";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { createLruPlugin } from "@membus/plugin-lru";
import { systemClock } from "@membus/protocol";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { RecordingLogger } from "../../../bus/test/recording-logger.js";
import { runningHosts } from "../../../bus/test/running-hosts.js";
import { emptyDefaultTenant } from "../../../cli/test/empty-tenant.js";
import { endChild, lineOf } from "../../../cli/test/run-cli.js";
import { type ConnectedClient, connectHttp, connectStdio, type Revision } from "./mcp-clients.js";

/** The installed program. `npm test` builds it first. */
const PROGRAM = fileURLToPath(new URL("../bin/membus-mcp.js", import.meta.url));

export interface ClientSettings {
  /** Answers questions of the server. Absent: the client does not support elicitation. */
  readonly agree?: ((question: string) => boolean) | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A nats-server, a host in memory, and MCP servers in separate processes. Or MCP servers of hosts that run already. */
export class McpFixture {
  readonly logger = new RecordingLogger();
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  #server: NatsServer | undefined;
  #url = "";
  #folder = "";

  get natsUrl(): string {
    return this.#url;
  }

  /** Working folder of the servers, which names the default namespace. */
  get folder(): string {
    return this.#folder;
  }

  async start(): Promise<void> {
    const running = runningHosts();
    await this.useBus(running?.servers.join() ?? "nats://127.0.0.1:9");
    if (running !== undefined) return emptyDefaultTenant(running.servers);
    this.#server = await launchNatsServer({ binary: NATS_SERVER });
    this.#url = this.#server.url;
    this.#cleanups.push(async () => this.#server?.stop());
    await this.startHost();
  }

  /** Sets the URL of the bus for servers. */
  async useBus(url: string): Promise<void> {
    this.#url = url;
    if (this.#folder !== "") return;
    this.#folder = await mkdtemp(join(tmpdir(), "membus-mcp-"));
    this.#cleanups.push(() => rm(this.#folder, { recursive: true, force: true }));
  }

  async startHost(): Promise<void> {
    const services = { logger: this.logger, clock: systemClock };
    const bus = await connectNatsBus({ servers: this.#url }, services);
    this.#cleanups.push(() => bus.close());
    const plugins = { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() };
    const host = createHost({ bus, plugins, ...services }, { discoveryWaitMs: 10 });
    await host.start();
    this.#cleanups.push(() => host.stop());
  }

  spawn(
    flags: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [PROGRAM, ...flags], {
      env: this.environment(env),
      cwd: this.#folder,
    });
    this.#cleanups.push(() => endChild(child, "SIGKILL"));
    return child;
  }

  /** Returns an environment without the settings of the current user. */
  environment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
    const rest = Object.entries(process.env).filter(([name]) => !/^(MEMBUS|NATS)_/.test(name));
    return { ...(Object.fromEntries(rest) as Record<string, string>), NATS_URL: this.#url, ...env };
  }

  /** Returns the URL of a server over HTTP on a free port. */
  async serve(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const child = this.spawn(["--http", "0", ...flags], env);
    return /http:\S+/.exec(await lineOf(child, /is listening on/))![0];
  }

  /** Returns a client of the revision with its own server. */
  async client(
    transport: "stdio" | "http",
    revision: Revision,
    flags: readonly string[] = [],
    { agree, env }: ClientSettings = {},
  ): Promise<ConnectedClient> {
    const command = { command: process.execPath, args: [PROGRAM, ...flags], cwd: this.#folder };
    const client =
      transport === "stdio"
        ? await connectStdio(revision, { ...command, env: this.environment(env) }, agree)
        : await connectHttp(revision, await this.serve(flags, env), agree);
    this.#cleanups.push(() => client.close());
    return client;
  }

  async clientOf(url: string, revision: Revision): Promise<ConnectedClient> {
    const client = await connectHttp(revision, url);
    this.#cleanups.push(() => client.close());
    return client;
  }

  /** Returns the memory of the server's agent. */
  async memory(namespace: string, agent = "mcp"): Promise<MemoryClient> {
    const servers = this.#url.split(",");
    const memory = await MemoryClient.connect({ servers, agent, namespace, timeoutMs: 60_000 });
    this.#cleanups.push(() => memory.close());
    return memory;
  }

  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
  }
}

/** Returns standard error and exit code of a process after it has ended. */
export async function endOf(child: ChildProcessWithoutNullStreams) {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal, stdout, stderr };
}

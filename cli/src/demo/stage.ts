import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { ENVIRONMENT } from "../config/environment.js";
import { DemoHost } from "./demo-host.js";
import { type LineProcess, startLineProcess } from "./line-process.js";
import { RemoteAgent } from "./remote-agent.js";

/** What the demo plays on: a nats-server, a host and two agents, each in a process of its own. */
export interface Stage {
  readonly directory: string;
  readonly server: NatsServer;
  readonly host: DemoHost;
  readonly alice: RemoteAgent;
  readonly bob: RemoteAgent;
}

export interface StageOptions {
  /** Path of the nats-server program. */
  readonly natsServer: string;
  /** Leaves the temporary directory. */
  readonly keep: boolean;
  /** Rejects when the play must end before its end. */
  readonly interrupted: Promise<never>;
}

/** Builds the stage in a temporary directory, plays, and ends everything it started, however the play ends. */
export async function withStage(
  { natsServer, keep, interrupted }: StageOptions,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "membus-demo-"));
  const ending = new AbortController();
  const processes: LineProcess[] = [];
  const launching = launchNatsServer({ binary: natsServer });
  const build = async (): Promise<Stage> => {
    const server = await launching;
    const configPath = await writeSettings(directory);
    const options = { env: demoEnvironment(server.url, directory), signal: ending.signal };
    const launch = (...args: string[]) => {
      const process = startLineProcess([...args, "--config", configPath], options);
      processes.push(process);
      return process;
    };
    const host = new DemoHost(() => launch("up"));
    const agent = (name: string) => new RemoteAgent(name, launch("demo-agent", name));
    return { directory, server, host, alice: agent("alice"), bob: agent("bob") };
  };
  try {
    await Promise.race([build().then(play), interrupted]);
  } finally {
    ending.abort();
    await Promise.all(processes.map(({ exited }) => exited));
    await launching.then((server) => server.stop()).catch(() => {});
    if (!keep) await rm(directory, { recursive: true, force: true });
  }
}

/** A file of its own, so that no `membus.yaml` of whoever runs the demo is read. */
async function writeSettings(directory: string): Promise<string> {
  const path = join(directory, "membus.yaml");
  await writeFile(path, `data: ${JSON.stringify(join(directory, "data"))}\n`);
  return path;
}

/**
 * Without settings of whoever runs the demo: it must touch nothing but its own host. The database keeps a temporary
 * folder as long as it runs, so one that is killed leaves it.
 */
function demoEnvironment(url: string, directory: string): NodeJS.ProcessEnv {
  const foreign = new Set(Object.keys(ENVIRONMENT));
  const rest = Object.entries(process.env).filter(([name]) => !foreign.has(name));
  return { ...Object.fromEntries(rest), NATS_URL: url, TMPDIR: directory };
}

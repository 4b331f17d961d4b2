import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type LaunchOptions, launchNatsServer, type NatsServer } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import { connectNatsBus, type NatsBus, type NatsBusOptions } from "../src/index.js";
import { RecordingLogger } from "./recording-logger.js";

/** Returns a short title of a server for test names: "usr/sbin" or "opt/nats-new". */
export function serverTitle(binary: string): string {
  return `${basename(join(binary, ".."))}/${basename(binary)}`;
}

/** Servers, connections and folders of a test file. `close` ends all of them. */
export class NatsFixture {
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  onClose(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  async launch(options: LaunchOptions): Promise<NatsServer> {
    const server = await launchNatsServer(options);
    this.onClose(() => server.kill());
    return server;
  }

  /** Starts a server with this configuration. */
  async launchConfigured(binary: string, config: string): Promise<NatsServer> {
    return this.launch({ binary, configFile: await this.file("nats.conf", config) });
  }

  async connect(options: NatsBusOptions): Promise<{ bus: NatsBus; logger: RecordingLogger }> {
    const logger = new RecordingLogger();
    const bus = await connectNatsBus(options, { logger, clock: systemClock });
    this.onClose(() => bus.close());
    return { bus, logger };
  }

  /** Writes a file in a new folder. */
  async file(name: string, content: string): Promise<string> {
    const path = join(await this.folder(), name);
    await writeFile(path, content);
    return path;
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "membus-bus-"));
    this.onClose(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** Closes in reverse order: connections before their server. */
  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
  }
}

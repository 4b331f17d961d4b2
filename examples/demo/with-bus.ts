import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { HostProcess } from "./host-process.js";

/** A nats-server and a host, in separate processes. */
export interface RunningBus {
  readonly server: NatsServer;
  readonly host: HostProcess;
  /** Registers a cleanup that runs before the host and the server stop. */
  onEnd(end: () => Promise<unknown>): void;
}

/** Rejects when this process receives SIGINT or SIGTERM. */
export function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    // The handlers are never removed. Otherwise a framework without other handlers would end the process
    // before the cleanup.
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => reject(new Error("interrupted")));
  });
  interrupted.catch(() => {});
  return interrupted;
}

/** Runs `use` with a temporary folder (its real path), and removes it afterwards. */
export async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "membus-example-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `use` with a bus in a temporary folder, and always stops everything it has started. */
export async function withBus(
  natsServer: string,
  interrupted: Promise<never>,
  use: (bus: RunningBus) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const endings: (() => Promise<unknown>)[] = [];
    const onEnd = (end: () => Promise<unknown>) => void endings.push(end);
    try {
      const server = await launchNatsServer({ binary: natsServer });
      onEnd(() => server.stop());
      const host = new HostProcess(server.url, folder);
      onEnd(() => host.end("SIGTERM"));
      await Promise.race([host.start(), interrupted]);
      await Promise.race([use({ server, host, onEnd }), interrupted, host.ended]);
    } finally {
      for (const end of endings.reverse()) await end();
    }
  });
}

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { HostProcess } from "./host-process.js";

/** A nats-server and a host, in processes of their own. */
export interface RunningBus {
  readonly server: NatsServer;
  readonly host: HostProcess;
  /** What is to be ended before them. */
  onEnd(end: () => Promise<unknown>): void;
}

/** Rejects when this process is told to end. */
export function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    // For good: a framework that finds no one listening ends the process by itself, before what was started is ended.
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => reject(new Error("interrupted")));
  });
  interrupted.catch(() => {});
  return interrupted;
}

/** Lends a temporary folder, by the path that links lead to; it is gone afterwards. */
export async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "membus-example-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a bus whose data is in a temporary folder, and ends everything it started, however `use` ends. */
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

// Process that `StorageProcess` starts. It executes a command and reports the steps, until it is killed or
// done.
import { silentLogger, systemClock } from "@membus/protocol";
import type { Storage, StorageContext } from "../storage.js";
import { loadIds } from "./read-rows.js";
import { openPlugin, storeEntry } from "./suite-plugin.js";
import { makeRows, ownScope, scoped } from "./test-rows.js";
import { contextAt } from "./workbench.js";
import { ROUND_STEPS, type RoundStep, runStep } from "./write-rounds.js";

export type ChildCommand = { readonly directory: string } & (
  | { readonly action: "write"; readonly round: number }
  | { readonly action: "visit"; readonly scope: string; readonly first: number }
  | { readonly action: "own" }
);

export type ChildReport =
  | { readonly event: "doing" | "done"; readonly step: RoundStep; readonly round: number }
  | { readonly event: "visited"; readonly rowIds: readonly number[]; readonly bodies: readonly string[] }
  | { readonly event: "owns" }
  | { readonly event: "failed"; readonly message: string; readonly code?: string };

interface StorageModule {
  createStorage(place: StorageContext): Storage;
}

process.on("message", (command: ChildCommand & { readonly module: string }) => {
  execute(command).catch((error: Error & { code?: string }) => {
    const code = typeof error.code === "string" ? { code: error.code } : {};
    report({ event: "failed", message: error.stack ?? error.message, ...code });
    process.disconnect();
  });
});

async function execute(command: ChildCommand & { readonly module: string }): Promise<void> {
  const { directory, module } = command;
  const { createStorage } = (await import(module)) as StorageModule;
  if (command.action === "own") return openAndWait(createStorage, directory);
  const storage = createStorage(contextAt(directory));
  await storage.open();
  if (command.action === "write") return write(storage, command.round);
  await visit(storage, command);
  await storage.close();
  process.disconnect();
}

async function write(storage: Storage, first: number): Promise<never> {
  for (let round = first; ; round++) {
    for (const step of ROUND_STEPS) {
      report({ event: "doing", step, round });
      await runStep(storage, step, round);
      report({ event: "done", step, round });
    }
  }
}

/** Reads all rows of a scope, and appends two. */
async function visit(storage: Storage, { scope, first }: { scope: string; first: number }): Promise<void> {
  const rowIds = await loadIds(storage, scope);
  const bodies = [...(await storage.readBodies(scope, rowIds)).values()].sort();
  await storage.append(scoped(ownScope("visitor"), makeRows(first, 2)));
  await storage.sync();
  report({ event: "visited", rowIds, bodies });
}

/** Opens a kit plugin with this storage, stores an entry, and keeps the plugin open. */
async function openAndWait(createStorage: StorageModule["createStorage"], directory: string): Promise<void> {
  const plugin = await openPlugin(createStorage, directory);
  await storeEntry(plugin, "by the other process");
  report({ event: "owns" });
  systemClock.after(FOREVER_MS, () => silentLogger.debug({}, "still open"));
}

/** Timer that keeps the process alive. */
const FOREVER_MS = 2 ** 31 - 1;

function report(message: ChildReport): void {
  process.send?.(message);
}

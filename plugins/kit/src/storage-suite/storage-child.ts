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
  | { readonly order: "write"; readonly round: number }
  | { readonly order: "visit"; readonly scope: string; readonly first: number }
  | { readonly order: "own" }
);

export type ChildReport =
  | { readonly say: "doing" | "done"; readonly step: RoundStep; readonly round: number }
  | { readonly say: "visited"; readonly rowIds: readonly number[]; readonly bodies: readonly string[] }
  | { readonly say: "owns" }
  | { readonly say: "failed"; readonly message: string; readonly code?: string };

interface StorageModule {
  createStorage(place: StorageContext): Storage;
}

process.on("message", (command: ChildCommand & { readonly module: string }) => {
  execute(command).catch((error: Error & { code?: string }) => {
    const code = typeof error.code === "string" ? { code: error.code } : {};
    say({ say: "failed", message: error.stack ?? error.message, ...code });
    process.disconnect();
  });
});

async function execute(command: ChildCommand & { readonly module: string }): Promise<void> {
  const { directory, module } = command;
  const { createStorage } = (await import(module)) as StorageModule;
  if (command.order === "own") return openAndWait(createStorage, directory);
  const storage = createStorage(contextAt(directory));
  await storage.open();
  if (command.order === "write") return write(storage, command.round);
  await visit(storage, command);
  await storage.close();
  process.disconnect();
}

async function write(storage: Storage, first: number): Promise<never> {
  for (let round = first; ; round++) {
    for (const step of ROUND_STEPS) {
      say({ say: "doing", step, round });
      await runStep(storage, step, round);
      say({ say: "done", step, round });
    }
  }
}

/** Reads all rows of a scope, and appends two. */
async function visit(storage: Storage, { scope, first }: { scope: string; first: number }): Promise<void> {
  const rowIds = await loadIds(storage, scope);
  const bodies = [...(await storage.readBodies(scope, rowIds)).values()].sort();
  await storage.append(scoped(ownScope("visitor"), makeRows(first, 2)));
  await storage.sync();
  say({ say: "visited", rowIds, bodies });
}

/** Opens a kit plugin with this storage, stores an entry, and keeps the plugin open. */
async function openAndWait(createStorage: StorageModule["createStorage"], directory: string): Promise<void> {
  const plugin = await openPlugin(createStorage, directory);
  await storeEntry(plugin, "by the other process");
  say({ say: "owns" });
  systemClock.after(FOREVER_MS, () => silentLogger.debug({}, "still open"));
}

/** Timer that keeps the process alive. */
const FOREVER_MS = 2 ** 31 - 1;

function say(report: ChildReport): void {
  process.send?.(report);
}

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { keyHash, type MemoryKey } from "@membus/protocol";
import { expect, it } from "vitest";
import { killWhileStoring } from "../src/plugin-route/kill-while-storing.js";
import { NODE_ARGUMENTS } from "./implementations/modules.js";
import { folderWith } from "./plugin-files.js";

/** Far more forgets than a pipe holds lines about. */
const FORGETS_MAX = 2_000;

/**
 * Returns a plugin that logs each forget and kills its process after many. The pipe `alive` is open as long as
 * the process runs.
 */
function loggingPlugin(): string {
  return `
import { appendFileSync, openSync } from "node:fs";
const beside = (name) => new URL(name, import.meta.url);
openSync(beside("alive"), "w");
let forgets = 0;
export const createPlugin = () => ({
  async onStore(_, { entries }) {
    const receiptOf = ({ index, key_hash }) => ({ index, key_hash, outcome: "created", revision: 1 });
    return { receipts: entries.map(receiptOf), errors: [] };
  },
  async onForget(_, { filter }) {
    appendFileSync(beside("forgets"), filter.all[0].value[0] + "\\n");
    if (++forgets === ${FORGETS_MAX}) process.kill(process.pid, "SIGKILL");
    return { deleted: 1, purge: "done" };
  },
});
`;
}

/** The plugin is only created in the other process. */
function unused(): never {
  throw new TypeError("not called");
}

const HAS_FIFOS = process.platform !== "win32";

it.skipIf(!HAS_FIFOS)(
  "keeps no forgotten entry if the suite was busy until the kill (where named pipes exist)",
  async () => {
    const folder = folderWith({ "plugin.js": loggingPlugin(), "package.json": '{ "type": "module" }' });
    try {
      const alive = join(folder.path, "alive");
      execFileSync("mkfifo", [alive]);
      const module = pathToFileURL(join(folder.path, "plugin.js")).href;
      const implementation = { name: "logging", module, nodeArguments: NODE_ARGUMENTS, createPlugin: unused };
      const killed = killWhileStoring(implementation, {
        directory: folder.path,
        diary: join(folder.path, "diary"),
        tier: "episodic",
        count: 60,
      });
      // Blocks this process, as a busy machine does, until the other one has ended.
      readFileSync(alive);
      const { kept } = await killed;
      const log = join(folder.path, "forgets");
      const forgotten = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
      expect(kept.filter(({ entry }) => forgotten.includes(keyHash(entry.key as MemoryKey)))).toEqual([]);
      expect(kept.length).toBeGreaterThan(0);
    } finally {
      folder.remove();
    }
  },
);

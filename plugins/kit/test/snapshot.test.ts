import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@membus/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { snapshot } from "../src/journal/snapshot.js";
import { FolderManifest, manifestFile, markerFiles } from "../src/place/index.js";
import type { Storage } from "../src/storage.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "membus-snapshot-"));
});
afterEach(() => rm(root, { recursive: true }));

it("a snapshot contains an erasure that starts while the log is copied", async () => {
  const markers = markerFiles(root, silentLogger);
  const manifest = await FolderManifest.open(manifestFile(root, "episodic", markers), "episodic");
  const log = {
    async snapshot() {
      await manifest.update({ erasing: [{ tenant: "acme" }] });
      return [{ name: "1.log", id: 7 }];
    },
  };
  await snapshot(join(root, "copy"), {
    ...{ place: { markers }, log, manifest, logger: silentLogger },
    storage: { snapshot: async () => undefined } as unknown as Storage,
    flusher: { pauseWrites: (task) => task() },
  });
  const facts = JSON.parse(await readFile(join(root, "copy", "folder.json"), "utf8"));
  expect(facts).toMatchObject({ erasing: [{ tenant: "acme" }], log: [{ name: "1.log", id: 7 }] });
});

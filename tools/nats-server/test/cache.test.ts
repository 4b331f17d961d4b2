import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cachedBinaries } from "../src/install/cache-dir.js";
import { temporaryDir, writeProgram } from "./fake-nats-server.js";

let cacheDir: string;
beforeEach(() => {
  cacheDir = temporaryDir();
});
afterEach(() => rmSync(cacheDir, { recursive: true }));

it("lists the installed versions, newest first, without unfinished installations", async () => {
  for (const name of ["2.9.10", "2.10.0", "2.15.2", ".install-x7"]) {
    writeProgram(join(cacheDir, "nats-server", name, "nats-server"), `nats-server: v${name}`);
  }
  expect(await cachedBinaries(cacheDir)).toEqual(
    ["2.15.2", "2.10.0", "2.9.10"].map((version) => join(cacheDir, "nats-server", version, "nats-server")),
  );
});

it("is empty if nothing was installed", async () => {
  expect(await cachedBinaries(join(cacheDir, "absent"))).toEqual([]);
});

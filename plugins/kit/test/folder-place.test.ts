import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import { onTestFinished } from "vitest";
import { openFolder } from "../src/place/index.js";
import { registerPlaceSuite } from "./place-suite.js";

const unused = () => {
  throw new Error("not part of this test");
};

registerPlaceSuite("a folder", async () => {
  const directory = await mkdtemp(join(tmpdir(), "membus-place-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const backends = { storage: unused, openLog: unused, reserveBytes: 0 };
  return {
    open: (logger) =>
      openFolder(backends, {
        dataDirectory: directory,
        tier: "semantic",
        clock: systemClock,
        logger,
        notify() {},
      }),
  };
});

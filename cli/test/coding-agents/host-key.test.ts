import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createHostKey } from "../../src/coding-agents/host-key.js";
import { userFolders } from "../../src/coding-agents/user-folders.js";

it("creates one key if several processes create it at once, and leaves no draft", async () => {
  const home = mkdtempSync(join(tmpdir(), "membus-key-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { XDG_STATE_HOME: home, LOCALAPPDATA: home };
  const seeds = await Promise.all(
    Array.from({ length: 8 }, async () => readFileSync(await createHostKey(env), "utf8")),
  );
  expect(new Set(seeds).size).toBe(1);
  expect(seeds[0]).toMatch(/^SU[A-Z2-7]{56}\n$/);
  expect(readdirSync(userFolders(env).state)).toEqual(["host.nk"]);
  expect(statSync(await createHostKey(env)).mode & 0o077).toBe(0);
});

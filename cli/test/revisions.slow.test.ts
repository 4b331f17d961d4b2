import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls } from "../../plugins/kit/test/kit-calls.js";
import { testServices } from "../../plugins/kit/test/kit-fixture.js";
import { TestClock } from "../../plugins/kit/test/test-clock.js";
import { createLruPlugin } from "../../plugins/lru/src/index.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
const folder = join(host.data, "working");
beforeAll(() => host.start());
afterAll(() => host.stop());

/** Changes the same key and returns the new revision. */
async function change(content: string): Promise<number> {
  const stored = await host.json<{ receipts: { revision: number }[] }>([
    "store",
    JSON.stringify({ key: "step", content }),
  ]);
  return stored.receipts[0]!.revision;
}

async function mark(): Promise<number> {
  return (JSON.parse(await readFile(join(folder, "revisions"), "utf8")) as { before: number }).before * 1e6;
}

describe("revisions of the working tier", () => {
  it("increase across kills, even if the clock is set back an hour", async () => {
    const revisions = [await change("one")];
    expect(revisions.at(-1)).toBeLessThan(await mark());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await host.restart();
    revisions.push(await change("two"));
    expect(revisions.at(-1)).toBeLessThan(await mark());
    await host.kill();
    const clock = new TestClock(Date.now() / 1_000 - 3_600);
    const plugin = createLruPlugin();
    await plugin.open!({ ...testServices({ tier: "working" }, clock).services, dataDirectory: folder });
    const { receipts } = await calls({ plugin, clock }, { tier: "working" }).store([
      { key: "step", content: 3 },
    ]);
    revisions.push(receipts[0]!.revision);
    await plugin.close!();
    await host.restart();
    revisions.push(await change("four"));
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  });

  it("are included in a backup, which can be verified and restored, with or without a running host", async () => {
    for (const name of ["served", "stopped"]) {
      const backups = join(host.directory, `backups-${name}`);
      const target = join(host.directory, `restored-${name}`);
      await host.json(["backup", backups, "--data", host.data]);
      await host.json(["verify", backups]);
      await host.json(["restore", backups, "--data", target]);
      await host.json(["verify", target]);
      expect(await readFile(join(target, "working", "revisions"), "utf8")).toContain("before");
      expect((await stat(join(target, "working"))).mode & 0o777).toBe(0o700);
      await host.kill();
    }
    await host.restart();
  });
});

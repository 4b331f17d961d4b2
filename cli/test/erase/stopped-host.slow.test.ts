import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesWith } from "../../../plugins/lancedb/test/storage-fixture.js";
import { RunningHost } from "../running-host.js";

const host = new RunningHost();
const data = join(host.directory, "data");
beforeAll(() => host.start());
afterAll(() => host.stop());

const erase = (...args: string[]) => host.cli(["admin", "erase", "--data", data, ...args]);

describe("membus admin erase", () => {
  it("erases an agent or a tenant from the folder of a stopped host", async () => {
    for (const agent of ["mallory", "bob"]) {
      for (const tier of ["episodic", "semantic"]) {
        const text = `s3cret of ${agent}`;
        const entry = JSON.stringify({ key: `${agent} ${tier}`, content: text, tier });
        const { code } = await host.cli(["store", entry, "--agent", agent]);
        expect(code).toBe(0);
      }
    }
    await rm(join(data, "control"));
    const refused = await erase("--agent", "mallory", "--yes");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/process \d+ holds .*stop it first/);
    await host.kill();

    const dry = await host.json(["admin", "erase", "--data", data, "--agent", "mallory", "--dry-run"]);
    const counted = { tier: "episodic", entries: 1, namespaces: 1, replies: 1 };
    expect(dry).toMatchObject({ dry_run: true, tiers: [counted, { ...counted, tier: "semantic" }] });
    expect((await filesWith(data, "s3cret of mallory")).length).toBeGreaterThan(0);
    expect((await erase("--agent", "mallory")).stderr).toContain("add --yes");
    expect((await erase("--yes")).stderr).toContain("--agent or --tenant is required");

    const done = await erase("--agent", "mallory", "--yes");
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/episodic {2}1 entries in 1 namespaces, 1 cached replies, erased at/);
    expect(done.stdout).toContain("backups");
    expect(await filesWith(data, "mallory")).toEqual([]);
    expect((await filesWith(data, "s3cret of bob")).length).toBeGreaterThan(0);

    const whole = await host.json(["admin", "erase", "--data", data, "--tenant", "default", "--yes"]);
    expect(whole).toMatchObject({ owner: { tenant: "default" }, tiers: [{ entries: 1 }, { entries: 1 }] });
    expect(await filesWith(data, "s3cret")).toEqual([]);
    expect(await filesWith(data, "default")).toEqual([]);
    await host.restart();
  });
});

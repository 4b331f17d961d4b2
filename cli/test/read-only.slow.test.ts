import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOf } from "../../plugins/lancedb/test/hash-of-folder.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

describe("membus up --read-only", () => {
  it("answers reads from a folder left by a kill, refuses writes, and changes nothing", async () => {
    await host.json(["remember", "printer", "on the second floor", "--tier", "semantic"]);
    await host.json(["remember", "step", "three"]);
    await host.restart();
    await host.restart(["--read-only"]);
    const before = await hashOf(host.data);
    await host.restart(["--read-only"]);
    const found = await host.cli(["retrieve", "second floor", "--tier", "semantic"]);
    expect([found.stderr, found.stdout]).toEqual(["", expect.stringContaining("second floor")]);
    const refused = await host.cli(["remember", "another", "word", "--tier", "semantic"]);
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining("read-only")]);
    const forgotten = await host.cli(["forget", "--all"]);
    expect([forgotten.code === 0, forgotten.stderr]).toEqual([false, expect.stringContaining("read-only")]);
    await host.restart(["--read-only"]);
    expect(await hashOf(host.data)).toBe(before);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChaosStage } from "./chaos-stage.js";

describe("a second host", () => {
  let stage: ChaosStage;
  let other: ChaosStage;
  beforeEach(async () => {
    [stage, other] = [await ChaosStage.open(), await ChaosStage.open()];
    await stage.startHost();
    const memory = await stage.client({ agent: "alice" });
    await memory.remember("kept", "yes", { tier: "episodic" });
  });
  afterEach(async () => {
    await stage.close();
    await other.close();
  });

  it("is refused the data directory while the first host runs, and gets it after the first was killed", async () => {
    const first = stage.hostPid;
    const { code, stderr } = await stage.refusedHost({ url: other.url });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`${stage.data}/\\w+/lock is locked by process ${first} on .*\\(conflict\\)`),
    );

    await stage.killHost();
    await stage.startHost({ url: other.url });
    const memory = await other.client({ agent: "alice" });
    expect(await memory.recall("kept")).toBe("yes");
  });

  it("is refused the tenants while the first host runs, and gets them after the first was killed", async () => {
    const memory = await stage.client({ agent: "alice" });
    const { host_id } = await memory.ping();
    const { code, stderr } = await stage.refusedHost({ data: other.data });
    expect(code).toBe(1);
    expect(stderr).toContain(`the host ${host_id} already serves the prefix a2e for all tenants`);

    await stage.killHost();
    await stage.startHost({ data: other.data });
    expect(await memory.recall("kept", "none")).toBe("none");
  });

  it("stops when a first host that was suspended continues", async () => {
    const memory = await stage.client({ agent: "alice" });
    const { host_id } = await memory.ping();
    const first = stage.hostPid;
    process.kill(first, "SIGSTOP");
    await stage.startHost({ data: other.data });
    const end = stage.hostEnd();
    process.kill(first, "SIGCONT");
    const { code, stderr } = await end;
    expect([code, stderr]).toEqual([1, expect.stringContaining(`the host ${host_id} already serves`)]);
    expect(await memory.recall("kept")).toBe("yes");
  });
});

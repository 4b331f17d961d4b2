import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { turn } from "./fake-clock.js";
import { HeldPlugin } from "./held-plugin.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

describe("start", () => {
  it("opens each plugin with its tier, its directory and the services", async () => {
    const opened: object[] = [];
    const plugin = () => {
      const made = new MapPlugin();
      made.open = async (services) => {
        opened.push(services);
      };
      return made;
    };
    const dataDirectories = { semantic: "/data/semantic" };
    const fixture = await HostFixture.start({
      plugins: { working: plugin(), semantic: plugin() },
      dependencies: { dataDirectories },
    });
    expect(opened).toMatchObject([
      { tier: "working" },
      { tier: "semantic", dataDirectory: "/data/semantic" },
    ]);
    expect(opened[0]).not.toHaveProperty("dataDirectory");
    expect(opened[0]).not.toHaveProperty("embedder");
    expect(opened.every((services) => (services as { clock: unknown }).clock === fixture.clock)).toBe(true);
  });

  it("that fails says why, closes what it opened, and leaves no subscription", async () => {
    const working = new MapPlugin();
    const semantic = new MapPlugin();
    semantic.open = async () => Promise.reject(new Error("no such disk"));
    const fixture = new HostFixture({ plugins: { working, semantic } });
    await expect(fixture.host.start()).rejects.toMatchObject({
      name: "MemoryError",
      code: "unavailable",
      message: "the plugin map of the semantic tier did not open: Error: no such disk",
      cause: new Error("no such disk"),
    });
    expect([working.calls, semantic.calls]).toEqual([["open", "close"], []]);
    expect(fixture.host.stats().state).toBe("stopped");
    await expect(fixture.retrieve()).rejects.toMatchObject({ code: "unavailable" });
    expect(await fixture.bus.requestMany("$SRV.PING", new Uint8Array(), { waitMs: 10 })).toEqual([]);
  });

  it("passes a plugin's MemoryError on, such as the name of who holds its directory", async () => {
    const plugin = new MapPlugin();
    plugin.open = async () => Promise.reject(new MemoryError("conflict", "held by process 7"));
    const fixture = new HostFixture({ plugins: { working: plugin } });
    await expect(fixture.host.start()).rejects.toMatchObject({
      code: "conflict",
      message: "held by process 7",
    });
  });

  it("is once", async () => {
    const fixture = await HostFixture.start();
    expect(() => fixture.host.start()).toThrow(TypeError);
  });
});

describe("stop", () => {
  it("answers what is under way, refuses what comes, and closes the plugins last", async () => {
    const plugin = new HeldPlugin();
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const asking = fixture.store([{ key: "a", content: 1 }]);
    await plugin.untilHeld(1);
    const stopping = fixture.host.stop();
    await turn();
    expect(fixture.host.stats().state).toBe("stopping");
    await expect(fixture.retrieve()).rejects.toMatchObject({ code: "unavailable" });
    expect(plugin.calls).not.toContain("close");
    plugin.release();
    expect((await asking).type).toBe("memory/store/resp");
    await stopping;
    expect(plugin.calls.at(-1)).toBe("close");
    expect(fixture.host.stats().state).toBe("stopped");
    expect(fixture.bus.state).toBe("connected");
  });

  it("answers `unavailable` to what takes longer than drainTimeoutMs, and does not start what waits", async () => {
    const plugin = new HeldPlugin();
    const options = { drainTimeoutMs: 500, pluginWriteConcurrency: 1 };
    const fixture = await HostFixture.start({ plugins: { working: plugin }, options });
    const asking = ["a", "b"].map((key) => fixture.store([{ key, content: 1 }], { deadline_ms: 60_000 }));
    await plugin.untilHeld(1);
    const stopping = fixture.host.stop();
    await fixture.clock.advance(520);
    for (const answer of await Promise.all(asking)) {
      expect(answer).toMatchObject({ type: "error", code: "unavailable", retryable: true });
    }
    await stopping;
    plugin.release();
    await turn();
    expect([plugin.heldCount, plugin.calls.filter((call) => call === "store").length]).toEqual([0, 1]);
    expect(fixture.logger.messages("error")).toEqual(["stopping although requests are still under way"]);
  });

  it("can be called twice, before start, and while starting", async () => {
    const fixture = await HostFixture.start();
    await Promise.all([fixture.host.stop(), fixture.host.stop()]);
    const plugin = new MapPlugin();
    const other = new HostFixture({ plugins: { working: plugin } });
    const starting = other.host.start();
    await Promise.all([starting, other.host.stop()]);
    expect(plugin.calls).toEqual(["open", "close"]);
    const unstarted = new MapPlugin();
    await new HostFixture({ plugins: { working: unstarted } }).host.stop();
    expect(unstarted.calls).toEqual([]);
  });

  it("goes on when a plugin does not close, or its close fails", async () => {
    const hangs = new MapPlugin();
    hangs.close = () => new Promise(() => {});
    const fails = new MapPlugin();
    fails.close = async () => Promise.reject(new Error("x"));
    const fixture = await HostFixture.start({ plugins: { working: hangs, semantic: fails } });
    await fixture.clock.advanceUntil(fixture.host.stop());
    expect(fixture.logger.messages("error")).toEqual([
      "the plugin did not close cleanly",
      "stopping although the working tier is still closing",
    ]);
  });
});

describe("maintenance", () => {
  it("is called now and then, never twice at once, and goes on after a failure", async () => {
    const plugin = new MapPlugin();
    let running = 0;
    const open: (() => void)[] = [];
    plugin.maintain = () => {
      running++;
      return new Promise((resolve, reject) =>
        open.push(running === 1 ? () => reject(new Error("x")) : resolve),
      );
    };
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    await fixture.clock.advance(5_000);
    expect(running).toBe(1);
    open.pop()!();
    await turn();
    await fixture.clock.advance(1_000);
    expect(running).toBe(2);
    expect(fixture.logger.messages("error")).toEqual(["maintenance failed; it is tried again"]);
    open.pop()!();
  });
});

import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { BlockingPlugin } from "./blocking-plugin.js";
import { turn } from "./fake-clock.js";
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

  it("reports a failure, closes everything it opened, and leaves no subscription", async () => {
    const working = new MapPlugin();
    const semantic = new MapPlugin();
    semantic.open = async () => Promise.reject(new Error("no such disk"));
    const fixture = new HostFixture({ plugins: { working, semantic } });
    await expect(fixture.host.start()).rejects.toMatchObject({
      name: "MemoryError",
      code: "unavailable",
      message: "the plugin map of the semantic tier failed to open: Error: no such disk",
      cause: new Error("no such disk"),
    });
    expect([working.calls, semantic.calls]).toEqual([["open", "close"], []]);
    expect(fixture.host.stats().state).toBe("stopped");
    await expect(fixture.retrieve()).rejects.toMatchObject({ code: "unavailable" });
    expect(await fixture.bus.requestMany("$SRV.PING", new Uint8Array(), { waitMs: 10 })).toEqual([]);
  });

  it("passes on a plugin's MemoryError, such as one that names the lock holder of its directory", async () => {
    const plugin = new MapPlugin();
    plugin.open = async () => Promise.reject(new MemoryError("conflict", "held by process 7"));
    const fixture = new HostFixture({ plugins: { working: plugin } });
    await expect(fixture.host.start()).rejects.toMatchObject({
      code: "conflict",
      message: "held by process 7",
    });
  });

  it("is possible only once", async () => {
    const fixture = await HostFixture.start();
    expect(() => fixture.host.start()).toThrow(TypeError);
  });
});

describe("stop", () => {
  it("answers running requests, refuses new ones, and closes the plugins last", async () => {
    const plugin = new BlockingPlugin();
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const requests = fixture.store([{ key: "a", content: 1 }]);
    await plugin.untilBlocked(1);
    const stopping = fixture.host.stop();
    await turn();
    expect(fixture.host.stats().state).toBe("stopping");
    await expect(fixture.retrieve()).rejects.toMatchObject({ code: "unavailable" });
    expect(plugin.calls).not.toContain("close");
    plugin.release();
    expect((await requests).type).toBe("memory/store/resp");
    await stopping;
    expect(plugin.calls.at(-1)).toBe("close");
    expect(fixture.host.stats().state).toBe("stopped");
    expect(fixture.bus.state).toBe("connected");
  });

  it("answers `unavailable` to requests that exceed drainTimeoutMs, and does not start queued ones", async () => {
    const plugin = new BlockingPlugin();
    const options = { drainTimeoutMs: 500, pluginWriteConcurrency: 1 };
    const fixture = await HostFixture.start({ plugins: { working: plugin }, options });
    const requests = ["a", "b"].map((key) => fixture.store([{ key, content: 1 }], { deadline_ms: 60_000 }));
    await plugin.untilBlocked(1);
    const stopping = fixture.host.stop();
    await fixture.clock.advance(520);
    for (const answer of await Promise.all(requests)) {
      expect(answer).toMatchObject({ type: "error", code: "unavailable", retryable: true });
    }
    await stopping;
    plugin.release();
    await turn();
    expect([plugin.blockedCount, plugin.calls.filter((call) => call === "store").length]).toEqual([0, 1]);
    expect(fixture.logger.messages("error")).toEqual([
      "shutdown timeout: continuing although requests are still running",
    ]);
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

  it("completes even if a plugin does not close, or its close fails", async () => {
    const hangs = new MapPlugin();
    hangs.close = () => new Promise(() => {});
    const fails = new MapPlugin();
    fails.close = async () => Promise.reject(new Error("x"));
    const fixture = await HostFixture.start({ plugins: { working: hangs, semantic: fails } });
    await fixture.clock.advanceUntil(fixture.host.stop());
    expect(fixture.logger.messages("error")).toEqual([
      "plugin failed to close",
      "shutdown timeout: continuing although the working tier is still closing",
    ]);
  });
});

describe("maintenance", () => {
  it("runs periodically, never twice at once, and continues after a failure", async () => {
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
    expect(fixture.logger.messages("error")).toEqual(["maintenance failed, retrying"]);
    open.pop()!();
  });
});

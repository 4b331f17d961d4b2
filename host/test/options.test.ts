import { readFileSync } from "node:fs";
import { parseOptions } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { createHost, HOST_VERSION, HostOptionsSchema } from "../src/index.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

describe("host options", () => {
  it("are copied and frozen", () => {
    const tenants = ["acme"];
    const options = parseOptions(HostOptionsSchema, { tenants });
    tenants.push("other");
    expect(options.tenants).toEqual(["acme"]);
    expect(Object.isFrozen(options) && Object.isFrozen(options.tenants)).toBe(true);
  });

  it("refuse an unknown name and suggest the nearest", () => {
    const options = { pluginTimeout: 1 } as object;
    expect(() => parseOptions(HostOptionsSchema, options)).toThrow(
      new TypeError("unknown option `pluginTimeout` (did you mean `pluginTimeoutMs`?)"),
    );
  });

  it.each([
    [{ prefix: "a..b" }, "prefix must be tokens of A-Z a-z 0-9 _ - separated by dots, got a..b"],
    [{ tenants: [] }, "tenants must be a list of one or more items"],
    [{ tenants: ["*", "acme"] }, "tenants must be a list of one or more tenant names, or only `*`"],
    [{ tenants: "acme" as never }, "tenants must be a list of one or more items"],
    [{ pluginTimeoutMs: 0 }, "pluginTimeoutMs must be an integer of 1..600000, got 0"],
    [{ queueCountMax: 1.5 }, "queueCountMax must be an integer of 1..1000000, got 1.5"],
    [{ events: 1 as never }, "events must be true or false, got 1"],
  ])("refuse %o", (options, message) => {
    expect(() => parseOptions(HostOptionsSchema, options)).toThrow(new TypeError(message));
  });
});

describe("createHost", () => {
  it("refuses plugins that it cannot serve", () => {
    const { bus } = new HostFixture();
    const plugin = new MapPlugin();
    expect(() => createHost({ bus, plugins: {} })).toThrow(new TypeError("a host needs at least one plugin"));
    expect(() => createHost({ bus, plugins: { episodic: plugin, semantic: plugin } })).toThrow(
      new TypeError("a plugin instance can serve only one tier. Create one instance for each tier"),
    );
    expect(() => createHost({ bus, plugins: { work: plugin } as object })).toThrow(
      new TypeError("`work` is not a tier. The tiers are working, episodic, semantic"),
    );
  });

  it("refuses a manifest that omits a feature", () => {
    const { bus } = new HostFixture();
    const plugin = new MapPlugin();
    delete (plugin.manifest.features as Partial<typeof plugin.manifest.features>).ttl;
    expect(() => createHost({ bus, plugins: { working: plugin } })).toThrow(
      /^the plugin of the working tier is invalid: manifest\.features\.ttl: /,
    );
  });

  it("reports the version of its package", () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(HOST_VERSION).toBe(version);
  });

  it.each(["", "_INBOX.", "a..b", "$JS", "{agent}", "_INBOX_*", "_{tenant}_{agent}", "_{name}"])(
    "refuse the inbox prefix %o",
    (inboxPrefix) => {
      expect(() => parseOptions(HostOptionsSchema, { inboxPrefixes: [inboxPrefix] })).toThrow(
        /^inboxPrefixes\[0\] must be an inbox prefix/,
      );
    },
  );
});

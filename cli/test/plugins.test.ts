import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MemoryTier } from "@membus/protocol";
import type { ServiceInfo } from "@nats-io/services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { folderWith, pluginSource } from "../../conformance/test/plugin-files.js";
import { loadPlugin, PluginLoadError } from "../src/compose/load-plugin.js";
import { CONFIG_DEFAULTS, type Config } from "../src/config/config-schema.js";
import { resolveConfig } from "../src/config/resolve-config.js";
import { checkPlugins } from "../src/doctor/check-plugins.js";
import { runCli } from "./run-cli.js";
import { ask } from "./wire/bare-request.js";
import { Wire } from "./wire/wire-fixture.js";

const LRU = new URL("../../plugins/lru/dist/index.js", import.meta.url).href;
const PROTOCOL = new URL("../../protocol/dist/index.js", import.meta.url).href;

const folder = folderWith({
  "served.mjs": `import { createLruPlugin } from "${LRU}";
    export const createPlugin = async (options) => createLruPlugin(options);`,
  "no-factory.mjs": "export const plugin = {};",
  "no-code.mjs": "export const = ;",
  "no-plugin.mjs": "export default () => ({ onStore() {} });",
  "no-manifest.mjs": pluginSource("manifest: { name: 'mine' },"),
  "cannot-open.mjs": pluginSource("async open() { throw new Error('the disk is on fire'); },"),
  "held.mjs": pluginSource(
    "async open() { throw new MemoryError('conflict', 'process 7 has it'); },",
    `import { MemoryError } from "${PROTOCOL}";`,
  ),
});
afterAll(() => folder.remove());

type Plugins = Config["plugins"];
const pluginsOf = async (yaml: string, plugins?: object): Promise<Plugins> => {
  const configPath = join(folder.path, "settings.yaml");
  writeFileSync(configPath, yaml);
  return (await resolveConfig({ flags: plugins ? { plugins } : {}, env: {}, configPath })).plugins;
};
const named = (module: string, options?: Record<string, unknown>) => ({
  module: `./${module}`,
  folder: folder.path,
  ...(options && { options }),
});

describe("the configured plugins", () => {
  const yaml = "plugins: { working: none, semantic: { module: ./served.mjs, options: { entriesMax: 9 } } }";

  it("are resolved from the folder of the file, or from the working directory for a flag", async () => {
    const semantic = { module: "./served.mjs", options: { entriesMax: 9 }, folder: folder.path };
    expect(await pluginsOf(yaml)).toEqual({ working: "none", semantic });
    const flag = { semantic: { module: "other" }, episodic: "none" };
    expect(await pluginsOf(yaml, flag)).toEqual({
      working: "none",
      episodic: "none",
      semantic: { module: "other", folder: process.cwd() },
    });
  });

  it.each([
    ["plugins: { semantc: none }", /plugins: unknown option `semantc` \(did you mean `semantic`\?\)/],
    ["plugins: { semantic: ./served.mjs }", /plugins\.semantic must be `\{ module: .+ or `none`/],
    ["plugins: { semantic: { options: {} } }", /plugins\.semantic must be/],
  ])("are rejected: %s", async (text, message) => {
    await expect(pluginsOf(text)).rejects.toThrow(message);
  });
});

describe("a plugin that cannot be used", () => {
  it.each([
    [
      "absent.mjs",
      undefined,
      /^plugins\.semantic: plugin not found: no file .*absent\.mjs/,
      /Paths are relative to /,
    ],
    [
      "no-factory.mjs",
      undefined,
      /cannot load .*: .* does not export a function `createPlugin`/,
      /name the built module/,
    ],
    ["no-code.mjs", undefined, /^plugins\.semantic: cannot load \.\/no-code\.mjs: /, /name the built module/],
    [
      "served.mjs",
      { entriesMx: 9 },
      /createPlugin of \.\/served\.mjs failed: .*entriesMx/,
      /semantic\.options/,
    ],
    [
      "no-plugin.mjs",
      undefined,
      /did not return a MemoryPlugin: missing method onRetrieve, onForget, onStatus$/,
      /membus conformance/,
    ],
    ["no-manifest.mjs", undefined, /did not return a MemoryPlugin: manifest\.contract: /, /--tier semantic/],
  ])("%s %o is reported", async (module, options, message, advice) => {
    const error = await loadPlugin("semantic", named(module, options)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PluginLoadError);
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    });
  });

  it("stops `membus up` with a suggestion", async () => {
    const args = ["up", "--nats", "nats://127.0.0.1:1", "--plugin"];
    const up = (plugin: string) => runCli([...args, plugin], { cwd: folder.path });
    expect(await up("semantc=./served.mjs")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /Unknown tier `semantc` \(did you mean `semantic`\?\), expected one of working, episodic, semantic/,
      ),
    });
    expect((await up("./served.mjs")).stderr).toContain(
      "Expected tier=module, such as semantic=./my-plugin.js",
    );
    expect((await up("working=none")).stderr).toContain("cannot connect to NATS");
  });
});

describe("membus doctor", () => {
  const found = async (tier: MemoryTier, settings: ReturnType<typeof named> | "none") =>
    (await checkPlugins({ ...CONFIG_DEFAULTS, plugins: { [tier]: settings } }, {}))[0];

  it.each([
    ["served.mjs", "ok", /^lru \d+\.\d+\.\d+: similarity, full_text, ttl, shared, /, undefined],
    ["absent.mjs", "problem", /plugin not found: no file/, /build the plugin/],
    ["no-manifest.mjs", "problem", /manifest\.contract/, /membus conformance plugin \.\/no-manifest\.mjs/],
    ["cannot-open.mjs", "problem", /the disk is on fire/, /plugins\.semantic\.options/],
    ["held.mjs", "warning", /already open in another process: process 7 has it/, /while a host is running/],
  ])("tries %s: %s", async (module, state, text, advice) => {
    expect(await found("semantic", named(module))).toEqual({
      check: "plugin semantic",
      state,
      found: expect.stringMatching(text),
      ...(advice && { advice: expect.stringMatching(advice) }),
    });
  });

  it("reports a disabled tier, and nothing about plugins that are not configured", async () => {
    expect(await found("working", "none")).toMatchObject({ state: "warning", check: "plugin working" });
    expect(await checkPlugins(CONFIG_DEFAULTS, {})).toEqual([]);
  });

  it("checks a plugin given by a flag, and exits with 1", async () => {
    const args = ["doctor", "--nats", "nats://127.0.0.1:1", "--plugin", "semantic=./cannot-open.mjs"];
    const { code, stdout } = await runCli(args, { cwd: folder.path });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAIL {2}plugin semantic: .*the disk is on fire\n {6}check `plugins\.semantic\.options`/m,
    );
  });
});

describe("a host with a configured plugin and a disabled tier", () => {
  let wire: Wire;
  beforeAll(async () => {
    const plugins = { working: "none" as const, semantic: { module: join(folder.path, "served.mjs") } };
    wire = await Wire.start({ binary: NATS_SERVER, config: { plugins } });
  });
  afterAll(() => wire?.close());

  it("serves the plugin, and discovery shows its name, version and features", async () => {
    const client = await wire.client("alice");
    await client.remember("planet", "Earth", { tier: "semantic" });
    expect(await client.recall("planet", { tier: "semantic" })).toBe("Earth");
    const { metadata } = (await (await wire.connection()).request("$SRV.INFO.membus")).json<ServiceInfo>();
    expect(metadata!.tiers).toBe("episodic,semantic");
    const { semantic, episodic } = JSON.parse(metadata!.plugins!);
    expect(semantic).toMatchObject({
      name: "lru",
      version: "0.1.0",
      features: { eviction: true, durable: false },
    });
    expect(episodic).toMatchObject({ name: "lancedb", features: { durable: true } });
  });

  it("rejects requests to the disabled tier", async () => {
    const entries = [{ key: "a", content: 1, tier: "working" }];
    const reply = await ask(await wire.connection(), "alice", "memory/store/req", { entries });
    expect(reply).toMatchObject({
      errors: [{ code: "unsupported", message: "this host does not serve the working tier" }],
    });
  });
});

it("gives each plugin its own folder", async () => {
  const data = join(folder.path, "data");
  const { composePlugins } = await import("../src/compose/compose-plugins.js");
  const config = { ...CONFIG_DEFAULTS, data, plugins: { working: named("served.mjs") } };
  const { plugins, dataDirectories } = await composePlugins(config, {
    repair: false,
    acceptLoss: false,
    readOnly: false,
  });
  expect(Object.keys(plugins)).toEqual(["working", "episodic", "semantic"]);
  expect(dataDirectories).toEqual({
    working: join(data, "working-lru"),
    episodic: join(data, "episodic"),
    semantic: join(data, "semantic"),
  });
  expect(Object.values(dataDirectories).every((path) => existsSync(path))).toBe(true);
});

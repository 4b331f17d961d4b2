import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  FEATURES,
  findPluginModule,
  loadPluginModule,
  PLUGIN_CONTRACT,
  pluginProblem,
} from "../src/plugin/index.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  const manifest = { name: "packed", version: "1.0.0", type: "module", exports: { import: "./main.js" } };
  write("node_modules/packed/package.json", JSON.stringify(manifest));
  write("node_modules/packed/main.js", "export default (options) => ({ options });");
  write("node_modules/hollow/package.json", JSON.stringify({ ...manifest, name: "hollow" }));
  write("made/dist/plugin.js", "export const createPlugin = 1;");
  write("packed.js", "export async function createPlugin() {}");
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const urlOf = (path: string) => pathToFileURL(join(folder, path)).href;

describe("a plugin's module", () => {
  it.each([
    ["./packed.js", "packed.js"],
    ["packed.js", "packed.js"],
    ["made/dist/plugin.js", "made/dist/plugin.js"],
    ["packed", "node_modules/packed/main.js"],
  ])("finds %s relative to its folder", async (module, path) => {
    expect(await findPluginModule(module, folder)).toBe(urlOf(path));
    expect(await findPluginModule(join(folder, path), "/")).toBe(urlOf(path));
  });

  it("finds a package from a subfolder", async () => {
    expect(await findPluginModule("packed", join(folder, "made"))).toBe(urlOf("node_modules/packed/main.js"));
  });

  it.each([
    ["./absent.js", /^plugin not found: no file .*absent\.js and no package/],
    ["absent", /^plugin not found: no file .*absent and no package `absent`$/],
    ["hollow", /^plugin not found: no file .*hollow and no package/],
    ["./made", /made is a folder: name the plugin's file, such as made.dist.plugin\.js$/],
  ])("%s is a TypeError", async (module, message) => {
    const refused = findPluginModule(module, folder);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(TypeError);
  });

  it.each([
    ["named.cjs", "exports.createPlugin = () => 1;"],
    ["object.cjs", "module.exports = { createPlugin: () => 1 };"],
    ["computed.cjs", "const api = { createPlugin: () => 1 }; module.exports = api;"],
    ["function.cjs", "module.exports = () => 1;"],
    ["object.mjs", "export default { createPlugin: () => 1 };"],
    ["untyped.js", "exports.createPlugin = () => 1;"],
  ])("loads `createPlugin` of %s", async (path, text) => {
    write(path, text);
    const { createPlugin } = await loadPluginModule(urlOf(path));
    expect(await createPlugin()).toBe(1);
  });

  it("loads `createPlugin` by name or as its default", async () => {
    const { createPlugin } = await loadPluginModule(urlOf("node_modules/packed/main.js"));
    expect(createPlugin({ size: 3 })).toEqual({ options: { size: 3 } });
    await expect(loadPluginModule(urlOf("made/dist/plugin.js"))).rejects.toThrow(
      /made\/dist\/plugin\.js does not export a function `createPlugin`/,
    );
  });
});

describe("an invalid plugin", () => {
  const features = Object.fromEntries(Object.keys(FEATURES).map((name) => [name, false]));
  const manifest = { contract: PLUGIN_CONTRACT, name: "mine", version: "1.0.0", features };
  const work = () => {};
  const plugin = { manifest, onStore: work, onRetrieve: work, onForget: work, onStatus: work };

  it.each([
    [undefined, "undefined is not a plugin"],
    [null, "null is not a plugin"],
    [{ ...plugin, onStore: 1, onForget: undefined }, "missing method onStore, onForget"],
    [{ ...plugin, onStatus: undefined }, "missing method onStatus"],
    [{ ...plugin, stats: {} }, "`stats` is not a function"],
    [{ ...plugin, manifest: undefined }, /^manifest: /],
    [{ ...plugin, manifest: { ...manifest, contract: "2.0" } }, /^manifest\.contract: /],
    [
      { ...plugin, manifest: { ...manifest, features: { ...features, ttl: 1 } } },
      /^manifest\.features\.ttl: /,
    ],
  ])("reports the problem of %o", (value, problem) => {
    expect(pluginProblem(value)).toEqual(
      typeof problem === "string" ? problem : expect.stringMatching(problem),
    );
  });

  it("accepts a plugin with the required methods", () => {
    expect(pluginProblem(plugin)).toBeUndefined();
    expect(pluginProblem({ ...plugin, close: work })).toBeUndefined();
  });

  it("accepts a manifest with a feature of a later version", () => {
    const later = { ...manifest, features: { ...features, reads_the_future: true } };
    expect(pluginProblem({ ...plugin, manifest: later })).toBeUndefined();
  });
});

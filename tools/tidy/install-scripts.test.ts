import { expect, it } from "vitest";
import { FILES, type Manifest, PACKAGES, readJson } from "./repository.js";
import { checkInstallScripts, optionalInstallScripts } from "./rules/install-scripts.js";

it("no package runs a script when it is installed", () => {
  const template = {
    folder: "cli/templates/package",
    manifest: readJson<Manifest>("cli/templates/package/package.json"),
  };
  expect(checkInstallScripts([...PACKAGES, template], FILES)).toEqual([]);
});

it("only the optional model runtime runs scripts when it is installed", () => {
  // @membus/embeddings names @huggingface/transformers as an optional peer, so npm installs it only for users who require it.
  expect(optionalInstallScripts(readJson("package-lock.json"))).toEqual([
    "onnxruntime-node",
    "protobufjs",
    "sharp",
  ]);
});

it("finds scripts of packages, and packages that npm compiles", () => {
  const manifest = {
    name: "@x/a",
    version: "1.0.0",
    scripts: { test: "vitest", postinstall: "node x.js", prepare: "tsc" },
  };
  expect(checkInstallScripts([{ folder: "a", manifest }], ["b/binding.gyp", "b/src/index.ts"])).toEqual([
    "a/package.json: npm runs the script postinstall when the package is installed",
    "a/package.json: npm runs the script prepare when the package is installed",
    "b/binding.gyp: npm compiles the package when it is installed",
  ]);
});

it("finds optional packages with scripts, except those for development", () => {
  const packages = {
    "node_modules/a": { hasInstallScript: true, optional: true },
    "node_modules/b/node_modules/@x/c": { hasInstallScript: true, optional: true },
    "node_modules/for-tests": { hasInstallScript: true, optional: true, dev: true },
    "node_modules/without": { optional: true },
  };
  expect(optionalInstallScripts({ packages })).toEqual(["a", "@x/c"]);
});

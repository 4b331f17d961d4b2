import { expect, it } from "vitest";
import { KitPlugin, type Storage } from "../src/index.js";

/** Not called, because the suites are known before the plugin is opened. */
function noStorage(): Storage {
  throw new TypeError("not created");
}

it("name the suite for storages, if the plugin has a storage", () => {
  const facts = { name: "mine", version: "1.0.0" };
  expect(new KitPlugin({ ...facts, storage: noStorage }).furtherSuites).toEqual([
    { module: "@membus/plugin-kit/storage-suite", tests: expect.stringContaining("`Storage`") },
  ]);
  expect(new KitPlugin(facts).furtherSuites).toEqual([]);
});

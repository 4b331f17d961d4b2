import { expect, it } from "vitest";
import { watchLife } from "../src/plugin-route/watched-life.js";
import { moduleOf, NODE_ARGUMENTS } from "./implementations/modules.js";
import { createPlugin } from "./implementations/printing.js";

it("watches a plugin that prints to standard output until its end", async () => {
  const implementation = {
    name: "printing",
    createPlugin,
    module: moduleOf("printing"),
    nodeArguments: NODE_ARGUMENTS,
  };
  const { moments } = await watchLife(implementation, "episodic", new Map(), async () => undefined);
  expect(moments.at(-1)!.when).toBe("at its end");
});

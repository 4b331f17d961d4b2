import { expect, it } from "vitest";
import { lifeSteps } from "../src/fixtures/life.js";
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
  // An earlier look at the process can show the same state as its end.
  const { replies, underWay } = moments.at(-1)!;
  const steps = lifeSteps("episodic", { ttl: true });
  expect([replies.has(steps.length - 1), underWay]).toEqual([true, undefined]);
});

import type { AgentMemory } from "@membus/agent-client";
import { expect, it } from "vitest";
import { KnowledgeGraph } from "../src/index.js";
import { openMemory } from "./memory-fixture.js";

/** A memory that calls `afterEmpty` once, after a read without results. */
function watchedMemory<T extends AgentMemory>(memory: T, afterEmpty: () => Promise<unknown>): T {
  let hasRun = false;
  return new Proxy(memory, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const run = (...args: unknown[]): unknown => Reflect.apply(value, target, args);
      if (name === "inNamespace") return (...args: unknown[]) => watchedMemory(run(...args) as T, afterEmpty);
      if (name !== "entries") return run;
      return async function* (...args: unknown[]) {
        let isEmpty = true;
        for await (const entry of run(...args) as AsyncIterable<unknown>) {
          isEmpty = false;
          yield entry;
        }
        if (!isEmpty || hasRun) return;
        hasRun = true;
        await afterEmpty();
      };
    },
  });
}

it("a merge does not report a triple that another writer adds after the last read", async () => {
  const { memory } = await openMemory();
  const other = new KnowledgeGraph(memory);
  const triple = (object: string) => ({ subject: "alias", predicate: "knows", object });
  await other.add(triple("Ada"));
  const merging = new KnowledgeGraph(watchedMemory(memory, () => other.add(triple("Bob"))));
  expect(await merging.merge("alias", "hub")).toEqual({ rewritten: 1, dropped: [], left: [] });
  expect(await other.merge("alias", "hub")).toEqual({ rewritten: 1, dropped: [], left: [] });
});

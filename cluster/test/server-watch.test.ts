import { expect, it } from "vitest";
import { ServerWatch } from "../src/log/server-watch.js";
import { TestClock } from "./test-clock.js";

/** A watch of two streams, and what each look is answered. An error means no answer. */
function watchOf(answers: readonly (readonly string[] | Error)[]) {
  const [clock, asked] = [new TestClock(), [] as string[]];
  const streams = {
    async absentServers(name: string): Promise<string[]> {
      const answer = answers[asked.push(name) - 1]!;
      if (answer instanceof Error) throw answer;
      return [...answer];
    },
  };
  const watch = new ServerWatch(streams, clock);
  const look = async (afterMs: number): Promise<readonly string[]> => {
    await clock.advance(afterMs);
    watch.look(["s1", "s2"]);
    // Lets the promises of the look settle. Nothing else is waited for.
    await new Promise<void>((resolve) => setImmediate(resolve));
    return watch.absent;
  };
  return { look, asked };
}

it("names the servers of all streams of a log that are down, once each", async () => {
  const { look } = watchOf([["n3", "n2"], ["n3"]]);
  expect(await look(0)).toEqual(["n2", "n3"]);
});

it("asks again after ten seconds", async () => {
  const { look, asked } = watchOf([["n3"], [], [], []]);
  expect(await look(0)).toEqual(["n3"]);
  expect(await look(9_999)).toEqual(["n3"]);
  expect(asked).toEqual(["s1", "s2"]);
  expect(await look(1)).toEqual([]);
  expect(asked).toHaveLength(4);
});

it("keeps the last servers while a stream has no leader", async () => {
  const { look } = watchOf([["n3"], [], new Error("no leader"), [], ["n2"]]);
  await look(0);
  expect(await look(10_000)).toEqual(["n3"]);
  expect(await look(10_000)).toEqual(["n2"]);
});

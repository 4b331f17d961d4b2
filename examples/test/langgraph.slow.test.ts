import { MembusSaver, MembusStore } from "@membus/integrations/langgraph";
import { expect, it } from "vitest";
import { langgraphScript } from "../scripted/langgraph.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("langgraph", langgraphScript);

it("goes on in another process, and knows in one thread what was said in another", () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout).toBe(
    [
      "  knows: nothing",
      "rome: waits for an answer: Il Margutta, it cooks without meat. Shall I book it?",
      "that process has ended",
      "rome: booked: Il Margutta, it cooks without meat.",
      "  knows: I eat no meat. Find me a table in Rome for Friday.",
      "oslo: not booked: Nordvegan, it cooks without meat.",
      "",
    ].join("\n"),
  );
});

it("has left both threads on the bus, and what was said", async () => {
  const memory = await stage.connect("waiter");
  const latest = await new MembusSaver(memory).getTuple({ configurable: { thread_id: "rome" } });
  expect(latest!.checkpoint.channel_values.outcome).toBe("booked: Il Margutta, it cooks without meat.");
  expect(await new MembusStore(memory).search(["people", "ada"])).toHaveLength(2);
});

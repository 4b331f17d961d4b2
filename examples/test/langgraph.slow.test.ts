import { MembusSaver, MembusStore } from "@membus/integrations/langgraph";
import { expect, it } from "vitest";
import { langgraphScript } from "../scripted/langgraph.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("langgraph", langgraphScript);

it("continues in another process, and uses facts of one thread in another", () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout).toBe(
    [
      "  knows: nothing",
      "rome: waiting for an answer: Il Margutta, it cooks without meat. Shall I book it?",
      "the process has ended",
      "rome: booked: Il Margutta, it cooks without meat.",
      "  knows: I eat no meat. Find me a table in Rome for Friday.",
      "oslo: not booked: Nordvegan, it cooks without meat.",
      "",
    ].join("\n"),
  );
});

it("leaves both threads and the user's statements on the bus", async () => {
  const memory = await stage.connect("waiter");
  const latest = await new MembusSaver(memory).getTuple({ configurable: { thread_id: "rome" } });
  expect(latest!.checkpoint.channel_values.outcome).toBe("booked: Il Margutta, it cooks without meat.");
  expect(await new MembusStore(memory).search(["people", "ada"])).toHaveLength(2);
});

import { keyHash } from "@membus/protocol";
import { expect, it } from "vitest";
import { openConversation } from "../src/index.js";
import { factTexts, foundFacts, openMemory, openScripted } from "./long-term-fixture.js";

it("facts list their messages as sources, and a cascade deletes them together", async () => {
  const client = await openMemory();
  const { longTerm } = await openScripted(() => foundFacts("The user lives in Rome"), { client });
  const conversation = await openConversation(client, { id: "trip" });
  const message = { role: "user" as const, content: "I live in Rome" };
  const { ids } = await conversation.add(message);
  const key = { conversation: "trip", message: ids[0]! };
  await longTerm.record(message, { sources: [keyHash(key)], wait: false });
  await longTerm.settled();
  await longTerm.record("has two cats", { infer: false });
  expect(await factTexts(longTerm)).toEqual(["The user lives in Rome", "has two cats"]);
  await client.forget({ keys: [key], tier: "episodic", namespace: "conversations", cascade: true });
  expect(await factTexts(longTerm)).toEqual(["has two cats"]);
  await expect(longTerm.record("x", { sources: ["m1"] })).rejects.toThrow(
    "sources[0] must be a key hash (64 hex digits)",
  );
});

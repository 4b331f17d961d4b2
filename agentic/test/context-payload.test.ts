import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../src/context/index.js";
import { ContextWindow, completeInWindow, openConversation } from "../src/index.js";
import { openMemory } from "./memory-fixture.js";
import { startModel } from "./model-fixture.js";
import { assistant, NUMBERS, openWindow, SUMMARY, tokenCounter, user } from "./window-fixture.js";

describe("a payload that is too large", () => {
  it("is compacted and sent again, at most twice, with fewer bytes each time", async () => {
    const { server, model } = await startModel(() => ({ status: 413, message: "too large" }));
    const { window } = await openWindow({}, NUMBERS);
    await expect(completeInWindow(model, window)).rejects.toMatchObject({ code: "too_large" });
    const sizes = server.requests.map(({ body }) => JSON.stringify(body.messages).length);
    expect(sizes).toHaveLength(3);
    expect(sizes[1]).toBeLessThan(sizes[0]!);
    expect(sizes[2]).toBeLessThan(sizes[1]!);
  });

  it("is answered once it is small enough, with a summary of the earlier messages", async () => {
    const { server, model } = await startModel([{ status: 413 }, SUMMARY, { text: "ten" }]);
    const { memory } = await openMemory();
    const conversation = await openConversation(memory, { id: "c1", description: "count" });
    await conversation.add(NUMBERS);
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const window = new ContextWindow(conversation, {}, { model, tokenCounter, onEvent });
    expect(await completeInWindow(model, window)).toMatchObject({ text: "ten" });
    const roles = server.requests.at(-1)!.body.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant"]);
    expect(events.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      "started payload",
      "completed payload",
    ]);
  });

  it("is not compacted if there are no messages before the newest rounds", async () => {
    const { window, events } = await openWindow({}, [user("x".repeat(1_000))]);
    expect(await window.compactForPayloadError()).toBe(false);
    expect(events).toEqual([]);
  });

  it("keeps at most 5 images before the newest rounds, the newest ones", async () => {
    const pictures = Array.from({ length: 8 }, (_, n) => [
      { ...user("look"), images: [`data:${n}${"x".repeat(100)}`] },
      assistant("yes"),
    ]).flat();
    const { window } = await openWindow({ imageTokens: 0 }, [...pictures, user("new"), assistant("so")]);
    expect(await window.compactForPayloadError()).toBe(true);
    const left = (await window.messages()).flatMap(({ images = [] }) => images.map((image) => image[5]));
    expect(left.length).toBeLessThanOrEqual(5);
    expect(left.at(-1)).toBe("7");
  });

  it("is not compacted for another error", async () => {
    const { server, model } = await startModel([{ status: 400, message: "bad" }]);
    const { window } = await openWindow({}, NUMBERS);
    await expect(completeInWindow(model, window)).rejects.toMatchObject({ code: "invalid_request" });
    expect(server.requests).toHaveLength(1);
  });
});

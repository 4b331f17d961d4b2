import { describe, expect, it } from "vitest";
import { InFlightCounter } from "../src/index.js";

describe("InFlightCounter", () => {
  it("resolves idle() at once if no work is in flight", async () => {
    await new InFlightCounter().idle();
  });

  it("resolves idle() when all work has ended, including work that began after the call", async () => {
    const counter = new InFlightCounter();
    const steps: string[] = [];
    counter.begin();
    const idle = counter.idle().then(() => steps.push("idle"));
    counter.begin();
    counter.end();
    await Promise.resolve();
    steps.push(`${counter.count} in flight`);
    counter.end();
    await idle;
    expect(steps).toEqual(["1 in flight", "idle"]);
  });

  it("counts a promise until it settles, and returns its result or its error", async () => {
    const counter = new InFlightCounter();
    const working = counter.track(Promise.resolve("done"));
    const failing = counter.track(Promise.reject(new Error("no")));
    expect(counter.count).toBe(2);
    await expect(failing).rejects.toThrow("no");
    expect(await working).toBe("done");
    expect(counter.count).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { Continuations } from "../src/openai/continuations.js";

const caller = {
  identity: { tenant: "acme", agent: "alice" },
  user: "ada",
  conversation: undefined,
  mode: "agent" as const,
};
const continuation = (shownId: string, text = "") => ({
  shownId,
  id: `${shownId}-last`,
  outputs: [{ text }],
});

describe("continuations", () => {
  it("are of the agent and the user whose answer it was", () => {
    const kept = new Continuations();
    kept.keep(caller, continuation("r"));
    expect(kept.of(caller, "r")?.id).toBe("r-last");
    expect(kept.of(caller, undefined)).toBeUndefined();
    expect(kept.of({ ...caller, user: "bob" }, "r")).toBeUndefined();
    expect(kept.of({ ...caller, identity: { tenant: "acme", agent: "bob" } }, "r")).toBeUndefined();
    expect(kept.of({ ...caller, identity: { tenant: "other", agent: "alice" } }, "r")).toBeUndefined();
  });

  it("are the latest 10,000", () => {
    const kept = new Continuations();
    for (let n = 0; n <= 10_000; n++) kept.keep(caller, continuation(`r${n}`));
    expect([kept.of(caller, "r0"), kept.of(caller, "r1")?.id]).toEqual([undefined, "r1-last"]);
  });

  it("take 16 MiB, of which one that takes the place of another has its own alone", () => {
    const kept = new Continuations();
    const text = "x".repeat(1024 * 1024);
    kept.keep(caller, continuation("first"));
    for (let n = 0; n < 20; n++) kept.keep(caller, continuation("again", text));
    expect(kept.of(caller, "first")?.id).toBe("first-last");
    for (let n = 0; n < 15; n++) kept.keep(caller, continuation(`r${n}`, text));
    expect([kept.of(caller, "again"), kept.of(caller, "r0")?.id]).toEqual([undefined, "r0-last"]);
  });
});

import { expect, it } from "vitest";
import { degradedNotice } from "../src/index.js";

const EMPTY = { queued: 0, refused: 0, bytes: 0, foreign: [] };

it("is absent if every write was delivered", () => {
  expect(degradedNotice(EMPTY)).toBe(undefined);
});

it("counts queued and refused writes, and names the command that lists them", () => {
  expect(degradedNotice({ ...EMPTY, queued: 14, refused: 1, foreign: ["a.txt", "b.txt"] })).toBe(
    "membus: memory is degraded. 14 writes are queued on this machine, 1 write is refused by the host, 2 files in the outbox are no writes. `membus outbox list` shows the writes.",
  );
});

it("gives the reason if nothing is recalled and nothing is queued", () => {
  expect(degradedNotice(EMPTY, new Error("no host"))).toBe("membus: memory is degraded: no host.");
});

it("gives the reason if the outbox cannot be read", () => {
  expect(degradedNotice({ ...EMPTY, problem: new Error("no permission") })).toBe(
    "membus: memory is degraded: no permission.",
  );
});

import { expect, it } from "vitest";
import { FakeClock } from "../../../host/test/fake-clock.js";
import { endWithAccess } from "../src/index.js";

const DAY_S = 86_400;

/** Counts the ends of one access. */
function access(leftS: number | undefined) {
  const clock = new FakeClock();
  const found = { clock, ends: 0, cancel: () => {} };
  const expiresAt = leftS === undefined ? undefined : clock.now() + leftS;
  found.cancel = endWithAccess(clock, expiresAt, () => {
    found.ends++;
  });
  return found;
}

it("ends a stream when its token expires, and not before", async () => {
  const found = access(60);
  await found.clock.advance(59_999);
  expect(found.ends).toBe(0);
  await found.clock.advance(1);
  expect(found.ends).toBe(1);
});

it("ends a stream at once if the token is only valid because clocks may differ", async () => {
  const found = access(-3);
  await found.clock.advance(0);
  expect(found.ends).toBe(1);
});

it("ends a stream of a long token after 24 days, because timers last no longer", async () => {
  const found = access(400 * DAY_S);
  await found.clock.advance(24 * DAY_S * 1_000);
  expect(found.ends).toBe(0);
  await found.clock.advance(DAY_S * 1_000);
  expect(found.ends).toBe(1);
});

it("does not end a stream that is closed already, or that has no token", async () => {
  const [closed, open] = [access(60), access(undefined)];
  closed.cancel();
  for (const { clock } of [closed, open]) await clock.advance(DAY_S * 1_000);
  expect([closed.ends, open.ends]).toEqual([0, 0]);
});

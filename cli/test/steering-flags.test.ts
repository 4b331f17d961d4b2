import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addSteeringFlags, type SteeringFlags, steeringOf } from "../src/flags/steering-flags.js";

function steering(...args: string[]) {
  const command = addSteeringFlags(new Command()).argument("[query]").exitOverride();
  return steeringOf(command.parse(args, { from: "user" }).opts<SteeringFlags>());
}

describe("flags that adjust the ranking", () => {
  it("are off by default", () => {
    expect(Object.values(steering("query")).every((value) => value === undefined)).toBe(true);
  });

  it.each([
    ["7d", { half_life_s: 604_800 }],
    ["12h:0.3", { half_life_s: 43_200, weight: 0.3 }],
    ["1.5m:1", { half_life_s: 90, weight: 1 }],
    ["90s", { half_life_s: 90 }],
    ["3600:0", { half_life_s: 3_600, weight: 0 }],
  ])("--recency %s", (source, recency) => {
    expect(steering("--recency", source).recency).toEqual(recency);
  });

  it("parse numbers, lists and switches", () => {
    expect(
      steering("--diversity", "0.4", "--expand", "2,1", "--explain", "--rerank", "--exact"),
    ).toMatchObject({
      diversity: 0.4,
      expand: { before: 2, after: 1 },
      explain: true,
      rerank: true,
      exact: true,
    });
    expect(steering("--fields", "text", "context").fields).toEqual(["text", "context"]);
  });

  it.each([
    [["--recency", "week"], "--recency must be a half-life such as 7d, 12h or 3600, got week"],
    [["--recency", "1d:2:3"], "--recency must be a half-life such as 7d, 12h or 3600, got 1d:2:3"],
    [["--recency", "7d:much"], "--recency must be a number, got much"],
    [["--diversity", "some"], "--diversity must be a number, got some"],
    [["--expand", "2"], "--expand must be two numbers such as 2,1, got 2"],
    [["--expand", "1,2,3"], "--expand must be two numbers such as 2,1, got 1,2,3"],
  ])("%j are rejected", (args, message) => {
    expect(() => steering(...args)).toThrow(new TypeError(message));
  });
});

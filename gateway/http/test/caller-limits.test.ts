import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { networkOf, RequestPool } from "../src/index.js";

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["", ""],
])("the network of the address %j is %j", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it("limits the bytes of one caller, and of all callers together", () => {
  const limits = { countMax: 10, bodyBytesMax: 100, callerBytesMax: 150, bodiesBytesMax: 250 };
  const pool = new RequestPool(limits);
  const post = (bytes: number) =>
    ({ method: "POST", headers: { "content-length": String(bytes) } }) as unknown as IncomingMessage;
  const release = pool.reserve(post(1_000), "a");
  expect(pool.bodyBytes).toBe(100);
  expect(pool.reserve(post(60), "a")).toBeUndefined();
  expect(pool.reserve(post(50), "a")).toBeDefined();
  expect(pool.reserve(post(100), "b")).toBeDefined();
  expect(pool.reserve(post(1), "c")).toBeUndefined();
  release!();
  expect(pool.reserve(post(100), "a")).toBeDefined();
  expect(pool.bodyBytes).toBe(250);
});

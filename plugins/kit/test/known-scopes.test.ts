import { EventEmitter, once } from "node:events";
import { type Scope, scopeId } from "@membus/protocol";
import { expect, it } from "vitest";
import { KnownScopes } from "../src/lifecycle/residency/known-scopes.js";

const scopes = ["a", "b", "c", "d"].map(
  (agent): Scope => ({ tier: "episodic", tenant: "acme", agent, namespace: "default" }),
);
const [a, b, c, d] = scopes as [Scope, Scope, Scope, Scope];
const ids = async (known: KnownScopes) => [...(await known.all("acme"))].map(scopeId);

it("has only scopes that got rows if nothing was stored before", async () => {
  const known = new KnownScopes(100, async () => []);
  known.readInBackground(scopeId(a));
  await known.all("acme");
  expect(known.mayHaveRows(scopeId(a))).toBe(false);
  known.add(scopeId(a));
  known.refresh([]);
  expect(known.mayHaveRows(scopeId(a))).toBe(true);
  expect(known.mayHaveRows(scopeId(b))).toBe(false);
});

it("reads storage once, and again after a refresh", async () => {
  let reads = 0;
  const known = new KnownScopes(100, async () => {
    reads++;
    return [a];
  });
  known.add(scopeId(b));
  expect(await Promise.all([ids(known), ids(known)])).toEqual([[a, b].map(scopeId), [a, b].map(scopeId)]);
  known.add(scopeId(c));
  expect(await ids(known)).toEqual([a, b, c].map(scopeId));
  expect(reads).toBe(1);
  known.refresh([]);
  expect(await ids(known)).toEqual([scopeId(a)]);
  expect(reads).toBe(2);
});

it("is incomplete until storage was read, and then drops scopes that lost their rows", async () => {
  let stored = [a, b];
  const known = new KnownScopes(100, async () => stored);
  expect(known.mayHaveRows(scopeId(c))).toBe(true);
  expect(await ids(known)).toEqual([a, b].map(scopeId));
  expect(known.mayHaveRows(scopeId(c))).toBe(false);
  stored = [b];
  expect(known.mayHaveRows(scopeId(a))).toBe(true);
  known.refresh([scopeId(d)]);
  expect(await ids(known)).toEqual([b, d].map(scopeId));
  expect(known.mayHaveRows(scopeId(a))).toBe(false);
});

it("has every scope that got rows during a read, before or after another refresh", async () => {
  const events = new EventEmitter();
  const told = once(events, "told");
  const known = new KnownScopes(100, async () => {
    await told;
    return [a];
  });
  const reading = known.all("acme");
  known.add(scopeId(b));
  known.refresh([]);
  known.add(scopeId(c));
  events.emit("told");
  await reading;
  for (const scope of [a, b, c]) expect(known.mayHaveRows(scopeId(scope))).toBe(true);
  expect(known.mayHaveRows(scopeId(d))).toBe(false);
});

it("reads again after a failure", async () => {
  let isBroken = true;
  const known = new KnownScopes(100, async () => {
    if (isBroken) throw new Error("broken");
    return [a];
  });
  known.readInBackground(scopeId(a));
  await expect(known.all("acme")).rejects.toThrow("broken");
  expect(known.mayHaveRows(scopeId(b))).toBe(true);
  isBroken = false;
  expect(await ids(known)).toEqual([scopeId(a)]);
});

it("reads only one tenant's scopes, and not again without a request", async () => {
  const asked: string[] = [];
  const known = new KnownScopes(100, async (tenant) => {
    asked.push(tenant);
    return [{ ...a, tenant }];
  });
  known.add(scopeId({ ...b, tenant: "other" }));
  expect(await ids(known)).toEqual([scopeId(a)]);
  expect(known.mayHaveRows(scopeId(b))).toBe(false);
  expect(known.mayHaveRows(scopeId({ ...c, tenant: "other" }))).toBe(true);
  known.refresh([scopeId({ ...d, tenant: "other" })]);
  await ids(known);
  expect(asked).toEqual(["acme", "acme"]);
  expect([...(await known.all("other"))].map(({ agent }) => agent).sort()).toEqual(["a", "d"]);
});

it("drops the least recently used tenant above the limit, and reads it again", async () => {
  const asked: string[] = [];
  const known = new KnownScopes(5, async (tenant) => {
    asked.push(tenant);
    return scopes.slice(0, 2).map((scope) => ({ ...scope, tenant }));
  });
  for (const tenant of ["one", "two", "three", "one"]) await known.all(tenant);
  expect(known.count).toBe(6);
  known.refresh([scopeId({ ...d, tenant: "two" })]);
  expect(known.count).toBe(5);
  const unknown = (tenant: string) => scopeId({ ...c, tenant });
  expect(["one", "two", "three"].map((tenant) => known.mayHaveRows(unknown(tenant)))).toEqual([
    false,
    true,
    false,
  ]);
  expect([...(await known.all("two"))].map(({ agent }) => agent).sort()).toEqual(["a", "b", "d"]);
  expect(asked).toEqual(["one", "two", "three", "two"]);
});

it("keeps every scope that storage may not have yet", () => {
  const known = new KnownScopes(1, async () => []);
  known.refresh(scopes.map(scopeId));
  expect(known.count).toBe(4);
  for (const scope of scopes) expect(known.mayHaveRows(scopeId(scope))).toBe(true);
});

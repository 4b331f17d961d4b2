import { EventEmitter, once } from "node:events";
import { type Scope, scopeId } from "@membus/protocol";
import { expect, it } from "vitest";
import { KnownScopes } from "../src/lifecycle/residency/known-scopes.js";

const scopes = ["a", "b", "c", "d"].map(
  (agent): Scope => ({ tier: "episodic", tenant: "acme", agent, namespace: "default" }),
);
const [a, b, c, d] = scopes as [Scope, Scope, Scope, Scope];
const ids = async (known: KnownScopes) => [...(await known.all("acme"))].map(scopeId);

it("knows of none but those that got rows, where nothing was stored before", async () => {
  const known = new KnownScopes(100, async () => []);
  known.learn(scopeId(a));
  await known.all("acme");
  expect(known.mayHold(scopeId(a))).toBe(false);
  known.add(scopeId(a));
  known.refresh([]);
  expect(known.mayHold(scopeId(a))).toBe(true);
  expect(known.mayHold(scopeId(b))).toBe(false);
});

it("asks storage once, and again after a refresh", async () => {
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

it("does not know until storage has told, and then forgets those that lost their rows", async () => {
  let stored = [a, b];
  const known = new KnownScopes(100, async () => stored);
  expect(known.mayHold(scopeId(c))).toBe(true);
  expect(await ids(known)).toEqual([a, b].map(scopeId));
  expect(known.mayHold(scopeId(c))).toBe(false);
  stored = [b];
  expect(known.mayHold(scopeId(a))).toBe(true);
  known.refresh([scopeId(d)]);
  expect(await ids(known)).toEqual([b, d].map(scopeId));
  expect(known.mayHold(scopeId(a))).toBe(false);
});

it("misses none that got its rows while storage was read, before or after another refresh", async () => {
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
  for (const scope of [a, b, c]) expect(known.mayHold(scopeId(scope))).toBe(true);
  expect(known.mayHold(scopeId(d))).toBe(false);
});

it("asks again after a failure", async () => {
  let isBroken = true;
  const known = new KnownScopes(100, async () => {
    if (isBroken) throw new Error("broken");
    return [a];
  });
  known.learn(scopeId(a));
  await expect(known.all("acme")).rejects.toThrow("broken");
  expect(known.mayHold(scopeId(b))).toBe(true);
  isBroken = false;
  expect(await ids(known)).toEqual([scopeId(a)]);
});

it("asks for those of a tenant alone, and reads nothing again of those that nobody asks for", async () => {
  const asked: string[] = [];
  const known = new KnownScopes(100, async (tenant) => {
    asked.push(tenant);
    return [{ ...a, tenant }];
  });
  known.add(scopeId({ ...b, tenant: "other" }));
  expect(await ids(known)).toEqual([scopeId(a)]);
  expect(known.mayHold(scopeId(b))).toBe(false);
  expect(known.mayHold(scopeId({ ...c, tenant: "other" }))).toBe(true);
  known.refresh([scopeId({ ...d, tenant: "other" })]);
  await ids(known);
  expect(asked).toEqual(["acme", "acme"]);
  expect([...(await known.all("other"))].map(({ agent }) => agent).sort()).toEqual(["a", "d"]);
});

it("leaves out those of the tenant that was asked for least recently, over the bound, and asks again", async () => {
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
  expect(["one", "two", "three"].map((tenant) => known.mayHold(unknown(tenant)))).toEqual([
    false,
    true,
    false,
  ]);
  expect([...(await known.all("two"))].map(({ agent }) => agent).sort()).toEqual(["a", "b", "d"]);
  expect(asked).toEqual(["one", "two", "three", "two"]);
});

it("keeps those that storage may not tell of yet, however many", () => {
  const known = new KnownScopes(1, async () => []);
  known.refresh(scopes.map(scopeId));
  expect(known.count).toBe(4);
  for (const scope of scopes) expect(known.mayHold(scopeId(scope))).toBe(true);
});

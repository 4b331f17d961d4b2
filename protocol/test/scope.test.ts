import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  parseNamespacePattern,
  parseScopeId,
  scopeId,
  scopeOf,
  selectorOf,
  selectsScope,
  TIERS,
} from "../src/index.js";

const ALICE = { tenant: "acme", agent: "alice", session: "s1" };
const BOB = { tenant: "acme", agent: "bob", session: "s1" };

describe("scopes", () => {
  it("contain the owner of their tier", () => {
    expect(scopeOf("working", ALICE, "n")).toEqual({
      tier: "working",
      tenant: "acme",
      agent: "alice",
      session: "s1",
      namespace: "n",
    });
    expect(scopeOf("episodic", ALICE, "n")).toEqual({
      tier: "episodic",
      tenant: "acme",
      agent: "alice",
      namespace: "n",
    });
    expect(scopeOf("semantic", ALICE, "n")).toEqual({ tier: "semantic", tenant: "acme", namespace: "n" });
  });

  it("are accessible to their owner, and the shared tier to all of the tenant", () => {
    const exact = parseNamespacePattern("n");
    for (const tier of TIERS) {
      const scope = scopeOf(tier, ALICE, "n");
      expect(selectsScope(selectorOf(tier, ALICE, exact), scope)).toBe(true);
      expect(selectsScope(selectorOf(tier, BOB, exact), scope)).toBe(tier === "semantic");
      expect(selectsScope(selectorOf(tier, { ...ALICE, tenant: "globex" }, exact), scope)).toBe(false);
      expect(selectsScope(selectorOf(tier, { ...ALICE, session: "s2" }, exact), scope)).toBe(
        tier !== "working",
      );
      expect(selectsScope(selectorOf(tier, ALICE, parseNamespacePattern("m/**")), scope)).toBe(false);
    }
  });

  it("have unique ids", () => {
    const name = fc.constantFrom("a", "b", 'a","b', "null", "");
    const caller = fc.record({ tenant: name, agent: name, session: name });
    const scope = fc.tuple(fc.constantFrom(...TIERS), caller, name).map((parts) => scopeOf(...parts));
    fc.assert(
      fc.property(scope, scope, (a, b) => {
        expect(parseScopeId(scopeId(a))).toEqual(a);
        expect(scopeId(a) === scopeId(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });
});

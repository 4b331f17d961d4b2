import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agentToken,
  eventPattern,
  eventSubject,
  hostSubjects,
  isSubjectPrefix,
  isToken,
  MemoryError,
  OPERATIONS,
  operatorSubject,
  parseAgentToken,
  parseRequestSubject,
  type RequestType,
  requestSubject,
} from "../src/index.js";

const TYPES: readonly RequestType[] = [
  "memory/store/req",
  "memory/retrieve/req",
  "memory/forget/req",
  "memory/status/req",
  "ping",
];

const agentName = fc
  .string({ unit: "binary", minLength: 1, maxLength: 60 })
  .filter((name) => name.isWellFormed() && Buffer.byteLength(name) <= 192);
const tenant = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

describe("agent tokens", () => {
  it.each([
    ["alice", "alice"],
    ["a-B_9", "a-B_9"],
    ["zoë", "=em_Dqw"],
    ["alice@example.org", "=YWxpY2VAZXhhbXBsZS5vcmc"],
    ["a.b", "=YS5i"],
    ["*", "=Kg"],
    [">", "=Pg"],
    ["=", "=PQ"],
    ["a b", "=YSBi"],
    ["🦊", "=8J-mig"],
    ["x".repeat(65), `=${Buffer.from("x".repeat(65)).toString("base64url")}`],
  ])("%s is %s, and parses back", (name, token) => {
    expect(agentToken(name)).toBe(token);
    expect(parseAgentToken(token)).toBe(name);
  });

  it.each([
    "",
    "=",
    "=YWxpY2U",
    "=em_Dqw==",
    "=em_Dqx",
    "=***",
    "=_w",
    "=7aCA",
    "al ice",
    "a*",
    `=${"A".repeat(400)}`,
  ])("%j is not an agent name", (token) => expect(parseAgentToken(token)).toBeUndefined());

  it.each(["", "\ud800", "é".repeat(97)])("%j is not a token", (name) => {
    expect(() => agentToken(name)).toThrow(TypeError);
  });

  it("are unique for each name, and always one subject token", () => {
    fc.assert(
      fc.property(agentName, (name) => {
        const token = agentToken(name);
        expect(token).toMatch(/^=?[A-Za-z0-9_-]{1,256}$/);
        expect(parseAgentToken(token)).toBe(name);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it("that parse are the ones that are built", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^=[A-Za-z0-9_-]{0,12}$/), (token) => {
        const name = parseAgentToken(token);
        if (name !== undefined) expect(agentToken(name)).toBe(token);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});

describe("request subjects", () => {
  it.each([
    ["memory/store/req", "a2e.default.alice.memory.store.req"],
    ["memory/status/req", "a2e.default.alice.memory.status.req"],
    ["ping", "a2e.default.alice.ping"],
  ] as const)("%s is %s", (type, subject) => {
    expect(requestSubject({ tenant: "default", agent: "alice", type })).toBe(subject);
  });

  it("may contain a tier after the operation, except for ping", () => {
    const alice = { tenant: "default", agent: "alice", type: "memory/store/req", tier: "semantic" } as const;
    const subject = "a2e.default.alice.memory.store.semantic.req";
    expect(requestSubject(alice)).toBe(subject);
    expect(parseRequestSubject(subject)).toEqual(alice);
    expect(() => requestSubject({ ...alice, type: "ping" })).toThrow(TypeError);
    for (const wrong of [
      "memory.store.short.req",
      "memory.semantic.store.req",
      "memory.store.semantic",
      "ping.working",
    ]) {
      expect(() => parseRequestSubject(`a2e.default.alice.${wrong}`)).toThrow(MemoryError);
    }
  });

  it("are inverted by parsing, with any prefix", () => {
    const prefix = fc.constantFrom("a2e", "prod.a2e", "x");
    fc.assert(
      fc.property(tenant, agentName, fc.constantFrom(...TYPES), prefix, (owner, agent, type, used) => {
        const address = { tenant: owner, agent, type };
        expect(parseRequestSubject(requestSubject(address, used), used)).toEqual(address);
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it("parse only if they can be built", () => {
    const token = fc.constantFrom(
      "a2e",
      "default",
      "alice",
      "=YWxpY2U",
      "memory",
      "store",
      "semantic",
      "req",
      "ping",
      "",
      "*",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 7 }), (tokens) => {
        const subject = tokens.join(".");
        try {
          expect(requestSubject(parseRequestSubject(subject))).toBe(subject);
        } catch (error) {
          expect(error).toBeInstanceOf(MemoryError);
          expect(error).toMatchObject({ code: "invalid_message", detail: { subject } });
        }
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it("of an operator are for lists of agents only", () => {
    const subject = "p.acme.$OPERATOR.memory.agents.req";
    expect(operatorSubject("acme", "p")).toBe(subject);
    const address = { tenant: "acme", agent: "$OPERATOR", isOperator: true, type: "memory/agents/req" };
    expect(parseRequestSubject(subject, "p")).toEqual(address);
    const refusal = (agent: string, rest: string) => {
      try {
        return parseRequestSubject(`p.acme.${agent}.${rest}`, "p");
      } catch (error) {
        return (error as MemoryError).code;
      }
    };
    expect(refusal("$OPERATOR", "memory.retrieve.req")).toBe("invalid_message");
    expect(refusal("$OPERATOR", "memory.agents.working.req")).toBe("invalid_message");
    expect(refusal("$OPERATOR", "ping")).toBe("invalid_message");
    const escaped = `p.acme.${agentToken("$OPERATOR")}.memory.agents.req`;
    expect(parseRequestSubject(escaped, "p")).not.toHaveProperty("isOperator");
  });

  it("reject a tenant that is not a token", () => {
    for (const name of ["", "a.b", "a b", "ä", "*", "t".repeat(65)]) {
      expect(() => requestSubject({ tenant: name, agent: "alice", type: "ping" })).toThrow(TypeError);
    }
  });

  it("match the subscriptions of a host", () => {
    expect(hostSubjects()).toEqual(["a2e.*.*.memory.*.req", "a2e.*.*.memory.*.*.req", "a2e.*.*.ping"]);
    const inTenant = ["p.acme.*.memory.*.req", "p.acme.*.memory.*.*.req", "p.acme.*.ping"];
    expect(hostSubjects("p", "acme")).toEqual(inTenant);
    expect(OPERATIONS).toEqual(["store", "retrieve", "forget", "status", "list"]);
  });
});

describe("event subjects", () => {
  it("contain agent, tier and action", () => {
    const address = { tenant: "acme", agent: "zoë", tier: "semantic", action: "stored" } as const;
    expect(eventSubject(address)).toBe("a2e.acme.=em_Dqw.events.memory.semantic.stored");
    expect(eventPattern({ tenant: "acme", agent: "zoë" })).toBe("a2e.acme.=em_Dqw.events.memory.*.*");
    expect(eventPattern({ tenant: "acme", tier: "semantic" }, "p")).toBe("p.acme.*.events.memory.semantic.*");
    expect(eventPattern({ tenant: "acme", agent: "a", tier: "working", action: "evicted" })).toBe(
      "a2e.acme.a.events.memory.working.evicted",
    );
  });
});

describe("tokens and prefixes", () => {
  it("are recognized", () => {
    expect(["a", "A_9-", "t".repeat(64)].every(isToken)).toBe(true);
    expect(["", "a.b", "a b", "é", "t".repeat(65), "a\n"].some(isToken)).toBe(false);
    expect(["a2e", "prod.a2e"].every(isSubjectPrefix)).toBe(true);
    expect(["", ".", "a.", ".a", "a..b", "a.*", "a.>", "a b"].some(isSubjectPrefix)).toBe(false);
  });
});

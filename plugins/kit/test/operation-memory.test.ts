import { describe, expect, it } from "vitest";
import { OperationMemory } from "../src/journal/operation-memory.js";

const LIMITS = { windowS: 600, countMax: 1000, bytesMax: 1e9 };
const op = (id: string, fields = {}) => ({ tenant: "acme", agent: "alice", id, digest: "d", ...fields });
const result = { result: { receipts: [], errors: [] } };

describe("the memory of operations", () => {
  it("finds an operation by tenant, agent and id, and rejects another digest", () => {
    const memory = new OperationMemory(LIMITS);
    memory.remember(op("1"), 100, { seq: 7 });
    expect(memory.find(op("1"))).toMatchObject({ place: { seq: 7 }, done: true });
    expect(memory.find(op("2"))).toBeUndefined();
    expect(memory.find(op("1", { agent: "bob" }))).toBeUndefined();
    expect(memory.find(op("1", { tenant: "globex" }))).toBeUndefined();
    expect(() => memory.find(op("1", { digest: "e" }))).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    expect(memory.findById(op("1", { digest: "e" }))).toMatchObject({ place: { seq: 7 } });
  });

  it("distinguishes agents with spaces in their names", () => {
    const memory = new OperationMemory(LIMITS);
    memory.remember(op("c", { agent: "a b" }), 100, { seq: 1 });
    expect(memory.findById(op("b c", { agent: "a" }))).toBeUndefined();
  });

  it("drops old operations when a later one is added", () => {
    const memory = new OperationMemory(LIMITS);
    memory.remember(op("1"), 100, { seq: 1 });
    memory.remember(op("2"), 700, { seq: 2 });
    expect(memory.findById(op("1"))).toBeDefined();
    memory.remember(op("3"), 700.1, { seq: 3 });
    expect(memory.findById(op("1"))).toBeUndefined();
    expect(memory.oldestSeq(701)).toBe(2);
    expect(memory.oldestSeq(2000)).toBe(Number.POSITIVE_INFINITY);
  });

  it("drops the oldest operations above the limit", () => {
    const memory = new OperationMemory({ ...LIMITS, countMax: 2 });
    for (const id of ["1", "2", "3"]) memory.remember(op(id), 100, { seq: Number(id) });
    expect([memory.findById(op("1")), memory.stats.operations]).toEqual([undefined, 2]);
  });

  it("names no record of an old reply that was logged again behind a newer one", () => {
    const memory = new OperationMemory(LIMITS);
    memory.remember(op("old"), 100, { seq: 1 });
    memory.remember(op("new"), 150, { seq: 2 });
    memory.remember(op("old"), 100, { seq: 3 });
    expect(memory.seqsBefore(10, 700)).toEqual([2, 3]);
    expect(memory.seqsBefore(10, 701)).toEqual([2]);
    expect(memory.stats.operations).toBe(1);
  });

  it("counts the bytes of replies in RAM, and not of replies in a log", () => {
    const memory = new OperationMemory({ ...LIMITS, bytesMax: 1000 });
    for (let id = 0; id < 100; id++) memory.remember(op(`log-${id}`), 100, { seq: id });
    expect(memory.stats).toEqual({ operations: 100, operation_bytes: 0 });
    const inRam = new OperationMemory({ ...LIMITS, bytesMax: 1000 });
    for (let id = 0; id < 100; id++) inRam.remember(op(`ram-${id}`), 100, result);
    expect(inRam.stats.operation_bytes).toBeLessThanOrEqual(1000);
    expect(inRam.stats.operations).toBe(2);
    expect(inRam.findById(op("ram-99"))).toBeDefined();
  });

  it("is updated by each record of an operation with several records", () => {
    const memory = new OperationMemory(LIMITS);
    memory.remember(op("f"), 100, { seq: 1 }, false);
    memory.remember(op("g"), 100, { seq: 2 });
    memory.remember(op("f"), 100, { seq: 3 });
    expect(memory.findById(op("f"))).toMatchObject({ place: { seq: 3 }, done: true });
    expect(memory.oldestSeq(100)).toBe(2);
    expect(memory.stats.operations).toBe(2);
  });
});

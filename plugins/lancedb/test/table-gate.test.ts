import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RunningTasks } from "../src/table/running-tasks.js";
import { TableGate } from "../src/table/table-gate.js";

/** Returns a task that records its start and end, and takes a turn in between. */
function recordingTask(events: string[], name: string) {
  return async () => {
    events.push(`${name} begins`);
    await nextTurn();
    events.push(`${name} ends`);
  };
}

describe("a gate", () => {
  it("runs shared tasks concurrently and exclusive ones alone, in order", async () => {
    const gate = new TableGate();
    const events: string[] = [];
    await Promise.all([
      gate.shared(recordingTask(events, "a")),
      gate.shared(recordingTask(events, "b")),
      gate.exclusive(recordingTask(events, "C")),
      gate.shared(recordingTask(events, "d")),
      gate.exclusive(recordingTask(events, "E")),
    ]);
    expect(events).toEqual([
      ...["a begins", "b begins", "a ends", "b ends"],
      ...["C begins", "C ends", "d begins", "d ends", "E begins", "E ends"],
    ]);
  });

  it("continues after a failing task", async () => {
    const gate = new TableGate();
    const fail = () => Promise.reject(new Error("no"));
    await expect(gate.shared(fail)).rejects.toThrow("no");
    await expect(gate.exclusive(fail)).rejects.toThrow("no");
    await expect(gate.shared(async () => 1)).resolves.toBe(1);
    await expect(gate.exclusive(async () => 2)).resolves.toBe(2);
  });
});

describe("running tasks", () => {
  it("are awaited if they started before, failed or not, and not if they started later", async () => {
    const tasks = new RunningTasks();
    const events: string[] = [];
    let endLater = () => {};
    const before = tasks.run(recordingTask(events, "before"));
    const failing = tasks.run(() => Promise.reject(new Error("no"))).catch(() => events.push("failed"));
    const settled = tasks.settled().then(() => events.push("settled"));
    const later = tasks.run(() => new Promise<void>((resolve) => (endLater = resolve)));
    await settled;
    expect(events).toEqual(["before begins", "failed", "before ends", "settled"]);
    endLater();
    await Promise.all([before, failing, later]);
  });
});

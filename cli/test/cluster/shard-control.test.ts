import { createLocalBus, type LocalBus } from "@membus/bus";
import { controlSubject } from "@membus/cluster";
import { MemoryError, silentLogger, systemClock } from "@membus/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { askShard, type ShardCommand, serveShardControl } from "../../src/cluster/shard-control.js";

const TIMEOUT_MS = 60_000;
let bus: LocalBus;

beforeEach(() => {
  bus = createLocalBus({}, { clock: systemClock, logger: silentLogger });
});

/** Serves commands for the shards that a host owns. */
function serve(name: string, shards: readonly number[], further: Record<string, ShardCommand> = {}): void {
  const statusOf = (shard: number) => (shards.includes(shard) ? { epoch: 1, isServing: true } : undefined);
  const where: ShardCommand = async (shard, args, bytes) => ({
    result: { host: name, shard, ...args },
    bytes: bytes.toReversed(),
  });
  serveShardControl(
    bus,
    controlSubject("*"),
    { id: "cluster-1", serving: { statusOf } },
    { where, ...further },
  );
}

const accessOf = (id = "cluster-1") => ({ bus, identity: { id } });

const ask = async (shard: number, cmd: string, args = {}, access = accessOf()) =>
  (await askShard(access, controlSubject(shard), { cmd, args }, { timeoutMs: TIMEOUT_MS })).result;

describe("a command for a shard", () => {
  it("is run by its owner", async () => {
    serve("a", [0, 1]);
    serve("b", [2]);
    expect(await ask(1, "where")).toEqual({ host: "a", shard: 1 });
    expect(await ask(2, "where", { note: "x" })).toEqual({ host: "b", shard: 2, note: "x" });
  });

  it("carries bytes of any value both ways", async () => {
    serve("a", [0]);
    const bytes = Uint8Array.of(10, 123, 0, 255, 10);
    const answer = await askShard(
      accessOf(),
      controlSubject(0),
      { cmd: "where" },
      { timeoutMs: TIMEOUT_MS, bytes },
    );
    expect([...answer.bytes!]).toEqual([10, 255, 0, 123, 10]);
  });

  it("is refused by the hosts of another cluster with the same servers", async () => {
    serve("a", [0]);
    const error = { code: "conflict", message: expect.stringContaining("serve cluster cluster-1") };
    await expect(ask(0, "where", {}, accessOf("cluster-2"))).rejects.toMatchObject(error);
  });

  it("returns the owner's error", async () => {
    const fail = async () => {
      throw new MemoryError("conflict", "nothing is lost", { reason: "whole" });
    };
    serve("a", [0], { fail });
    const error = { code: "conflict", message: "nothing is lost", detail: { reason: "whole" } };
    await expect(ask(0, "fail")).rejects.toMatchObject(error);
  });

  it.each([
    ["an unknown command", "toString", {}, { code: "unsupported", message: "unknown command toString" }],
    ["a large request", "where", { text: "x".repeat(65_536) }, { code: "too_large" }],
  ])("is refused: %s", async (_, cmd, args, error) => {
    serve("a", [0]);
    await expect(ask(0, cmd, args)).rejects.toMatchObject(error);
  });

  it("is refused while the host runs 1,024 others", async () => {
    let end: () => void = () => {};
    const ended = new Promise<{ result: null }>((resolve) => {
      end = () => resolve({ result: null });
    });
    serve("a", [0], { wait: () => ended });
    const running = Array.from({ length: 1_024 }, () => ask(0, "wait"));
    await expect(ask(0, "where")).rejects.toMatchObject({ code: "overloaded" });
    end();
    await Promise.all(running);
    expect(await ask(0, "where")).toEqual({ host: "a", shard: 0 });
  });

  it("is ignored if its reply would not go to an inbox", async () => {
    serve("a", [0]);
    const received: string[] = [];
    bus.subscribe("$JS.>", ({ subject }) => void received.push(subject));
    bus.publish("p.0.control", Buffer.from('{"cmd":"where"}'), { reply: "$JS.API.STREAM.PURGE.x" });
    await ask(0, "where");
    await bus.flush();
    expect(received).toEqual([]);
  });
});

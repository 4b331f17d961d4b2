import { type ChildProcess, fork } from "node:child_process";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ClusterFixture } from "./cluster-fixture.js";

let fixture: ClusterFixture;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());

interface Child {
  readonly process: ChildProcess;
  readonly events: string[];
}

function startChild(bucket: string, host: string): Child {
  const script = new URL("host-child.ts", import.meta.url).pathname;
  const execArgv = ["--conditions=membus-source", "--import", "tsx"];
  const child = fork(script, [fixture.url, bucket, host], { execArgv });
  onTestFinished(() => void child.kill("SIGKILL"));
  const events: string[] = [];
  child.on("message", (event) => events.push(String(event)));
  return { process: child, events };
}

/** Starts an owner, and another host that waits for the shard. */
async function startPair(): Promise<{ owner: Child; other: Child }> {
  const bucket = await fixture.createBucket();
  // Host a is the better place for shard 0, so it keeps the shard when b joins.
  const owner = startChild(bucket, "a");
  await expect.poll(() => owner.events).toEqual(["acquired 1"]);
  const other = startChild(bucket, "b");
  const view = await fixture.openBucket(bucket);
  await expect.poll(() => view.get("own.host.b")).toBeDefined();
  return { owner, other };
}

it("the shard of a killed host goes to another one", async () => {
  const { owner, other } = await startPair();
  owner.process.kill("SIGKILL");
  await expect.poll(() => other.events).toEqual(["acquired 2"]);
});

it("a host that is stopped and goes on does not own what another one has taken", async () => {
  const { owner, other } = await startPair();
  owner.process.kill("SIGSTOP");
  await expect.poll(() => other.events).toEqual(["acquired 2"]);
  // The question waits in the pipe, so the process answers it as soon as it goes on.
  owner.process.send("what do you own?");
  owner.process.kill("SIGCONT");
  await expect.poll(() => owner.events).toContain("owns nothing");
  await expect.poll(() => owner.events).toContain("acquired 3");
  expect(owner.events.filter((event) => event !== "owns nothing")).toEqual([
    "acquired 1",
    "lost 1",
    "acquired 3",
  ]);
  expect(other.events).toEqual(["acquired 2", "handed over 2"]);
});

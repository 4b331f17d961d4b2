import { expect, it, onTestFinished } from "vitest";
import { ClusterFixture } from "./cluster-fixture.js";
import { HoldingProxy } from "./holding-proxy.js";

it("holds messages on some subjects, and keeps all bytes of the others", async () => {
  const fixture = await ClusterFixture.open();
  onTestFinished(() => fixture.close());
  const proxy = await HoldingProxy.open(fixture.url);
  onTestFinished(() => proxy.close());
  const connection = await fixture.connect(proxy.url);
  const received: string[] = [];
  const callback = (_error: unknown, message: { readonly subject: string; readonly data: Uint8Array }) => {
    received.push(`${message.subject} ${message.data.length}`);
  };
  connection.subscribe("*", { callback });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  proxy.hold = (subject) => (subject === "late" ? released : undefined);
  connection.publish("late", "PUB early 1\r\nx\r\n");
  connection.publish("early", "x".repeat(300_000));
  connection.publish("empty");
  await expect.poll(() => received).toEqual(["early 300000", "empty 0"]);
  release();
  await expect.poll(() => received).toEqual(["early 300000", "empty 0", "late 16"]);
});

import { JetStreamApiError } from "@nats-io/jetstream";
import { expect, it } from "vitest";
import { storeError } from "../src/bucket/index.js";

it.each([
  ["an account", 10_002, 400],
  ["a server", 10_023, 503],
])("%s without space is unavailable until its limit is raised", (_, err_code, code) => {
  const refusal = new JetStreamApiError({ code, err_code, description: "resource limits exceeded" });
  expect(storeError(refusal)).toMatchObject({
    code: "unavailable",
    detail: { reason: "jetstream" },
    message: "JetStream has no space: resource limits exceeded. Raise the limits of its storage",
  });
});

it("a stream that needs a server that is down is unavailable until it is back", () => {
  const description = "no suitable peers for placement, peer offline";
  const refusal = new JetStreamApiError({ code: 400, err_code: 10_005, description });
  expect(storeError(refusal)).toMatchObject({
    code: "unavailable",
    detail: { reason: "jetstream" },
    message: `too few nats-servers run for a new stream: ${description}. Start those that are down`,
  });
});

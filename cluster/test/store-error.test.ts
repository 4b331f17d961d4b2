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

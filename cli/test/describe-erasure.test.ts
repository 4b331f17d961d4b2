import type { ForgetStatus } from "@membus/agent-client";
import { expect, it } from "vitest";
import { describeErasure } from "../src/terminal/describe-erasure.js";

it.each<[ForgetStatus, string]>([
  [{ purge: "done" }, "erased from disk"],
  [{ purge: "done", purged_at: 0 }, "erased from disk at 1970-01-01T00:00:00.000Z"],
  [{ purge: "scheduled" }, "to be erased from disk later"],
  [{ purge: "scheduled", purge_by: 0 }, "to be erased from disk by 1970-01-01T00:00:00.000Z"],
  [
    { purge: "scheduled", purge_reason: "replica_down" },
    "to be erased from disk once a nats-server that stores the log is back",
  ],
  [{ purge: "scheduled", purge_reason: "of_a_plugin" }, "to be erased from disk later (of_a_plugin)"],
])("%j is described", (status, expected) => {
  expect(describeErasure(status)).toBe(expected);
});

import { findNatsServer } from "@membus/nats-server";
import type { TestContext } from "vitest";
import { NATS_SERVER } from "./nats-server.js";

const REASON = "needs nats-server 2.14 or later";

/** Whether the server of the tests has everything that a cluster needs. */
export const isRecent = await isAtLeast(2, 14);

/** Skips a test without such a server. For `beforeEach`. */
export function requireRecentServer({ skip }: TestContext): void {
  skip(!isRecent, REASON);
}

async function isAtLeast(major: number, minor: number): Promise<boolean> {
  const server = await findNatsServer({ explicitPath: NATS_SERVER, env: process.env });
  const [foundMajor = 0, foundMinor = 0] = server!.version.split(".").map(Number);
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}

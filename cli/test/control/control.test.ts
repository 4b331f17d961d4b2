import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryError, silentLogger } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sendToHost } from "../../src/control/control-client.js";
import { controlPath } from "../../src/control/control-messages.js";
import {
  type ControlCommand,
  type ControlServer,
  startControlServer,
} from "../../src/control/control-server.js";
import { withControl } from "../../src/control/with-control.js";

let data: string;
let server: ControlServer | undefined;
/** Steps that the commands have performed. */
let steps: string[];

const commands: Record<string, ControlCommand> = {
  twice: async ({ of }, answer) => {
    await answer(2 * (of as number));
  },
  lend: async (_args, answer) => {
    steps.push("lent");
    await answer("it");
    steps.push("taken back");
  },
  fail: async () => {
    throw new MemoryError("memory_full", "no room", { limit: "x" });
  },
};

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "membus-control-"));
  steps = [];
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(data, { recursive: true });
});

async function serve(folder = data): Promise<void> {
  server = await startControlServer(controlPath(folder), commands);
}

describe("the socket of a data folder", () => {
  it("answers commands, and is accessible only to its owner", async () => {
    await serve();
    expect(await sendToHost(data, { cmd: "twice", args: { of: 21 } }, async (result) => result)).toEqual({
      used: 42,
    });
    expect(statSync(controlPath(data)).mode & 0o777).toBe(0o600);
  });

  it("keeps a second host from the folder, also one that serves other tiers", async () => {
    await serve();
    const second = withControl(data, commands, silentLogger, async () => void steps.push("served"));
    await expect(second).rejects.toMatchObject({ code: "conflict" });
    expect(steps).toEqual([]);
    await server!.close();
    await withControl(data, commands, silentLogger, async () => void steps.push("served"));
    expect(steps).toEqual(["served"]);
  });

  it("returns failures with their code, and rejects an unknown command", async () => {
    await serve();
    const ask = (cmd: string) => sendToHost(data, { cmd }, async () => "used");
    await expect(ask("fail")).rejects.toMatchObject({ code: "memory_full", detail: { limit: "x" } });
    await expect(ask("toString")).rejects.toMatchObject({ code: "unsupported" });
  });

  it("keeps the result of a command until it was used", async () => {
    await serve();
    await sendToHost(data, { cmd: "lend" }, async (result) => steps.push(`used ${result}`));
    await server!.close();
    server = undefined;
    expect(steps).toEqual(["lent", "used it", "taken back"]);
  });

  it("disconnects waiting clients on close", async () => {
    await serve();
    await sendToHost(data, { cmd: "lend" }, async () => {
      await server!.close();
      server = undefined;
      expect(steps).toEqual(["lent", "taken back"]);
    });
  });

  it("returns undefined if no process answers", async () => {
    expect(await sendToHost(data, { cmd: "twice" }, async () => 1)).toBeUndefined();
  });

  it("replaces the socket of a killed process, but not of a running one", async () => {
    const listening = `require("node:net").createServer().listen(process.argv[1], () => console.log("on"))`;
    const child = spawn(process.execPath, ["-e", listening, controlPath(data)]);
    await once(child.stdout, "data");
    await expect(serve()).rejects.toMatchObject({ code: "conflict" });
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await sendToHost(data, { cmd: "twice" }, async () => 1)).toBeUndefined();
    await serve();
    expect(await sendToHost(data, { cmd: "twice", args: { of: 1 } }, async (result) => result)).toEqual({
      used: 2,
    });
  });

  it("works below a path that exceeds the socket path limit", async () => {
    const deep = join(data, "d".repeat(80), "e".repeat(80));
    mkdirSync(deep, { recursive: true });
    await serve(deep);
    expect(await sendToHost(deep, { cmd: "twice", args: { of: 4 } }, async (result) => result)).toEqual({
      used: 8,
    });
  });
});

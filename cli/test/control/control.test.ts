import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryError } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askHost } from "../../src/control/ask-host.js";
import { controlPath } from "../../src/control/control-messages.js";
import {
  type ControlCommand,
  type ControlServer,
  startControlServer,
} from "../../src/control/control-server.js";

let data: string;
let server: ControlServer | undefined;
/** What the commands did. */
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
  it("answers a command, and is its owner's alone", async () => {
    await serve();
    expect(await askHost(data, { cmd: "twice", args: { of: 21 } }, async (result) => result)).toEqual({
      used: 42,
    });
    expect(statSync(controlPath(data)).mode & 0o777).toBe(0o600);
  });

  it("passes failures on with their code, and names a command that it does not know", async () => {
    await serve();
    const ask = (cmd: string) => askHost(data, { cmd }, async () => "used");
    await expect(ask("fail")).rejects.toMatchObject({ code: "memory_full", detail: { limit: "x" } });
    await expect(ask("toString")).rejects.toMatchObject({ code: "unsupported" });
  });

  it("keeps what a command has made until it was used", async () => {
    await serve();
    await askHost(data, { cmd: "lend" }, async (result) => steps.push(`used ${result}`));
    await server!.close();
    server = undefined;
    expect(steps).toEqual(["lent", "used it", "taken back"]);
  });

  it("lets go of who still waits when it closes", async () => {
    await serve();
    await askHost(data, { cmd: "lend" }, async () => {
      await server!.close();
      server = undefined;
      expect(steps).toEqual(["lent", "taken back"]);
    });
  });

  it("tells that nobody answers", async () => {
    expect(await askHost(data, { cmd: "twice" }, async () => 1)).toBeUndefined();
  });

  it("takes the place of a process that was killed, and of none that lives", async () => {
    const listening = `require("node:net").createServer().listen(process.argv[1], () => console.log("on"))`;
    const child = spawn(process.execPath, ["-e", listening, controlPath(data)]);
    await once(child.stdout, "data");
    await expect(serve()).rejects.toMatchObject({ code: "conflict" });
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await askHost(data, { cmd: "twice" }, async () => 1)).toBeUndefined();
    await serve();
    expect(await askHost(data, { cmd: "twice", args: { of: 1 } }, async (result) => result)).toEqual({
      used: 2,
    });
  });

  it("is found below a path that is longer than a socket's may be", async () => {
    const deep = join(data, "d".repeat(80), "e".repeat(80));
    mkdirSync(deep, { recursive: true });
    await serve(deep);
    expect(await askHost(deep, { cmd: "twice", args: { of: 4 } }, async (result) => result)).toEqual({
      used: 8,
    });
  });
});

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openLog, temporaryDirectory } from "./log-fixture.js";

const SCRIPT = fileURLToPath(new URL("log-fill-disk.ts", import.meta.url));

describe("a file that the system does not let grow further", () => {
  it("loses the append that does not fit, and accepts one that does", async () => {
    const directory = await temporaryDirectory();
    // 100 blocks of 1,024 bytes. Node ignores the signal that comes with the refusal.
    const command = `ulimit -f 100; exec "$0" --conditions=membus-source --import tsx "$1" "$2"`;
    const env = { ...process.env, TSX_DISABLE_CACHE: "1" };
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-c", command, process.execPath, SCRIPT, directory],
      { env },
    );
    const stored = Array.from({ length: 10 }, (_, index) => `stored ${index + 1}`);
    expect(stdout.trim().split("\n")).toEqual([...stored, "rollback 11", "unavailable EFBIG", "stored 11"]);
    const log = await openLog(directory);
    expect(log.stats).toMatchObject({ nextSeq: 12, cutBytes: 0, sizeBytes: 36 + 10 * 10_020 + 25 });
    expect(Buffer.from(await log.read(11)).toString()).toBe("small");
  });
});

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkFormat } from "../src/directory/format-file.js";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "membus-format-"));
});

afterEach(() => rm(directory, { recursive: true }));

describe("the format of a directory", () => {
  it("is written once and accepted from then on", async () => {
    await checkFormat(directory);
    expect(await readFile(join(directory, "format"), "utf8")).toBe('{"format":1}\n');
    await checkFormat(directory);
  });

  it("is refused when it is newer", async () => {
    await writeFile(join(directory, "format"), '{"format":2,"more":true}');
    await expect(checkFormat(directory)).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("format 2; this version reads up to 1"),
    });
  });

  it.each(["", "2", "null", "{}", '{"format":"1"}', '{"format":0}', '{"format":1.5}', "\u0000"])(
    "is refused when the file holds %j",
    async (text) => {
      await writeFile(join(directory, "format"), text);
      await expect(checkFormat(directory)).rejects.toMatchObject({ detail: { reason: "format_unreadable" } });
    },
  );
});

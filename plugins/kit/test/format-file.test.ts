import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkFormat } from "../src/place/format-file.js";

const logger = { debug() {}, info() {}, warn() {}, error() {} };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "membus-format-"));
});

afterEach(() => rm(directory, { recursive: true }));

describe("the format of a directory", () => {
  it("is written once and accepted afterwards", async () => {
    await checkFormat(directory, logger);
    expect(await readFile(join(directory, "format"), "utf8")).toBe('{"format":5}\n');
    await checkFormat(directory, logger);
  });

  it.each([
    [6, "format_newer", "use a newer version"],
    [1, "format_older", "import the export into a new folder"],
  ])("is refused when it is %i", async (format, reason, remedy) => {
    await writeFile(join(directory, "format"), JSON.stringify({ format, more: true }));
    await expect(checkFormat(directory, logger)).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(`has format ${format}, this version reads format 5: .*${remedy}`),
      detail: { reason },
    });
  });

  it.each(["", "2", "null", "{}", '{"format":"1"}', '{"format":0}', '{"format":1.5}', "\u0000"])(
    "is refused when the file contains %j",
    async (text) => {
      await writeFile(join(directory, "format"), text);
      await expect(checkFormat(directory, logger)).rejects.toMatchObject({
        detail: { reason: "format_unreadable" },
      });
    },
  );
});

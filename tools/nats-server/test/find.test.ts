import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findNatsServer } from "../src/index.js";
import { membusCacheDir } from "../src/install/cache-dir.js";
import { temporaryDir, writeProgram } from "./fake-nats-server.js";

let directory: string;
beforeEach(() => {
  directory = temporaryDir();
});
afterEach(() => rmSync(directory, { recursive: true }));

const program = (name: string, answer: string) => writeProgram(join(directory, name), answer);

describe("findNatsServer", () => {
  it("returns the first program on the PATH that prints a version", async () => {
    program("broken/nats-server", "hello");
    const path = program("second/nats-server", "nats-server: v7.1.2");
    program("third/nats-server", "nats-server: v7.1.3");
    const PATH = ["broken", "second", "third"].map((name) => join(directory, name)).join(delimiter);
    expect(await findNatsServer({ env: { PATH } })).toEqual({ path, version: "7.1.2", source: "path" });
  });

  it("ignores relative PATH entries", async () => {
    program("bin/nats-server", "nats-server: v7.1.2");
    const find = (PATH: string) =>
      findNatsServer({ env: { PATH, MEMBUS_CACHE_DIR: join(directory, "cache") }, systemDirs: [] });
    expect(await find(join(directory, "bin"))).toMatchObject({ version: "7.1.2" });
    expect(await find(relative(process.cwd(), join(directory, "bin")))).toBeUndefined();
  });

  it("searches the system directories after the PATH", async () => {
    program("system/nats-server", "nats-server: v7.1.2");
    const env = { PATH: join(directory, "bin") };
    const find = () => findNatsServer({ env, systemDirs: [join(directory, "system")] });
    expect(await find()).toMatchObject({ version: "7.1.2", source: "path" });
    program("bin/nats-server", "nats-server: v7.1.3");
    expect(await find()).toMatchObject({ version: "7.1.3", source: "path" });
  });

  it("uses only the explicit path", async () => {
    program("nats-server", "nats-server: v7.1.2");
    const explicitPath = program("mine", "nats-server: v1.2.3-RC.1");
    const found = await findNatsServer({ explicitPath, env: { PATH: directory } });
    expect(found).toEqual({ path: explicitPath, version: "1.2.3-RC.1", source: "option" });
  });

  it("reports the problem of an explicit path", async () => {
    program("nats-server", "nats-server: v7.1.2");
    const text = join(directory, "text");
    writeFileSync(text, "not a program");
    chmodSync(text, 0o644);
    const find = (explicitPath: string) => findNatsServer({ explicitPath, env: { PATH: directory } });
    await expect(find(join(directory, "absent"))).rejects.toThrow(
      new TypeError(`not a nats-server: ${join(directory, "absent")} was not found`),
    );
    await expect(find(text)).rejects.toThrow(new TypeError(`not a nats-server: ${text} is not executable`));
    await expect(find(directory)).rejects.toThrow(TypeError);
    await expect(find(program("other", "other 1.0"))).rejects.toThrow(
      /other -v does not print a nats-server version$/,
    );
  });
});

describe("membusCacheDir", () => {
  it("is MEMBUS_CACHE_DIR, else membus in an absolute XDG_CACHE_HOME, else in the home directory", () => {
    const HOME = "/home/x";
    const system = process.platform === "darwin" ? "/home/x/Library/Caches/membus" : "/home/x/.cache/membus";
    expect(membusCacheDir({ HOME, XDG_CACHE_HOME: "/c", MEMBUS_CACHE_DIR: "/m" })).toBe("/m");
    expect(membusCacheDir({ HOME, XDG_CACHE_HOME: "/c" })).toBe("/c/membus");
    expect(membusCacheDir({ HOME, XDG_CACHE_HOME: "relative" })).toBe(system);
    expect(membusCacheDir({ HOME, XDG_CACHE_HOME: "" })).toBe(system);
  });
});

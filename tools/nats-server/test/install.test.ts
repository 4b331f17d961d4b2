import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findNatsServer, installNatsServer } from "../src/index.js";
import type { InstallOptions } from "../src/install/install.js";
import { PINNED_RELEASE } from "../src/install/release.js";
import {
  type DownloadSite,
  downloadSite,
  releaseArchive,
  releaseOf,
  temporaryDir,
  unpackingTools,
} from "./fake-nats-server.js";

let directory: string;
let cacheDir: string;
let archive: Buffer;
let site: DownloadSite;
const steps: string[] = [];
const onStep = (message: string) => void steps.push(message);

beforeEach(async () => {
  directory = temporaryDir();
  cacheDir = join(directory, "cache");
  unpackingTools(directory);
  archive = releaseArchive(directory, "nats-server: v9.9.9");
  site = await downloadSite((_request, response) => response.end(archive));
  steps.length = 0;
});
afterEach(async () => {
  await site.close();
  rmSync(directory, { recursive: true });
});

const environment = () => ({
  PATH: join(directory, "tools"),
  MEMBUS_NATS_DOWNLOAD_BASE: site.url,
  MEMBUS_CACHE_DIR: cacheDir,
});
const install = (options: Partial<InstallOptions> = {}) =>
  installNatsServer({
    method: "release",
    env: environment(),
    onStep,
    release: releaseOf(archive),
    ...options,
  });
const installed = () => readdirSync(join(cacheDir, "nats-server"));

describe("installNatsServer, release", () => {
  it("installs an archive with the known checksum where findNatsServer finds it", async () => {
    const path = join(cacheDir, "nats-server", "9.9.9", "nats-server");
    expect(await install()).toEqual({ path, version: "9.9.9", source: "cache" });
    expect(site.paths).toEqual([
      expect.stringMatching(/^\/v9\.9\.9\/nats-server-v9\.9\.9-\w+-\w+\.tar\.gz$/),
    ]);
    expect(installed()).toEqual(["9.9.9"]);
    expect(readdirSync(join(cacheDir, "nats-server", "9.9.9"))).toEqual(["nats-server"]);
    expect(await findNatsServer({ explicitPath: path, env: {} })).toMatchObject({ version: "9.9.9" });
  });

  it("reports each step before it starts", async () => {
    await install();
    expect(steps).toEqual([
      `Installing nats-server into ${join(cacheDir, "nats-server")}, trying in order: release`,
      expect.stringMatching(
        /^Downloading http:\/\/127.*\.tar\.gz, to be verified against the SHA-256 in membus$/,
      ),
      `Installed nats-server 9.9.9: ${join(cacheDir, "nats-server", "9.9.9", "nats-server")}`,
    ]);
  });

  it("rejects another checksum and leaves no files", async () => {
    const release = releaseOf(Buffer.from("another archive"));
    await expect(install({ release })).rejects.toThrow(
      /SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}. Not installed/,
    );
    expect(installed()).toEqual([]);
  });

  it("rejects a program that is not nats-server and leaves no files", async () => {
    archive = releaseArchive(directory, "something else");
    await expect(install()).rejects.toThrow(/does not print a nats-server version/);
    expect(installed()).toEqual([]);
  });

  it("rejects an invalid archive and leaves no files", async () => {
    archive = Buffer.from("no archive at all");
    await expect(install()).rejects.toThrow(/tar failed: /);
    expect(installed()).toEqual([]);
  });

  it("can run concurrently", async () => {
    const paths = (await Promise.all([install(), install(), install()])).map(({ path }) => path);
    expect(new Set(paths).size).toBe(1);
    expect(installed()).toEqual(["9.9.9"]);
  });
});

describe("installNatsServer, download site", () => {
  const answering = async (answer: Parameters<typeof downloadSite>[0]) => {
    await site.close();
    site = await downloadSite(answer);
  };

  it("reports a status that is not 2xx", async () => {
    await answering((_request, response) => void response.writeHead(503).end());
    await expect(install()).rejects.toThrow(/\.tar\.gz: the site returned status 503/);
  });

  it("follows redirects", async () => {
    await answering((request, response) => {
      if (request.url === "/moved") response.end(archive);
      else response.writeHead(302, { location: "/moved" }).end();
    });
    expect(await install()).toMatchObject({ version: "9.9.9" });
  });

  it("stops waiting for a site that does not answer", async () => {
    await answering(() => {});
    const timeouts = { connectTimeoutMs: 50 };
    await expect(install({ timeouts })).rejects.toThrow(/\.tar\.gz: no answer within 0\.05 s/);
  });

  it("stops waiting for a site that stops in the middle", async () => {
    await answering((_request, response) => void response.write(archive.subarray(0, 10)));
    const timeouts = { downloadTimeoutMs: 200 };
    await expect(install({ timeouts })).rejects.toThrow(/\.tar\.gz: not completed within 0\.2 s/);
  });

  it("stops reading a body that does not end", async () => {
    const mebibyte = Buffer.alloc(1024 * 1024);
    await answering((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write(mebibyte)) {}
        if (!response.destroyed) response.once("drain", pour);
      };
      pour();
    });
    await expect(install()).rejects.toThrow(/\.tar\.gz: larger than 67108864 bytes/);
  });
});

describe("installNatsServer, if no method works", () => {
  it("reports every method with its reason, and manual instructions", async () => {
    await site.close();
    const env = { ...environment(), PATH: join(directory, "no-programs-here") };
    const error = await install({ method: undefined, env }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: "MemoryError",
      code: "unavailable",
      detail: {
        release: expect.stringMatching(/ECONNREFUSED/),
        go: "go was not found",
        debian: "apt-get was not found",
      },
    });
    const { message } = error as Error;
    for (const line of [
      "apt-get install nats-server",
      "brew install nats-server",
      "go install github.com/nats-io",
    ]) {
      expect(message).toContain(line);
    }
    expect(message).toMatch(/release: .*\n {2}go: go was not found\n {2}debian: apt-get was not found\n/);
    expect(installed()).toEqual([]);
  });

  it("reports a cache directory that cannot be created", async () => {
    const file = join(directory, "archive.tar.gz");
    await expect(install({ cacheDir: file })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("set MEMBUS_CACHE_DIR to use another cache directory"),
    });
    expect(site.paths).toEqual([]);
  });

  it("rejects a timeout that is out of range or unknown", async () => {
    await expect(install({ timeouts: { connectTimeoutMs: 0 } })).rejects.toThrow(TypeError);
    await expect(install({ timeouts: { conectTimeoutMs: 5 } as object })).rejects.toThrow(
      /unknown option `conectTimeoutMs` \(did you mean `connectTimeoutMs`\?\)/,
    );
  });
});

describe("the pinned release", () => {
  it("has a SHA-256 for each platform", () => {
    expect(PINNED_RELEASE.version).toBe("2.15.0");
    expect(Object.keys(PINNED_RELEASE.sha256)).toEqual([
      "linux-amd64",
      "linux-arm64",
      "darwin-amd64",
      "darwin-arm64",
    ]);
    for (const hash of Object.values(PINNED_RELEASE.sha256)) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

const debianMachine = existsSync("/usr/bin/apt-get") && process.env.MEMBUS_TEST_INSTALL === "1";

describe("installNatsServer, debian", () => {
  it.skipIf(!debianMachine)(
    "unpacks the Debian package (skipped without apt-get or MEMBUS_TEST_INSTALL=1, because it uses the network)",
    async () => {
      const found = await install({ method: "debian", env: { ...process.env, MEMBUS_CACHE_DIR: cacheDir } });
      expect(found.version).toMatch(/^2\.\d+\.\d+/);
      expect(installed()).toEqual([found.version]);
    },
    300_000,
  );
});

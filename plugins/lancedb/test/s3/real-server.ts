import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { vi } from "vitest";
import { freePort } from "../../../../bus/test/free-port.js";

const KEYS = { accessKeyId: "membus-test", secretAccessKey: "membus-test-secret" };

/** Longer than a server takes to start on a loaded machine. */
const STARTED_MS = 60_000;

/** A program of another project that serves S3. */
export interface S3Program {
  readonly command: string;
  /** Arguments with which it serves on a port of loopback, and keeps its data in a folder. */
  serve(port: number, folder: string): readonly string[];
}

export const versitygw: S3Program = {
  command: process.env.MEMBUS_TEST_VERSITYGW ?? "versitygw",
  serve: (port, folder) => ["--port", `127.0.0.1:${port}`, "posix", folder],
};

export const moto: S3Program = {
  command: process.env.MEMBUS_TEST_MOTO ?? "moto_server",
  serve: (port) => ["-H", "127.0.0.1", "-p", String(port)],
};

export function isInstalled({ command }: S3Program): boolean {
  try {
    execFileSync(command, ["--help"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A running server with an empty bucket. */
export class RealS3 {
  readonly options: { readonly bucket: string; readonly endpoint: string } & typeof KEYS;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(process: ChildProcess, folder: string, endpoint: string) {
    this.#process = process;
    this.#folder = folder;
    this.options = { bucket: "bucket", endpoint, ...KEYS };
  }

  static async start({ command, serve }: S3Program): Promise<RealS3> {
    const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
    const port = await freePort();
    const env = { ...process.env, ROOT_ACCESS_KEY: KEYS.accessKeyId, ROOT_SECRET_KEY: KEYS.secretAccessKey };
    const child = spawn(command, serve(port, folder), { env, stdio: "ignore" });
    const s3 = new RealS3(child, folder, `http://127.0.0.1:${port}`);
    await vi.waitFor(() => s3.#createBucket(), { timeout: STARTED_MS });
    return s3;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Lets the bucket keep earlier versions of objects. */
  keepVersions(): Promise<void> {
    const body = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    return this.#send("PUT", "?versioning", body).then(() => undefined);
  }

  /** Begins an upload of two parts, and leaves it unfinished. */
  async beginUpload(key: string): Promise<void> {
    const xml = await this.#send("POST", `/${key}?uploads`);
    const [, id = ""] = /<UploadId>([^<]+)</.exec(xml) ?? [];
    for (const part of [1, 2]) await this.#send("PUT", `/${key}?partNumber=${part}&uploadId=${id}`, "part");
  }

  /** Returns the keys of unfinished uploads below a prefix. */
  async uploads(prefix: string): Promise<(string | undefined)[]> {
    const xml = await this.#send("GET", `?uploads&prefix=${prefix}`);
    return [...xml.matchAll(/<Key>([^<]+)</g)].map(([, key]) => key);
  }

  /** @throws while the server is starting. */
  #createBucket(): Promise<void> {
    return this.#send("PUT", "").then(() => undefined);
  }

  async #send(method: string, path: string, body?: string): Promise<string> {
    const { endpoint, bucket } = this.options;
    const aws = new AwsClient({ ...KEYS, region: "us-east-1", service: "s3", retries: 0 });
    const request = { method, ...(body !== undefined && { body }) };
    const response = await aws.fetch(`${endpoint}/${bucket}${path}`, request);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return response.text();
  }
}

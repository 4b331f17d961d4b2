import { stat } from "node:fs/promises";
import { auditKeyFile } from "../audit/audit-secret.js";
import type { Config } from "../config/config-schema.js";
import type { Finding } from "./check-node.js";

/**
 * Checks whether other users of the machine can read the data folder or configured secrets. Skipped on
 * Windows, which has no such file modes.
 */
export async function checkFiles(config: Config): Promise<Finding[]> {
  if (process.platform === "win32") return [];
  const { credentials, nkey, tls_key } = config.nats;
  const secrets = [credentials, nkey, tls_key, auditKeyFile(config)];
  const findings = [await folderFinding(config.data), ...(await Promise.all(secrets.map(secretFinding)))];
  return findings.filter((finding) => finding !== undefined);
}

async function folderFinding(folder: string): Promise<Finding | undefined> {
  const mode = await modeOf(folder);
  if (mode === undefined || (mode & 0o077) === 0) return undefined;
  const found = `${folder} is accessible to other users of this machine (mode ${mode.toString(8)})`;
  return { check: "files", state: "warning", found, advice: `chmod 700 ${folder}` };
}

async function secretFinding(path: string | undefined): Promise<Finding | undefined> {
  const mode = path === undefined ? undefined : await modeOf(path);
  if (mode === undefined || (mode & 0o077) === 0) return undefined;
  const found = `${path} is a secret that other users of this machine can read (mode ${mode.toString(8)})`;
  return { check: "files", state: "problem", found, advice: `chmod 600 ${path}, then replace the secret` };
}

/** Returns undefined if the path does not exist. */
async function modeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && found.mode & 0o777;
}

import { stat } from "node:fs/promises";
import { auditSecretPath } from "../audit/audit-secret.js";
import type { Config } from "../config/config-schema.js";
import type { Finding } from "./check-node.js";

/** Whether others on the machine may read memories, or the secrets that the settings name. Windows has no such modes. */
export async function checkFiles(config: Config): Promise<Finding[]> {
  if (process.platform === "win32") return [];
  const { credentials, nkey, tls_key } = config.nats;
  const secrets = [credentials, nkey, tls_key, auditSecretPath(config.data)];
  const findings = [await folderFinding(config.data), ...(await Promise.all(secrets.map(secretFinding)))];
  return findings.filter((finding) => finding !== undefined);
}

async function folderFinding(folder: string): Promise<Finding | undefined> {
  const mode = await modeOf(folder);
  if (mode === undefined || (mode & 0o077) === 0) return undefined;
  const found = `${folder} is open to others on this machine (mode ${mode.toString(8)})`;
  return { check: "files", state: "warning", found, advice: `chmod 700 ${folder}` };
}

async function secretFinding(path: string | undefined): Promise<Finding | undefined> {
  const mode = path === undefined ? undefined : await modeOf(path);
  if (mode === undefined || (mode & 0o077) === 0) return undefined;
  const found = `${path} is a secret that others on this machine may read (mode ${mode.toString(8)})`;
  return { check: "files", state: "problem", found, advice: `chmod 600 ${path}, and renew it` };
}

/** Undefined for what is not there. */
async function modeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && found.mode & 0o777;
}

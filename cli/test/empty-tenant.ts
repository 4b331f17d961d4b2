import { tmpdir } from "node:os";
import { runCli } from "./run-cli.js";

/** Erases all entries of the default tenant of a cluster, so that a test finds none of other tests. */
export async function emptyDefaultTenant(servers: readonly string[]): Promise<void> {
  const args = ["admin", "erase", "--cluster", servers.join(","), "--tenant", "default", "--yes"];
  const { code, stderr } = await runCli(args, { cwd: tmpdir() });
  if (code !== 0) throw new Error(`the tenant could not be erased: ${stderr}`);
}

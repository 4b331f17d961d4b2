export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "problem";
  readonly found: string;
  /** Suggested fix. */
  readonly advice?: string;
}

/** Checks for Node 20.19 or newer. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const recent = major > 20 || (major === 20 && minor >= 19);
  if (recent) return { check: "node", state: "ok", found: version };
  return { check: "node", state: "problem", found: version, advice: "install Node 20.19 or newer" };
}

/** Earlier servers lose acknowledged writes, or refuse requests of the log. */
const MINIMUM = { major: 2, minor: 14 };

/** Returns the remedy for a server that is too old for a cluster, and undefined for others. @param version such as `2.15.2` */
export function versionRemedy(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > MINIMUM.major || (major === MINIMUM.major && minor >= MINIMUM.minor)) return;
  return `install version ${MINIMUM.major}.${MINIMUM.minor} or later`;
}

/**
 * Returns the objects of a table that have values of rows and are in no version: files of a write that was killed
 * or that failed.
 * @param keys keys after the table's prefix.
 */
export function tornFiles(keys: readonly string[], manifests: readonly Buffer[]): string[] {
  const isNamed = (name: Buffer) => manifests.some((manifest) => manifest.includes(name));
  return keys.filter((key) => {
    const [folder = "", name = ""] = key.split("/");
    switch (folder) {
      case "data":
      case "_transactions":
        return !isNamed(Buffer.from(name));
      // The folder of an index is its id, which a manifest has as bytes.
      case "_indices":
        return !isNamed(Buffer.from(name.replaceAll("-", ""), "hex"));
      default:
        return false;
    }
  });
}

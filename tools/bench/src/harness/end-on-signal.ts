const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Ends what was started when the first signal comes; the second one ends the process at once. Returns what takes that back. */
export function endOnSignal(close: () => Promise<void>): () => void {
  const end = (signal: keyof typeof EXIT_CODES) => {
    process.stderr.write("interrupted: ending what was started\n");
    takeBack();
    void close().finally(() => process.exit(EXIT_CODES[signal]));
  };
  const takeBack = () => {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return takeBack;
}

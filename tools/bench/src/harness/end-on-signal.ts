const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Calls `close` at the first signal. The second signal ends the process immediately. Returns a function that
 * removes the handlers.
 */
export function endOnSignal(close: () => Promise<void>): () => void {
  const end = (signal: keyof typeof EXIT_CODES) => {
    process.stderr.write("interrupted: stopping started processes\n");
    removeHandlers();
    void close().finally(() => process.exit(EXIT_CODES[signal]));
  };
  const removeHandlers = () => {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return removeHandlers;
}

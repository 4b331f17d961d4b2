import { isMemoryError, MemoryError } from "@membus/protocol";

/** The failure of a start together with what to do about it, where that is known. */
export function withAdvice(error: unknown): unknown {
  const advice = isMemoryError(error) ? adviceFor(error) : undefined;
  if (advice === undefined) return error;
  const { code, message, detail } = error as MemoryError;
  return new MemoryError(code, `${message}; ${advice}`, detail, { cause: error });
}

function adviceFor({ message, detail }: MemoryError): string | undefined {
  if (detail.reason === "log_corrupt") {
    return "`membus up --repair` keeps what stands before the damage, and sets the rest aside";
  }
  if (/address already in use/.test(message)) {
    return `choose another with --port, or use what listens there: --nats nats://127.0.0.1:${detail.port}`;
  }
  return undefined;
}

import { MemoryError } from "@membus/protocol";

/** Thrown if a request gets no reply. The bus failed, not the host. */
export class NoReplyError extends MemoryError {
  readonly subject: string;

  constructor(subject: string, cause: MemoryError) {
    super(cause.code, cause.message, cause.detail, { cause });
    this.subject = subject;
  }
}

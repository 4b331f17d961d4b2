import { MemoryError } from "@membus/protocol";

/** A request without a reply: an error of the bus, not of a host. */
export class NoReplyError extends MemoryError {
  readonly subject: string;

  constructor(subject: string, cause: MemoryError) {
    super(cause.code, cause.message, cause.detail, { cause });
    this.subject = subject;
  }
}

import type { ServerResponse } from "node:http";
import { answerJson } from "../http/http-server.js";

/** What the gateway itself refuses, or cannot do: clients of OpenAI read it as an error of their server. */
export class OpenAiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OpenAiError";
    this.status = status;
    this.code = code;
  }
}

/** Nothing where the answer has begun, or nobody hears it. */
export function answerError(response: ServerResponse, { status, code, message }: OpenAiError): void {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  answerJson(response, status, { error: { message, type, param: null, code } });
}

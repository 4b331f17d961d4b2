/** An error of the gateway itself. Clients of OpenAI read it as an error of their server. */
export class OpenAiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OpenAiError";
    this.status = status;
    this.code = code;
  }

  toResponse(): Response {
    const { status, code, message } = this;
    const type = status < 500 ? "invalid_request_error" : "server_error";
    const headers = { "cache-control": "no-store" };
    return Response.json({ error: { message, type, param: null, code } }, { status, headers });
  }
}

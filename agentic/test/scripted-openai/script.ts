/** A request as the server received it. */
export interface ReceivedChat {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: {
    readonly model: string;
    readonly stream?: boolean;
    /** Empty in a request of the Responses API. */
    readonly messages: readonly ScriptedMessage[];
    /** Only in a request of the Responses API. */
    readonly instructions?: string;
    readonly input?: unknown;
    readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
    readonly response_format?: {
      readonly json_schema: { readonly name: string; readonly schema: object; readonly strict: boolean };
    };
    readonly [field: string]: unknown;
  };
}

export interface ScriptedMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
  readonly [field: string]: unknown;
}

export interface ScriptedCall {
  readonly name: string;
  /** A string is sent unchanged, also if it is not JSON. */
  readonly arguments: object | string;
  /** Absent: a random one. */
  readonly id?: string;
}

/** An answer of the server, plain or streamed as the request requires. */
export type ScriptedAnswer = ScriptedReply | ScriptedError | ScriptedFault;

export interface ScriptedReply {
  readonly text?: string;
  /** An answer that matches a schema, sent as JSON text. */
  readonly json?: unknown;
  readonly calls?: readonly ScriptedCall[];
  /** Text of a refusal. */
  readonly refusal?: string;
  readonly finishReason?: string;
  /** Absent: counted by the server. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /**
   * The connection is lost after this many events of a stream, at the latest before its end, or bytes of a plain
   * answer.
   */
  readonly cutAfter?: number;
  /** The stream ends normally after this many events. */
  readonly endAfter?: number;
}

export interface ScriptedError {
  readonly status: number;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedFault {
  /**
   * "no-answer": nothing, ever. "stalled": only headers. "reset": the connection is closed at once.
   * "bad-json": truncated JSON, or an invalid event of a stream. "no-completion": JSON that is not a
   * completion. "no-choices": a completion without choices. "error-event": a stream with one text, then an
   * error.
   */
  readonly fault:
    | "no-answer"
    | "stalled"
    | "reset"
    | "bad-json"
    | "no-completion"
    | "no-choices"
    | "error-event";
}

/** Answers in order, followed by errors 500, or a function of the request and its index from 0. */
export type Script =
  | readonly ScriptedAnswer[]
  | ((request: ReceivedChat, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Returns the answer of `script` for a request. */
export async function answerOf(
  script: Script,
  request: ReceivedChat,
  index: number,
): Promise<ScriptedAnswer> {
  try {
    const answer = typeof script === "function" ? await script(request, index) : script[index];
    return answer ?? { status: 500, message: `the script has no answer ${index}` };
  } catch (error) {
    return { status: 500, message: `the script failed: ${String(error)}` };
  }
}

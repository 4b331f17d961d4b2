import { option } from "@membus/protocol";

/**
 * Returns the options that all clients of a model server share, for an `optionSet`.
 *
 * @param responseBytesMax default of `responseBytesMax`.
 */
export function connectionOptions(responseBytesMax: number) {
  return {
    /**
     * URL of the API without the path of a call, such as `https://api.openai.com/v1`. Must not contain
     * credentials, query or fragment.
     */
    baseUrl: option.baseUrl(),
    model: option.text(),
    /** API key, sent as bearer token. Empty: no `Authorization` header. Never logged and never in an error. */
    apiKey: option.apiKey().default(""),
    /** Maximum size of one reply in bytes. */
    responseBytesMax: option.integer(1_024, 1024 * 1024 * 1024).default(responseBytesMax),
  };
}

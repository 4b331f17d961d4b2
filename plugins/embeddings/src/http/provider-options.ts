import type { OptionRule } from "@membus/protocol";

/** The URL is logged, so it must not contain a secret. The message does not repeat it for the same reason. */
export const baseUrlOption: OptionRule = (value, name) => {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && !(url.username + url.password + url.search + url.hash);
  if (!isPlain) throw new TypeError(`${name} must be an http(s) URL without credentials, query or fragment`);
};

/** Accepts keys that a header can carry. Another key would appear in the error that refuses the header. */
export const apiKeyOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || !/^[!-~]*$/.test(value)) {
    throw new TypeError(`${name} must be printable ASCII without spaces`);
  }
};

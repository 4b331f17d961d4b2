/** Maximum length of a name, path, pattern or query that a model writes as an argument of a tool. */
export const NAME_ARGUMENT_LENGTH_MAX = 8_192;

/** Maximum length of a text that a model writes as an argument of a tool. Stores have lower limits. */
export const TEXT_ARGUMENT_LENGTH_MAX = 1_000_000;

export { type Span, Tracer, UNTRACED } from "./tracer.js";

export { Exchange } from "./exchange.js";
export { malformed } from "./reply.js";
export {
  checkRequest,
  type EncodedRequest,
  encodeRequest,
  encodingFor,
  type ForgetRequest,
  type ListRequest,
  mistakeError,
  newRequestId,
  type RetrieveRequest,
  survivesJson,
  toVector,
} from "./request.js";
export { loadTraceHeaders, TRACE_HEADER_BYTES_MAX } from "./trace-headers.js";

export { Exchange } from "./exchange.js";
export { malformedReply } from "./reply.js";
export {
  type AgentsRequest,
  callError,
  checkRequest,
  type EncodedRequest,
  encodeRequest,
  encodingFor,
  type ForgetRequest,
  type ListRequest,
  newRequestId,
  type RetrieveRequest,
  roundTripsJson,
  toVector,
} from "./request.js";
export { RequestTracer, TRACE_HEADER_BYTES_MAX } from "./request-tracer.js";

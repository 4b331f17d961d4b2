export { Admission } from "./admission.js";
export { Router } from "./router.js";

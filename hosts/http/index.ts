/** The API bound to the services: as routes for an Effect server, or as a Fetch handler for any other. */
export { OwnAuthenticate } from "./authenticate.ts"
export type { Authenticate } from "./authenticate.ts"
export { HttpProblem, MethodNotAllowed } from "./HttpProblem.ts"
export { answerProblems, problemResponse } from "./problems.ts"
export { RequestId } from "./requestId.ts"
export { layer as layerRoutes, layerEnvelope } from "./routes.ts"
export { makeSlipway } from "./slipway.ts"
export type { ExtraRoutes, Slipway } from "./slipway.ts"

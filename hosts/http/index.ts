/** The API bound to the services: as routes for an Effect server, or as a Fetch handler for any other. */
export * from "./problems.ts"
export * from "./requestId.ts"
export { layer as layerRoutes, layerEnvelope } from "./routes.ts"
export * from "./slipway.ts"

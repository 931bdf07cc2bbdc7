/** The pages, as routes beside the API: `routes: Layer.merge(engines.routes, viewer.layer({ secret }))`. */
export { OwnSessions } from "./access/ownSessions.ts"
export type { Person } from "./access/ownSessions.ts"
export { layer } from "./routes.ts"

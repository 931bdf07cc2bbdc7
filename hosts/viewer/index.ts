export { OwnSessions } from "./access/ownSessions.ts"
export type { Person } from "./access/ownSessions.ts"
export { layer } from "./routes.ts"

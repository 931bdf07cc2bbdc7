/** What an implementation of the interface is held to, as data. It imports nothing of the rest of Slipway. */
export { requirements } from "./requirements/index.ts"
export type { Level, Requirement } from "./requirements/Requirement.ts"

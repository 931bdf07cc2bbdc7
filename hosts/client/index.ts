/** The typed client of the interface: for Effect (`SlipwayClient`) and as plain promises (`createClient`). */
export { createClient } from "./promises.ts"
export type { Promised } from "./promises.ts"
export * from "./SlipwayClient.ts"

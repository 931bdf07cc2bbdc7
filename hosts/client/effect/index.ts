/** The client for Effect, derived from the definition of the interface: `slipway/client/effect`. */
export * from "./SlipwayClient.ts"

/** What both entries export beside `createClient`. */
export type * from "./responses.ts"
export type { Body, ByteStream } from "./bodies.ts"
export type * from "./Client.ts"
export type * from "./problems.ts"
export type * from "./requests.ts"
export * from "./SlipwayError.ts"

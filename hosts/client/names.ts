/** What both entries export beside `createClient`. */
export type * from "./answers.ts"
export type { Body, ByteStream } from "./bodies.ts"
export type * from "./Client.ts"
export type * from "./problems.ts"
export type * from "./requests.ts"
export * from "./SlipwayError.ts"

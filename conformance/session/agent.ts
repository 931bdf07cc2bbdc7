/** A module of its own, so that it can be loaded when it is used: a bundler keeps the names of CommonJS here only. */
export { Agent } from "@effect/platform-node/Undici"

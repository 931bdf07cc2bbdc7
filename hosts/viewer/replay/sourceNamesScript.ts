/** Reads source maps. It is loaded by the page of a replay with the first position that has to be named. */
export { makeNaming } from "./naming.ts"

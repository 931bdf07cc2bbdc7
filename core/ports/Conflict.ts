import { Data } from "effect"

/**
 * The failure of a commit when the state that its decision was made from has changed meanwhile. Nothing was written; the
 * service loads and decides again.
 */
export class Conflict extends Data.TaggedError("Conflict") {}

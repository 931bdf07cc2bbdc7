import { Data } from "effect"

/**
 * What a commit answers when the state it was decided from has moved meanwhile. Nothing was written; the service loads
 * and decides again.
 */
export class Conflict extends Data.TaggedError("Conflict") {}

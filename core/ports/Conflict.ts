import { Data } from "effect"

/**
 * The failure of a commit if the state on which it was decided has changed since. Nothing was written. The service loads and
 * decides again.
 */
export class Conflict extends Data.TaggedError("Conflict") {}

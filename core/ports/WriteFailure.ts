import { Data } from "effect"
import type { InsufficientStorage, Unavailable } from "../model/Problem.ts"

/**
 * The failure of a commit if the state on which it was decided has changed since. Nothing was written. The service loads and
 * decides again.
 */
export class Conflict extends Data.TaggedError("Conflict") {}

/**
 * The failures of a write. `InsufficientStorage`: the engine has no space left, and nothing was stored. Reads still work, and the
 * same write works again once there is space. `Unavailable`: the engine could not be reached. The write may or may not have
 * been committed, because the engine's answer can be lost.
 */
export type WriteFailure = Unavailable | InsufficientStorage

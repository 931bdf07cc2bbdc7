import type { InsufficientStorage, Unavailable } from "../model/Problem.ts"

/**
 * What a write of a port fails with. `InsufficientStorage`: its engine has no room left, and nothing was stored; the same
 * write works again once there is room, and reads work meanwhile. `Unavailable`: its engine could not be reached, and what
 * was asked for may or may not have happened, as the engine's answer can be lost on its way.
 */
export type WriteFailure = Unavailable | InsufficientStorage

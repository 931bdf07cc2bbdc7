import type { Config } from "../config/Config.ts"
import type { Keys } from "../session/Keys.ts"

/** A running host, and what a run of checks is told of it. */
export interface Target {
  readonly config: Config
  readonly keys: Keys
}

import type { Config } from "../config/Config.ts"
import type { Keys } from "../session/Keys.ts"

/** A running host, and the config of a run against it. */
export interface Target {
  readonly config: Config
  readonly keys: Keys
}

import type { Front } from "./Front.ts"

/** The reference host with one fault. */
export interface Mutant {
  readonly id: string
  /** What this host does and shouldn't, in one sentence. */
  readonly fault: string
  /** The ids of the checks that tell: all of them, and no other. */
  readonly caughtBy: readonly [string, ...ReadonlyArray<string>]
  readonly front: Front
}

import type { Effect, Scope } from "effect"
import type { Transport } from "../../session/transport.ts"
import type { Target } from "../../testing/Target.ts"
import type { Mutant } from "../parts/Mutant.ts"
import type { WireDialect } from "../parts/WireDialect.ts"

/** A running host in this process: the config of a run against it, its transport and its wire dialect. */
export interface Met {
  readonly target: Target
  readonly transport: Transport["Service"]
  readonly dialect: WireDialect
}

/** A conformant host that mutants are made of. */
export interface Base {
  readonly name: string
  /** A new host, which stops when the scope closes. */
  readonly host: Effect.Effect<Met, never, Scope.Scope>
  /** Whether every check runs against its mutants, or only those that must report one. */
  readonly isWhole: boolean
  /** The checks that skip it. */
  readonly skippedBy: ReadonlyArray<string>
  /** The mutants that can't be planted in it, by their ids, each with the reason. */
  readonly unplanted: Readonly<Record<string, string>>
  /** The mutants that other checks report than of the reference host, by their ids. */
  readonly caughtBy: Readonly<Record<string, Mutant["caughtBy"]>>
}

import { Layer } from "effect"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { atomicityMutants } from "./atomicity.ts"
import { comparisonMutants } from "./comparisons.ts"
import { concurrencyMutants } from "./concurrency.ts"
import { hostMutants } from "./hosts.ts"
import { toMutants, type Mutant } from "./Mutant.ts"
import { refusalMutants } from "./refusals.ts"
import { relationMutants } from "./relations.ts"
import type { SharedMemory } from "./twoHosts.ts"

/** Adapters of the metadata ports with one fault each, of kinds that no single call shows. `drawn/` has the others. */
export const metadataMutants: ReadonlyArray<Mutant<MetadataPorts, SharedMemory>> = [
  atomicityMutants,
  concurrencyMutants,
  refusalMutants,
  comparisonMutants,
  hostMutants,
  relationMutants
].flatMap((table) => toMutants("", table))

/** Faults that are none on SQLite: it loses no turn between two calls, and fails at its own statements. */
const hiddenBySqlite = new Set([
  "finalizes without a transaction",
  "loses concurrent additions",
  "compares the version of a deletion a moment before it deletes"
])

/** Those that are found on SQLite too: they alter one sound adapter, where the others are made of two hosts on one memory. */
export const metadataMutantsOnSqlite = metadataMutants.filter(
  ({ adapter, fault }) => Layer.isLayer(adapter) && !hiddenBySqlite.has(fault)
)

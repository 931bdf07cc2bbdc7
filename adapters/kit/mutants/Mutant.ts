import { Context, Layer } from "effect"
import { layerMetadata } from "../../memory/index.ts"
import { layerEmptyMetadata, layerFile } from "../../sqlite/testing/newFile.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import type { Adapter } from "../parts/suite.ts"
import { layerFailingEngine } from "./failingEngine.ts"
import type { SharedMemory } from "./twoHosts.ts"

/** An adapter with exactly one fault. `S` is what its hosts share. */
export interface Mutant<R, S = never> {
  readonly fault: string
  /** The sections and the name of the case that has to fail. */
  readonly caughtBy: string
  /** A part of that case's failure message, for a fault that the case finds only when it ends. */
  readonly saying?: string
  readonly adapter: Adapter<R, S>
}

/** For each case of a suite the faults that it has to catch, each with an adapter that has it. */
export type FaultsByCase<R, S = never> = Readonly<Record<string, Readonly<Record<string, Adapter<R, S>>>>>

export type MetadataFaults = FaultsByCase<MetadataPorts, SharedMemory>

/** The mutants of such a table. `section` stands before the name of each case. */
export const toMutants = <R, S>(section: string, table: FaultsByCase<R, S>): ReadonlyArray<Mutant<R, S>> =>
  Object.entries(table).flatMap(([name, faults]) =>
    Object.entries(faults).map(([fault, adapter]) => ({ fault, caughtBy: section + name, adapter }))
  )

/** The environment variable that puts SQLite in the place of memory below the mutants. */
export const engineVariable = "SLIPWAY_MUTANTS_ON"

/** What the mutants are made of. */
const layerSound =
  process.env[engineVariable] === "SQLite"
    ? Layer.orDie(Layer.fresh(Layer.provide(layerEmptyMetadata, layerFile)))
    : Layer.merge(layerMetadata, layerFailingEngine)

/** The metadata of a sound adapter, some members of one port altered. */
export const altered = <I extends MetadataPorts, S>(
  port: Context.Key<I, S>,
  alter: (store: S) => Partial<S>
): Layer.Layer<MetadataPorts> =>
  Layer.flatMap(layerSound, (sound) => {
    const store = Context.get(sound, port)
    return Layer.succeedContext(Context.add(sound, port, { ...store, ...alter(store) }))
  })

/** The metadata of a sound adapter, some members of two ports altered. */
export const bothAltered = <I extends MetadataPorts, S, J extends MetadataPorts, T>(
  one: Context.Key<I, S>,
  other: Context.Key<J, T>,
  alter: (one: S, other: T) => readonly [Partial<S>, Partial<T>]
): Layer.Layer<MetadataPorts> =>
  Layer.flatMap(layerSound, (sound) => {
    const [first, second] = [Context.get(sound, one), Context.get(sound, other)]
    const [firstNow, secondNow] = alter(first, second)
    return Layer.succeedContext(
      sound.pipe(Context.add(one, { ...first, ...firstNow }), Context.add(other, { ...second, ...secondNow }))
    )
  })

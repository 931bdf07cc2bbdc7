import { Context, Layer } from "effect"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"

/** An adapter with exactly one fault. */
export interface Mutant<R> {
  readonly fault: string
  /** The sections and the name of the case that has to fail. */
  readonly caughtBy: string
  /** A part of that case's failure message, for a fault that the case finds only when it ends. */
  readonly saying?: string
  readonly adapter: Layer.Layer<R, unknown>
}

/** The metadata in memory, one port of it altered. */
export const altered = <I extends MetadataPorts, S>(
  port: Context.Key<I, S>,
  alter: (store: S) => S
): Layer.Layer<MetadataPorts> =>
  Layer.flatMap(layerMetadata, (memory) =>
    Layer.succeedContext(Context.add(memory, port, alter(Context.get(memory, port))))
  )

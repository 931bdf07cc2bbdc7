import { Context, Layer } from "effect"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"

/** An adapter with exactly one fault. */
export interface Mutant<R> {
  readonly fault: string
  /** The case that names the fault, by its sections and its name: it has to fail. */
  readonly caughtBy: string
  /** What that case says, where the fault shows in how it ends and not in what it is about. */
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

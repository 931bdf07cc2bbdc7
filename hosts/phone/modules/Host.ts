import type { Surface } from "../fabric/surface.ts"
import type { AppGlobal } from "../runtime/appGlobal.ts"
import type { Callable } from "../runtime/callable.ts"
import type { Calls } from "../runtime/calls.ts"
import type { Notes } from "../runtime/notes.ts"
import type { Events } from "../fabric/events.ts"

/** What a native module can reach. */
export interface Host {
  readonly app: AppGlobal
  readonly calls: Calls
  readonly callable: Callable
  readonly notes: Notes
  readonly surface: Surface
  readonly events: Events
  readonly assetUrls: (uri: string) => ReadonlyArray<string>
  /** What libraries ask Nitro for, by its names. */
  readonly hybrids: ReadonlyMap<string, object>
  /** The text of the bundle. */
  readonly bundle: string
  /** Whoever follows a finger of its own adds here whether it does so now: nothing is scrolled meanwhile. */
  readonly follows: Array<() => boolean>
  /** Starts the app anew. */
  readonly restart: () => void
}

/** A native module: what an app calls of it, by name. */
export type Module = Readonly<Record<string, unknown>>

/** Makes some modules, by the names that apps ask for. */
export type Modules = (host: Host) => Readonly<Record<string, Module>>

/** What a module has that tells events: who listens makes no difference to it. */
export const listening = { addListener: () => {}, removeListeners: () => {} }

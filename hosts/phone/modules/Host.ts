import type { Surface } from "../fabric/surface.ts"
import type { AppGlobal } from "../runtime/appGlobal.ts"
import type { Callable } from "../runtime/callable.ts"
import type { Calls } from "../runtime/calls.ts"
import type { Notes } from "../runtime/notes.ts"
import type { Sqlite } from "../runtime/sqlite.ts"
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
  /** SQLite, if the bundle names a module that needs it, and it could be loaded. */
  readonly sqlite?: Sqlite | undefined
  /** The text of the bundle. */
  readonly bundle: string
  /** Modules that follow a finger register here whether they do so now: nothing is scrolled meanwhile. */
  readonly follows: Array<() => boolean>
  /** Restarts the app. */
  readonly restart: () => void
}

/** A native module: what an app calls of it, by name. */
export type Module = Readonly<Record<string, unknown>>

/** Makes some modules, by the names that apps ask for. */
export type Modules = (host: Host) => Readonly<Record<string, Module>>

/** The methods of a module with events, which ignore the listeners. */
export const listening = { addListener: () => {}, removeListeners: () => {} }

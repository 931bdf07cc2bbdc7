/** What native modules are made of, and the native part of a library: a pack. */
import type { Events } from "../fabric/events.ts"
import type { Surface } from "../fabric/surface.ts"
import type { Callable, Calls, AppGlobal } from "../runtime/calls.ts"
import { type Fields, functionIn } from "../runtime/decode.ts"
import type { Notes } from "../runtime/notes.ts"
import type { Sqlite } from "../runtime/optionalScripts.ts"
import type { Component } from "../views/Component.ts"

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
  /** The native modules that the app asked for and did without. */
  readonly absent: Set<string>
  /** Restarts an app that failed before it drew anything, with stubs in place of what it did without; whether it does. */
  readonly startAgain: () => boolean
  /** Restarts the app. */
  readonly restart: () => void
}

/** A native module: what an app calls of it, by name. */
export type Module = Readonly<Record<string, unknown>>

/** Makes some modules, by the names that apps ask for. */
export type Modules = (host: Host) => Readonly<Record<string, Module>>

/** The methods of a module with events, which ignore the listeners. */
export const eventMethods = { addListener: () => {}, removeListeners: () => {} }

/** What a component has beside what all have. */
export interface LegacyProps {
  /** The names of properties; those that are colors, apart. */
  readonly props?: string
  readonly colors?: string
  /** The names of events, without `on`. */
  readonly events?: string
}

/** The native part of a library, by the names that the library asks for. */
export interface Pack {
  /** Its components, without the `RCT` that a renderer may put before a name. */
  readonly components?: Readonly<Record<string, Component>>
  /** The properties and events of components that don't describe themselves: others of them aren't passed. */
  readonly legacy?: Readonly<Record<string, LegacyProps>>
  /** Its native modules; made once, before the app runs. */
  readonly modules?: Modules
  /** Native modules of which only a part is there: other methods reject, as those of missing modules. */
  readonly partial?: Modules
  /** Its hybrid objects, where it is built on Nitro. */
  readonly hybrids?: Readonly<Record<string, object>>
  /** Native modules that it works without: they are absent for this bundle, and no stub stands for them. */
  readonly optional?: (bundle: string) => ReadonlySet<string>
  /** Puts into the app's global object what the library expects there; called once all modules are made. */
  readonly install?: (host: Host) => void
}

/** Methods that resolve to these values. A function is called with what the app passes. */
export const resolving = (results: Fields): Module =>
  Object.fromEntries(
    Object.entries(results).map(([name, result]) => [
      name,
      async (...values: ReadonlyArray<unknown>) => {
        const called = functionIn(result)
        return called === undefined ? result : called(...values)
      }
    ])
  )

/** Constants, as properties and by `getConstants`. */
export const constants = (values: Fields): Module => ({ ...values, getConstants: () => values })

/** Methods without effect. */
export const ignoring = (names: string): Module => Object.fromEntries(names.split(" ").map((name) => [name, () => {}]))

import type { Host, Modules } from "./Host.ts"
import type { Component } from "../views/Component.ts"

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

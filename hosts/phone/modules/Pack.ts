import type { Host, Modules } from "./Host.ts"
import type { Component } from "../views/Component.ts"

/** The native part of a library, by the names that the library asks for. */
export interface Pack {
  /** Its components, without the `RCT` that a renderer may put before a name. */
  readonly components?: Readonly<Record<string, Component>>
  /** Its native modules; made once, before the app runs. */
  readonly modules?: Modules
  /** Its hybrid objects, where it is built on Nitro. */
  readonly hybrids?: Readonly<Record<string, object>>
  /** Native modules that it works without: they are absent for this bundle, and no stub stands for them. */
  readonly optional?: (bundle: string) => ReadonlySet<string>
  /** Puts into the app's global object what the library expects there; called once all modules are made. */
  readonly install?: (host: Host) => void
}

import type { Host, Module } from "./Host.ts"
import type { Component } from "../views/Component.ts"

/** The native part of a package that many apps use: its components and its modules, by the names that it gives them. */
export interface Pack {
  readonly components?: Readonly<Record<string, Component>>
  readonly modules?: (host: Host) => Readonly<Record<string, Module>>
  /** What it is made of where it is built on Nitro, by the names that it is asked for. */
  readonly hybrids?: Readonly<Record<string, object>>
  /** Puts into the app's global object what the package expects there. */
  readonly install?: (host: Host) => void
}

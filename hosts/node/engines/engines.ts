import { Data, type Layer } from "effect"
import type { OpenSlots } from "../../../core/service/OpenSlots.ts"
import type { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { Ports } from "../../../core/ports/registry.ts"
import type { Fault } from "../engineErrors/Fault.ts"
import type { ExtraRoutes } from "../../http/slipway.ts"

/** The engine that stores the metadata. `name` is for people to read. */
export interface MetadataEngine<E> {
  readonly name: string
  readonly ports: Layer.Layer<Exclude<Ports, ObjectStore>, E>
}

/**
 * What keeps the objects, and the routes behind its signed URLs when it has no server of its own. Both are built on the
 * same layers, so within one host they share one state.
 */
export interface ObjectsEngine<E> {
  readonly name: string
  readonly ports: Layer.Layer<ObjectStore, E, SignedUrls>
  readonly routes: ExtraRoutes<E, SignedUrls | OpenSlots>
}

/** The engines of a host. */
export interface Engines<E = never> {
  /** The names of the metadata and the object engine, for people to read. */
  readonly metadata: string
  readonly objects: string
  readonly ports: Layer.Layer<Ports, E, SignedUrls>
  readonly routes: ExtraRoutes<E, SignedUrls | OpenSlots>
}

/** An engine named by a setting can't be used. The message says what is wrong and how to fix it. */
export class EngineUnusable extends Data.TaggedError("EngineUnusable")<{
  readonly setting: string
  readonly detail: string
  readonly hint: string
}> {
  override get message() {
    return `${this.setting}: ${this.detail}; ${this.hint}.`
  }
}

/** Makes the error for an engine, from the setting that names it. */
export const unusable =
  (setting: string) =>
  (fault: Fault): EngineUnusable =>
    new EngineUnusable({ setting, ...fault })

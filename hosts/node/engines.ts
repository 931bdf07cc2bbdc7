import type { Layer } from "effect"
import type { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import type { ExtraRoutes, Ports } from "../http/slipway.ts"

/**
 * A set of engines: the ports, and the routes behind their signed URLs when they have no server of their own. Both are
 * built on the same layers, so within one host they share one state.
 */
export interface Engines<E = never> {
  /** What keeps the metadata, and what the objects, for people to read. */
  readonly metadata: string
  readonly objects: string
  readonly ports: Layer.Layer<Ports, E, SignedUrls>
  readonly routes: ExtraRoutes<E, SignedUrls>
}

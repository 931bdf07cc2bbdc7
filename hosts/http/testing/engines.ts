import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as memory from "../../../adapters/memory/index.ts"
import { newDatabase } from "../../../adapters/postgres/testing/server.ts"
import { layerNewPrefix } from "../../../adapters/s3/testing/newPrefix.ts"
import { hasS3 } from "../../../adapters/s3/testing/server.ts"
import { embeddedEngines, embeddedObjects } from "../../node/embedded.ts"
import type { Engines, ObjectsEngine } from "../../node/engines.ts"
import { layerPostgresMetadata } from "../../node/production.ts"
import { layerAgingUrls } from "./agingUrls.ts"

/** Everything in memory. */
const inMemory: Engines<unknown> = {
  metadata: "memory",
  objects: "memory",
  ports: memory.layer,
  routes: memory.routes
}

/** Engines in a temporary folder, which goes when they are closed. */
const inFolder = <Made extends Pick<ObjectsEngine<unknown>, "ports">>(make: (folder: string) => Made): Made => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-test-"))
  const made = make(folder)
  const removed = Layer.effectDiscard(
    Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  )
  return { ...made, ports: Layer.provideMerge(made.ports, removed) }
}

/** PGlite and files: what a host has unless it is told otherwise. */
export const embedded = (): Engines<unknown> => inFolder(embeddedEngines)

/** A database of its own on the server that all tests share. */
const layerNewDatabase = Layer.unwrap(
  Effect.map(newDatabase, (url) => layerPostgresMetadata({ url: Redacted.make(url), maxConnections: 10 }))
)

/** S3 below a prefix of its own; files on a machine without an S3 server. */
const serverObjects = (): ObjectsEngine<unknown> =>
  hasS3 ? { name: "S3", ports: layerAgingUrls(layerNewPrefix), routes: Layer.empty } : inFolder(embeddedObjects)

/** What several hosts share: PostgreSQL, and S3 where there is one. */
const onServers = (): Engines<unknown> => {
  const objects = serverObjects()
  return {
    metadata: "PostgreSQL",
    objects: objects.name,
    ports: Layer.merge(layerNewDatabase, objects.ports),
    routes: objects.routes
  }
}

/** The engines on which every interface test runs, the last being what a host has by default. Each call makes new ones. */
export const testEngines = (): ReadonlyArray<Engines<unknown>> => [inMemory, onServers(), embedded()]

/** Those of them whose presigned URLs are the host's own. */
export const enginesWithOwnUrls = (): ReadonlyArray<Engines<unknown>> => [inMemory, embedded()]

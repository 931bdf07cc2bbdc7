import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as memory from "../../../adapters/memory/index.ts"
import { newDatabase } from "../../../adapters/postgres/testing/server.ts"
import { servedObjects } from "../../../adapters/s3/index.ts"
import { hasS3, layerNewPrefix, newPrefix } from "../../../adapters/s3/testing/server.ts"
import { routes as signedUrlRoutes } from "../../../adapters/signed-urls/routes.ts"
import { embeddedEngines, embeddedObjects } from "../../node/engines/chooseEngines.ts"
import type { Engines, ObjectsEngine } from "../../node/engines/engines.ts"
import { layerPostgresMetadata } from "../../node/engines/postgres.ts"
import { layerAgingUrls } from "./agingUrls.ts"
import { engineSets, type EngineSet } from "./engineSets.ts"

/** Everything in memory. */
export const inMemory: Engines<unknown> = {
  metadata: "memory",
  objects: "memory",
  ports: memory.layer,
  routes: memory.routes
}

/** Engines in a temporary folder, which is deleted when they are closed. */
const inFolder = <Made extends Pick<ObjectsEngine<unknown>, "ports">>(make: (folder: string) => Made): Made => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-test-"))
  const made = make(folder)
  const removed = Layer.effectDiscard(
    Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  )
  return { ...made, ports: Layer.provideMerge(made.ports, removed) }
}

/** SQLite and files: a host's default engines. */
export const embedded = (): Engines<unknown> => inFolder(embeddedEngines)

/** A new database on the server that all tests share. */
const layerNewDatabase = Layer.unwrap(
  Effect.map(newDatabase, (url) => layerPostgresMetadata({ url: Redacted.make(url), maxConnections: 10 }))
)

/** PostgreSQL and files, as several hosts on one machine share them. */
const onPostgres = (): Engines<unknown> => {
  const { name, ports, routes } = inFolder(embeddedObjects)
  return { metadata: "PostgreSQL", objects: name, ports: Layer.merge(layerNewDatabase, ports), routes }
}

/** PostgreSQL and S3, below a new prefix, as hosts on several machines share them. */
const onServers = (): Engines<unknown> => ({
  metadata: "PostgreSQL",
  objects: "S3",
  ports: Layer.merge(layerNewDatabase, layerAgingUrls(layerNewPrefix)),
  routes: Layer.empty
})

/** PostgreSQL, and S3 below a new prefix, whose uploads go through the host. */
const throughHost = (): Engines<unknown> => {
  const objects = Layer.unwrap(Effect.map(newPrefix, (options) => servedObjects(options).ports))
  return {
    metadata: "PostgreSQL",
    objects: "S3 through the host",
    ports: Layer.merge(layerNewDatabase, objects),
    routes: signedUrlRoutes.pipe(Layer.provide(objects))
  }
}

/** Every set of engines, and in which test command it is used: see `engineSets.ts`. */
const sets: Readonly<Record<EngineSet, ReadonlyArray<() => Engines<unknown>>>> = {
  quick: [() => inMemory],
  slow: [embedded, hasS3 ? onServers : onPostgres]
}

/** The engines for tests of what can differ between them: bytes, signed URLs, concurrent commits. Each call creates new ones. */
export const testEngines = (): ReadonlyArray<Engines<unknown>> =>
  engineSets().flatMap((set) => sets[set].map((make) => make()))

/** The same, and S3 with uploads through the host (`SLIPWAY_S3_UPLOADS=host`). */
export const enginesAndWaysToUpload = (): ReadonlyArray<Engines<unknown>> => [
  ...testEngines(),
  ...(hasS3 && engineSets().includes("slow") ? [throughHost()] : [])
]

/** Those of them whose presigned URLs the host serves itself. */
export const enginesWithOwnUrls = (): ReadonlyArray<Engines<unknown>> =>
  enginesAndWaysToUpload().filter(({ objects }) => objects !== "S3")

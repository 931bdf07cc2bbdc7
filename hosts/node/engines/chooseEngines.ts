import { Layer } from "effect"
import { embeddedMetadata, embeddedObjects } from "./embedded.ts"
import type { EngineSettings } from "../settings/engineSettings.ts"
import type { Engines } from "./engines.ts"
import { postgresMetadata, s3Objects } from "./production.ts"

/** The engines that the settings name: PostgreSQL and S3 if they are set, else the embedded ones. */
export const chooseEngines = ({ data, database, file, s3 }: EngineSettings & { readonly data: string }) => {
  const metadata = database === undefined ? embeddedMetadata({ data, file }) : postgresMetadata(database)
  const objects = s3 === undefined ? embeddedObjects(data) : s3Objects(s3)
  return {
    metadata: metadata.name,
    objects: objects.name,
    ports: Layer.mergeAll(metadata.ports, objects.ports),
    routes: objects.routes
  } satisfies Engines<unknown>
}

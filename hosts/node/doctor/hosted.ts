import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { MetadataSource } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerToRead } from "../backup/deployment.ts"
import { byKey, hostedObjects, type HostedObject } from "../backup/hostedObjects.ts"
import { messageOf } from "../engineErrors/networkFault.ts"
import { metadataFile } from "../engines/sqlite.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { fine, wrong, type Finding } from "./parts/Finding.ts"

const name = "hosted objects"

/** How many a line names. */
const named = 5

const findingOf = (total: number, missing: ReadonlyArray<string>, resized: ReadonlyArray<string>): Finding => {
  const amiss = missing.length > 0 ? missing : resized
  const what = missing.length > 0 ? "aren't there" : "don't have the size that was uploaded"
  return amiss.length === 0
    ? fine(name, `all ${total} that the metadata names are there`)
    : wrong(name, {
        detail: `${amiss.length} of ${total} that the metadata names ${what}: ${amiss.slice(0, named).join(", ")}${amiss.length > named ? ` and ${amiss.length - named} more` : ""}`,
        hint: 'put them back from an earlier backup, restored elsewhere; or delete the builds and previews that have them: "slipway backup" names each with its command'
      })
}

type Hosted = ReadonlyMap<string, ReadonlyArray<HostedObject>>

const none: Hosted = new Map()

/**
 * Whether every object that the metadata names is in the store, in its size. Returns also the objects that it names, none if it
 * can't be read.
 */
export const checkHosted = (
  settings: ProcessSettings
): Effect.Effect<{ readonly finding: Finding; readonly hosted: Hosted }> =>
  settings.database === undefined && !existsSync(metadataFile(settings))
    ? Effect.succeed({ finding: fine(name, "no objects yet"), hosted: none })
    : Effect.gen(function* () {
        const store = yield* ObjectStore
        const { snapshot } = yield* MetadataSource
        // The metadata first: what is deleted in between is missing from the store, and looked up again.
        const named = snapshot((records) => byKey(hostedObjects(records)))
        const hosted = yield* named
        const sizes = new Map((yield* store.list("hosted/")).map(({ key, sizeBytes }) => [key, sizeBytes]))
        const missing = [...hosted.keys()].filter((key) => !sizes.has(key))
        const still = missing.length === 0 ? hosted : yield* named
        const resized = [...hosted].filter(([key, uploads]) =>
          uploads.some(({ sizeBytes }) => (sizes.get(key) ?? sizeBytes) !== sizeBytes)
        )
        const finding = findingOf(
          hosted.size,
          missing.filter((key) => still.has(key)),
          resized.map(([key]) => key)
        )
        return { finding, hosted }
      }).pipe(
        Effect.provide(Layer.fresh(layerToRead(settings))),
        Effect.catch((error) =>
          Effect.succeed({
            finding: wrong(name, {
              detail: `they can't be compared: ${messageOf(error)}`,
              hint: "see to what is said above"
            }),
            hosted: none
          })
        )
      )

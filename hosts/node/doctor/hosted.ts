import { Effect, Layer, Stream } from "effect"
import { existsSync } from "node:fs"
import { MetadataSource } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerToRead } from "../backup/deployment.ts"
import { hostedObjects } from "../backup/hostedObjects.ts"
import { saidBy } from "../engineErrors/networkFault.ts"
import { metadataFile } from "../engines/embedded.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { fine, orWrong, wrong, type Finding } from "./parts/Finding.ts"

const name = "hosted objects"

/** How many a line names. */
const named = 5

const findingOf = (total: number, missing: ReadonlyArray<string>): Finding =>
  missing.length === 0
    ? fine(name, `all ${total} that the metadata names are there`)
    : wrong(name, {
        detail: `${missing.length} of ${total} that the metadata names aren't there: ${missing.slice(0, named).join(", ")}${missing.length > named ? ` and ${missing.length - named} more` : ""}`,
        mend: 'put them back from an earlier backup, restored elsewhere; or delete the builds and previews that have them: "slipway backup" names each with its command'
      })

/** Whether every object that the metadata names is in the store. */
export const checkHosted = (settings: ProcessSettings): Effect.Effect<Finding> =>
  settings.database === undefined && !existsSync(metadataFile(settings))
    ? Effect.succeed(fine(name, "no objects yet"))
    : Effect.gen(function* () {
        const store = yield* ObjectStore
        const { snapshot } = yield* MetadataSource
        // The metadata first: what is deleted in between is missing from the store, and looked up again.
        const keys = snapshot((records) =>
          Stream.runFold(
            hostedObjects(records),
            () => new Set<string>(),
            (all, { key }) => all.add(key)
          )
        )
        const before = yield* keys
        const there = new Set((yield* store.list("hosted/")).map(({ key }) => String(key)))
        const amiss = [...before].filter((key) => !there.has(key))
        const still = amiss.length === 0 ? before : yield* keys
        return findingOf(
          before.size,
          amiss.filter((key) => still.has(key))
        )
      }).pipe(
        Effect.provide(Layer.fresh(layerToRead(settings))),
        orWrong(name, (error) => ({
          detail: `they can't be compared: ${saidBy(error)}`,
          mend: "see to what is said above"
        }))
      )

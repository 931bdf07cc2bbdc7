/** What `slipway doctor` checks: every engine that the settings name. */
import { Effect, Layer } from "effect"
import { MetadataSource } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerToRead } from "../deployment.ts"
import { reasonOf } from "../engines/engines.ts"
import { metadataFile } from "../engines/sqlite.ts"
import { byKey, type HostedObject, hostedObjects } from "../hostedObjects.ts"
import { isPresent } from "../settings/dataFolder.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { checkContents, checkDataFolder, checkFilesystem, checkSecret, checkSqlite } from "./embedded.ts"
import { type Checked, clockFinding, type Finding, fine, wrong } from "./findings.ts"

export type { Fault } from "../engines/engines.ts"
export type { Finding } from "./findings.ts"

// Their drivers are large.
const postgres = Effect.promise(() => import("./postgres.ts"))
const bucket = Effect.promise(() => import("./s3.ts"))

const alone = (check: Effect.Effect<Finding>): Effect.Effect<Checked> =>
  Effect.map(check, (finding) => ({ findings: [finding] }))

/**
 * Checks every engine that the settings name, as far as each lets itself be checked, and answers what was found, one
 * check a line. It removes everything that it stores or creates.
 */
export const examine = Effect.fnUntraced(function* (settings: ProcessSettings) {
  const { data, database, file, limits, s3 } = settings
  const folder = database === undefined || s3 === undefined ? yield* checkDataFolder(data, limits.totalBytes) : []
  const engines = yield* Effect.all(
    [
      database === undefined
        ? alone(checkSqlite({ data, file }))
        : Effect.flatMap(postgres, ({ checkPostgres }) => checkPostgres(database)),
      s3 === undefined ? alone(checkFilesystem(data)) : Effect.flatMap(bucket, ({ checkS3 }) => checkS3(s3))
    ],
    { concurrency: "unbounded" }
  )
  const clocks = engines.flatMap(({ clock }) => (clock === undefined ? [] : [clock]))
  const findings: ReadonlyArray<Finding> = [
    yield* checkSecret(settings),
    ...folder,
    ...engines.flatMap(({ findings }) => findings),
    ...(clocks.length === 0 ? [] : [clockFinding(clocks)])
  ]
  return findings
})

/**
 * Like {@link examine}, but also compares what is stored with what the metadata has of the uploads: the content of every object
 * of the data folder, which may take long, or the sizes of those in a bucket.
 */
export const examineDeeply = Effect.fnUntraced(function* (settings: ProcessSettings) {
  const findings = yield* examine(settings)
  const { finding, hosted } = yield* checkHosted(settings)
  const contents =
    settings.s3 === undefined
      ? yield* checkContents(settings.data, hosted)
      : fine("contents", 'are not read from a bucket; "slipway backup" reads them and compares each with its upload')
  return [...findings, contents, finding]
})

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
const checkHosted = (
  settings: ProcessSettings
): Effect.Effect<{ readonly finding: Finding; readonly hosted: Hosted }> =>
  Effect.gen(function* () {
    // A file that can't be accessed fails with its reason when it is opened.
    const file = metadataFile(settings)
    const isNew = settings.database === undefined && !(yield* Effect.orElseSucceed(isPresent(file), () => true))
    return isNew ? { finding: fine(name, "no objects yet"), hosted: none } : yield* compareHosted(settings)
  })

const compareHosted = (settings: ProcessSettings) =>
  Effect.gen(function* () {
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
          detail: `they can't be compared: ${reasonOf(error)}`,
          hint: "fix the problems above first, or see the log of the host"
        }),
        hosted: none
      })
    )
  )

/** What `slipway doctor` checks: every engine that the settings name. */
import { Duration, Effect, Layer, Stream } from "effect"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import type { Unavailable } from "../../../core/model/Problem.ts"
import { MetadataSource } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerToRead } from "../deployment.ts"
import { reasonOf } from "../engines/engines.ts"
import { metadataFile } from "../engines/sqlite.ts"
import { isLoopback } from "../urlWarnings.ts"
import { byKey, type HostedObject, hostedObjects } from "../hostedObjects.ts"
import { isPresent } from "../settings/dataFolder.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import {
  checkBackups,
  checkContents,
  checkDataFolder,
  checkFilesystem,
  checkSecret,
  checkSendfile,
  checkSqlite
} from "./embedded.ts"
import { clockFinding, type Finding, fine, only, wrong } from "./findings.ts"

import { checkUrl } from "./publicUrl.ts"

export type { Fault } from "../engines/engines.ts"
export type { Finding } from "./findings.ts"

// Their drivers are large.
const postgres = Effect.promise(() => import("./postgres.ts"))
const bucket = Effect.promise(() => import("./s3.ts"))

/** The URLs that other machines have, each origin once, by the settings that name them. */
const publicUrls = ({ contentUrl, url, viewerUrl }: ProcessSettings): ReadonlyArray<readonly [string, string]> => {
  const named = { SLIPWAY_URL: url, SLIPWAY_VIEWER_URL: viewerUrl, SLIPWAY_CONTENT_URL: contentUrl }
  const origins = new Map<string, readonly [string, string]>()
  for (const [setting, given] of Object.entries(named)) {
    if (given === undefined || isLoopback(new URL(given).hostname)) continue
    const { origin } = new URL(given)
    if (!origins.has(origin)) origins.set(origin, [setting, given])
  }
  return [...origins.values()]
}

/** Several URLs can have one proxy, about which the same is found. */
const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => [
  ...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()
]

/** Checks every engine that the settings name. `isReadable` is whether the metadata and the objects can be compared. */
const examineEngines = Effect.fnUntraced(function* (settings: ProcessSettings) {
  const { data, database, file, limits, s3 } = settings
  const folder = database === undefined || s3 === undefined ? yield* checkDataFolder(data, limits.totalBytes) : []
  const engines = yield* Effect.all(
    [
      database === undefined
        ? checkSqlite({ data, file })
        : Effect.flatMap(postgres, ({ checkPostgres }) => checkPostgres(database)),
      s3 === undefined ? Effect.map(checkFilesystem(data), only) : Effect.flatMap(bucket, ({ checkS3 }) => checkS3(s3))
    ],
    { concurrency: "unbounded" }
  )
  const urls = yield* Effect.forEach(publicUrls(settings), ([setting, url]) => checkUrl(setting, url))
  const proxied = settings.sendfile === true ? publicUrls(settings) : []
  const sendfile = yield* Effect.forEach(proxied, ([, url]) => checkSendfile(settings, url))
  const backups = settings.backups === undefined ? [] : [yield* checkBackups(settings.backups)]
  const clocks = engines.flatMap(({ clock }) => (clock === undefined ? [] : [clock]))
  const findings: ReadonlyArray<Finding> = [
    yield* checkSecret(settings),
    ...folder,
    ...engines.flatMap(({ findings }) => findings),
    ...(clocks.length === 0 ? [] : [clockFinding(clocks)]),
    ...backups,
    ...distinct([...urls.flat(), ...sendfile])
  ]
  const isReached = engines.every(({ findings: [first] }) => first?.ok === true)
  const isReadable = isReached && engines.some(({ isCurrent }) => isCurrent === true)
  return { findings, isReadable }
})

/**
 * Checks every engine that the settings name, as far as each lets itself be checked, and whether some of the hosted objects are
 * there. Answers what was found, one check a line. It removes everything that it stores or creates.
 */
export const examine = Effect.fnUntraced(function* (settings: ProcessSettings) {
  const { findings, isReadable } = yield* examineEngines(settings)
  return isReadable ? [...findings, ...(yield* sampleHosted(settings))] : findings
})

/**
 * Like {@link examine}, but also compares what is stored with what the metadata has of the uploads: the content of every object
 * of the data folder, which may take long, or the sizes of those in a bucket.
 */
export const examineDeeply = Effect.fnUntraced(function* (settings: ProcessSettings) {
  const { findings } = yield* examineEngines(settings)
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

const findingOf = (
  total: number,
  missing: ReadonlyArray<string>,
  resized: ReadonlyArray<string>,
  whole = `all ${total} that the metadata names are there`
): Finding => {
  const amiss = missing.length > 0 ? missing : resized
  const what = missing.length > 0 ? "aren't there" : "don't have the size that was uploaded"
  return amiss.length === 0
    ? fine(name, whole)
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
    Effect.catch((error) => Effect.succeed({ finding: notCompared(error), hosted: none }))
  )

const notCompared = (error: unknown): Finding =>
  wrong(name, {
    detail: `they can't be compared: ${reasonOf(error)}`,
    hint: "fix the problems above first, or see the log of the host"
  })

/** How many objects are looked up without `--deep`, and how long the metadata is read for them: 100,000 uploads, more or less. */
const [sampled, readingTime] = [20, Duration.seconds(5)]

/** Draws objects at random of those that a stream has, each with the same probability. */
const draw = <E, R>(objects: Stream.Stream<HostedObject, E, R>) =>
  Effect.map(
    Stream.runFold(
      objects,
      () => ({ drawn: new Array<HostedObject>(), seen: 0 }),
      ({ drawn, seen }, object) => {
        const place = seen < sampled ? seen : Math.floor(Math.random() * (seen + 1))
        if (place < sampled) drawn[place] = object
        return { drawn, seen: seen + 1 }
      }
    ),
    ({ drawn }) => drawn
  )

/** Whether some of the objects that the metadata names are in the store, in their sizes. */
const sampleHosted = (settings: ProcessSettings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const store = yield* ObjectStore
    const { snapshot } = yield* MetadataSource
    const drawn = yield* snapshot((records) =>
      draw(Stream.interruptWhen(hostedObjects(records), Effect.sleep(readingTime)))
    )
    const sizes = yield* Effect.forEach(
      drawn,
      ({ key }) => Effect.catchTag(Effect.scoped(store.read(key)), "ObjectMissing", () => Effect.undefined),
      { concurrency: 8 }
    )
    const missing = drawn.filter((_, index) => sizes[index] === undefined).map(({ key }) => key)
    const resized = drawn.filter(({ sizeBytes }, index) => (sizes[index]?.sizeBytes ?? sizeBytes) !== sizeBytes)
    // Uploads can have been deleted meanwhile.
    const of = (records: Stream.Stream<MetadataRecord, Unavailable>) =>
      byKey(Stream.filter(hostedObjects(records), ({ key }) => missing.includes(key)))
    const named = missing.length === 0 ? none : yield* snapshot(of)
    const finding = findingOf(
      drawn.length,
      missing.filter((key) => named.has(key)),
      resized.map(({ key }) => key),
      drawn.length === 0 ? "no objects yet" : `${drawn.length}, drawn at random, are there; --deep checks all`
    )
    return [finding]
  }).pipe(
    Effect.provide(Layer.fresh(layerToRead(settings))),
    // Only the newer version can read its metadata, and the finding of the schema names it already.
    Effect.catch((error) =>
      Effect.succeed(reasonOf(error).includes("a newer version of Slipway") ? [] : [notCompared(error)])
    )
  )

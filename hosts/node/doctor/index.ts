/** What `slipway doctor` checks: every engine that the settings name. */
import { Effect } from "effect"
import type { ProcessSettings } from "../settings/settings.ts"
import { clockFinding } from "./parts/clock.ts"
import { checkContents, checkDataFolder, checkFilesystem, checkSecret, checkSqlite } from "./embedded.ts"
import { fine, type Checked, type Finding } from "./parts/Finding.ts"
import { checkHosted } from "./hosted.ts"

export type { Fault } from "../engineErrors/Fault.ts"
export type { Finding } from "./parts/Finding.ts"

// Their drivers are large.
const postgres = Effect.promise(() => import("./postgres/index.ts"))
const bucket = Effect.promise(() => import("./s3/index.ts"))

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

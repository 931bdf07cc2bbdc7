/** The checks of the engines in a data folder, and of the secret. */
import { Clock, Context, DateTime, Effect, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, rmdirSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as filesystem from "../../../adapters/filesystem/index.ts"
import { ObjectSink, SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import { layerReader } from "../../../adapters/sqlite/engine.ts"
import { unusable } from "../../../adapters/sqlite/failures.ts"
import { steps, stepsDone } from "../../../adapters/sqlite/migrations.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { bytesText } from "../../../core/rules/amounts.ts"
import * as nativeDigests from "../../http/nativeDigests.ts"
import { lastBackup } from "../backupFolder.ts"
import { dataFolder, filesIn, isListening, isPresent, minProxiedBytes, storedSecret } from "../settings/dataFolder.ts"
import { sendfileHeader } from "../sendChunks.ts"
import { codeOf, firstCauseOf, reasonOf } from "../engines/engines.ts"
import { metadataFile, type DataLocation } from "../engines/sqlite.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import {
  type Checked,
  type Finding,
  fine,
  isCurrent,
  only,
  orWrong,
  roundTripFinding,
  schemaFinding,
  spanOf,
  wrong
} from "./findings.ts"

const signingSecret = "secret"

/** Whether a host would have a secret, and the same one as the other hosts. None is created. */
export const checkSecret = ({
  data,
  database,
  secret
}: Pick<ProcessSettings, "data" | "database" | "secret">): Effect.Effect<Finding> => {
  if (secret !== undefined)
    return Effect.succeed(fine(signingSecret, "given; every host of a deployment needs the same"))
  if (database !== undefined) {
    return Effect.succeed(
      wrong(signingSecret, {
        detail: "none is set, and hosts that share a PostgreSQL need the same one",
        hint: "set SLIPWAY_SECRET to the same value on every host; `openssl rand -base64 32` makes one"
      })
    )
  }
  const secretFile = dataFolder(data).secret
  if (!existsSync(secretFile))
    return Effect.succeed(fine(signingSecret, "the first start makes one and keeps it in the data folder"))
  return storedSecret(data).pipe(
    Effect.as(fine(signingSecret, `kept in ${secretFile}`)),
    Effect.catch(({ message }) =>
      Effect.succeed(wrong(signingSecret, { detail: message.replace(/\.$/, ""), hint: "check the file" }))
    )
  )
}

/** The folder itself, or its nearest parent that exists. */
const nearest = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))

/**
 * Whether the folder can be written to. Creates and removes a folder in it, or in the parent where it would be created.
 */
const writable = (root: string): Effect.Effect<Finding> => {
  const place = nearest(root)
  const name = "data folder"
  return Effect.try(() => rmdirSync(mkdtempSync(join(place, ".slipway-doctor-")))).pipe(
    Effect.as(
      fine(name, place === root ? `${root} can be written` : `${root} is not there yet; the first start makes it`)
    ),
    orWrong(name, (error) => ({
      detail: `${root} can't be written (${codeOf(error)})`,
      hint: "let the user that Slipway runs as write to it, or name another folder in SLIPWAY_DATA"
    }))
  )
}

/** Whether there is room for the largest allowed reservation. */
const room = (root: string, totalBytes: number): Effect.Effect<Finding> => {
  const name = "disk"
  return Effect.tryPromise(() => statfs(nearest(root))).pipe(
    Effect.map(({ bavail, bsize }) => {
      const free = bavail * bsize
      return free < totalBytes
        ? wrong(name, {
            detail: `${bytesText(free)} are free, and one reservation may take ${bytesText(totalBytes)}`,
            hint: "free some space, or lower SLIPWAY_MAX_TOTAL_SIZE"
          })
        : fine(name, `${bytesText(free)} are free`)
    }),
    orWrong(name, (error) => ({ detail: `its free space can't be read (${codeOf(error)})`, hint: "check the disk" }))
  )
}

/** A backup is made each night. */
const oldestBackup = 26 * 3_600_000

/** Whether the last backup succeeded, and not long ago. */
export const checkBackups = (folder: string): Effect.Effect<Finding> => {
  const name = "backups"
  const hint = 'run "sudo systemctl start slipway-backup"; "journalctl --unit slipway-backup" shows why one failed'
  return Effect.gen(function* () {
    const { isFailed, madeAt } = yield* Effect.try(() => lastBackup(folder))
    const age = (yield* Clock.currentTimeMillis) - madeAt
    if (isFailed) return wrong(name, { detail: `the last backup to ${folder} failed`, hint })
    if (madeAt === 0) return wrong(name, { detail: `there is none in ${folder}`, hint })
    const detail = `the newest in ${folder} is ${spanOf(Math.max(age, 60_000))} old`
    return age > oldestBackup ? wrong(name, { detail, hint }) : fine(name, detail)
  }).pipe(
    orWrong(name, (error) => ({
      detail: `${folder} can't be read (${codeOf(error)})`,
      hint: "correct SLIPWAY_BACKUPS, or run the command as the user that Slipway runs as"
    }))
  )
}

/** Checks the data folder of the embedded engines. */
export const checkDataFolder = (data: string, totalBytes: number): Effect.Effect<ReadonlyArray<Finding>> => {
  const { root } = dataFolder(data)
  return Effect.all([writable(root), room(root, totalBytes)])
}

const database = "SQLite"

/** Reads the whole file. Works also while a host has it open. */
const examineFile = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [said] = yield* sql<{ readonly quick_check: string }>`PRAGMA quick_check(1)`
  if (said?.quick_check !== "ok")
    return {
      finding: wrong(database, { detail: `it is damaged: ${said?.quick_check}`, hint: "restore it from a backup" })
    }
  const done = yield* stepsDone
  return { finding: schemaFinding(database, done, steps), isCurrent: isCurrent(done, steps) }
})

/** Checks the SQLite file, if there is one. */
export const checkSqlite = (place: DataLocation): Effect.Effect<Checked> => {
  const file = metadataFile(place)
  return Effect.gen(function* () {
    // Checked first, because a path too long for the socket keeps a host from starting at all.
    const listening = yield* isListening(place.data)
    if (!(yield* isPresent(file))) return only(fine(database, "no database yet; the first start makes it"))
    const { finding, ...known } = yield* Effect.provide(examineFile, layerReader({ file })).pipe(
      Effect.catchTag("SqlError", (error) => Effect.fail(unusable(file, firstCauseOf(error))))
    )
    const inUse = fine(database, `${finding.detail}; in use by a host, which takes the commands`)
    return { ...only(listening && finding.ok ? inUse : finding), ...known }
  }).pipe(
    Effect.catchTags({
      DataFolderPathTooLong: (error) =>
        Effect.succeed(
          only(wrong(database, { detail: error.message.replace(/\.$/, ""), hint: "name another in SLIPWAY_DATA" }))
        ),
      DatabaseFileUnusable: ({ detail, hint }) => Effect.succeed(only(wrong(database, { detail, hint }))),
      PathHidden: ({ detail, hint }) => Effect.succeed(only(wrong(database, { detail, hint })))
    })
  )
}

const files = "filesystem"
const contentType = "text/plain"
const bytes = new TextEncoder().encode("slipway doctor\n")

/** Checks the object store of a data folder by storing, reading and deleting one object. */
export const checkFilesystem = (data: string): Effect.Effect<Finding> => {
  const directory = dataFolder(data).objects
  // No URL is signed here, so any secret will do.
  const urls = SignedUrls.layer({ secret: Redacted.make(crypto.randomUUID()), baseUrl: "http://localhost" })
  return Effect.gen(function* () {
    if (!(yield* isPresent(directory))) return fine(files, "no objects yet; the first start makes their folder")
    const context = yield* Layer.build(filesystem.layer({ directory }).pipe(Layer.provide(urls)))
    const [store, sink] = [Context.get(context, ObjectStore), Context.get(context, ObjectSink)]
    const prefix = `doctor/${crypto.randomUUID()}/`
    const key = `${prefix}stored`
    yield* sink.receive({ key, contentType, sizeBytes: bytes.byteLength }, Stream.make(bytes))
    return yield* Effect.ensuring(
      roundTripFinding(files, store, { prefix, key, contentType, bytes }),
      Effect.ignore(Effect.flatMap(store.list(prefix), (left) => store.remove(left.map(({ key }) => key))))
    )
  }).pipe(
    Effect.scoped,
    Effect.catchTag("PathHidden", ({ detail, hint }) => Effect.succeed(wrong(files, { detail, hint }))),
    orWrong(files, (error) => ({
      detail: `objects can't be stored in ${directory}: ${reasonOf(error)}`,
      hint: "check the folder and its disk"
    }))
  )
}

const sendfile = "sendfile"

/** Enough to be sent by the proxy. */
const largeBytes = randomBytes(2 * minProxiedBytes)

const fetchBytes = (url: string) =>
  Effect.tryPromise(async (signal) => {
    const answer = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(5000)])
    })
    return {
      status: answer.status,
      headers: answer.headers,
      body: Buffer.from(await answer.arrayBuffer())
    }
  })

/** Stores an object, and requests it by the public URL: whether the proxy sends the file, with the right bytes. */
export const checkSendfile = (
  settings: Pick<ProcessSettings, "data" | "secret">,
  url: string
): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const base = url.replace(/\/$/, "")
    const { headers } = yield* fetchBytes(`${base}/healthz`)
    const behind = headers.get(sendfileHeader)
    if (behind === null) {
      const detail = `the host at ${base} runs without this setting`
      return wrong(sendfile, { detail, hint: "restart the host" })
    }
    if (behind === "off") {
      const detail = "the proxy does not ask the host for X-Accel-Redirect, so the host sends all files"
      const hint = "let it set X-Sendfile-Type as examples/deploy does, and add its address to SLIPWAY_TRUSTED_PROXIES"
      return wrong(sendfile, { detail, hint })
    }
    const secret = settings.secret ?? (yield* storedSecret(settings.data))
    const urls = SignedUrls.make({ secret, baseUrl: () => base })
    const files = filesIn({ data: settings.data, sendfile: true })
    const context = yield* Layer.build(Layer.provide(filesystem.layer(files), Layer.succeed(SignedUrls, urls)))
    const [store, sink] = [Context.get(context, ObjectStore), Context.get(context, ObjectSink)]
    const key = `doctor/${crypto.randomUUID()}/stored`
    yield* sink.receive({ key, contentType, sizeBytes: largeBytes.byteLength }, Stream.make(largeBytes))
    const expiresAt = DateTime.add(yield* DateTime.now, { minutes: 1 })
    const {
      body,
      headers: sent,
      status
    } = yield* fetchBytes(urls.get({ key, expiresAt })).pipe(Effect.ensuring(Effect.ignore(store.remove([key]))))
    if (status === 200 && body.equals(largeBytes) && sent.get("content-type") === contentType) {
      return fine(sendfile, "the proxy sends large files")
    }
    return wrong(sendfile, {
      detail: `the proxy answers ${status} and ${body.byteLength} bytes for a stored file of ${largeBytes.byteLength}`,
      hint: `let it read ${files.directory}, as docs/tls-and-proxies.md describes, and compare its configuration with examples/deploy`
    })
  }).pipe(
    Effect.scoped,
    orWrong(sendfile, (error) => ({
      detail: `it can't be checked at ${url}: ${reasonOf(error)}`,
      hint: "fix the problems of the public URL and of the data folder first"
    }))
  )

const contents = "contents"

/** The keys that a line lists, shortened. */
const named = 5

const contentsFinding = ({ bytes, changed, objects, undigested }: filesystem.Verified): Finding => {
  const others = changed.length > named ? ` and ${changed.length - named} more` : ""
  if (changed.length > 0) {
    return wrong(contents, {
      detail: `${changed.length} of ${objects} objects changed since they were uploaded: ${changed.slice(0, named).join(", ")}${others}`,
      hint: 'restore an earlier backup into a new folder ("slipway restore FILE --data NEW") and copy NEW/objects/objects/KEY,object from there to the same place here; or delete those files and upload again what has them; and check the disk'
    })
  }
  return undigested > 0
    ? wrong(contents, {
        detail: `${undigested} of ${objects} objects have no digest, neither in the metadata nor in their file, so nobody can tell whether they changed`,
        hint: 'copy the deployment into another folder with "slipway copy", which takes their digests as they are now; upload again what has none even then'
      })
    : fine(contents, `${objects} objects (${bytes} bytes) were read and are as they were uploaded`)
}

/** Reads every object of a data folder and compares it with its upload, or else with the digest in its file. */
export const checkContents = (data: string, uploaded: filesystem.Uploaded): Effect.Effect<Finding> => {
  const directory = dataFolder(data).objects
  return Effect.gen(function* () {
    if (!(yield* isPresent(directory))) return fine(contents, "no objects yet")
    return contentsFinding(yield* filesystem.verify(directory, uploaded))
  }).pipe(
    Effect.catchTag("PathHidden", ({ detail, hint }) => Effect.succeed(wrong(contents, { detail, hint }))),
    Effect.provide(nativeDigests.layer),
    orWrong(contents, (error) => ({ detail: error.message.replace(/\.$/, ""), hint: "check the folder and its disk" }))
  )
}

/**
 * A backup as one tar file. Its entries, in order: `slipway.json` describes the backup; `metadata/<number>.ndjson`
 * holds the records, one a line; `objects/<key>` holds an object; `left-out.json`, if it is there, names what of these was
 * deleted meanwhile; `manifest-<sha256 of itself>.json` lists the size and SHA-256 of every entry; `manifest.hmac` authenticates
 * the manifest.
 */
import { Data, Effect, Schema, Stream } from "effect"
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { createReadStream } from "node:fs"
import type { Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as tar from "tar-stream"
import { isObjectKey } from "../../../core/model/HostedObject.ts"
import { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import { secretTexts, type SigningSecret } from "../../../core/model/SigningSecret.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { keptOf, LeftOut, nothing } from "./scope.ts"
import { hashing } from "./transfer.ts"

/** The file isn't a complete, unaltered Slipway backup. */
export class ArchiveUnusable extends Data.TaggedError("ArchiveUnusable")<{
  readonly file: string
  readonly why: string
}> {
  // The reason may name what somebody wrote into the archive, and is one line all the same.
  override readonly message = `The backup ${this.file} can't be restored: ${this.why.replaceAll(/[\p{Cc}\s]+/gu, " ")}. Nothing was changed.`
}

/** The archive can't be written. */
export class ArchiveNotWritten extends Data.TaggedError("ArchiveNotWritten")<{ readonly cause: unknown }> {}

const Entry = Schema.Struct({
  name: Schema.String,
  sizeBytes: Schema.Int,
  sha256: Schema.String,
  contentType: Schema.optionalKey(Schema.String),
  contentEncoding: Schema.optionalKey(Schema.String),
  /** The object wasn't what was uploaded when it was backed up. */
  damaged: Schema.optionalKey(Schema.Literal(true))
})

/** An entry of an archive, as the manifest lists it. */
export type Entry = typeof Entry.Type

const format = "slipway backup 1"
const Head = Schema.fromJsonString(
  Schema.Struct({
    format: Schema.Literal(format),
    madeBy: Schema.String,
    madeAt: Schema.String,
    /** The name of the account, if this is the export of one. */
    account: Schema.optionalKey(Schema.String)
  })
)
const Manifest = Schema.fromJsonString(Schema.Struct({ entries: Schema.Array(Entry) }))
const Line = Schema.fromJsonString(MetadataRecord)
const LeftOutText = Schema.fromJsonString(LeftOut)

const headName = "slipway.json"
const objectsFolder = "objects/"
const metadataFolder = "metadata/"
const leftOutName = "left-out.json"
const authenticationName = "manifest.hmac"

/** The key of the object in an entry; `undefined` for an entry that holds no object. */
export const keyOf = (name: string): string | undefined =>
  name.startsWith(objectsFolder) ? name.slice(objectsFolder.length) : undefined

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Something to write into an archive as one entry. */
export interface Archiver {
  readonly records: <E, R>(
    records: Stream.Stream<MetadataRecord, E, R>
  ) => Effect.Effect<void, E | ArchiveNotWritten, R>
  readonly object: <E, R>(
    object: {
      readonly key: string
      readonly sizeBytes: number
      readonly contentType: string
      readonly contentEncoding?: string
    },
    bytes: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<void, E | ArchiveNotWritten, R>
  /** Marks an object that was added as other than what was uploaded. */
  readonly damaged: (key: string) => void
  /** The records and objects that a restore leaves out. */
  readonly leftOut: (leftOut: LeftOut) => Effect.Effect<void, ArchiveNotWritten>
}

const broken = (cause: unknown) => new ArchiveNotWritten({ cause })

/** The number of records in a metadata entry. */
const recordsTogether = 500

const encodeLine = Schema.encodeSync(Line, { disableChecks: true })

const makeArchiver = (pack: tar.Pack, secret: SigningSecret) => {
  const entries: Array<Entry> = []
  const add = Effect.fnUntraced(function* <E, R>(facts: Omit<Entry, "sha256">, bytes: Stream.Stream<Uint8Array, E, R>) {
    const { digest, through } = hashing()
    yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        let done: (error?: unknown) => void = () => {}
        const finished = new Promise<void>((resolve, reject) => {
          done = (error) => (error === undefined || error === null ? resolve() : reject(error))
        })
        const sink = pack.entry({ name: facts.name, size: facts.sizeBytes, mtime: new Date(0) }, done)
        // The error reaches the caller that awaits `finished`. This handler covers an archive that is abandoned before
        // anyone awaits it.
        sink.on("error", () => {})
        finished.catch(() => {})
        return { sink, finished }
      }),
      ({ finished, sink }) =>
        Effect.andThen(
          Stream.runForEach(through(bytes), (chunk) =>
            Effect.tryPromise({
              try: async () => {
                if (!sink.write(chunk)) await new Promise((resolve) => sink.once("drain", resolve))
              },
              catch: broken
            })
          ),
          Effect.tryPromise({
            try: () => {
              sink.end()
              return finished
            },
            catch: broken
          })
        ),
      ({ sink }) => Effect.sync(() => sink.destroy())
    )
    entries.push({ ...facts, sha256: digest() })
  })
  const addText = (name: string, text: string) => {
    const bytes = new TextEncoder().encode(text)
    return add({ name, sizeBytes: bytes.byteLength }, Stream.make(bytes))
  }
  const archiver: Archiver = {
    records: (records) =>
      records.pipe(
        Stream.grouped(recordsTogether),
        Stream.zipWithIndex,
        Stream.runForEach(([some, index]) =>
          addText(
            `${metadataFolder}${String(index + 1).padStart(6, "0")}.ndjson`,
            some.map((record) => `${encodeLine(record)}\n`).join("")
          )
        )
      ),
    object: ({ key, ...facts }, bytes) => add({ name: objectsFolder + key, ...facts }, bytes),
    damaged: (key) => {
      const index = entries.findIndex(({ name }) => name === objectsFolder + key)
      const entry = entries[index]
      if (entry !== undefined) entries[index] = { ...entry, damaged: true }
    },
    leftOut: (leftOut) => addText(leftOutName, Schema.encodeSync(LeftOutText)(leftOut))
  }
  const manifest = Effect.suspend(() => {
    const text = Schema.encodeSync(Manifest)({ entries })
    return Effect.andThen(
      addText(`manifest-${sha256(text)}.json`, text),
      addText(authenticationName, authenticationOf(secret, text))
    )
  })
  return { archiver, addText, manifest }
}

/** The kind of an archive, and its authentication. */
export interface Made {
  /** The secret of the deployment. */
  readonly secret: SigningSecret
  /** The name of the account, of an export. */
  readonly account?: string | undefined
}

/** Writes an archive to a stream, and ends the stream once the archive is complete. */
export const writeArchive = <E, R>(
  out: Writable,
  {
    account,
    contents,
    madeAt,
    madeBy,
    secret
  }: Made & {
    readonly madeBy: string
    readonly madeAt: string
    readonly contents: (archiver: Archiver) => Effect.Effect<void, E, R>
  }
) =>
  Effect.suspend(() => {
    const pack = tar.pack()
    // An error of an entry destroys the archive, which may not be written by anybody yet.
    pack.on("error", () => {})
    const { addText, archiver, manifest } = makeArchiver(pack, secret)
    const written = Effect.tryPromise({ try: () => pipeline(pack, out), catch: broken })
    const content = addText(
      headName,
      Schema.encodeSync(Head)({ format, madeBy, madeAt, ...withoutUndefined({ account }) })
    ).pipe(
      Effect.andThen(contents(archiver)),
      Effect.andThen(manifest),
      Effect.andThen(Effect.sync(() => pack.finalize())),
      Effect.andThen(Effect.never)
    )
    // A failed write also stops the production of entries; the end of production alone doesn't stop the writing.
    return Effect.onExit(Effect.raceFirst(written, content), (exit) =>
      Effect.sync(() => {
        if (exit._tag === "Failure") pack.destroy()
      })
    )
  })

interface OpenEntry {
  readonly name: string
  readonly sizeBytes: number
  readonly bytes: Stream.Stream<Uint8Array, ArchiveUnusable>
}

/** The entries of an archive in order. Each must be read to its end before the next one. */
const entriesOf = (file: string): Stream.Stream<OpenEntry, ArchiveUnusable> => {
  const unusable = (cause: unknown) =>
    new ArchiveUnusable({
      file,
      why:
        cause instanceof Error && /end of data/i.test(cause.message)
          ? "it is cut short"
          : `it can't be read (${String(cause)})`
    })
  return Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const source = createReadStream(file)
          const extract = tar.extract()
          source.on("error", (error) => extract.destroy(error))
          return { source, extract: source.pipe(extract) }
        }),
        ({ extract, source }) =>
          Effect.sync(() => {
            source.destroy()
            extract.destroy()
          })
      ),
      ({ extract }) =>
        Stream.map(Stream.fromAsyncIterable<tar.Entry, ArchiveUnusable>(extract, unusable), (entry) => ({
          name: entry.header.name,
          sizeBytes: entry.header.size ?? 0,
          bytes: Stream.fromAsyncIterable<Uint8Array, ArchiveUnusable>(entry, unusable)
        }))
    )
  )
}

const textOf = (bytes: Stream.Stream<Uint8Array, ArchiveUnusable>) => Stream.mkString(Stream.decodeText(bytes))

/** Whether an object may be restored under a key: every hosted object lies below this prefix. */
const isHostedKey = (key: string): boolean => isObjectKey(key) && key.startsWith("hosted/")

/**
 * Reads the whole archive, and checks it against its manifest and the manifest against the secret. Returns the entries by
 * name, what is to be left out, and the name of the account of which it is an export.
 */
export const verifyArchive = Effect.fnUntraced(function* (file: string, trusted: Trusted) {
  const unusable = (why: string) => new ArchiveUnusable({ file, why })
  const checked = new Map<string, Pick<Entry, "sha256" | "sizeBytes">>()
  const texts = new Map<string, string>()
  let manifest: string | undefined
  let mac: string | undefined
  yield* Stream.runForEach(entriesOf(file), ({ bytes, name, sizeBytes }) =>
    Effect.gen(function* () {
      const key = keyOf(name)
      if (checked.size === 0 && name !== headName) return yield* unusable("it is not a backup of Slipway")
      if (mac !== undefined || (manifest !== undefined && name !== authenticationName)) {
        return yield* unusable(`${name} stands behind its manifest`)
      }
      if (checked.has(name)) return yield* unusable(`${name} is in it twice`)
      if (key !== undefined && !isHostedKey(key)) {
        return yield* unusable(`${name} has a name that no object of Slipway can have`)
      }
      const { digest, through } = hashing()
      if (/^manifest-[\da-f]{64}\.json$/.test(name)) {
        manifest = yield* textOf(through(bytes))
        if (name !== `manifest-${sha256(manifest)}.json`) return yield* unusable("its manifest was altered")
      } else if (manifest !== undefined) mac = yield* textOf(bytes)
      else {
        if (name === leftOutName || name === headName) texts.set(name, yield* textOf(through(bytes)))
        else yield* Stream.runDrain(through(bytes))
        checked.set(name, { sizeBytes, sha256: digest() })
      }
    })
  )
  if (manifest === undefined) return yield* unusable(checked.size === 0 ? "it is empty" : "it is cut short")
  const notTrusted = notAuthentic(trusted, manifest, mac)
  if (notTrusted !== undefined) return yield* unusable(notTrusted)
  const read = <A>(schema: Schema.Codec<A, string>, name: string, text: string) =>
    Effect.mapError(Schema.decodeEffect(schema)(text), () => unusable(`its ${name} can't be read`))
  const { entries } = yield* read(Manifest, "manifest", manifest)
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  for (const [name, { sha256, sizeBytes }] of checked) {
    const listed = byName.get(name)
    if (listed?.sha256 !== sha256 || listed.sizeBytes !== sizeBytes) return yield* unusable(`${name} was altered`)
  }
  const missing = entries.find(({ name }) => !checked.has(name))
  if (missing !== undefined) return yield* unusable(`${missing.name} is missing`)
  const leftOut = texts.get(leftOutName)
  return {
    entries: byName,
    leftOut: leftOut === undefined ? nothing : yield* read(LeftOutText, leftOutName, leftOut),
    account: (yield* read(Head, headName, texts.get(headName) ?? "")).account
  }
})

/** The records of an archive, without what is to be left out. */
export const recordsIn = (file: string, leftOut: LeftOut): Stream.Stream<MetadataRecord, ArchiveUnusable> =>
  entriesOf(file).pipe(
    Stream.takeWhile(({ name }) => keyOf(name) === undefined),
    Stream.flatMap(({ bytes, name }) =>
      name.startsWith(metadataFolder) ? Stream.splitLines(Stream.decodeText(bytes)) : Stream.drain(bytes)
    ),
    Stream.mapEffect((line) =>
      Effect.mapError(
        Schema.decodeEffect(Line, { disableChecks: true })(line),
        ({ message }) =>
          new ArchiveUnusable({ file, why: `a record is of a form that this version doesn't know (${message})` })
      )
    ),
    Stream.filter(keptOf(leftOut).record)
  )

/** The objects of an archive in order, without what is to be left out. Each must be read to its end before the next one. */
export const objectsIn = (file: string, leftOut: LeftOut) => {
  const included = keptOf(leftOut)
  return Stream.flatMap(entriesOf(file), ({ bytes, name }) => {
    const key = keyOf(name)
    return key === undefined || !included.object(key) ? Stream.drain(bytes) : Stream.make({ key, name, bytes })
  })
}

// The authentication of a backup: an HMAC-SHA256 of its manifest, which has the digest of everything else in it. Its key is
// derived from the secret of the deployment, so that the secret itself signs nothing here that it signs elsewhere.

const macBy = (secret: string, manifest: string): string =>
  createHmac("sha256", createHmac("sha256", secret).update("slipway/backup").digest()).update(manifest).digest("hex")

/** The authentication of a manifest by the secret that signs. */
const authenticationOf = (secret: SigningSecret, manifest: string): string => macBy(secretTexts(secret)[0], manifest)

/** Whether one of the secrets authenticates a manifest. */
const isAuthentic = (secret: SigningSecret, manifest: string, mac: string): boolean => {
  const given = Buffer.from(mac)
  return secretTexts(secret).some((text) => {
    const expected = Buffer.from(macBy(text, manifest))
    return given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
  })
}

/** What a restore requires of an archive. */
export interface Trusted {
  /** The secrets that may have authenticated it; `undefined` if none is known. */
  readonly secret: SigningSecret | undefined
  /** Whether it is restored without being authenticated. */
  readonly unauthenticated: boolean
}

/** Why an archive with this manifest isn't trusted; `undefined` when it is. */
const notAuthentic = ({ secret, unauthenticated }: Trusted, manifest: string, mac: string | undefined) => {
  if (unauthenticated) return undefined
  const orElse = "or, if nobody else could write the file, give --unauthenticated"
  if (mac === undefined)
    return `it isn't authenticated, as a backup of an older version isn't: restore another one, ${orElse}`
  if (secret === undefined) {
    return `the secret that authenticates it isn't known: set SLIPWAY_SECRET to that of the deployment that made it, ${orElse}`
  }
  return isAuthentic(secret, manifest, mac)
    ? undefined
    : `the secret doesn't authenticate it: it was altered, or made with another secret; set SLIPWAY_SECRET to that of the deployment that made it, ${orElse}`
}

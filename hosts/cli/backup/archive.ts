/**
 * A backup as one tar file. Its entries, in order: `slipway.json` describes the backup; `metadata/<number>.ndjson`
 * holds the records, one a line; `objects/<key>` holds an object; `left-out.json`, if it is there, names what of these was
 * deleted meanwhile; `manifest-<sha256 of itself>.json` lists the size and SHA-256 of every entry.
 */
import { Data, Effect, Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as tar from "tar-stream"
import { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import { keptOf, LeftOut, nothing } from "./leftOut.ts"
import { hashing } from "./transfer.ts"

/** The file isn't a complete, unaltered Slipway backup. */
export class ArchiveUnusable extends Data.TaggedError("ArchiveUnusable")<{
  readonly file: string
  readonly why: string
}> {
  override get message() {
    return `The backup ${this.file} can't be restored: ${this.why}. Nothing was changed.`
  }
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
  Schema.Struct({ format: Schema.Literal(format), madeBy: Schema.String, madeAt: Schema.String })
)
const Manifest = Schema.fromJsonString(Schema.Struct({ entries: Schema.Array(Entry) }))
const Line = Schema.fromJsonString(MetadataRecord)
const LeftOutText = Schema.fromJsonString(LeftOut)

const headName = "slipway.json"
const objectsFolder = "objects/"
const metadataFolder = "metadata/"
const leftOutName = "left-out.json"

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
  /** What of all this a restore leaves out. */
  readonly leftOut: (leftOut: LeftOut) => Effect.Effect<void, ArchiveNotWritten>
}

const broken = (cause: unknown) => new ArchiveNotWritten({ cause })

/** The number of records in a metadata entry. */
const recordsTogether = 500

const encodeLine = Schema.encodeSync(Line, { disableChecks: true })

const makeArchiver = (pack: tar.Pack) => {
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
        // Whoever awaits `finished` gets the error. This handler covers an archive that is abandoned before anyone
        // awaits it.
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
    return addText(`manifest-${sha256(text)}.json`, text)
  })
  return { archiver, addText, manifest }
}

/** Writes an archive to a stream, and ends the stream once the archive is complete. */
export const writeArchive = <E, R>(
  out: Writable,
  {
    contents,
    madeAt,
    madeBy
  }: {
    readonly madeBy: string
    readonly madeAt: string
    readonly contents: (archiver: Archiver) => Effect.Effect<void, E, R>
  }
) =>
  Effect.suspend(() => {
    const pack = tar.pack()
    // An error of an entry destroys the archive, which may not be written by anybody yet.
    pack.on("error", () => {})
    const { addText, archiver, manifest } = makeArchiver(pack)
    const written = Effect.tryPromise({ try: () => pipeline(pack, out), catch: broken })
    const made = addText(headName, Schema.encodeSync(Head)({ format, madeBy, madeAt })).pipe(
      Effect.andThen(contents(archiver)),
      Effect.andThen(manifest),
      Effect.andThen(Effect.sync(() => pack.finalize())),
      Effect.andThen(Effect.never)
    )
    // A failed write also stops the production of entries; the end of production alone doesn't stop the writing.
    return Effect.onExit(Effect.raceFirst(written, made), (exit) =>
      Effect.sync(() => {
        if (exit._tag === "Failure") pack.destroy()
      })
    )
  })

interface OpenEntry {
  readonly name: string
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
          bytes: Stream.fromAsyncIterable<Uint8Array, ArchiveUnusable>(entry, unusable)
        }))
    )
  )
}

const textOf = (bytes: Stream.Stream<Uint8Array, ArchiveUnusable>) => Stream.mkString(Stream.decodeText(bytes))

/** Reads the whole archive and checks it against its manifest. Returns the entries by name, and what is to be left out. */
export const verifyArchive = Effect.fnUntraced(function* (file: string) {
  const unusable = (why: string) => new ArchiveUnusable({ file, why })
  const found = new Map<string, string>()
  let manifest: string | undefined
  let leftOut: string | undefined
  yield* Stream.runForEach(entriesOf(file), ({ bytes, name }) =>
    Effect.gen(function* () {
      if (found.size === 0 && name !== headName) return yield* unusable("it is no backup of Slipway")
      if (manifest !== undefined) return yield* unusable(`${name} stands behind its manifest`)
      const { digest, through } = hashing()
      if (/^manifest-[\da-f]{64}\.json$/.test(name)) manifest = yield* textOf(through(bytes))
      else if (name === leftOutName) leftOut = yield* textOf(through(bytes))
      else yield* Stream.runDrain(through(bytes))
      if (manifest !== undefined && name !== `manifest-${sha256(manifest)}.json`)
        return yield* unusable("its manifest was altered")
      if (manifest === undefined) found.set(name, digest())
    })
  )
  if (manifest === undefined) return yield* unusable(found.size === 0 ? "it is empty" : "it is cut short")
  const { entries } = yield* Effect.mapError(Schema.decodeEffect(Manifest)(manifest), () =>
    unusable("its manifest can't be read")
  )
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  for (const [name, digest] of found) {
    if (byName.get(name)?.sha256 !== digest) return yield* unusable(`${name} was altered`)
  }
  const missing = entries.find(({ name }) => !found.has(name))
  if (missing !== undefined) return yield* unusable(`${missing.name} is missing`)
  if (leftOut === undefined) return { entries: byName, leftOut: nothing }
  const named = yield* Effect.mapError(Schema.decodeEffect(LeftOutText)(leftOut), () =>
    unusable(`its ${leftOutName} can't be read`)
  )
  return { entries: byName, leftOut: named }
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
  const kept = keptOf(leftOut)
  return Stream.flatMap(entriesOf(file), ({ bytes, name }) => {
    const key = keyOf(name)
    return key === undefined || !kept.object(key) ? Stream.drain(bytes) : Stream.make({ key, name, bytes })
  })
}

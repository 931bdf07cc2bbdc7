import { DateTime, Effect, Option, Stream } from "effect"
import type { Writable } from "node:stream"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import type { Unavailable } from "../../../core/model/Problem.ts"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { MetadataSource } from "../../../core/ports/MetadataSnapshot.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { writeArchive, type Archiver, type Made } from "./archive.ts"
import { comparedWith } from "./asUploaded.ts"
import { countsOf, hostedObjects, totalOf, type HostedObject } from "../../node/hostedObjects.ts"
import { goingWith, inFlight, keptOf } from "./scope.ts"
import { MoveRefused } from "./outcome.ts"
import { ObjectMismatch, progressBar } from "./transfer.ts"

import packageJson from "slipway/package.json" with { type: "json" }

type UploadRecord = Extract<MetadataRecord, { readonly kind: "reservation" | "preview" }>

const isUpload = (record: MetadataRecord): record is UploadRecord =>
  record.kind === "reservation" || record.kind === "preview"

/** The uploads among these that the records have. */
const among = <E, R>(records: Stream.Stream<MetadataRecord, E, R>, uploads: ReadonlySet<string>) =>
  records.pipe(
    Stream.filter(isUpload),
    Stream.filter(({ value }) => uploads.has(value.id)),
    Stream.runCollect
  )

/** The command that deletes the build or the preview of an upload. */
const givingUp = (upload: UploadRecord): string =>
  upload.kind === "preview"
    ? `slipway preview delete ${upload.value.shareId}`
    : `slipway build delete ${upload.value.buildId}`

/**
 * Writes what a snapshot has, with the objects that it names, and returns the counts of it. An object whose content isn't
 * what was uploaded is written as it is, and its key is in `damaged`. What is deleted before its objects are read is left out.
 */
const write = (snapshot: MetadataSource["Service"]["snapshot"], out: Writable, what: Made) =>
  Effect.gen(function* () {
    const store = yield* ObjectStore
    const compared = comparedWith(yield* store.list("hosted/"))
    const damaged = new Set<string>()
    /** What was read already, as several uploads may share an object: whether it is what another one of them has. */
    const written = new Map<string, (hosted: HostedObject) => boolean>()
    /** The first key that isn't there of each upload that isn't whole. */
    const missing = new Map<string, string>()

    const everything = Effect.fnUntraced(function* (
      archiver: Archiver,
      records: Stream.Stream<MetadataRecord, Unavailable>
    ) {
      const hosted = hostedObjects(records)
      const sent = yield* progressBar("backup", (yield* totalOf(hosted)).bytes)
      yield* archiver.records(records)
      yield* Stream.runForEach(hosted, (one) => {
        const { key, upload } = one
        const compare = (isAsUploaded: (hosted: HostedObject) => boolean) => {
          if (isAsUploaded(one)) return
          archiver.damaged(key)
          damaged.add(key)
        }
        const known = written.get(key)
        if (known !== undefined) return Effect.sync(() => compare(known))
        return Effect.gen(function* () {
          const object = yield* store.read(key)
          const { contentEncoding, contentType, sizeBytes, stream } = object
          const { isAsUploaded, passThrough } = yield* compared(object)
          yield* archiver.object(
            withoutUndefined({ key, sizeBytes, contentType, contentEncoding }),
            Stream.tap(passThrough(stream), (chunk) => sent(chunk.byteLength))
          )
          const isOf = yield* isAsUploaded
          written.set(key, isOf)
          compare(isOf)
        }).pipe(
          Effect.scoped,
          Effect.catchTags({
            ObjectMissing: () => Effect.sync(() => void missing.set(upload, missing.get(upload) ?? key)),
            RangeNotSatisfiable: Effect.die
          })
        )
      })
      const leftOut = yield* goingWith(new Set(missing.keys()), records)
      const included = Stream.filter(records, keptOf(leftOut).record)
      return {
        counts: [...(yield* countsOf(included))],
        total: yield* totalOf(hostedObjects(included)),
        damaged: [...damaged].filter(keptOf(leftOut).object),
        leftOut,
        leftBehind: yield* inFlight(included)
      }
    }, Effect.scoped)

    /** An incomplete upload is valid only if its record was deleted meanwhile, with its objects. */
    const assertDeleted = Effect.gen(function* () {
      if (missing.size === 0) return
      const [still] = yield* snapshot((now) => among(now, new Set(missing.keys())))
      if (still === undefined) return
      return yield* new ObjectMismatch({
        key: missing.get(still.value.id) ?? "",
        why:
          "is named by the metadata, and isn't there: put it back from an earlier backup, or give up what it belongs " +
          `to with "${givingUp(still)}"; "slipway doctor --deep" names all that are missing`
      })
    })

    let summary: Effect.Success<ReturnType<typeof everything>> | undefined
    yield* writeArchive(out, {
      ...what,
      madeBy: packageJson.version,
      madeAt: DateTime.formatIso(yield* DateTime.now),
      contents: (archiver) =>
        Effect.gen(function* () {
          summary = yield* snapshot((records) => everything(archiver, records))
          yield* assertDeleted
          if (missing.size > 0) yield* archiver.leftOut(summary.leftOut)
        })
    })
    return summary ?? (yield* Effect.die("the archive ended before its contents were written"))
  })

/** Writes everything that a deployment stores at this moment, authenticated by its secret. */
export const backUp = (out: Writable, secret: SigningSecret) =>
  MetadataSource.use(({ snapshot }) => write(snapshot, out, { secret }))

/** Writes what one account takes along: `portableKinds`, and the objects that they name. */
export const backUpAccount = (name: string) => (out: Writable, secret: SigningSecret) =>
  Effect.gen(function* () {
    const source = yield* MetadataSource
    const account = yield* source.snapshot((records) =>
      Stream.runHead(
        Stream.filter(
          records,
          ({ kind, value }) => kind === "account" && value.name === name && value.erasure === undefined
        )
      )
    )
    if (Option.isNone(account) || account.value.kind !== "account") {
      return yield* new MoveRefused({ message: `There is no account named ${name}; slipway account list names them.` })
    }
    const { id } = account.value.value
    return yield* write((use) => source.snapshotOf(id, use), out, { secret, account: name })
  })

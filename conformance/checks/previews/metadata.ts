import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { follow } from "../../dialect/pointer.ts"
import { eachMember } from "../../dialect/search.ts"
import { must } from "../../dialect/Violation.ts"
import type { AccountName, Answer } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { Skipped, type CheckTable } from "../steps/Check.ts"
import { a, b } from "../steps/accounts.ts"
import { answered2xx, refuses } from "../steps/answers.ts"
import {
  bundleSizeBytes,
  fileSizeBytes,
  ownFile,
  ownRecording,
  previewInput,
  recordingSizeBytes
} from "../steps/inputs.ts"
import {
  eachObject,
  existingPreview,
  hostedPreview,
  isSent,
  readHosted,
  readPreview,
  shownIn,
  suppliedPreview
} from "../steps/previews.ts"

const bytes = bundleSizeBytes

/** Skips the check when the target never receives any of these values. */
const mustReport = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  if (yield* isSent(places)) return
  const named = places.map((place) => `{${place}}`).join(", ")
  return yield* new Skipped({ reason: `The body \`previewReserve\` in the config has no place for any of ${named}.` })
})

/** Every scalar in an answer, by where it lies. */
const values = ({ json }: Answer): ReadonlyMap<string, unknown> =>
  new Map(
    [...eachMember(json)].flatMap(({ path, value }) =>
      typeof value === "object" ? [] : [[JSON.stringify(path), value] as const]
    )
  )

/** Whether a place is named as one that holds a repository: what was sent there tells nothing of the account. */
const isOfRepository = (place: string): boolean => /"(?:owner|org|repo|repository|slug|full_?name)"\]$/i.test(place)

const noRepository = { owner: undefined, repo: undefined }
const sentRepository = {}

/** Leaves the repository out, because it already tells the accounts apart, unless the target requires one. */
const fieldsWithoutRepository = Effect.gen(function* () {
  const dialect = yield* Dialect
  const answer = yield* dialect.reservePreview(yield* previewInput("asked", { fields: noRepository }), a)
  return answered2xx(answer) ? noRepository : sentRepository
})

const metadataOf = Effect.fnUntraced(function* (account: AccountName, fields: Partial<typeof noRepository>) {
  const [file, recording] = [yield* ownFile("preview"), yield* ownRecording("preview")]
  return yield* readHosted(yield* hostedPreview("preview", { account, fields, files: [file], recordings: [recording] }))
})

/** Requires the account at the location that the config names, if it names one. */
const mustAttribute = Effect.fnUntraced(function* (own: Answer, foreign: Answer) {
  const { accounts, bindings } = (yield* Session).config
  const pointer = bindings.answers.account
  if (pointer === undefined) return
  const [said, other] = [own.json, foreign.json].map((json) => follow(json, pointer))
  const { attribution = said } = accounts.a
  const isSaid = said !== undefined && said !== null && JSON.stringify(said) === JSON.stringify(attribution)
  yield* must(
    isSaid && JSON.stringify(said) !== JSON.stringify(other),
    `The metadata says whose it is at \`answers.account\`: ${JSON.stringify(attribution ?? null)} for account a, and another for b.`,
    `It was ${JSON.stringify(said ?? null)} for a and ${JSON.stringify(other ?? null)} for b.`
  )
})

const objects = ["first", "second", "third"]
const objectsBytes = objects.length * (fileSizeBytes + recordingSizeBytes)

/** A preview with three files and three recordings, read as often: a fault may show in one of two or three answers. */
const everyObject = (id: string, group: string, account: AccountName, isTransformed: boolean): CheckTable => ({
  [id]: {
    title: `The metadata of a preview with three files and three recordings has something of each ${group}.`,
    cost: { requests: 12, bytes: bytes + objectsBytes },
    *run() {
      const files = yield* Effect.forEach(objects, ownFile)
      const recordings = yield* Effect.forEach(objects, ownRecording)
      const fields = { platform: "ios", isTransformed }
      const hosted = yield* hostedPreview("preview", { account, fields, files, recordings })
      for (const _ of objects) yield* readHosted(hosted, eachObject(hosted.input))
    }
  }
})

/** The groups of the metadata, and who may read them. */
export const metadataChecks: CheckTable = {
  "previews.metadata.url": {
    title: "The metadata of a preview has its hosted url, the one that finalize returned.",
    cost: { requests: 4, bytes },
    *run() {
      yield* readHosted(yield* hostedPreview("preview"))
    }
  },
  "previews.metadata.device": {
    title: "The metadata of a preview has device details: it has a declared dimension.",
    cost: { requests: 4, bytes },
    *run() {
      yield* mustReport(shownIn.device)
      yield* readHosted(yield* hostedPreview("preview"))
    }
  },
  "previews.metadata.files": {
    title: "The metadata of a preview has its files: it has something of a declared file.",
    cost: { requests: 5, bytes: bytes + fileSizeBytes },
    *run() {
      yield* readHosted(yield* hostedPreview("preview", { files: [yield* ownFile("preview")] }))
    }
  },
  ...everyObject("previews.metadata.every-file", "file", "a", true),
  "previews.metadata.recordings": {
    title: "The metadata of a preview has its recording artifacts: it has something of a declared recording.",
    cost: { requests: 5, bytes: bytes + recordingSizeBytes },
    *run() {
      yield* readHosted(yield* hostedPreview("preview", { recordings: [yield* ownRecording("preview")] }))
    }
  },
  ...everyObject("previews.metadata.every-recording", "recording", "b", false),
  "previews.metadata.git": {
    title: "The metadata of a preview has its Git provenance: it has the declared branch or commit.",
    cost: { requests: 4, bytes },
    *run() {
      yield* mustReport(shownIn.git)
      yield* readHosted(yield* hostedPreview("preview"))
    }
  },
  "previews.metadata.account": {
    title: "The metadata of a preview has account attribution: something in it says whose preview it is.",
    cost: { requests: 19, bytes: 3 * (bytes + fileSizeBytes + recordingSizeBytes) },
    *run() {
      const fields = yield* fieldsWithoutRepository
      // In this order, a time that happens to be equal in both previews of `a` is equal in that of `b` as well.
      const one = yield* metadataOf("a", fields)
      const foreign = yield* metadataOf("b", fields)
      const other = yield* metadataOf("a", fields)
      yield* mustAttribute(one, foreign)
      const isEcho = (place: string) => fields === sentRepository && isOfRepository(place)
      const [ofOther, ofForeign] = [values(other), values(foreign)]
      yield* must(
        [...values(one)].some(
          ([place, value]) => !isEcho(place) && ofOther.get(place) === value && ofForeign.get(place) !== value
        ),
        "A value in the metadata is equal in two previews of one account and differs in another account's preview.",
        "There was no such value."
      )
    }
  },
  "previews.read.foreign": {
    title: "A read of another account's preview is refused, and the refusal has nothing of the preview in it.",
    cost: { requests: 7, bytes: bytes + fileSizeBytes + recordingSizeBytes },
    supplied: suppliedPreview,
    *run() {
      const dialect = yield* Dialect
      const { own, read, shareId } = yield* existingPreview("preview")
      const { url } = yield* dialect.row(yield* read)
      const what = "A read of another account's preview"
      const answer = yield* refuses(readPreview(shareId, b), what, "previews.read.foreign")
      const revealed = [...own, url?.split("?")[0]].filter((text) => text !== undefined && answer.text.includes(text))
      yield* must(revealed.length === 0, `${what} returns nothing of it.`, `It returned ${revealed.join(", ")}.`)
    }
  },
  "previews.read.unknown": {
    title: "A read of a preview that doesn't exist is refused.",
    cost: { requests: 1, bytes: 0 },
    readOnly: true,
    *run() {
      const { unique } = yield* Session
      yield* refuses(readPreview(unique("preview")), "A read of a preview that doesn't exist", "previews.read.unknown")
    }
  }
}

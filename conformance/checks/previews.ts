import { Dialect, eachMember, follow, must, type Fields } from "../dialect/Dialect.ts"
import { Session } from "../session/Session.ts"
import {
  a,
  answered2xx,
  b,
  bundle,
  bundleSizeBytes,
  eachObject,
  existingPreview,
  fileSizeBytes,
  fiveFiles,
  hostedPreview,
  isRefused,
  isSent,
  keyOf,
  mustNotFail,
  mustNotFailOnBodies,
  needsTwoRepositories,
  ownFile,
  ownRecording,
  previewInput,
  readHosted,
  readPreview,
  recordingSizeBytes,
  refuses,
  reservePreview,
  shareIdOf,
  shownIn,
  Skipped,
  suppliedPreview,
  threeRecordings,
  toChecks,
  unlinkedRepositories,
  wrongKeyReads,
  type CheckTable
} from "./steps.ts"
import type { AccountName, HttpResponse, Credential, KeyName } from "../session/Exchange.ts"
import { Effect } from "effect"
import {
  afterFinalizeChecks,
  buildFlow,
  foreignFinalizeChecks,
  previewFlow,
  tokenChecks,
  uploadChecks
} from "./uploads.ts"

const cost = { requests: 1, bytes: 0 }

/** Each slot of a preview with a file and a recording must have this member, as a text. */
const slotMember = (id: string, member: "objectKey" | "contentType"): CheckTable => ({
  [id]: {
    title: `Each slot of a preview has \`${member}\` beside \`putUrl\`.`,
    cost,
    *run() {
      const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
      // The step requires it of every reservation.
      yield* reservePreview("preview", declared)
    }
  }
})

/** What a reservation answers. */
const reserveChecks: CheckTable = {
  "previews.reserve.answer": {
    title:
      "A preview reservation returns a shareId, and a slot for the bundle, each of five files and three recordings.",
    cost,
    *run() {
      const declared = { files: yield* fiveFiles("preview"), recordings: yield* threeRecordings("preview") }
      const { reserved } = yield* reservePreview("preview", declared)
      yield* shareIdOf(reserved)
      const urls = new Set(reserved.slots.map(({ putUrl }) => putUrl))
      yield* must(urls.size === 9, "Nine declared objects have nine slots.", `There were ${urls.size}.`)
    }
  },
  "previews.reserve.same-content": {
    title: "The same bundle from two accounts makes two previews, and neither account can read the other's.",
    cost: { requests: 8, bytes: 2 * bundleSizeBytes },
    *run() {
      const first = yield* hostedPreview("preview", { bundle: yield* bundle("same") })
      const second = yield* hostedPreview("preview", { account: "b", bundle: yield* bundle("same") })
      const expected = "The same bundle from two accounts makes previews of two shareIds."
      yield* must(first.shareId !== second.shareId, expected, `Both had ${first.shareId}.`)
      const what = "A read of another account's preview of the same bundle"
      yield* refuses(readPreview(first.shareId, b), what, "previews.read.foreign")
      const answer = yield* readPreview(second.shareId, a)
      yield* must(isRefused(answer), `${what} is refused with 4xx.`, `It returned ${answer.status}.`)
    }
  },
  "previews.reserve.foreign-repository": {
    title: "A preview whose Git provenance is another account's repository, or one that is not linked, is refused.",
    cost: { requests: 3, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      yield* needsTwoRepositories
      const { config } = yield* Session
      for (const fields of [config.accounts.b.linked, ...(yield* unlinkedRepositories)]) {
        const attempt = dialect.reservePreview(yield* previewInput("preview", { fields }), a)
        const what = `A reservation of a preview for ${fields.owner}/${fields.repo}`
        yield* refuses(attempt, what, "previews.reserve.foreign-repository")
      }
    }
  },
  ...slotMember("previews.slots.object-key", "objectKey"),
  ...slotMember("previews.slots.content-type", "contentType")
}

const billed = { fields: { billingKind: "test_run" } }

const refusedFor = (id: string, scoped: KeyName, pair: KeyName, scope: string): CheckTable => ({
  [id]: {
    title: `The reservation of a preview that is billed as a test run is refused without the scope \`${scope}\`.`,
    cost: { requests: 2, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      const { pairsOfScopes = false } = (yield* Session).config
      for (const key of pairsOfScopes ? [scoped, pair] : [scoped]) {
        const attempt = dialect.reservePreview(yield* previewInput("preview", billed), keyOf("a", key))
        yield* refuses(attempt, `A reservation with \`billingKind\` \`test_run\` by the key \`${key}\``, id)
      }
    }
  }
})

/** Which scopes a key needs to reserve a preview that is billed as a test run. */
const billedChecks: CheckTable = {
  "previews.billed.both-scopes": {
    title: "A preview that is billed as a test run is hosted for a key with `preview_upload` and `test_runs`.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      yield* hostedPreview("preview", billed)
    }
  },
  ...refusedFor("previews.billed.without-test-runs", "previewUpload", "withoutTestRuns", "test_runs"),
  ...refusedFor("previews.billed.without-preview-upload", "testRuns", "withoutPreviewUpload", "preview_upload")
}

/** When a preview is hosted, and by whose key. */
const finalizeChecks: CheckTable = {
  "previews.finalize.hosted-url": {
    title: "Finalize returns the hosted URL of the preview.",
    cost: { requests: 3, bytes: bundleSizeBytes },
    *run() {
      // The step requires it of every finalize.
      yield* hostedPreview("preview")
    }
  },
  "previews.finalize.all-objects": {
    title: "A preview with a file and a recording is hosted once every slot has its bytes.",
    cost: { requests: 6, bytes: bundleSizeBytes + fileSizeBytes + recordingSizeBytes },
    *run() {
      const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
      yield* readHosted(yield* hostedPreview("preview", declared))
    }
  },
  ...foreignFinalizeChecks(previewFlow),
  ...tokenChecks(previewFlow, buildFlow, "builds"),
  ...afterFinalizeChecks(previewFlow)
}

const bytes = bundleSizeBytes

/** Skips the check when the target never receives any of these values. */
const mustReport = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  if (yield* isSent(places)) return
  const named = places.map((place) => `{${place}}`).join(", ")
  return yield* new Skipped({ reason: `The body \`previewReserve\` in the config has no place for any of ${named}.` })
})

/** Every scalar in an answer, by where it lies. */
const values = ({ json }: HttpResponse): ReadonlyMap<string, unknown> =>
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
const mustAttribute = Effect.fnUntraced(function* (own: HttpResponse, foreign: HttpResponse) {
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

const declaredObjects = ["first", "second", "third"]
const objectsBytes = declaredObjects.length * (fileSizeBytes + recordingSizeBytes)

/** A preview with three files and three recordings, read as often: a fault may show in one of two or three answers. */
const everyObject = (id: string, group: string, account: AccountName, isTransformed: boolean): CheckTable => ({
  [id]: {
    title: `The metadata of a preview with three files and three recordings has something of each ${group}.`,
    cost: { requests: 12, bytes: bytes + objectsBytes },
    *run() {
      const files = yield* Effect.forEach(declaredObjects, ownFile)
      const recordings = yield* Effect.forEach(declaredObjects, ownRecording)
      const fields = { platform: "ios", isTransformed }
      const hosted = yield* hostedPreview("preview", { account, fields, files, recordings })
      for (const _ of declaredObjects) yield* readHosted(hosted, eachObject(hosted.input))
    }
  }
})

/** The groups of the metadata, and who may read them. */
const metadataChecks: CheckTable = {
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

/** Which keys the endpoints of previews accept. */
const keyChecks: CheckTable = {
  ...wrongKeyReads(
    "previews",
    ["builds", "testRuns", "withoutPreviewUpload"],
    { cost: { requests: 11, bytes: bytes + fileSizeBytes + recordingSizeBytes }, supplied: suppliedPreview },
    Effect.map(existingPreview("preview"), ({ shareId }) => [(as: Credential) => readPreview(shareId, as)])
  )
}

const mismatches: Readonly<Record<string, Fields>> = {
  "no-bundle-size": { bundleSizeBytes: undefined },
  "negative-size": { bundleSizeBytes: -1 },
  "size-as-text": { bundleSizeBytes: "many" },
  "files-not-a-list": { files: "all" },
  "recordings-not-a-list": { recordings: 1 },
  "billing-kind-not-a-text": { billingKind: 1 }
}

/** A mistake of the caller must not be answered with 5xx. */
const mistakeChecks: CheckTable = {
  "previews.mistakes.reserve": {
    title: "A preview reservation with an invalid field doesn't return 5xx.",
    cost: { requests: Object.keys(mismatches).length, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      for (const [mistake, fields] of Object.entries(mismatches)) {
        const input = yield* previewInput(mistake, { fields })
        yield* mustNotFail("previews", `reserve.${mistake}`, yield* dialect.reservePreview(input, a))
      }
    }
  },
  "previews.mistakes.body": {
    title: "A body that isn't a JSON object, or an empty finalize, doesn't return 5xx.",
    cost: { requests: 3, bytes: 40 },
    *run() {
      const { config, exchange } = yield* Session
      yield* mustNotFailOnBodies("previews", "previews", "reserve")
      const url = `${config.url}/api/v1/previews/finalize`
      yield* mustNotFail("previews", "finalize.empty", yield* exchange({ method: "POST", url, as: a, json: {} }))
    }
  },
  "previews.mistakes.read": {
    title: "A read of what can't be a shareId doesn't return 5xx.",
    cost: { requests: 2, bytes: 0 },
    readOnly: true,
    *run() {
      yield* mustNotFail("previews", "read.not-ascii", yield* readPreview("größe ✓"))
      yield* mustNotFail("previews", "read.long", yield* readPreview("x".repeat(500)))
    }
  }
}

/** The checks of the profile `previews`, in the order of the interface. */
export const previewChecks = toChecks(
  reserveChecks,
  uploadChecks(previewFlow),
  finalizeChecks,
  metadataChecks,
  billedChecks,
  keyChecks,
  mistakeChecks
)

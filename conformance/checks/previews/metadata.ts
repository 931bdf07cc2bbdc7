import { Effect } from "effect"
import { Dialect, type Row } from "../../dialect/Dialect.ts"
import { follow } from "../../dialect/pointer.ts"
import { eachMember } from "../../dialect/search.ts"
import { placeholdersOf } from "../../dialect/template.ts"
import { must } from "../../dialect/Violation.ts"
import type { AccountName, Answer } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { Skipped, type CheckTable } from "../steps/Check.ts"
import { a, b, keyOf } from "../steps/accounts.ts"
import { answered2xx, mustAnswer, refuses } from "../steps/answers.ts"
import { eventually, settled } from "../steps/eventually.ts"
import {
  bundleSizeBytes,
  fileSizeBytes,
  ownFile,
  ownRecording,
  previewInput,
  recordingSizeBytes
} from "../steps/inputs.ts"
import { mentions, type Mark } from "../steps/mentions.ts"
import { existingPreview, hostedPreview, readPreview, suppliedPreview } from "../steps/previews.ts"

const bytes = bundleSizeBytes

/** Requires that the metadata of a hosted preview has something that was declared, in whatever shape. */
const mustMention = Effect.fnUntraced(function* (shareId: string, marks: ReadonlyArray<Mark>, group: string) {
  const answer = yield* eventually(readPreview(shareId), (answer) => answered2xx(answer) && mentions(answer, marks))
  yield* mustAnswer(answer, "The read of a hosted preview by its account")
  yield* must(mentions(answer, marks), `The metadata has ${group}, one of: ${marks.join(", ")}.`, answer.text)
})

/**
 * Skips the check when the config has no place for any of these values, because then the target never receives them.
 */
const mustReport = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const { config } = yield* Session
  const available = placeholdersOf(config.bindings.bodies.previewReserve)
  if (!places.some((place) => available.includes(place))) {
    const named = places.map((place) => `{${place}}`).join(", ")
    return yield* new Skipped({ reason: `The body \`previewReserve\` in the config has no place for any of ${named}.` })
  }
})

/** The hosted URL without the part that may be signed again for each answer. */
const place = ({ url }: Row): string | undefined => url?.split(/[?#]/)[0]

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
  const { shareId } = yield* hostedPreview("preview", { account, fields })
  const answer = yield* eventually(readPreview(shareId, keyOf(account)), answered2xx)
  yield* mustAnswer(answer, "The read of a hosted preview by its account")
  return answer
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

/** The groups of the metadata, and who may read them. */
export const metadataChecks: CheckTable = {
  "previews.metadata.url": {
    title: "The metadata of a preview has its hosted url, the one that finalize answered.",
    cost: { requests: 4, bytes },
    *run() {
      const dialect = yield* Dialect
      const { row, shareId } = yield* hostedPreview("preview")
      const read = Effect.flatMap(eventually(readPreview(shareId), answered2xx), dialect.row)
      const first = yield* read
      yield* must(first.url !== undefined, "The metadata has the hosted url.", first.answer.text)
      if (row.url === undefined || place(first) === place(row)) return
      // A target whose url differs at each read may answer another one than finalize did.
      const expected = `The metadata has the hosted url ${row.url} that finalize answered.`
      yield* must(place(yield* read) !== place(first), expected, `It had ${first.url}.`)
    }
  },
  "previews.metadata.device": {
    title: "The metadata of a preview has device details: it has a declared dimension.",
    cost: { requests: 4, bytes },
    *run() {
      yield* mustReport(["deviceSpec", "width", "height"])
      const { unique } = yield* Session
      const size = (side: string) => 3000 + (Number.parseInt(unique(side).slice(0, 6), 16) % 6000)
      const deviceSpec = { width: size("width"), height: size("height") }
      const { shareId } = yield* hostedPreview("preview", { fields: { deviceSpec } })
      yield* mustMention(shareId, Object.values(deviceSpec), "device details")
    }
  },
  "previews.metadata.files": {
    title: "The metadata of a preview has its files: it has something of a declared file.",
    cost: { requests: 5, bytes: bytes + fileSizeBytes },
    *run() {
      const file = yield* ownFile("preview")
      const { shareId } = yield* hostedPreview("preview", { files: [file] })
      const { content, contentType, path } = file
      const marks = [path.split("/").at(-1) ?? path, content.sha256, contentType, content.bytes.byteLength]
      yield* mustMention(shareId, marks, "the declared file")
    }
  },
  "previews.metadata.every-file": {
    title: "The metadata of a preview with two files has something of each of them.",
    cost: { requests: 7, bytes: bytes + 2 * fileSizeBytes },
    *run() {
      const files = [yield* ownFile("first"), yield* ownFile("second")]
      const { shareId } = yield* hostedPreview("preview", { files })
      for (const { content, path } of files) {
        yield* mustMention(shareId, [path.split("/").at(-1) ?? path, content.sha256], `the declared file ${path}`)
      }
    }
  },
  "previews.metadata.recordings": {
    title: "The metadata of a preview has its recording artifacts: it has something of a declared recording.",
    cost: { requests: 5, bytes: bytes + recordingSizeBytes },
    *run() {
      const recording = yield* ownRecording("preview")
      const { shareId } = yield* hostedPreview("preview", { recordings: [recording] })
      const { content, contentType, name } = recording
      const marks = [name, content.sha256, contentType, content.bytes.byteLength]
      yield* mustMention(shareId, marks, "the declared recording")
    }
  },
  "previews.metadata.every-recording": {
    title: "The metadata of a preview with three recordings has something of each of them.",
    cost: { requests: 9, bytes: bytes + 3 * recordingSizeBytes },
    *run() {
      const labels = ["first", "second", "third"]
      const recordings = yield* Effect.forEach(labels, ownRecording)
      const { shareId } = yield* hostedPreview("preview", { recordings })
      for (const { content, name } of recordings) {
        yield* mustMention(shareId, [name, content.sha256], `the declared recording ${name}`)
      }
    }
  },
  "previews.metadata.git": {
    title: "The metadata of a preview has its Git provenance: it has the declared branch or commit.",
    cost: { requests: 4, bytes },
    *run() {
      yield* mustReport(["branch", "commitSha"])
      const { input, shareId } = yield* hostedPreview("preview")
      const { branch, commitSha } = input.fields
      const shortSha = typeof commitSha === "string" ? commitSha.slice(0, 7) : undefined
      const marks = [branch, shortSha].filter((mark) => typeof mark === "string")
      yield* mustMention(shareId, marks, "the Git provenance")
    }
  },
  "previews.metadata.account": {
    title: "The metadata of a preview has account attribution: something in it says whose preview it is.",
    cost: { requests: 13, bytes: 3 * bytes },
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
      const { own, shareId } = yield* existingPreview("preview")
      const { url } = yield* dialect.row(yield* settled(readPreview(shareId)))
      const what = "A read of another account's preview"
      const answer = yield* refuses(readPreview(shareId, b), what, "previews.read.foreign")
      const revealed = [...own, url?.split("?")[0]].filter((text) => text !== undefined && answer.text.includes(text))
      yield* must(revealed.length === 0, `${what} answers nothing of it.`, `It answered ${revealed.join(", ")}.`)
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

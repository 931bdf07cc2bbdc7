import { Effect } from "effect"
import type { Row } from "../../dialect/Dialect.ts"
import { Dialect } from "../../dialect/Dialect.ts"
import { placesOf } from "../../dialect/template.ts"
import { Session } from "../../session/Session.ts"
import { Skipped } from "../steps/Check.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { answered2xx, mustAnswer } from "../steps/answers.ts"
import { eventually } from "../steps/eventually.ts"
import { bundleSizeBytes, fileSizeBytes, recordingSizeBytes } from "../steps/inputs.ts"
import { mentions } from "../steps/mentions.ts"
import type { Mark } from "../steps/mentions.ts"
import { hostedPreview, ownFile, ownRecording, readPreview } from "../steps/previews.ts"

/** The metadata of a hosted preview says something that was declared, in whatever shape. */
const mustMention = Effect.fnUntraced(function* (shareId: string, marks: ReadonlyArray<Mark>, group: string) {
  const answer = yield* eventually(readPreview(shareId), (answer) => answered2xx(answer) && mentions(answer, marks))
  yield* mustAnswer(answer, "The read of a hosted preview by its account")
  yield* must(mentions(answer, marks), `The metadata has ${group}, one of: ${marks.join(", ")}.`, answer.text)
})

/** Nothing can be looked for that the target was never told. */
const mustBeTold = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const { config } = yield* Session
  const told = placesOf(config.bindings.bodies.previewReserve)
  if (!places.some((place) => told.includes(place))) {
    const named = places.map((place) => `{${place}}`).join(", ")
    return yield* new Skipped({ reason: `The body \`previewReserve\` in the config has no place for any of ${named}.` })
  }
})

/** The hosted URL without what may be signed anew each time. */
const place = ({ url }: Row): string | undefined => url?.split(/[?#]/)[0]

const url: Check = {
  id: "previews.metadata.url",
  profile: "previews",
  title: "The metadata of a preview has its hosted url, the one that finalize answered.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { row, shareId } = yield* hostedPreview("preview")
    const read = Effect.flatMap(eventually(readPreview(shareId), answered2xx), dialect.row)
    const first = yield* read
    yield* must(first.url !== undefined, "The metadata has the hosted url.", first.answer.text)
    if (row.url === undefined || place(first) === place(row)) return
    // A host that makes another url for each read can't be held to the one of finalize.
    yield* must(
      place(yield* read) !== place(first),
      `The metadata has the hosted url ${row.url} that finalize answered.`,
      `It had ${first.url}.`
    )
  })
}

const device: Check = {
  id: "previews.metadata.device",
  profile: "previews",
  title: "The metadata of a preview has device details: a declared dimension is in it.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    yield* mustBeTold(["deviceSpec", "width", "height"])
    const { unique } = yield* Session
    const [width, height] = ["width", "height"].map(
      (side) => 3000 + (Number.parseInt(unique(side).slice(0, 6), 16) % 6000)
    )
    const deviceSpec = { width: width ?? 3000, height: height ?? 6000 }
    const { shareId } = yield* hostedPreview("preview", { fields: { deviceSpec } })
    yield* mustMention(shareId, Object.values(deviceSpec), "device details")
  })
}

const files: Check = {
  id: "previews.metadata.files",
  profile: "previews",
  title: "The metadata of a preview has its files: something of a declared file is in it.",
  cost: { requests: 5, bytes: bundleSizeBytes + fileSizeBytes },
  run: Effect.gen(function* () {
    const file = yield* ownFile("preview")
    const { shareId } = yield* hostedPreview("preview", { files: [file] })
    const { content, contentType, path } = file
    const marks = [path.split("/").at(-1) ?? path, content.sha256, contentType, content.bytes.byteLength]
    yield* mustMention(shareId, marks, "the declared file")
  })
}

const recordings: Check = {
  id: "previews.metadata.recordings",
  profile: "previews",
  title: "The metadata of a preview has its recording artifacts: something of a declared recording is in it.",
  cost: { requests: 5, bytes: bundleSizeBytes + recordingSizeBytes },
  run: Effect.gen(function* () {
    const recording = yield* ownRecording("preview")
    const { shareId } = yield* hostedPreview("preview", { recordings: [recording] })
    const { content, contentType, name } = recording
    const marks = [name, content.sha256, contentType, content.bytes.byteLength]
    yield* mustMention(shareId, marks, "the declared recording")
  })
}

const git: Check = {
  id: "previews.metadata.git",
  profile: "previews",
  title: "The metadata of a preview has its Git provenance: the declared branch or commit is in it.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    yield* mustBeTold(["branch", "commitSha"])
    const { input, shareId } = yield* hostedPreview("preview")
    const { branch, commitSha } = input.fields
    const shortSha = typeof commitSha === "string" ? commitSha.slice(0, 7) : undefined
    const marks = [branch, shortSha].filter((mark) => typeof mark === "string")
    yield* mustMention(shareId, marks, "the Git provenance")
  })
}

export const metadataChecks: ReadonlyArray<Check> = [url, device, files, recordings, git]

import { Effect } from "effect"
import { Dialect, type DeclaredFile, type Slot } from "../../dialect/Dialect.ts"
import { must } from "../../dialect/Violation.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a } from "../steps/accounts.ts"
import { isRefused, mustAnswer } from "../steps/answers.ts"
import {
  buildInput,
  bundleSizeBytes,
  fileSizeBytes,
  ownFile,
  ownRecording,
  previewInput,
  recordingSizeBytes
} from "../steps/inputs.ts"
import { reservePreview } from "../steps/previews.ts"
import { readyBuild, reserveBuild, reserveBuildAgain } from "../steps/makeBuilds.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import type { Flow } from "./Flow.ts"

type Profile = Flow["profile"]

/** An upload of a bundle and one other object, whose slot is the last. */
const reserveWith = Effect.fnUntraced(function* (profile: Profile, object: "file" | "recording") {
  const declared =
    object === "file" ? { files: [yield* ownFile("upload")] } : { recordings: [yield* ownRecording("upload")] }
  if (profile === "previews") return (yield* reservePreview("upload", declared)).reserved
  return (yield* reserveBuild("upload", declared)).reserved
})

/** How many bytes more than declared are PUT, by the names of checks. */
const lengths = {
  shorter: [-1, "One byte less", "fewer bytes"],
  longer: [1, "One byte more", "more bytes"]
} as const

/** One byte less or more of another object than the bundle must not be finalized. */
const wrongLength = (
  { finalize, profile }: Flow,
  object: "file" | "recording",
  how: keyof typeof lengths
): CheckTable => ({
  [`${profile}.put.${how}-${object}`]: {
    title: `${lengths[how][1]} of a ${object} than was declared is refused at its PUT, or at finalize.`,
    cost: {
      requests: 4,
      bytes: bundleSizeBytes + lengths[how][0] + (object === "file" ? fileSizeBytes : recordingSizeBytes)
    },
    *run() {
      const dialect = yield* Dialect
      const { content, observe } = yield* Session
      const reserved = yield* reserveWith(profile, object)
      const isLast = (_: Slot, index: number) => index === reserved.slots.length - 1
      yield* uploadAll({ ...reserved, slots: reserved.slots.filter((slot, index) => !isLast(slot, index)) })
      for (const slot of reserved.slots.filter(isLast)) {
        const { contentType } = slot
        const other = content(how, slot.content.bytes.byteLength + lengths[how][0], contentType)
        const put = yield* dialect.put(slot, { contentType, content: other })
        yield* observe(`${profile}.put.${how}-${object}.status`, put.status)
        if (isRefused(put)) return
        yield* mustAnswer(put, `A PUT of ${lengths[how][2]}, unless it is refused with 4xx,`)
      }
      const finalized = yield* finalize(reserved)
      yield* must(
        isRefused(finalized),
        `A ${object} of ${lengths[how][2]} than were declared is refused with 4xx, at its PUT or at finalize.`,
        `The finalize returned ${finalized.status}.`
      )
    }
  }
})

/** A file of no bytes has a slot as every other, unless the reservation is refused. */
const empty = ({ finalize, profile }: Flow): CheckTable => ({
  [`${profile}.files.empty`]: {
    title: "A declared file of no bytes has a slot, and takes its PUT, unless the reservation is refused.",
    cost: { requests: 5, bytes: bundleSizeBytes + fileSizeBytes },
    *run() {
      const dialect = yield* Dialect
      const { content, observe } = yield* Session
      const nothing: DeclaredFile = {
        path: "assets/empty.txt",
        contentType: "text/plain",
        content: content("nothing", 0)
      }
      const files = [nothing, yield* ownFile("upload")]
      const isBuild = profile === "builds"
      const input = isBuild ? yield* buildInput("upload", { files }) : yield* previewInput("upload", { files })
      const answer = isBuild
        ? yield* dialect.reserveBuild(input, a)
        : yield* dialect.reservePreview({ ...input, recordings: [] }, a)
      yield* observe(`${profile}.files.empty.status`, answer.status)
      if (isRefused(answer)) return
      const reserved = yield* dialect.reserved(answer, input)
      yield* uploadAll(reserved)
      yield* mustAnswer(yield* finalize(reserved), "The finalize of an upload with a file of no bytes")
    }
  }
})

/** How many bytes a large bundle has: more than fits a buffer that is meant for JSON. */
export const largeBytes = 3 * 1024 ** 2

/** A bundle of several MiB is uploaded as every other, unless the reservation is refused as too large. */
const large = ({ finalize, profile }: Flow): CheckTable => ({
  [`${profile}.put.large`]: {
    title: "A bundle of three MiB is uploaded and finalized, unless the reservation is refused.",
    cost: { requests: 3, bytes: largeBytes },
    *run() {
      const dialect = yield* Dialect
      const { content, observe } = yield* Session
      const contentType = "text/javascript"
      const bundle = { content: content("large.bundle", largeBytes, contentType), contentType }
      const input = yield* previewInput("upload", { bundle })
      const answer =
        profile === "builds" ? yield* dialect.reserveBuild(input, a) : yield* dialect.reservePreview(input, a)
      yield* observe(`${profile}.put.large.status`, answer.status)
      if (isRefused(answer)) return
      const reserved = yield* dialect.reserved(answer, input)
      yield* uploadAll(reserved)
      yield* mustAnswer(yield* finalize(reserved), "The finalize of a bundle of three MiB")
    }
  }
})

/** The bytes of another upload of a ready build must be the declared ones, as those of the first. */
const reuploaded: CheckTable = {
  "builds.put.shorter-again": {
    title: "One byte less than was declared for another upload of a ready build is refused at its PUT, or at finalize.",
    cost: { requests: 6, bytes: 2 * bundleSizeBytes - 1 },
    *run() {
      const dialect = yield* Dialect
      const { content } = yield* Session
      const { reserved } = yield* reserveBuildAgain("second", yield* readyBuild("first"))
      for (const slot of reserved.slots) {
        const { contentType } = slot
        const put = yield* dialect.put(slot, {
          contentType,
          content: content("less", bundleSizeBytes - 1, contentType)
        })
        if (isRefused(put)) return
      }
      const finalized = yield* dialect.finalizeBuild(reserved.token, a)
      const expected =
        "Another upload of fewer bytes than were declared is refused with 4xx, at its PUT or at finalize."
      yield* must(isRefused(finalized), expected, `The finalize returned ${finalized.status}.`)
    }
  }
}

/** What of the uploads beside small bundles is held to. */
export const otherSlotChecks = (flow: Flow): CheckTable => ({
  ...wrongLength(flow, "file", "shorter"),
  ...wrongLength(flow, "file", "longer"),
  ...(flow.profile === "previews"
    ? { ...wrongLength(flow, "recording", "shorter"), ...wrongLength(flow, "recording", "longer") }
    : reuploaded),
  ...empty(flow),
  ...large(flow)
})

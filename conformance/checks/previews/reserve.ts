import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { threeFiles, threeRecordings } from "../steps/inputs.ts"
import { ownFile, ownRecording, shareIdOf } from "../steps/previews.ts"
import { reservePreview } from "../steps/reservePreview.ts"

const cost = { requests: 1, bytes: 0 }

const answer: Check = {
  id: "previews.reserve.answer",
  profile: "previews",
  title:
    "A preview reservation answers a shareId, and a slot for the bundle, each of three files and three recordings.",
  cost,
  run: Effect.gen(function* () {
    const declared = { files: yield* threeFiles("preview"), recordings: yield* threeRecordings("preview") }
    const { reserved } = yield* reservePreview("preview", declared)
    yield* shareIdOf(reserved)
    const urls = new Set(reserved.slots.map(({ putUrl }) => putUrl))
    yield* must(urls.size === 7, "Seven declared objects have seven slots.", `There were ${urls.size}.`)
  })
}

/** That each slot of a preview with a file and a recording has a member that is a text. */
const slotMember = (id: string, member: "objectKey" | "contentType"): Check => ({
  id,
  profile: "previews",
  title: `Each slot of a preview has \`${member}\` beside \`putUrl\`.`,
  cost,
  run: Effect.gen(function* () {
    const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
    const { reserved } = yield* reservePreview("preview", declared)
    for (const { json } of reserved.slots) {
      const value: Json | undefined = json[member]
      yield* must(
        typeof value === "string" && value !== "",
        `A slot has ${member} beside its putUrl.`,
        value === undefined ? "It had none." : value
      )
    }
  })
})

export const reserveChecks: ReadonlyArray<Check> = [
  answer,
  slotMember("previews.slots.object-key", "objectKey"),
  slotMember("previews.slots.content-type", "contentType")
]

import { must } from "../../dialect/Violation.ts"
import type { CheckTable } from "../steps/Check.ts"
import { ownFile, ownRecording, threeFiles, threeRecordings } from "../steps/inputs.ts"
import { reservePreview, shareIdOf } from "../steps/previews.ts"

const cost = { requests: 1, bytes: 0 }

/** Each slot of a preview with a file and a recording must have this member, as a text. */
const slotMember = (id: string, member: "objectKey" | "contentType"): CheckTable => ({
  [id]: {
    title: `Each slot of a preview has \`${member}\` beside \`putUrl\`.`,
    cost,
    *run() {
      const declared = { files: [yield* ownFile("preview")], recordings: [yield* ownRecording("preview")] }
      const { reserved } = yield* reservePreview("preview", declared)
      for (const { json } of reserved.slots) {
        const { [member]: value = "It had none." } = json
        const isText = typeof json[member] === "string" && json[member] !== ""
        yield* must(isText, `A slot has ${member} beside its putUrl.`, value)
      }
    }
  }
})

/** What a reservation answers. */
export const reserveChecks: CheckTable = {
  "previews.reserve.answer": {
    title:
      "A preview reservation answers a shareId, and a slot for the bundle, each of three files and three recordings.",
    cost,
    *run() {
      const declared = { files: yield* threeFiles("preview"), recordings: yield* threeRecordings("preview") }
      const { reserved } = yield* reservePreview("preview", declared)
      yield* shareIdOf(reserved)
      const urls = new Set(reserved.slots.map(({ putUrl }) => putUrl))
      yield* must(urls.size === 7, "Seven declared objects have seven slots.", `There were ${urls.size}.`)
    }
  },
  ...slotMember("previews.slots.object-key", "objectKey"),
  ...slotMember("previews.slots.content-type", "contentType")
}

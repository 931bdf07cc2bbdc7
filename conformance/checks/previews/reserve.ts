import { Dialect } from "../../dialect/Dialect.ts"
import { must } from "../../dialect/Violation.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a, b, needsTwoRepositories } from "../steps/accounts.ts"
import { isRefused, refuses } from "../steps/answers.ts"
import {
  bundle,
  bundleSizeBytes,
  fiveFiles,
  ownFile,
  ownRecording,
  previewInput,
  threeRecordings
} from "../steps/inputs.ts"
import { hostedPreview, readPreview, reservePreview, shareIdOf } from "../steps/previews.ts"

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
export const reserveChecks: CheckTable = {
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
    title: "A preview whose Git provenance is another account's repository is refused.",
    cost: { requests: 1, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      yield* needsTwoRepositories
      const { config } = yield* Session
      const attempt = dialect.reservePreview(yield* previewInput("preview", { fields: config.accounts.b.linked }), a)
      const what = "A reservation of a preview for another account's repository"
      yield* refuses(attempt, what, "previews.reserve.foreign-repository")
    }
  },
  ...slotMember("previews.slots.object-key", "objectKey"),
  ...slotMember("previews.slots.content-type", "contentType")
}

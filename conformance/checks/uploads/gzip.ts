import { Dialect } from "../../dialect/Dialect.ts"
import { gzipOf } from "../../session/fileKinds.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a } from "../steps/accounts.ts"
import { answered2xx, mustNotFail } from "../steps/answers.ts"
import { bundleSizeBytes, previewInput } from "../steps/inputs.ts"
import type { Flow } from "./Flow.ts"

/** How many bytes gzip adds to what it stores as it is. */
const addedBytes = 23

/**
 * The digest is that of the uncompressed bundle, so a target may accept a compressed one, or may compare the digest
 * with the received bytes. Its behavior is recorded.
 */
export const gzipChecks = ({ finalize, profile }: Flow): CheckTable => ({
  [`${profile}.mistakes.gzip`]: {
    title: "A bundle that comes in gzip, its digest that of the uncompressed one, doesn't return 5xx.",
    cost: { requests: 3, bytes: bundleSizeBytes + addedBytes },
    *run() {
      const dialect = yield* Dialect
      const { content } = yield* Session
      const contentType = "text/javascript"
      const { bytes, sha256 } = content("bundle", bundleSizeBytes, contentType)
      const bundle = { content: { bytes: gzipOf(bytes), sha256 }, contentType }
      const input = yield* previewInput("upload", { bundle })
      const answer =
        profile === "builds" ? yield* dialect.reserveBuild(input, a) : yield* dialect.reservePreview(input, a)
      yield* mustNotFail(profile, "gzip.reserve", answer)
      if (!answered2xx(answer)) return
      const reserved = yield* dialect.reserved(answer, input)
      for (const slot of reserved.slots) yield* mustNotFail(profile, "gzip.put", yield* dialect.put(slot, slot))
      yield* mustNotFail(profile, "gzip.finalize", yield* finalize(reserved))
    }
  }
})

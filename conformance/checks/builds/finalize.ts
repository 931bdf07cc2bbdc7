import { Dialect } from "../../dialect/Dialect.ts"
import type { Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a, keyOf } from "../steps/accounts.ts"
import { refuses } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { finalizeBuild, readyBuild, reserveBuild, uploadedBuild } from "../steps/makeBuilds.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { afterFinalizeChecks, foreignFinalizeChecks, tokenChecks } from "../uploads/finalize.ts"
import { buildFlow, previewFlow } from "../uploads/Flow.ts"

const bytes = bundleSizeBytes

/** A check of one part of the row that finalize answers, which the step requires of every build. */
const ofTheRow = (id: string, title: string): CheckTable => ({
  [id]: {
    title,
    cost: { requests: 3, bytes },
    *run() {
      yield* readyBuild("build")
    }
  }
})

const wrongOperation = (
  name: string,
  title: string,
  what: string,
  variants: ReadonlyArray<Readonly<Record<string, Json>>>
): CheckTable => ({
  [`builds.finalize.${name}`]: {
    title,
    cost: { requests: 4 + variants.length, bytes },
    *run() {
      const { config, exchange } = yield* Session
      const { mustWait, reserved } = yield* uploadedBuild("build")
      for (const fields of variants) {
        const json = { ...fields, token: reserved.token }
        const attempt = exchange({ method: "POST", url: `${config.url}/api/v1/builds`, as: a, json })
        yield* refuses(attempt, what, `builds.finalize.${name}`)
      }
      yield* mustWait
    }
  }
})

/** What finalize answers, which bodies and keys it accepts, and that nothing changes a finalized build. */
export const finalizeChecks: CheckTable = {
  ...ofTheRow("builds.finalize.created", "Finalize returns 201."),
  ...ofTheRow("builds.finalize.preview-url", "The ready row that finalize returns has the previewUrl of the bundle."),
  ...ofTheRow("builds.finalize.status", "The ready row that finalize returns has a status."),
  ...ofTheRow("builds.finalize.absolute-urls", "The url and the previewUrl of a build are absolute."),
  ...wrongOperation(
    "other-operation",
    "A token with another operation than `finalize` doesn't finalize the build.",
    "A token with another operation than `finalize`",
    ["publish", "FINALIZE", "finalize "].map((operation) => ({ operation }))
  ),
  ...wrongOperation(
    "no-operation",
    "A token without an operation doesn't finalize the build.",
    "A token without an operation",
    [{}]
  ),
  ...foreignFinalizeChecks(buildFlow),
  ...tokenChecks(buildFlow, previewFlow, "previewUpload"),
  "builds.finalize.other-key": {
    title: "Another key of the account that reserved finalizes the build.",
    cost: { requests: 3, bytes },
    *run() {
      const { reserved } = yield* reserveBuild("build")
      yield* uploadAll(reserved)
      yield* finalizeBuild(reserved, keyOf("a", "builds"))
    }
  },
  "builds.finalize.unknown-token": {
    title: "A finalize with an unknown token is refused.",
    cost: { requests: 1, bytes: 0 },
    *run() {
      const { unique } = yield* Session
      const attempt = Dialect.use((dialect) => dialect.finalizeBuild(unique("token"), a))
      yield* refuses(attempt, "A finalize with an unknown token", "builds.finalize.unknown-token")
    }
  },
  ...afterFinalizeChecks(buildFlow)
}

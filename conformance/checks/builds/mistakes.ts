import { Dialect, type Fields } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a } from "../steps/accounts.ts"
import { mustNotFail, mustNotFailOnBodies } from "../steps/answers.ts"
import { queryOf, readById, readLatest } from "../steps/builds.ts"
import { buildInput } from "../steps/inputs.ts"
import { reserveBuild, sendReservation } from "../steps/makeBuilds.ts"

const mismatches: Readonly<Record<string, Fields>> = {
  "no-owner": { owner: undefined },
  "short-commit": { commitSha: "0123abc" },
  "unknown-platform": { platform: "toaster" },
  "negative-size": { bundleSizeBytes: -1 },
  "size-with-a-fraction": { bundleSizeBytes: 1.5 },
  "size-as-text": { bundleSizeBytes: "many" },
  "files-not-a-list": { files: "all" }
}

/** A mistake of the caller must not be answered with 5xx. */
export const mistakeChecks: CheckTable = {
  "builds.mistakes.reserve": {
    title: "A reservation with an invalid field doesn't return 5xx.",
    cost: { requests: Object.keys(mismatches).length, bytes: 0 },
    *run() {
      for (const [mistake, fields] of Object.entries(mismatches)) {
        const input = yield* buildInput(mistake, { fields })
        yield* mustNotFail("builds", `reserve.${mistake}`, yield* sendReservation(input, a))
      }
    }
  },
  "builds.mistakes.body": {
    title: "A body that isn't a JSON object doesn't return 5xx.",
    cost: { requests: 2, bytes: 40 },
    *run() {
      yield* mustNotFailOnBodies("builds", "builds", "body")
    }
  },
  "builds.mistakes.finalize-incomplete": {
    title: "A finalize before the upload is complete doesn't return 5xx.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      const { reserved } = yield* reserveBuild("build")
      yield* mustNotFail("builds", "finalize.incomplete", yield* dialect.finalizeBuild(reserved.token, a))
    }
  },
  "builds.mistakes.read": {
    title: "A read of a build that doesn't exist, or for an unknown platform, doesn't return 5xx.",
    cost: { requests: 4, bytes: 0 },
    readOnly: true,
    *run() {
      const { unique } = yield* Session
      const query = queryOf(yield* buildInput("build"))
      yield* mustNotFail("builds", "latest.no-build", yield* readLatest(query))
      yield* mustNotFail("builds", "latest.no-branch", yield* readLatest({ ...query, branch: undefined }))
      yield* mustNotFail("builds", "latest.unknown-platform", yield* readLatest({ ...query, platform: "toaster" }))
      yield* mustNotFail("builds", "read.unknown-id", yield* readById(unique("id")))
    }
  }
}

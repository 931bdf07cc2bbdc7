import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { queryOf, readLatest, visible } from "../steps/builds.ts"
import { settled } from "../steps/eventually.ts"
import { finalizeBuild } from "../steps/finalizeBuild.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"
import { reserveBuild, reserveBuildAgain } from "../steps/reserveBuild.ts"
import { uploadAll } from "../steps/uploadAll.ts"

const updated: Check = {
  id: "builds.identity.updated",
  profile: "builds",
  title: "Another upload of a ready build's repository, branch, platform and commit updates that build.",
  cost: { requests: 7, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const session = yield* Session
    const first = yield* readyBuild("first")
    const second = yield* reserveBuildAgain("second", first)
    const { found, hasPreviewUrl } = yield* settled(visible(readLatest(queryOf(first.input))))
    yield* session.observe("builds.latest.while-updating", { found, hasPreviewUrl })
    yield* uploadAll(second.reserved)
    const row = yield* finalizeBuild(second.reserved)
    yield* must(row.url === first.row.url, `The build keeps its url ${first.row.url ?? ""}.`, row.url)
    yield* must(row.id === first.row.id, `The build keeps its id ${first.row.id ?? ""}.`, row.id)
  })
}

const again: Check = {
  id: "builds.identity.reserved-again",
  profile: "builds",
  title: "A reservation for a ready build answers the url that it has.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const first = yield* readyBuild("first")
    const second = yield* reserveBuildAgain("second", first)
    const { url } = first.reserved
    yield* must(second.reserved.url === url, `The build keeps its url ${url ?? ""}.`, second.reserved.url)
  })
}

const uploading: Check = {
  id: "builds.identity.while-uploading",
  profile: "builds",
  title: "Two reservations of one build that isn't ready answer the same url.",
  cost: { requests: 2, bytes: 0 },
  run: Effect.gen(function* () {
    const first = yield* reserveBuild("first")
    const second = yield* reserveBuildAgain("second", first)
    const { url } = first.reserved
    yield* must(second.reserved.url === url, `Both reservations answer the url ${url ?? ""}.`, second.reserved.url)
  })
}

export const identityChecks: ReadonlyArray<Check> = [updated, again, uploading]

import { Effect } from "effect"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"
import { reserveBuild } from "../steps/reserveBuild.ts"

const stableUrl: Check = {
  id: "builds.reserve.url",
  profile: "builds",
  title: "The url that a reservation answers is the url of the ready build.",
  cost: { requests: 3, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { reserved, row } = yield* readyBuild("build")
    yield* must(reserved.url !== undefined, "The reservation answers the url of the build.", "It had no url.")
    yield* must(row.url === reserved.url, `The ready build has the reserved url ${reserved.url}.`, row.url)
  })
}

const contentType: Check = {
  id: "builds.slots.content-type",
  profile: "builds",
  title: "A slot tells the content type to send with its PUT.",
  cost: { requests: 1, bytes: 0 },
  run: Effect.gen(function* () {
    const { reserved } = yield* reserveBuild("build")
    for (const { json } of reserved.slots) {
      const { contentType } = json
      yield* must(
        typeof contentType === "string" && contentType !== "",
        "A slot has a contentType beside its putUrl.",
        contentType === undefined ? "It had none." : contentType
      )
    }
  })
}

const formats: Check = {
  id: "builds.reserve.formats",
  profile: "builds",
  title: "A reservation takes numbers with a fraction as device dimensions, and a bundle that isn't transformed.",
  cost: { requests: 1, bytes: 0 },
  run: reserveBuild("build", {
    fields: { deviceSpec: { width: 411.43, height: 890.29 }, isTransformed: false }
  })
}

export const reserveChecks: ReadonlyArray<Check> = [stableUrl, contentType, formats]

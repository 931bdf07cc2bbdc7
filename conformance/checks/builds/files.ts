import { Effect } from "effect"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { finalizeBuild } from "../steps/finalizeBuild.ts"
import { bundleSizeBytes, fileSizeBytes, threeFiles } from "../steps/inputs.ts"
import { reserveBuild } from "../steps/reserveBuild.ts"
import { uploadAll } from "../steps/uploadAll.ts"

const files: Check = {
  id: "builds.files",
  profile: "builds",
  title: "Each declared file has a slot of its own, and the build is ready once they are all uploaded.",
  cost: { requests: 6, bytes: bundleSizeBytes + 3 * fileSizeBytes },
  run: Effect.gen(function* () {
    const { reserved } = yield* reserveBuild("build", { files: yield* threeFiles("build") })
    const urls = new Set(reserved.slots.map(({ putUrl }) => putUrl))
    yield* must(urls.size === 4, "The bundle and three files have four slots.", `There were ${urls.size}.`)
    yield* uploadAll(reserved)
    yield* finalizeBuild(reserved)
  })
}

export const fileChecks: ReadonlyArray<Check> = [files]

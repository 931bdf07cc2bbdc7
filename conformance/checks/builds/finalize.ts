import { Effect } from "effect"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"

const cost = { requests: 3, bytes: bundleSizeBytes }

const created: Check = {
  id: "builds.finalize.created",
  profile: "builds",
  title: "Finalize answers 201.",
  cost,
  run: Effect.gen(function* () {
    const { row } = yield* readyBuild("build")
    yield* must(row.answer.status === 201, "Finalize answers 201.", `It answered ${row.answer.status}.`)
  })
}

const previewUrl: Check = {
  id: "builds.finalize.preview-url",
  profile: "builds",
  title: "The ready row that finalize answers has the previewUrl of the bundle.",
  cost,
  run: Effect.gen(function* () {
    const { row } = yield* readyBuild("build")
    yield* must(row.previewUrl !== undefined, "The row of a ready build has a previewUrl.", "It had none.")
  })
}

const status: Check = {
  id: "builds.finalize.status",
  profile: "builds",
  title: "The ready row that finalize answers has a status.",
  cost,
  run: Effect.gen(function* () {
    const { row } = yield* readyBuild("build")
    yield* must(
      row.status !== undefined,
      "The row has status fields, one of them where `answers.buildStatus` of the config says.",
      "None was found."
    )
  })
}

const absolute: Check = {
  id: "builds.finalize.absolute-urls",
  profile: "builds",
  title: "The url and the previewUrl of a build are absolute.",
  cost,
  run: Effect.gen(function* () {
    const { row } = yield* readyBuild("build")
    const urls = [row.url, row.previewUrl].filter((url) => url !== undefined)
    const isAbsolute = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    yield* must(urls.every(isAbsolute), "The url and the previewUrl open as they stand.", urls)
  })
}

export const finalizeChecks: ReadonlyArray<Check> = [created, previewUrl, status, absolute]

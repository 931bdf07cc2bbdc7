import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { registerRun } from "../steps/runs.ts"

const cost = { requests: 4, bytes: bundleSizeBytes }

const registered = Effect.gen(function* () {
  const dialect = yield* Dialect
  const { shareId } = yield* hostedPreview("preview")
  return yield* dialect.registered(yield* registerRun("first", shareId))
})

const isAbsolute = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)

const absolute = (id: string, link: "previewUrl" | "traceUrl"): Check => ({
  id,
  profile: "testRuns",
  title: `A registration answers \`${link}\`, an absolute URL.`,
  cost,
  run: Effect.gen(function* () {
    const { answer, [link]: url } = yield* registered
    yield* must(url !== undefined, `A registration answers ${link}.`, answer.text)
    yield* must(url !== undefined && isAbsolute(url), `${link} is an absolute URL.`, url)
  })
})

const oneHost: Check = {
  id: "runs.register.viewer-host",
  profile: "testRuns",
  title: "The `previewUrl` and the `traceUrl` of a run are on one host, the hosted viewer's.",
  cost,
  run: Effect.gen(function* () {
    const { config } = yield* Session
    const { previewUrl, traceUrl } = yield* registered
    const urls = [config.viewerUrl, previewUrl, traceUrl].filter((url) => url !== undefined && isAbsolute(url))
    const hosts = new Set(urls.map((url) => URL.parse(url ?? "")?.host))
    yield* must(
      hosts.size <= 1,
      `Both are on ${config.viewerUrl === undefined ? "the same host" : config.viewerUrl}.`,
      `previewUrl is ${previewUrl ?? "none"}, traceUrl ${traceUrl ?? "none"}.`
    )
  })
}

export const linkChecks: ReadonlyArray<Check> = [
  absolute("runs.register.preview-url", "previewUrl"),
  absolute("runs.register.trace-url", "traceUrl"),
  oneHost
]

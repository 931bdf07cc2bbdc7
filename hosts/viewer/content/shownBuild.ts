import { DateTime, Effect } from "effect"
import type { BuildId, BuildStatus, BuildView } from "../../../core/model/Build.ts"
import type { Reader } from "../../../core/model/ApiKey.ts"
import { buildStatus } from "../../../core/rules/builds.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Capabilities, objectsPath, replayPath, type By } from "../access/capability.ts"
import { Site } from "../access/site.ts"

/**
 * A build for its pages. Once it is ready, `framePath` is the path of its running documents, and `filesPath` that of its files,
 * for an hour.
 */
export interface ShownBuild extends BuildView {
  readonly status: BuildStatus
  readonly framePath: string | undefined
  readonly filesPath: string | undefined
}

/** A build for its pages, of an account and for `by` the right of who looks. */
export const shownBuild = Effect.fnUntraced(function* (reader: Reader, by: By, build: BuildId) {
  const builds = yield* Builds
  const capabilities = yield* Capabilities
  const { content } = yield* Site
  const view = yield* builds.read(reader, build)
  const status = buildStatus(view.build, yield* DateTime.now)
  if (status !== "ready") return { ...view, status, framePath: undefined, filesPath: undefined }
  return {
    ...view,
    status,
    framePath: content.prefix + replayPath(yield* capabilities.issue({ opens: { build }, by })),
    filesPath: content.prefix + objectsPath(yield* capabilities.issue({ opens: { filesOf: build }, by }))
  }
})

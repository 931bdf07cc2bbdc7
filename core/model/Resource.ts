import { Schema } from "effect"
import { BuildId } from "./Build.ts"
import { ShareId } from "./Preview.ts"
import { TestRunId } from "./TestRun.ts"

/** A build, preview or test run by its id: what accounts delete, keep, share and audit. */
export const Resource = Schema.Union([
  Schema.Struct({ build: BuildId }),
  Schema.Struct({ preview: ShareId }),
  Schema.Struct({ run: TestRunId })
])
export type Resource = typeof Resource.Type

/** The kind of a resource and its id. */
export const kindAndIdOf = (resource: Resource): readonly [kind: "build" | "preview" | "run", id: string] => {
  if ("build" in resource) return ["build", resource.build]
  return "preview" in resource ? ["preview", resource.preview] : ["run", resource.run]
}

/** A resource as the subject of an audit entry: `build:ID`. */
export const subjectOf = (resource: Resource): string => kindAndIdOf(resource).join(":")

/** A resource as messages name it: `test run ID`. */
export const nameOfResource = (resource: Resource): string => {
  const [kind, id] = kindAndIdOf(resource)
  return `${kind === "run" ? "test run" : kind} ${id}`
}

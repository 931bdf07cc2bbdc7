import { Schema } from "effect"
import { BuildId } from "./Build.ts"
import { ShareId } from "./Preview.ts"
import { TestRunId } from "./TestRun.ts"
import { AccountId } from "./Account.ts"
import { idOf, text } from "./Text.ts"

/** A build, preview or test run by its id: what accounts delete, keep, share and audit. */
export const Resource = Schema.Union([
  Schema.Struct({ build: idOf(BuildId) }),
  Schema.Struct({ preview: idOf(ShareId) }),
  Schema.Struct({ run: idOf(TestRunId) })
])
export type Resource = typeof Resource.Type

/** The kind of a resource and its id. */
export const kindAndIdOf = (resource: Resource): readonly [kind: "build" | "preview" | "run", id: string] => {
  if ("build" in resource) return ["build", resource.build]
  return "preview" in resource ? ["preview", resource.preview] : ["run", resource.run]
}

/** What a link opens: a resource, or the badge of a branch. Its names are short enough for the indexes of all engines. */
export const Shared = Schema.Union([
  ...Resource.members,
  Schema.Struct({ badge: Schema.Struct({ owner: text(100), repo: text(100), branch: text(255) }) })
])
export type Shared = typeof Shared.Type

/** The kind of what a link opens, and what identifies it. */
export const sharedKindAndId = (shared: Shared): readonly [kind: string, id: string] => {
  if (!("badge" in shared)) return kindAndIdOf(shared)
  const { branch, owner, repo } = shared.badge
  return ["badge", `${owner}/${repo}/${branch}`]
}

/** A resource, or what a link opens, as the subject of an audit entry: `build:ID`. */
export const subjectOf = (shared: Shared): string => sharedKindAndId(shared).join(":")

/** A resource as messages name it: `test run ID`. */
export const nameOfResource = (resource: Resource): string => {
  const [kind, id] = kindAndIdOf(resource)
  return `${kind === "run" ? "test run" : kind} ${id}`
}

/** Ids sort by the creation time of the link (UUID version 7). */
export const ShareLinkId = Schema.String.pipe(Schema.brand("ShareLinkId"))
export type ShareLinkId = typeof ShareLinkId.Type

/**
 * A link that opens one resource of an account or one badge, read-only, for people without a key. The secret in its URL is never
 * stored; `secretHash` is its SHA-256.
 */
export const ShareLink = Schema.Struct({
  id: ShareLinkId,
  accountId: AccountId,
  shared: Shared,
  secretHash: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type ShareLink = typeof ShareLink.Type

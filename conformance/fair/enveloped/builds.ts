import { Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Repository } from "../parts/FairHost.ts"
import { Refusal } from "../parts/http.ts"
import { asList, type Body } from "../parts/json.ts"
import * as check from "./checks.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import { toObject, type Storage, type StoredObject } from "./storage.ts"

interface Build {
  readonly buildId: string
  readonly account: string
  readonly body: Body
  readonly bundle?: StoredObject
}

/** What a token of a build holds. */
interface HeldBuild {
  readonly buildId: string
  readonly body: Body
  readonly objects: ReadonlyArray<StoredObject>
}

/** Every field of the interface is required, and there is no other. */
const fields = Schema.Struct({
  owner: check.text(100),
  repo: check.text(100),
  branch: check.branch,
  platform: check.platform,
  commitSha: check.commit,
  contentHash: check.hash,
  bundleSizeBytes: check.wholeFrom(1),
  bundleContentType: check.mime,
  bundleOrigin: check.url,
  entry: check.text(200),
  isTransformed: Schema.Boolean,
  deviceSpec: Schema.Struct({ width: Schema.Finite, height: Schema.Finite }),
  files: Schema.Array(check.file)
})

const branchQuery = Schema.Struct({
  owner: check.text(100),
  repo: check.text(100),
  branch: check.branch,
  platform: Schema.optional(check.platform)
})

export const makeBuilds = (
  viewer: string,
  storage: Storage,
  kind: TokenKind,
  isLinked: (account: string, repository: Repository) => boolean
) => {
  /** In the order of their first reservation, which decides which is the latest of a branch. */
  const builds = new Map<string, Build>()
  const ids = new Map<string, string>()
  const stable = (buildId: string) => `${viewer}/view/builds/${buildId}`

  const row = ({ body, buildId, bundle }: Build) => ({
    buildId,
    state: bundle === undefined ? "AWAITING_UPLOAD" : "READY",
    url: stable(buildId),
    previewUrl: bundle === undefined ? null : `${stable(buildId)}/replay`,
    ...body
  })

  const reservations = makeTokens(kind, ({ body, buildId, objects }: HeldBuild, account) => {
    storage.verify(objects)
    const [bundle] = objects
    const build = { buildId, account, body, ...(bundle === undefined ? {} : { bundle }) }
    builds.set(buildId, build)
    return row(build)
  })

  return {
    reserve: (account: string, body: Body) => {
      check.insist(fields, body)
      const { branch, bundleContentType, bundleSizeBytes, commitSha, contentHash, owner, platform, repo } = body
      if (!isLinked(account, { owner: String(owner), repo: String(repo) })) throw new Refusal(422, "repository_unknown")
      const identity = JSON.stringify([account, owner, repo, branch, platform, commitSha])
      const buildId = ids.get(identity) ?? `bld_${randomUUID()}`
      ids.set(identity, buildId)
      if (!builds.has(buildId)) builds.set(buildId, { buildId, account, body })
      const objects = [
        toObject("bundle", { size: bundleSizeBytes, mime: bundleContentType, sha256: contentHash }),
        ...asList(body.files).map((one) => toObject("file", one))
      ]
      const token = reservations.issue(account, { buildId, body, objects })
      return { buildId, token, url: stable(buildId), uploads: objects.map(storage.slot) }
    },
    finalize: reservations.spend,
    read: (account: string, buildId: string) => {
      if (!buildId.startsWith("bld_")) throw new Refusal(400, "malformed_id")
      const build = builds.get(buildId)
      if (build?.account !== account) throw new Refusal(404, "not_found")
      return row(build)
    },
    /** The ready build that was first reserved last. A second upload of an older commit doesn't make it the latest. */
    latest: (account: string, query: Body) => {
      const { owner, repo } = query
      if (!isLinked(account, { owner: String(owner), repo: String(repo) })) throw new Refusal(404, "not_found")
      check.insist(branchQuery, query)
      const wanted = { branch: query.branch, platform: query.platform ?? "ios" }
      const found = [...builds.values()].findLast(
        (one) =>
          one.account === account &&
          one.bundle !== undefined &&
          one.body.owner === owner &&
          one.body.repo === repo &&
          one.body.branch === wanted.branch &&
          one.body.platform === wanted.platform
      )
      if (found === undefined) throw new Refusal(404, "no_build")
      return row(found)
    },
    /** The hosted bundle, for the account that it belongs to. */
    bundle: (account: string, buildId: string): Buffer | undefined => {
      const build = builds.get(buildId)
      return build?.account === account && build.bundle !== undefined ? storage.read(build.bundle) : undefined
    }
  }
}

import { randomUUID } from "node:crypto"
import type { Repository } from "../parts/FairHost.ts"
import { Refusal } from "../parts/http.ts"
import { asList, asText, type Body } from "../parts/json.ts"
import type { Document } from "./document.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import type { Versions } from "./replicas.ts"
import { toArtifact, type Artifact, type Storage } from "./storage.ts"

/** A build. The bundle is the one that it shows; absent until the first finalize. */
export interface Build extends Repository {
  readonly id: string
  readonly account: string
  readonly branch: string
  readonly platform: string
  readonly commitSha: string
  /** Counts reservations, because the latest build of a branch is the one that was reserved last. */
  readonly reservation: number
  readonly bundle?: Artifact
}

interface Held {
  readonly build: Build
  readonly artifacts: ReadonlyArray<Artifact>
}

const platforms: ReadonlyArray<unknown> = ["ios", "android"]

export const makeBuilds = (parts: {
  readonly viewer: string
  readonly storage: Storage
  readonly versions: Versions<Build>
  /** The next read sees the writes up to this time. */
  readonly asOf: () => number
  readonly tokens: TokenKind
  readonly isLinked: (account: string, repository: Repository) => boolean
}) => {
  const { asOf, isLinked, storage, tokens, versions, viewer } = parts
  const ids = new Map<string, string>()
  let reservations = 0

  const stable = (id: string) => `${viewer}/builds/${id}`
  const document = ({ account: _account, bundle, id, reservation: _reservation, ...shown }: Build): Document => ({
    data: {
      type: "builds",
      id,
      attributes: {
        ...shown,
        status: bundle === undefined ? { phase: "uploading" } : { phase: "done", bytes: bundle.length },
        url: stable(id),
        ...(bundle === undefined ? {} : { previewUrl: `${viewer}/replays/${id}` })
      }
    }
  })

  const finalizer = makeTokens(tokens, ({ artifacts, build }: Held): Document => {
    storage.promote(artifacts)
    const [bundle] = artifacts
    const reservation = versions.newest(build.id)?.reservation ?? build.reservation
    const ready = { ...build, reservation, ...(bundle === undefined ? {} : { bundle }) }
    versions.write(build.id, ready)
    return document(ready)
  })

  const identityIn = (body: Body) => {
    const [owner, repo, branch, sha] = [body.owner, body.repo, body.branch, body.commitSha].map(asText)
    const platform = asText(body.platform)
    const named = owner !== undefined && repo !== undefined && branch !== undefined && platform !== undefined
    if (!named || !platforms.includes(platform) || sha === undefined || !/^[0-9a-f]{40}$/i.test(sha)) {
      throw new Refusal(400, "invalid")
    }
    return { owner, repo, branch, platform, commitSha: sha.toLowerCase() }
  }

  return {
    reserve: (account: string, body: Body): Document => {
      const identity = identityIn(body)
      const { bundleContentType, bundleSizeBytes, files } = body
      const artifacts = [
        toArtifact("bundle", { length: bundleSizeBytes, mediaType: bundleContentType }),
        ...asList(files).map((one) => toArtifact("file", one))
      ]
      if (!isLinked(account, identity)) throw new Refusal(404, "unknown_repository")
      const same = JSON.stringify([account, identity])
      const id = ids.get(same) ?? randomUUID()
      ids.set(same, id)
      const build = { id, account, ...identity, ...versions.newest(id), reservation: ++reservations }
      versions.write(id, build)
      const token = finalizer.issue(account, { build, artifacts })
      return {
        data: { type: "reservations", id, attributes: { token, url: stable(id), buildId: id } },
        included: artifacts.map(storage.slot)
      }
    },
    finalize: finalizer.spend,
    read: (account: string, id: string): Document => {
      const build = versions.at(asOf()).get(id)
      if (build?.account !== account) throw new Refusal(404, "not_found")
      return document(build)
    },
    /** Also a build that is still being uploaded. `data` is null while the branch has none. */
    latest: (account: string, query: URLSearchParams): Document => {
      const { branch, owner = "", platform = "ios", repo = "" } = Object.fromEntries(query)
      if (!isLinked(account, { owner, repo })) throw new Refusal(404, "not_found")
      if (branch === undefined || !platforms.includes(platform)) throw new Refusal(400, "invalid")
      const [latest] = [...versions.at(asOf()).values()]
        .filter((one) => one.account === account && one.owner === owner && one.repo === repo)
        .filter((one) => one.branch === branch && one.platform === platform)
        .toSorted((a, b) => b.reservation - a.reservation)
      return latest === undefined ? { data: null } : document(latest)
    }
  }
}

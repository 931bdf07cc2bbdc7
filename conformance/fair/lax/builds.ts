import { Refusal } from "../parts/http.ts"
import { asBody, asList, asText, type Body } from "../parts/json.ts"
import type { Links } from "./links.ts"
import { piece, repositoryOf, word, type Piece } from "./reading.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import type { Uploads } from "./uploads.ts"

interface Build {
  readonly id: string
  readonly account: string
  readonly of: string
  readonly branch: string
  readonly platform: string
  readonly commitSha: string
  /** Absent until the first finalize. */
  readonly bundle?: Buffer
}

/** What the token of a build holds. */
interface HeldBuild {
  readonly build: Build
  readonly pieces: ReadonlyArray<Piece>
}

const platforms = ["ios", "android"]

export const makeBuilds = (
  links: Links,
  uploads: Uploads,
  kind: TokenKind,
  isLinked: (account: string, owner: unknown, repo: unknown) => boolean
) => {
  const ids = new Map<string, string>()
  /** By id, in the order of their last finalize. */
  const builds = new Map<string, Build>()

  const row = ({ account: _account, of: _of, bundle, id, ...shown }: Build) => ({
    ...shown,
    status: bundle === undefined ? "pending" : "ok",
    ...(bundle === undefined ? {} : { previewUrl: links.opening("replay", id) }),
    url: links.page("b", id)
  })

  const tokens = makeTokens(kind, ({ build, pieces }: HeldBuild) => {
    const ready = { ...build, bundle: uploads.collect(pieces) }
    builds.delete(build.id)
    builds.set(build.id, ready)
    return { build: row(ready) }
  })

  return {
    reserve: (account: string, body: Body) => {
      if (!isLinked(account, body.owner, body.repo)) throw new Refusal(404, "not_found")
      const [branch, commitSha] = [asText(body.branch) ?? "main", String(body.commitSha).toLowerCase()]
      if (!/^[0-9a-f]{40}$/.test(commitSha)) throw new Refusal(400, "invalid_commit")
      const platform = word(body.platform, platforms)
      const pieces = [
        piece("bundle", { size: body.bundleSizeBytes, type: body.bundleContentType }),
        ...asList(body.files).map((one) => piece("file", { ...asBody(one), name: asBody(one).path }))
      ]
      const of = repositoryOf(body.owner, body.repo)
      const identity = [account, of, branch, platform, commitSha].join("\n")
      const id = ids.get(identity) ?? crypto.randomUUID()
      ids.set(identity, id)
      const build = { id, account, of, branch, platform, commitSha }
      if (!builds.has(id)) builds.set(id, build)
      const token = tokens.issue(account, { build, pieces })
      return { upload: { token, slots: uploads.slots(pieces) }, url: links.page("b", id) }
    },
    finalize: tokens.spend,
    read: (account: string, id: string) => {
      const build = builds.get(id)
      if (build?.account !== account) throw new Refusal(404, "not_found")
      return { build: row(build) }
    },
    /** The build that was finalized last; `undefined` while the branch has none. */
    latest: (account: string, query: URLSearchParams) => {
      if (!isLinked(account, query.get("owner"), query.get("repo"))) throw new Refusal(404, "not_found")
      const [branch, platform] = [query.get("branch") ?? "main", word(query.get("platform"), platforms)]
      const latest = [...builds.values()].findLast(
        (one) =>
          one.account === account &&
          one.of === repositoryOf(query.get("owner"), query.get("repo")) &&
          one.branch === branch &&
          one.platform === platform &&
          one.bundle !== undefined
      )
      return latest === undefined ? undefined : { build: row(latest) }
    },
    bundle: (id: string): Buffer | undefined => builds.get(id)?.bundle,
    isOf: (account: string, id: string): boolean => builds.get(id)?.account === account
  }
}

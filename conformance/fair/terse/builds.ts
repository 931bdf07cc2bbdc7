import { randomUUID } from "node:crypto"
import type { Repository } from "../parts/FairHost.ts"
import { Refusal } from "../parts/http.ts"
import { asText, type Body } from "../parts/json.ts"
import { declared, declaredList, type Declared } from "./declared.ts"
import { slotsOf } from "./slots.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import type { Uploads } from "./uploads.ts"

/** The fields by which two uploads are the same build. */
interface Identity extends Repository {
  readonly account: string
  readonly branch: string
  readonly platform: string
  readonly commitSha: string
}

/** What a token of a build holds. */
interface HeldBuild {
  readonly uuid: string
  readonly identity: Identity
  readonly objects: ReadonlyArray<Declared>
}

const platforms: ReadonlyArray<unknown> = ["ios", "android"]

const identityIn = (account: string, body: Body): Identity => {
  const [owner, repo, branch, commitSha] = [body.owner, body.repo, body.branch, body.commitSha].map(asText)
  const platform = body.platform === undefined ? "ios" : asText(body.platform)
  const whole = owner !== undefined && repo !== undefined && branch !== undefined && platform !== undefined
  if (!whole || !platforms.includes(platform) || commitSha === undefined || !/^[0-9a-f]{40}$/i.test(commitSha)) {
    throw new Refusal(400, "body")
  }
  return { account, owner, repo, branch, platform, commitSha }
}

export const makeBuilds = (
  url: string,
  uploads: Uploads,
  kind: TokenKind,
  isLinked: (account: string, repository: Repository) => boolean
) => {
  const uuids = new Map<string, string>()
  /** The ready ones, in the order of their last finalize. Nobody can read a build before. */
  const ready = new Map<string, { readonly identity: Identity; readonly bundle: Buffer }>()
  const stable = (uuid: string) => `${url}/b/${uuid}`
  const row = (uuid: string) => ({ uuid, status: "live", url: stable(uuid), previewUrl: `${url}/replay/${uuid}` })

  const tokens = makeTokens(kind, ({ identity, objects, uuid }: HeldBuild) => {
    const bundle = uploads.take(objects).get("/") ?? Buffer.alloc(0)
    ready.delete(uuid)
    ready.set(uuid, { identity, bundle })
    return row(uuid)
  })

  return {
    reserve: (account: string, body: Body) => {
      const identity = identityIn(account, body)
      const objects = [declared("/", body.bundleSizeBytes, body.bundleContentType), ...declaredList(body.files)]
      if (!isLinked(account, identity)) throw new Refusal(403, "repository")
      const same = JSON.stringify(identity)
      const uuid = uuids.get(same) ?? randomUUID()
      uuids.set(same, uuid)
      const token = tokens.issue(account, { uuid, identity, objects })
      return { token, url: stable(uuid), slots: slotsOf(objects, uploads) }
    },
    finalize: tokens.spend,
    read: (account: string, uuid: string) => {
      if (ready.get(uuid)?.identity.account !== account) throw new Refusal(404, "not_found")
      return row(uuid)
    },
    latest: (account: string, query: URLSearchParams) => {
      const { branch, owner = "", platform = "ios", repo = "" } = Object.fromEntries(query)
      if (!isLinked(account, { owner, repo })) throw new Refusal(404, "not_found")
      if (branch === undefined || !platforms.includes(platform)) throw new Refusal(400, "query")
      const isOfBranch = ({ identity }: { readonly identity: Identity }) =>
        identity.account === account &&
        identity.owner === owner &&
        identity.repo === repo &&
        identity.branch === branch &&
        identity.platform === platform
      const [uuid] = [...ready].findLast(([, build]) => isOfBranch(build)) ?? []
      if (uuid === undefined) throw new Refusal(404, "not_found")
      return row(uuid)
    },
    bundle: (uuid: string): Buffer | undefined => ready.get(uuid)?.bundle
  }
}

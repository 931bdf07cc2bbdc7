import {
  asBody,
  asCount,
  asText,
  eachDeclared,
  makeAccounts,
  makeApi,
  makeSeal,
  makeTokens,
  Refusal,
  refusing,
  settle,
  stopAll,
  type HttpResponse,
  type Ask,
  type Body,
  type Repository,
  type Role,
  type Start,
  type TokenKind
} from "./FairHost.ts"
import type { Bindings } from "../config/Config.ts"
import { gzipSync } from "node:zlib"
import { randomBytes, randomUUID } from "node:crypto"

const artifact = { length: "{sizeBytes}", mediaType: "{contentType}" }

/** What a client of this host must know. */
const bindings: Bindings = {
  key: { header: "authorization", value: "Basic {basic}" },
  bodies: {
    file: { name: "{path}", ...artifact },
    recording: { name: "{name}", ...artifact },
    buildReserve: {},
    previewReserve: {
      data: {
        type: "previews",
        attributes: {
          bundle: { length: "{bundleSizeBytes}", mediaType: "{bundleContentType}" },
          viewport: { size: "{width}x{height}", os: "{platform}" },
          media: { files: "{files}", recordings: "{recordings}" },
          source: { remote: "{owner}/{repo}", ref: "{branch}", sha: "{commitSha}" },
          billingKind: "{billingKind}"
        }
      }
    },
    previewFinalize: { data: { type: "finalizations", attributes: { token: "{token}" } } },
    runRegister: { source: "{source}", pr: "{pr}" }
  },
  answers: {
    buildId: "/data/id",
    buildStatus: "/data/attributes/status",
    previewUrl: "/data/attributes/url",
    runs: "/data",
    runStatus: "/attributes/outcome",
    runName: "/attributes/label",
    account: "/data/attributes/account"
  },
  uploadUrl: {},
  passed: "pass",
  cursorParameter: "cursor"
}

/** A resource in `data` or `included` of JSON:API. */
interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes: object
}

interface Document {
  readonly data: Resource | ReadonlyArray<Resource> | null
  readonly included?: ReadonlyArray<Resource>
  readonly links?: object
}

/** Where the links of builds, previews and runs lead to. Nothing listens there. */
const viewer = "https://viewer.example"

const headers = { "content-type": "application/vnd.api+json", vary: "accept-encoding" }

const reply = (
  { headers: asked }: Ask,
  status: number,
  value: unknown,
  more: HttpResponse["headers"] = {}
): HttpResponse => {
  const body = JSON.stringify(value)
  return String(asked["accept-encoding"]).includes("gzip")
    ? { status, headers: { ...headers, ...more, "content-encoding": "gzip" }, body: gzipSync(body) }
    : { status, headers: { ...headers, ...more }, body }
}

/** The document, compressed when the client accepts that. */
const answerWith = (ask: Ask, status: number, document: Document): HttpResponse => reply(ask, status, document)

/** A document of one error. */
const answerRefusal = ({ code, status }: Refusal, ask: Ask): HttpResponse =>
  reply(
    ask,
    status,
    { errors: [{ status: String(status), code, title: code.replaceAll("_", " ") }] },
    status === 401 ? { "www-authenticate": 'Basic realm="hosting"' } : {}
  )

/** Every write of one kind of resource, with its time. */
interface Versions<Row> {
  readonly write: (id: string, row: Row) => void
  /** The current state, without delay. */
  readonly newest: (id: string) => Row | undefined
  /** The state at that time, in the order of the first write of each id. */
  readonly at: (time: number) => ReadonlyMap<string, Row>
}

const makeVersions = <Row>(now: () => number): Versions<Row> => {
  const written = new Map<string, Array<{ readonly at: number; readonly row: Row }>>()
  return {
    write: (id, row) => {
      const versions = written.get(id) ?? []
      written.set(id, versions)
      versions.push({ at: now(), row })
    },
    newest: (id) => written.get(id)?.at(-1)?.row,
    at: (time) => {
      const rows = new Map<string, Row>()
      for (const [id, versions] of written) {
        const seen = versions.findLast(({ at }) => at <= time)
        if (seen !== undefined) rows.set(id, seen.row)
      }
      return rows
    }
  }
}

/**
 * Replicas that lag behind the writer by these milliseconds and answer in turn. Answers the time up to which the next
 * of them has come: what one read has seen, the one after it may not see yet.
 */
const makeReplicas = (now: () => number, lagsMs: ReadonlyArray<number>): (() => number) => {
  let turn = 0
  return () => now() - (lagsMs[turn++ % lagsMs.length] ?? 0)
}

/** An object that was declared. */
interface Artifact {
  readonly id: string
  readonly role: Role
  readonly name: string
  readonly length: number
  readonly mediaType: string
}

/** The artifact that an item declares. */
const toArtifact = (role: Role, item: unknown): Artifact => {
  const { mediaType, name } = asBody(item)
  const length = asCount(asBody(item).length)
  const [declaredName, declaredType] = [role === "bundle" ? "bundle" : asText(name), asText(mediaType)]
  if (declaredName === undefined || declaredType === undefined || length === undefined)
    throw new Refusal(400, "invalid")
  return { id: randomUUID(), role, name: declaredName, length, mediaType: declaredType }
}

/** The content type that every PUT must send. The object's own type comes from its declaration. */
const sent = "application/octet-stream"

/**
 * Objects on an origin of their own. A PUT answers 201, also when its object has arrived before: then the bytes are
 * received and discarded.
 */
const makeStorage = (origin: string, now: () => number, putLifeMs: number) => {
  const seal = makeSeal()
  const arrived = new Set<string>()

  const put = ({ body, headers, method, path, query }: Ask): HttpResponse => {
    if (method !== "PUT") throw new Refusal(405, "only PUT")
    const [length = "", until = ""] = [query.get("length") ?? "", query.get("until") ?? ""]
    if (!seal.fits(["PUT", path, length, sent, until], query.get("signature") ?? ""))
      throw new Refusal(401, "signature")
    if (Number(until) <= now()) throw new Refusal(410, "too late")
    if (headers["content-type"] !== sent || body.length !== Number(length)) throw new Refusal(400, "not as declared")
    arrived.add(path.slice("/staged/".length))
    return { status: 201 }
  }

  return {
    slot: ({ id, length, name, role }: Artifact): Resource => {
      const [path, until] = [`/staged/${id}`, now() + putLifeMs]
      const signature = seal.sign(["PUT", path, length, sent, until])
      const putUrl = `${origin}${path}?length=${length}&until=${until}&signature=${signature}`
      return {
        type: "slots",
        id,
        attributes: { for: role, name, putUrl, contentType: sent, objectKey: `staged/${id}` }
      }
    },
    /** Refuses, with 412, when an object hasn't arrived. */
    insist: (artifacts: ReadonlyArray<Artifact>): void => {
      if (artifacts.some(({ id }) => !arrived.has(id))) throw new Refusal(412, "upload_incomplete")
    },
    answer: refusing(put, ({ code, status }) => ({ status, body: `${code}\n` }))
  }
}

type Storage = ReturnType<typeof makeStorage>

/** A build. The bundle is the one that it shows; absent until the first finalize. */
interface Build extends Repository {
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

/** What builds, previews and runs need of their host. */
interface Shared {
  readonly storage: Storage
  /** The next read sees the writes up to this time. */
  readonly asOf: () => number
  readonly tokens: TokenKind
  readonly isLinked: (account: string, repository: Repository) => boolean
}

const makeBuilds = ({ asOf, isLinked, storage, tokens }: Shared, versions: Versions<Build>) => {
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
    storage.insist(artifacts)
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
      const bundle = { length: bundleSizeBytes, mediaType: bundleContentType }
      const artifacts = eachDeclared(toArtifact, { bundle, files })
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

interface Preview {
  readonly shareId: string
  readonly account: string
  readonly attributes: Body
  readonly artifacts: ReadonlyArray<Artifact>
  readonly hosted: boolean
}

/** The attributes of the resource that a request brings. */
const attributesOf = (body: Body): Body => asBody(asBody(body.data).attributes)

const hostedUrl = (shareId: string) => `${viewer}/previews/${shareId}`

const makePreviews = ({ asOf, storage, tokens }: Shared, versions: Versions<Preview>) => {
  const document = ({ account, artifacts, attributes, shareId }: Preview): Document => {
    const shown = (role: Role) =>
      artifacts.filter((one) => one.role === role).map(({ length, mediaType, name }) => ({ name, length, mediaType }))
    return {
      data: {
        type: "previews",
        id: shareId,
        attributes: {
          url: hostedUrl(shareId),
          viewport: asBody(attributes.viewport),
          media: { files: shown("file"), recordings: shown("recording") },
          source: asBody(attributes.source),
          billingKind: attributes.billingKind ?? "none",
          account: { name: account }
        }
      }
    }
  }

  const finalizer = makeTokens(tokens, (preview: Preview): Document => {
    storage.insist(preview.artifacts)
    versions.write(preview.shareId, { ...preview, hosted: true })
    return document(preview)
  })

  return {
    reserve: (account: string, body: Body): Document => {
      const attributes = attributesOf(body)
      const { files, recordings } = asBody(attributes.media)
      const artifacts = eachDeclared(toArtifact, { bundle: attributes.bundle, files, recordings })
      const shareId = randomBytes(9).toString("hex")
      const preview = { shareId, account, attributes, artifacts, hosted: false }
      versions.write(shareId, preview)
      return {
        data: { type: "reservations", id: shareId, attributes: { shareId, token: finalizer.issue(account, preview) } },
        included: artifacts.map(storage.slot)
      }
    },
    finalize: (account: string, body: Body): Document => finalizer.spend(account, attributesOf(body).token),
    read: (account: string, shareId: string): Document => {
      const preview = versions.at(asOf()).get(shareId)
      if (preview?.account !== account) throw new Refusal(404, "not_found")
      if (!preview.hosted) throw new Refusal(409, "not_hosted_yet")
      return document(preview)
    }
  }
}

interface Run {
  readonly id: string
  readonly account: string
  /** Counts the runs from 1. */
  readonly number: number
  readonly body: Body
  readonly links: { readonly previewUrl: string; readonly traceUrl: string }
}

/** The filters, and the field of a registration that each compares. The status is compared as it was sent. */
const filters = ["branch", "kind", "status", "source", "pr"] as const

const makeTestRuns = (
  { api, asOf, isLinked, previews }: Shared & { readonly api: string; readonly previews: Versions<Preview> },
  versions: Versions<Run>
) => {
  let count = 0

  const resource = ({ body, id, links }: Run): Resource => {
    const { name, prompt, status, ...reported } = body
    const outcome = status === "passed" ? "pass" : "fail"
    return { type: "runs", id, attributes: { ...reported, label: name ?? prompt, prompt, outcome, ...links } }
  }

  return {
    register: (account: string, body: Body): Document => {
      const { kind, name, previewShareId, prompt } = body
      const [owner, repo] = [asText(body.owner), asText(body.repo)]
      const known = kind === "maestro" || kind === "detox"
      const named = asText(name) !== undefined || asText(prompt) !== undefined
      if (!known || !named || owner === undefined || repo === undefined) throw new Refusal(400, "invalid")
      if (!isLinked(account, { owner, repo })) throw new Refusal(404, "unknown_repository")
      const preview = previews.newest(String(previewShareId))
      if (preview?.account !== account) throw new Refusal(404, "unknown_preview")
      if (!preview.hosted) throw new Refusal(409, "not_hosted_yet")
      const id = randomUUID()
      const links = { previewUrl: hostedUrl(preview.shareId), traceUrl: `${viewer}/traces/${id}` }
      const run = { id, account, number: ++count, body, links }
      versions.write(id, run)
      return { data: resource(run) }
    },
    /** The next page is at `links.next`. */
    list: (account: string, query: URLSearchParams): Document => {
      const repository = { owner: query.get("org") ?? "", repo: query.get("repo") ?? "" }
      if (!isLinked(account, repository)) throw new Refusal(403, "unknown_repository")
      const limit = Math.trunc(Number(query.get("limit") ?? 20))
      const size = Number.isNaN(limit) ? 20 : Math.min(100, Math.max(1, limit))
      const below = Number(query.get("below") ?? Number.POSITIVE_INFINITY)
      const wanted = filters.filter((name) => query.has(name))
      const found = [...versions.at(asOf()).values()]
        .filter((run) => run.account === account && run.number < below)
        .filter(({ body }) => body.owner === repository.owner && body.repo === repository.repo)
        .filter(({ body }) => wanted.every((name) => String(body[name]) === query.get(name)))
        .toReversed()
      const page = found.slice(0, size)
      const next = new URLSearchParams(query)
      next.set("below", String(page.at(-1)?.number ?? 0))
      const link = found.length > size ? `${api}/api/v1/test-runs?${next}` : null
      return { data: page.map(resource), links: { next: link } }
    }
  }
}

/**
 * The host of many machines: JSON:API, compressed; API, storage and viewer on an origin each; and reads from two
 * replicas in turn, one of which lags 300 ms behind.
 */
export const eventual: Start = async (options = {}) => {
  const { listen, lives, now } = settle(options)
  const [api, store] = await Promise.all([listen(), listen()])
  const { a, b, callers, isLinked } = makeAccounts("eventual", () => randomBytes(16).toString("base64url"))

  const tokens = {
    now,
    lifeMs: lives.tokenMs,
    issue: () => randomBytes(24).toString("base64url"),
    refusals: {
      unknown: new Refusal(404, "unknown_token"),
      foreign: new Refusal(409, "reserved_by_another_account"),
      expired: new Refusal(410, "token_expired")
    }
  }
  const asOf = makeReplicas(now, [0, 300])
  const storage = makeStorage(store.url, now, lives.putUrlMs)
  const shared = { storage, asOf, tokens, isLinked }
  const builds = makeBuilds(shared, makeVersions(now))
  const previewVersions = makeVersions<Preview>(now)
  const previews = makePreviews(shared, previewVersions)
  const runs = makeTestRuns({ ...shared, api: api.url, previews: previewVersions }, makeVersions(now))

  const invalid = new Refusal(400, "invalid")
  const host = {
    callers,
    scheme: "Basic",
    keyOf: (credentials: string) => Buffer.from(credentials, "base64").toString().split(":")[0] ?? "",
    billingKind: (body: Body) => attributesOf(body).billingKind,
    refusals: {
      endpoint: new Refusal(404, "no_such_endpoint"),
      key: new Refusal(401, "key_wanted"),
      scope: new Refusal(403, "scope_wanted"),
      body: invalid,
      operation: invalid
    }
  }
  const answerApi = makeApi(host, {
    reserveBuild: ({ account, ask, body }) => answerWith(ask, 201, builds.reserve(account, body)),
    finalizeBuild: ({ account, ask, body }) => answerWith(ask, 201, builds.finalize(account, body.token)),
    latestBuild: ({ account, ask }) => answerWith(ask, 200, builds.latest(account, ask.query)),
    readBuild: ({ account, ask, id }) => answerWith(ask, 200, builds.read(account, id)),
    reservePreview: ({ account, ask, body }) => answerWith(ask, 201, previews.reserve(account, body)),
    finalizePreview: ({ account, ask, body }) => answerWith(ask, 201, previews.finalize(account, body)),
    readPreview: ({ account, ask, id }) => answerWith(ask, 200, previews.read(account, id)),
    registerRun: ({ account, ask, body }) => answerWith(ask, 201, runs.register(account, body)),
    listRuns: ({ account, ask }) => answerWith(ask, 200, runs.list(account, ask.query))
  })

  api.answer(refusing(answerApi, answerRefusal))
  store.answer(storage.answer)
  return { url: api.url, accounts: { a, b }, bindings, consistencyWindowMs: 1000, stop: stopAll(api, store) }
}

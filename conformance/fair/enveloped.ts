import {
  asBody,
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
import { Script } from "node:vm"
import { crc32 } from "node:zlib"
import { Option, Schema } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"

const artifact = { size: "{sizeBytes}", mime: "{contentType}", sha256: "{contentHash}" }

/** What a client of this host must know. */
const bindings: Bindings = {
  key: { header: "authorization", value: "Token {key}" },
  bodies: {
    file: { path: "{path}", ...artifact },
    recording: { name: "{name}", ...artifact },
    buildReserve: {},
    previewReserve: {
      bundle: {
        size: "{bundleSizeBytes}",
        mime: "{bundleContentType}",
        sha256: "{contentHash}",
        origin: "{bundleOrigin}",
        entry: "{entry}",
        transformed: "{isTransformed}"
      },
      device: { platform: "{platform}", width: "{width}", height: "{height}" },
      files: "{files}",
      recordings: "{recordings}",
      provenance: {
        owner: "{owner}",
        repo: "{repo}",
        branch: "{branch}",
        commitSha: "{commitSha}",
        pullRequest: "{pr}"
      },
      billingKind: "{billingKind}"
    },
    previewFinalize: { shareId: "{shareId}", token: "{token}" },
    runRegister: {}
  },
  answers: {
    buildId: "/data/buildId",
    buildStatus: "/data/state",
    previewUrl: "/data/preview/url",
    runs: "/data/items",
    runStatus: "/status",
    runName: "/title",
    account: "/data/owner"
  },
  uploadUrl: {},
  passed: "passed",
  cursorParameter: "after"
}

const isPng = (bytes: Buffer): boolean => {
  if (bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") return false
  let at = 8
  let last = ""
  while (at + 12 <= bytes.length && last !== "IEND") {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length || bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) return false
    last = bytes.toString("latin1", at + 4, at + 8)
    at = end + 4
  }
  return last === "IEND" && at === bytes.length
}

const parsed = (parse: () => unknown): boolean => {
  try {
    parse()
    return true
  } catch {
    return false
  }
}

const parsers: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "text/javascript": (bytes) => parsed(() => new Script(bytes.toString())),
  "application/json": (bytes) => parsed(() => JSON.parse(bytes.toString())),
  "image/svg+xml": (bytes) => /^<svg[\s>].*<\/svg>\s*$/s.test(bytes.toString()),
  "text/css": (bytes) => /^(?:[^{}]+\{[^{}]*\}\s*)+$/.test(bytes.toString()),
  "image/png": isPng,
  "video/webm": (bytes) => bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3
}

/** Whether bytes are what their type says, as far as this host can parse it. */
const isOfItsType = (mime: string, bytes: Buffer): boolean => parsers[mime.split(";")[0]?.trim() ?? ""]?.(bytes) ?? true

const textField = (longest: number) => Schema.NonEmptyString.check(Schema.isMaxLength(longest))
const matchingField = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
const wholeFromField = (least: number) => Schema.Int.check(Schema.isGreaterThanOrEqualTo(least))

const urlField = Schema.String.check(Schema.makeFilter((value) => URL.canParse(value)))
const platformField = Schema.Literals(["ios", "android"])
const hashField = matchingField(/^[0-9a-f]{64}$/)
const commitField = matchingField(/^[0-9a-f]{40}$/)
const mimeField = matchingField(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/)
const branchField = textField(100)
const fileField = Schema.Struct({ path: textField(200), size: wholeFromField(1), mime: mimeField, sha256: hashField })

/** Refuses, with 422, a body with an unknown, a missing or a wrong field. */
const insist = (schema: Schema.Top & { readonly DecodingServices: never }, body: Body): Body => {
  const fits = Schema.decodeUnknownOption(schema)(body, { onExcessProperty: "error" })
  if (Option.isNone(fits)) throw new Refusal(422, "unprocessable")
  return body
}

/** A bucket of `burst` requests for each key, refilled at `perSecond`. Answers whether one more may pass. */
const makeRateLimit = (now: () => number, burst: number, perSecond: number): ((key: string) => boolean) => {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>()
  return (key) => {
    const { at, left } = buckets.get(key) ?? { at: now(), left: burst }
    const filled = Math.min(burst, left + ((now() - at) / 1000) * perSecond)
    buckets.set(key, { left: filled < 1 ? filled : filled - 1, at: now() })
    return filled >= 1
  }
}

/** An object that was declared, and the key that it has in the bucket. */
interface StoredObject {
  readonly role: Role
  readonly name: string
  readonly objectKey: string
  readonly size: number
  readonly mime: string
  readonly sha256: string
}

/** The object that checked fields declare. */
const toObject = (role: Role, fields: unknown): StoredObject => {
  const { mime, name, path, sha256, size } = asBody(fields)
  return {
    role,
    name: String(path ?? name ?? ""),
    objectKey: `uploads/${randomUUID()}`,
    size: Number(size),
    mime: String(mime),
    sha256: String(sha256)
  }
}

/**
 * An object store with an origin of its own, after the manner of S3: the URL's signature covers headers that are not in
 * it, an object is written once, refusals are XML, and a request that brings credentials beside the signature is refused.
 */
const makeStorage = (origin: string, now: () => number, lifeMs: number) => {
  const seal = makeSeal()
  const objects = new Map<string, Buffer>()

  const put = ({ body, headers, method, path, query }: Ask): HttpResponse => {
    if (headers.authorization !== undefined) throw new Refusal(400, "InvalidArgument")
    const length = headers["content-length"]
    if (length === undefined) throw new Refusal(411, "MissingContentLength")
    const expires = query.get("X-Expires") ?? ""
    const signed = [method, path, headers["content-type"] ?? "", length, expires]
    if (!seal.fits(signed, query.get("X-Signature") ?? "")) throw new Refusal(403, "SignatureDoesNotMatch")
    if (Number(expires) <= now()) throw new Refusal(403, "AccessDenied")
    if (objects.has(path)) throw new Refusal(412, "PreconditionFailed")
    objects.set(path, body)
    return { status: 200, headers: { etag: `"${createHash("md5").update(body).digest("hex")}"` } }
  }

  return {
    slot: ({ mime, name, objectKey, role, size }: StoredObject) => {
      const path = `/artifacts/${objectKey}`
      const expires = now() + lifeMs
      const signature = seal.sign(["PUT", path, mime, size, expires])
      const putUrl = `${origin}${path}?X-Expires=${expires}&X-Signature=${signature}`
      return {
        role,
        name,
        putUrl,
        contentType: mime,
        objectKey,
        headers: {},
        expiresAt: new Date(expires).toISOString()
      }
    },
    put: refusing(put, ({ code, status }) => ({
      status,
      headers: { "content-type": "application/xml" },
      body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
    })),
    /** Refuses, with 422, unless every object is there, has its digest, and is what its type says. */
    verify: (declared: ReadonlyArray<StoredObject>): void => {
      for (const { mime, objectKey, sha256 } of declared) {
        const bytes = objects.get(`/artifacts/${objectKey}`)
        if (bytes === undefined) throw new Refusal(422, "objects_missing")
        if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw new Refusal(422, "digest_mismatch")
        if (!isOfItsType(mime, bytes)) throw new Refusal(422, "not_of_its_type")
      }
    }
  }
}

type Storage = ReturnType<typeof makeStorage>

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
const buildFields = Schema.Struct({
  owner: textField(100),
  repo: textField(100),
  branch: branchField,
  platform: platformField,
  commitSha: commitField,
  contentHash: hashField,
  bundleSizeBytes: wholeFromField(1),
  bundleContentType: mimeField,
  bundleOrigin: urlField,
  entry: textField(200),
  isTransformed: Schema.Boolean,
  deviceSpec: Schema.Struct({ width: Schema.Finite, height: Schema.Finite }),
  files: Schema.Array(fileField)
})

const branchQuery = Schema.Struct({
  owner: textField(100),
  repo: textField(100),
  branch: branchField,
  platform: Schema.optional(platformField)
})

const makeBuilds = (
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
      insist(buildFields, body)
      const { branch, bundleContentType, bundleSizeBytes, commitSha, contentHash, owner, platform, repo } = body
      if (!isLinked(account, { owner: String(owner), repo: String(repo) })) throw new Refusal(422, "repository_unknown")
      const identity = JSON.stringify([account, owner, repo, branch, platform, commitSha])
      const buildId = ids.get(identity) ?? `bld_${randomUUID()}`
      ids.set(identity, buildId)
      if (!builds.has(buildId)) builds.set(buildId, { buildId, account, body })
      const bundle = { size: bundleSizeBytes, mime: bundleContentType, sha256: contentHash }
      const objects = eachDeclared(toObject, { bundle, files: body.files })
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
      insist(branchQuery, query)
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
    }
  }
}

interface Preview {
  readonly shareId: string
  readonly account: string
  readonly body: Body
  readonly objects: ReadonlyArray<StoredObject>
  readonly state: "RESERVED" | "HOSTED"
}

const size = wholeFromField(1)
const previewFields = Schema.Struct({
  bundle: Schema.Struct({
    size,
    mime: mimeField,
    sha256: hashField,
    origin: urlField,
    entry: textField(200),
    transformed: Schema.Boolean
  }),
  device: Schema.Struct({ platform: platformField, width: Schema.Finite, height: Schema.Finite }),
  files: Schema.Array(fileField),
  recordings: Schema.Array(Schema.Struct({ name: textField(200), size, mime: mimeField, sha256: hashField })),
  provenance: Schema.Struct({
    owner: textField(100),
    repo: textField(100),
    branch: branchField,
    commitSha: commitField,
    pullRequest: wholeFromField(1)
  }),
  billingKind: Schema.optional(textField(50))
})

const finalization = Schema.Struct({ shareId: textField(100), token: textField(100) })

const makePreviews = (
  viewer: string,
  storage: Storage,
  kind: TokenKind,
  isLinked: (account: string, repository: Repository) => boolean
) => {
  const previews = new Map<string, Preview>()
  const hostedUrl = (shareId: string) => `${viewer}/view/previews/${shareId}`
  const owned = (account: string, shareId: string): Preview | undefined => {
    const preview = previews.get(shareId)
    return preview?.account === account ? preview : undefined
  }

  const reservations = makeTokens(kind, (preview: Preview, _, said) => {
    const { objects, shareId } = preview
    if (said !== shareId) throw new Refusal(422, "unprocessable")
    storage.verify(objects)
    previews.set(shareId, { ...preview, state: "HOSTED" })
    return { shareId, url: hostedUrl(shareId) }
  })

  return {
    owned,
    hostedUrl,
    reserve: (account: string, body: Body) => {
      insist(previewFields, body)
      const { owner, repo } = asBody(body.provenance)
      if (!isLinked(account, { owner: String(owner), repo: String(repo) })) throw new Refusal(422, "repository_unknown")
      const { bundle, files, recordings } = body
      const objects = eachDeclared(toObject, { bundle, files, recordings })
      const shareId = `shr_${randomUUID()}`
      const preview: Preview = { shareId, account, body, objects, state: "RESERVED" }
      previews.set(shareId, preview)
      return { shareId, token: reservations.issue(account, preview), uploads: objects.map(storage.slot) }
    },
    finalize: (account: string, body: Body) => {
      insist(finalization, body)
      return { preview: reservations.spend(account, body.token, body.shareId) }
    },
    read: (account: string, shareId: string) => {
      if (!shareId.startsWith("shr_")) throw new Refusal(400, "malformed_id")
      const preview = previews.get(shareId)
      if (preview === undefined) throw new Refusal(404, "preview_unknown")
      if (preview.account !== account) throw new Refusal(403, "forbidden")
      const { billingKind = null, device, provenance } = preview.body
      const withRole = (role: Role) =>
        preview.objects.filter((one) => one.role === role).map(({ mime, name, size }) => ({ name, size, mime }))
      return {
        shareId,
        state: preview.state,
        url: hostedUrl(shareId),
        device,
        artifacts: { files: withRole("file"), recordings: withRole("recording") },
        provenance,
        owner: { account },
        billingKind
      }
    }
  }
}

type Previews = ReturnType<typeof makePreviews>

const runFields = Schema.Struct({
  kind: Schema.Literals(["maestro", "detox"]),
  name: Schema.optional(textField(500)),
  prompt: Schema.optional(textField(5000)),
  status: Schema.String,
  owner: textField(100),
  repo: textField(100),
  branch: branchField,
  commitSha: commitField,
  previewShareId: textField(100),
  stepCount: wholeFromField(0),
  durationMs: wholeFromField(0),
  failureMessage: Schema.optional(Schema.String),
  failedStepIndex: Schema.optional(wholeFromField(0))
})

const query = Schema.Struct({
  org: textField(100),
  repo: textField(100),
  branch: Schema.optional(branchField),
  kind: Schema.optional(runFields.fields.kind),
  status: Schema.optional(Schema.Literals(["passed", "failed"])),
  source: Schema.optional(Schema.Literals(["api"])),
  pr: Schema.optional(matchingField(/^\d+$/)),
  limit: Schema.optional(matchingField(/^-?\d+$/)),
  after: Schema.optional(textField(100))
})

const makeTestRuns = (
  viewer: string,
  previews: Previews,
  isLinked: (account: string, repository: Repository) => boolean
) => {
  /** Newest first. */
  const runs: Array<Body> = []

  return {
    register: (account: string, body: Body) => {
      insist(runFields, body)
      const { failedStepIndex, failureMessage, name, owner, previewShareId, prompt, repo, status, ...rest } = body
      if (name === undefined && prompt === undefined) throw new Refusal(422, "unprocessable")
      if (!isLinked(account, { owner: String(owner), repo: String(repo) })) throw new Refusal(422, "repository_unknown")
      const preview = previews.owned(account, String(previewShareId))
      if (preview === undefined) throw new Refusal(403, "preview_forbidden")
      if (preview.state !== "HOSTED") throw new Refusal(422, "preview_not_hosted")
      const passed = status === "passed"
      const runId = `run_${randomUUID()}`
      const run = {
        runId,
        account,
        owner,
        repo,
        title: name ?? prompt,
        prompt: prompt ?? null,
        status: passed ? "passed" : "failed",
        // Taken from the preview, because a registration has no runFields for them.
        source: "api",
        pullRequest: asBody(preview.body.provenance).pullRequest,
        failure: passed ? null : { message: failureMessage ?? null, step: failedStepIndex ?? null },
        ...rest,
        previewUrl: previews.hostedUrl(String(previewShareId)),
        traceUrl: `${viewer}/view/traces/${runId}`
      }
      runs.unshift(run)
      return run
    },
    list: (account: string, asked: Body) => {
      const { after, branch, kind, limit = "50", org, pr, repo, status } = insist(query, asked)
      if (!isLinked(account, { owner: String(org), repo: String(repo) })) throw new Refusal(404, "repository_unknown")
      const size = Math.min(100, Math.max(1, Number(limit)))
      const start = after === undefined ? 0 : runs.findIndex(({ runId }) => runId === after) + 1
      const found = runs
        .slice(start)
        .filter(
          (run) =>
            run.account === account &&
            run.owner === org &&
            run.repo === repo &&
            (branch === undefined || run.branch === branch) &&
            (kind === undefined || run.kind === kind) &&
            (status === undefined || run.status === status) &&
            (pr === undefined || run.pullRequest === Number(pr))
        )
      const items = found.slice(0, size)
      return { items, next: found.length > size ? items.at(-1)?.runId : null }
    }
  }
}

const headers = { "content-type": "application/json; charset=utf-8" }

const reply = (status: number, data: unknown): HttpResponse => ({
  status,
  headers,
  body: JSON.stringify({ data, meta: { requestId: randomUUID() } })
})

const refuse = ({ code, status }: Refusal): HttpResponse => ({
  status,
  headers: status === 429 ? { ...headers, "retry-after": "1" } : headers,
  body: JSON.stringify({ error: { code, message: `The request was refused: ${code}.` } })
})

/**
 * The strict host: `{ data, meta }` around every answer, every field required and none unknown, a limit on the rate of
 * requests, and an object store on an origin of its own.
 */
export const enveloped: Start = async (options = {}) => {
  const { listen, lives, now } = settle(options)
  const [api, bucket] = await Promise.all([listen(), listen()])
  const { a, b, callers, isLinked } = makeAccounts("enveloped", () => `tok_${randomBytes(24).toString("base64url")}`)
  const storage = makeStorage(bucket.url, now, lives.putUrlMs)
  const forbidden = new Refusal(403, "forbidden")
  const tokens = {
    now,
    lifeMs: lives.tokenMs,
    issue: () => `rsv_${randomBytes(16).toString("hex")}`,
    refusals: {
      unknown: new Refusal(404, "reservation_unknown"),
      foreign: forbidden,
      used: new Refusal(409, "already_finalized"),
      expired: new Refusal(403, "reservation_expired")
    }
  }
  const builds = makeBuilds(api.url, storage, tokens, isLinked)
  const previews = makePreviews(api.url, storage, tokens, isLinked)
  const runs = makeTestRuns(api.url, previews, isLinked)
  const mayPass = makeRateLimit(now, 100, 200)

  const host = {
    callers,
    scheme: "Token",
    refusals: {
      endpoint: new Refusal(405, "unsupported"),
      key: new Refusal(401, "unauthenticated"),
      scope: new Refusal(403, "scope_missing"),
      body: new Refusal(400, "malformed"),
      operation: new Refusal(422, "unprocessable")
    }
  }
  const answerApi = makeApi(host, {
    reserveBuild: ({ account, body }) => reply(202, builds.reserve(account, body)),
    finalizeBuild: ({ account, body }) => {
      if (Object.keys(body).join() !== "token") throw host.refusals.operation
      return reply(201, builds.finalize(account, body.token))
    },
    latestBuild: ({ account, ask }) => reply(200, builds.latest(account, Object.fromEntries(ask.query))),
    readBuild: ({ account, id }) => reply(200, builds.read(account, id)),
    reservePreview: ({ account, body }) => reply(202, previews.reserve(account, body)),
    finalizePreview: ({ account, body }) => reply(200, previews.finalize(account, body)),
    readPreview: ({ account, id }) => reply(200, previews.read(account, id)),
    registerRun: ({ account, body }) => reply(201, runs.register(account, body)),
    listRuns: ({ account, ask }) => reply(200, runs.list(account, Object.fromEntries(ask.query)))
  })

  const handle = (ask: Ask): HttpResponse => {
    if (!mayPass(ask.headers.authorization ?? "")) throw new Refusal(429, "slow_down")
    return answerApi(ask)
  }
  api.answer(refusing(handle, refuse))
  bucket.answer(storage.put)
  return { url: api.url, accounts: { a, b }, bindings, consistencyWindowMs: 0, stop: stopAll(api, bucket) }
}

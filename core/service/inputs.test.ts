/** Every method of every exported service, called with values that its types exclude. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Layer, Redacted, Stream } from "effect"
import { idAt } from "../../adapters/kit/parts/samples.ts"
import { declarationOf, layerService, newContent, newTeam, type Team } from "../../adapters/kit/service/world.ts"
import { loopback } from "../../adapters/kit/parts/objectStoreHarness.ts"
import { layerMetadata, layerObjects } from "../../adapters/memory/index.ts"
import * as exported from "../index.ts"
import { MetadataSource } from "../ports/MetadataSnapshot.ts"
import type { BuildIdentity } from "../model/Build.ts"
import { Administration } from "./Administration.ts"
import { Builds } from "./Builds.ts"
import { services } from "./inputs.ts"

type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown> | Stream.Stream<unknown, unknown>

type Samples<Service> = {
  readonly [Name in keyof Service]: Service[Name] extends (...args: infer Args) => unknown
    ? { readonly [At in keyof Args]?: unknown }
    : never
}
type AllSamples = {
  readonly [S in keyof typeof services]: Samples<(typeof services)[S]["Service"]>
} & {
  readonly Administration: Samples<Administration["Service"]>
}

const sha = "a".repeat(40)
const named = { owner: "acme", repo: "app" }
const resource = { build: idAt(1) }
const [id, account, life] = [idAt(4), { account: "acme" }, Duration.days(1)]
const fits = () => true

/** Arguments of each method that its types allow. What is a stored value stays whole. */
const samplesOf = ({ caller }: Team): AllSamples => {
  const declaration = {
    ...declarationOf(newContent("a")),
    deviceSpec: { width: 390, height: 844 },
    entry: "index.js"
  }
  const recording = {
    name: "video",
    kind: "video",
    sizeBytes: 9,
    contentType: "video/mp4",
    startedAtMs: 0
  }
  const preview = {
    ...declaration,
    platform: "ios",
    recordings: [recording],
    git: { ...named, pr: 7 },
    billingKind: "demo"
  }
  const device = { name: "iPhone 17", platform: "ios", osVersion: "26.1" }
  const report = {
    previewShareId: "x".repeat(22),
    kind: "maestro",
    name: "login",
    pr: 7,
    tags: ["smoke"],
    device
  }
  const identity = { branch: "main", platform: "ios", commitSha: sha, app: "shop" }
  const what = { name: "bundle", range: { offset: 0, length: 5 } }
  const trusted = { ...named, issuer: "https://token.actions.githubusercontent.com" }
  const key = { name: "ci", scopes: ["builds"], life }
  const webhook = { url: "https://hooks.example.com/a", types: ["build.ready"] }
  const repository = { ...named, defaultBranch: "main", webUrl: null }
  const rules = { rules: { builds: Duration.days(9) }, forget: ["runs"] }
  const test = { kind: "maestro", name: "login" }
  const page = { ...named, branch: "main", limit: 5, cursor: "x" }
  const shared = { ...account, shared: resource }
  return {
    Administration: {
      createAccount: [{ name: "acme" }],
      ensureAccount: [{ name: "acme" }],
      listAccounts: [],
      eraseAccount: [{ ...account, id }],
      eraseStep: [{ id }],
      createKey: [{ ...account, ...key }],
      listKeys: [account],
      revokeKey: [{ id }],
      rotateKey: [{ id, overlap: life }],
      linkRepository: [{ ...account, ...named, defaultBranch: "main" }],
      configureRepository: [{ ...account, ...repository }],
      unlinkRepository: [{ ...account, ...named }],
      listRepositories: [account],
      trustRepository: [{ ...trusted, scopes: ["builds"] }],
      untrustRepository: [trusted],
      listTrusts: [account],
      createShareLink: [{ ...shared, life }],
      listShareLinks: [shared],
      revokeShareLink: [{ ...shared, id }],
      findResource: [{ resource }],
      deleteResource: [{ resource }],
      listDeadEvents: [],
      replayEvent: [{ id }],
      addWebhook: [{ ...account, ...webhook }],
      listWebhooks: [],
      removeWebhook: [{ id }],
      resumeWebhook: [{ id }],
      testWebhook: [{ id }],
      listDeliveryAttempts: [{ webhook: id, limit: 5 }],
      sweepStep: [{ dryRun: true, from: { job: "apply_retention" } }],
      keep: [{ resource }],
      release: [{ resource }],
      retain: [{ ...account, ...rules }],
      listAudit: [{ ...account, limit: 5 }],
      setQuotas: [{ ...account, quotas: { bytesStored: 5 } }],
      usage: [account]
    },
    AuditEntries: { list: [caller, id, { kind: "key", key: id }] },
    Authorization: {
      authenticate: [Redacted.make("slip_")],
      authenticateById: [id],
      admit: [undefined],
      admitExternal: [{ ...account, scopes: ["builds"], repositories: ["acme/app"] }],
      require: [caller, ["builds"]]
    },
    Builds: {
      reserve: [caller, { ...named, identity, declaration: { ...declaration, author: "Ada" } }, "key"],
      finalize: [caller, "token"],
      read: [caller, id],
      latest: [caller, { ...named, branch: "main", platform: "ios", app: "shop" }],
      findReady: [caller, { ...named, identity }],
      delete: [caller, id],
      open: [caller, id, { path: "a.png", range: { suffix: 5 } }]
    },
    Changes: { watch: [caller, Effect.never] },
    Overview: {
      repositories: [caller],
      repository: [caller, named],
      branches: [caller, { repository: named, limit: 5 }],
      billedThisMonth: [caller],
      builds: [caller, { ...named, branch: "main", platform: "ios", app: "shop", after: id, limit: 5 }],
      previews: [caller, { ...named, isTestRun: false, after: id, limit: 5 }],
      uploads: [caller, id, 5],
      runsOf: [caller, id, 5],
      neighbours: [caller, id]
    },
    OwnAccount: {
      keys: [caller],
      createKey: [caller, key],
      rotateKey: [caller, { id, overlap: life }],
      revokeKey: [caller, id],
      repositories: [caller],
      configureRepository: [caller, repository],
      retention: [caller],
      retain: [caller, rules],
      usage: [caller],
      webhooks: [caller],
      addWebhook: [caller, webhook],
      webhook: [caller, id],
      removeWebhook: [caller, id],
      resumeWebhook: [caller, id],
      testWebhook: [caller, id]
    },
    Previews: {
      reserve: [caller, preview, "key"],
      finalize: [caller, "token"],
      read: [caller, id],
      delete: [caller, id],
      open: [caller, id, what],
      openIn: [undefined, what]
    },
    Quarantines: {
      add: [caller, { ...named, test, reason: "It waits for the tide", fixer: "ada", until: { days: 3 } }],
      remove: [caller, id],
      find: [caller, id],
      list: [caller, { ...named, limit: 5, cursor: "x" }]
    },
    RetentionHolds: { keep: [caller, resource], release: [caller, resource] },
    Search: { find: [caller, "login"] },
    Sessions: {
      begin: [caller, { from: { address: "127.0.0.1" }, replaces: "secret", life }],
      resolve: ["secret"],
      check: [id],
      list: [caller, id],
      signOut: ["secret"],
      end: [caller, id],
      endAll: [caller]
    },
    ShareLinks: {
      create: [caller, { badge: { ...named, branch: "main" } }, life],
      list: [caller, resource, id],
      revoke: [caller, resource, id],
      open: ["secret"],
      check: [id]
    },
    TestHistories: {
      repository: [caller, { ...named, branch: "main", span: { from: 1, to: 2 } }],
      list: [caller, { ...page, status: "failed", flaky: true, text: "a", tag: "b", device: "c", app: "d" }],
      find: [caller, id, "main"],
      findOnDefault: [caller, id],
      lastPassOnDefault: [caller, undefined],
      findEach: [caller, [id], "main"],
      countTests: [caller, named],
      branchesOf: [caller, id],
      ciRuns: [caller, { ...page, fits }],
      newestCiRuns: [caller, 5],
      failures: [caller, { ...named, source: "ci", base: "main", app: "shop" }],
      announceImport: [
        caller,
        {
          ...named,
          source: "ci",
          import: { id: "a", expectedRuns: 3 },
          details: { branch: "main", pr: 7 }
        }
      ],
      newFailures: [caller, { ...named, ciRuns: [], defaultBranch: "main" }]
    },
    TestRuns: {
      register: [caller, { ...named, report: { ...report, status: "passed" } }, "key"],
      list: [caller, { ...named, filter: { branch: "main", kind: "maestro", pr: 7 }, limit: 10, cursor: "x" }],
      ciRun: [caller, { ...named, source: "ci" }],
      attempts: [caller, [undefined]],
      read: [caller, id],
      delete: [caller, id]
    },
    TokenExchange: { exchange: ["token", "acme/app"] },
    Usage: { read: [caller] }
  }
}

const isPlain = (value: unknown): value is object =>
  Array.isArray(value) ||
  (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)

/** Each part of a value with its path, and the value with another part in its place. */
function* parts(
  value: unknown,
  path: ReadonlyArray<string> = []
): Generator<{
  readonly path: ReadonlyArray<string>
  readonly part: unknown
  readonly by: (other: unknown) => unknown
}> {
  yield { path, part: value, by: (other) => other }
  if (!isPlain(value)) return
  for (const [key, part] of Object.entries(value)) {
    for (const below of parts(part, [...path, key])) {
      const by = (other: unknown) =>
        Array.isArray(value) ? value.with(Number(key), below.by(other)) : { ...value, [key]: below.by(other) }
      yield { ...below, by }
    }
  }
}

const throwing = () => {
  throw new Error("A getter threw")
}
const long = "x".repeat(10 * 2 ** 20)

/** What no parameter allows, and what no text may be. */
const never: ReadonlyArray<readonly [string, unknown]> = [
  ["a symbol", Symbol("wrong")],
  ["not a number", Number.NaN],
  ["a proxy that throws", new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing })]
]
const noText: ReadonlyArray<readonly [string, unknown]> = [
  ["a number", 5],
  ["an object", { toString: () => idAt(1) }],
  ["10 MB", long],
  ["NUL", "a\0"],
  ["a lone surrogate", "a\ud800"]
]

/** Texts of any form, as the status of a run is any JSON: what is wrong with them is the answer, as it is to a secret that nobody has. */
const anyText = new Set(["replaces", "address", "scopes", "repositories", "forget", "status", "billingKind"])
const secrets = new Set(["Sessions.resolve", "Sessions.signOut", "ShareLinks.open", "TokenExchange.exchange"])

const records = Effect.flatMap(MetadataSource, (source) =>
  source.snapshot((stream) => Effect.map(Stream.runCollect(stream), (all) => JSON.stringify(all)))
)

describe("a service called with values that its types exclude", () => {
  it("is every one that is exported", () => {
    const names = Object.entries(exported).flatMap(([name, one]) =>
      String(Object(one).key).startsWith("slipway/core/service/") && Object.hasOwn(Object(one), "layer") ? [name] : []
    )
    assert.sameMembers(names, [...Object.keys(services), "Administration", "Settings"])
  })

  it.effect("refuses each, names the field and stores nothing", () =>
    Effect.gen(function* () {
      const team = yield* newTeam
      const before = yield* records
      const context = yield* Effect.context<never>()
      let calls = 0
      const wrong: Array<string> = []
      for (const [service, samples] of Object.entries(samplesOf(team))) {
        const { key } = { ...services, Administration }[service as keyof AllSamples]
        const methods: Readonly<Record<string, Method>> = Object(context.mapUnsafe.get(key))
        for (const [name, args] of Object.entries<ReadonlyArray<unknown>>(samples)) {
          const method = methods[name] ?? assert.fail(`${service} has no method ${name}`)
          for (const [at, arg] of args.entries()) {
            const isCaller = arg === team.caller
            for (const { by, part, path } of isCaller ? parts(arg).take(1) : parts(arg)) {
              const field = isCaller ? "caller" : (path.findLast((name) => !/^\d+$/.test(name)) ?? "")
              const isAnyText = path.some((name) => anyText.has(name)) || secrets.has(`${service}.${name}`)
              const texts = isCaller || (typeof part === "string" && !isAnyText) ? noText : []
              const empty = part === id ? [["empty", ""] as const] : []
              for (const [what, value] of [...never, ...texts, ...empty]) {
                const call = `${service}.${name}: ${path.join(".") || `argument ${at}`} is ${what}`
                const exit = yield* Effect.exit(
                  Effect.suspend(() => {
                    const answer = method(...args.with(at, by(value)))
                    return Effect.isEffect(answer) ? answer : Stream.runHead(answer)
                  })
                )
                const refused: unknown = Exit.isFailure(exit) ? Cause.squash(exit.cause) : "nothing"
                const issues = JSON.stringify(Object(refused).issues ?? [])
                // What throws when it is read has no fields that could be named.
                const isNamed =
                  issues.includes(field) || (what.endsWith("throws") && issues.includes("could not be read"))
                const isRight = Object(refused)._tag === "InvalidRequest" && isNamed && issues.length < 10_000
                if (!isRight) wrong.push(`${call}: ${String(refused)} ${issues.slice(0, 200)}`)
                calls += 1
              }
            }
          }
        }
      }
      assert.deepStrictEqual(wrong, [])
      assert.isAbove(calls, 2000)
      assert.strictEqual(yield* records, before)
    }).pipe(Effect.provide(layerService.pipe(Layer.provideMerge(Layer.merge(layerMetadata, loopback(layerObjects))))))
  )

  it.effect("stores what it checked, also where a getter answers differently the next time", () =>
    Effect.gen(function* () {
      const { caller, repository } = yield* newTeam
      const content = newContent("getter")
      const answers = ["ios", "windows"]
      const identity = {
        branch: "main",
        commitSha: sha,
        get platform() {
          return answers.length > 1 ? answers.shift() : answers[0]
        }
      } as BuildIdentity
      const builds = yield* Builds
      const named = { owner: repository.owner, repo: repository.repo }
      const { id } = yield* builds.reserve(caller, {
        ...named,
        identity,
        declaration: declarationOf(content)
      })
      assert.strictEqual((yield* builds.read(caller, id)).build.platform, "ios")
    }).pipe(Effect.provide(layerService.pipe(Layer.provideMerge(Layer.merge(layerMetadata, loopback(layerObjects))))))
  )
})

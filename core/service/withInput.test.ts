/** Every method that stores what it is called with, called with values that its types exclude. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"
import { idAt } from "../../adapters/kit/parts/samples.ts"
import { declarationOf, layerService, newContent, newTeam, type Team } from "../../adapters/kit/service/world.ts"
import { loopback } from "../../adapters/kit/parts/objectStoreHarness.ts"
import { layerMetadata, layerObjects } from "../../adapters/memory/index.ts"
import { MetadataSource } from "../ports/MetadataSnapshot.ts"
import { Administration } from "./Administration.ts"
import { Builds } from "./Builds.ts"
import { OwnAccount } from "./OwnAccount.ts"
import { Previews } from "./Previews.ts"
import { Quarantines } from "./Quarantines.ts"
import { RetentionHolds } from "./RetentionHolds.ts"
import { ShareLinks } from "./ShareLinks.ts"
import { TestHistories } from "./TestHistories.ts"
import { TestRuns } from "./TestRuns.ts"

type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

const sha = "a".repeat(40)
const named = { owner: "acme", repo: "app" }
const resource = { build: idAt(1) }
const ofAccount = { account: "acme" }

/** A method of a service, with arguments behind the caller that its types allow. */
const methods = (team: Team) =>
  Effect.gen(function* () {
    const [admin, own, builds, previews] = [yield* Administration, yield* OwnAccount, yield* Builds, yield* Previews]
    const [runs, histories, links, holds] = [
      yield* TestRuns,
      yield* TestHistories,
      yield* ShareLinks,
      yield* RetentionHolds
    ]
    const quarantines = yield* Quarantines
    const quarantined = {
      test: { kind: "maestro", name: "login" },
      reason: "It waits for the tide",
      fixer: "ada",
      until: { days: 3 }
    }
    const declaration = {
      ...declarationOf(newContent("a")),
      deviceSpec: { width: 390, height: 844 },
      entry: "index.js"
    }
    const recording = { name: "video", kind: "video", sizeBytes: 9, contentType: "video/mp4", startedAtMs: 0 }
    const preview = {
      ...declaration,
      platform: "ios",
      recordings: [recording],
      git: { ...named, pr: 7 },
      billingKind: "demo"
    }
    const device = { name: "iPhone 17", platform: "ios", osVersion: "26.1" }
    const report = { previewShareId: "x".repeat(22), kind: "maestro", name: "login", pr: 7, tags: ["smoke"], device }
    const asked = { ...named, filter: { branch: "main", kind: "maestro", pr: 7 }, limit: 10 }
    const latest = { ...named, branch: "main", platform: "ios", app: "shop" }
    const identity = { branch: "main", platform: "ios", commitSha: sha, app: "shop" }
    const trust = { ...named, issuer: "https://token.actions.githubusercontent.com", scopes: ["builds"] }
    const caller = team.caller
    return [
      [
        "Builds.reserve",
        builds.reserve,
        caller,
        { ...named, identity, declaration: { ...declaration, author: "Ada" } },
        "key"
      ],
      ["Builds.latest", builds.latest, caller, latest],
      ["Previews.reserve", previews.reserve, caller, preview, "key"],
      ["TestRuns.register", runs.register, caller, { ...named, report: { ...report, status: "passed" } }, "key"],
      ["TestRuns.list", runs.list, caller, asked],
      [
        "TestHistories.announceImport",
        histories.announceImport,
        caller,
        { ...named, source: "ci", import: { id: "a", expectedRuns: 3 }, details: { branch: "main", pr: 7 } }
      ],
      [
        "TestHistories.repository",
        histories.repository,
        caller,
        { ...named, branch: "main", span: { from: 1, to: 2 } }
      ],
      [
        "TestHistories.list",
        histories.list,
        caller,
        { ...named, branch: "main", status: "failed", flaky: true, limit: 5 }
      ],
      ["TestHistories.ciRuns", histories.ciRuns, caller, { ...named, branch: "main", limit: 5, cursor: "x" }],
      ["TestHistories.failures", histories.failures, caller, { ...named, source: "ci", base: "main", app: "shop" }],
      ["TestHistories.newFailures", histories.newFailures, caller, { ...named, ciRuns: [], defaultBranch: "main" }],
      ["TestHistories.newestCiRuns", histories.newestCiRuns, caller, 5],
      ["TestHistories.find", histories.find, caller, idAt(4), "main"],
      ["TestHistories.findOnDefault", histories.findOnDefault, caller, idAt(4)],
      ["TestHistories.findEach", histories.findEach, caller, [idAt(4)], "main"],
      ["TestHistories.branchesOf", histories.branchesOf, caller, idAt(4)],
      ["TestHistories.countTests", histories.countTests, caller, named],
      ["Quarantines.add", quarantines.add, caller, { ...named, ...quarantined }],
      ["Quarantines.list", quarantines.list, caller, { ...named, limit: 5, cursor: "x" }],
      ["ShareLinks.create", links.create, caller, resource, Duration.days(1)],
      ["ShareLinks.list", links.list, caller, resource, idAt(2)],
      ["ShareLinks.revoke", links.revoke, caller, resource, idAt(2)],
      ["RetentionHolds.keep", holds.keep, caller, resource],
      ["RetentionHolds.release", holds.release, caller, resource],
      ["OwnAccount.createKey", own.createKey, caller, { name: "ci", scopes: ["builds"], life: Duration.days(1) }],
      ["OwnAccount.addWebhook", own.addWebhook, caller, { url: "https://hooks.example.com/a", types: ["build.ready"] }],
      ["OwnAccount.rotateKey", own.rotateKey, caller, { id: idAt(3), overlap: Duration.days(1) }],
      [
        "OwnAccount.configureRepository",
        own.configureRepository,
        caller,
        { ...named, defaultBranch: "main", webUrl: null }
      ],
      ["OwnAccount.retain", own.retain, caller, { rules: { builds: Duration.days(9) }, forget: ["runs"] }],
      ["Administration.createAccount", admin.createAccount, { name: "acme" }],
      ["Administration.ensureAccount", admin.ensureAccount, { name: "acme" }],
      ["Administration.createKey", admin.createKey, { ...ofAccount, name: "ci", scopes: ["builds"] }],
      ["Administration.linkRepository", admin.linkRepository, { ...ofAccount, ...named, defaultBranch: "main" }],
      ["Administration.trustRepository", admin.trustRepository, trust],
      ["Administration.setQuotas", admin.setQuotas, { ...ofAccount, quotas: { bytesStored: 5 } }],
      ["Administration.retain", admin.retain, { ...ofAccount, rules: { builds: Duration.days(9) }, forget: ["runs"] }],
      ["Administration.addWebhook", admin.addWebhook, { url: "https://hooks.example.com/a", types: ["build.ready"] }],
      ["Administration.createShareLink", admin.createShareLink, { ...ofAccount, shared: resource }],
      ["Administration.keep", admin.keep, { resource }]
    ] as ReadonlyArray<readonly [name: string, method: Method, ...args: ReadonlyArray<unknown>]>
  })

/** The value with each of its parts in turn replaced by another value, and the path of that part. */
function* replacing(value: unknown, by: unknown, path = ""): Generator<readonly [path: string, changed: unknown]> {
  yield [path, by]
  if (typeof value !== "object" || value === null || Duration.isDuration(value)) return
  for (const [key, part] of Object.entries(value)) {
    for (const [below, changed] of replacing(part, by, path === "" ? key : `${path}.${key}`)) {
      yield [below, Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }]
    }
  }
}

/** What no type of a parameter allows. */
const wrong = [Symbol("wrong"), () => 5, Number.NaN]

const records = Effect.flatMap(MetadataSource, (source) =>
  source.snapshot((stream) => Effect.map(Stream.runCollect(stream), (all) => JSON.stringify(all)))
)

describe("a service called with values that its types exclude", () => {
  it.effect("refuses each, names the field and stores nothing", () =>
    Effect.gen(function* () {
      const team = yield* newTeam
      const before = yield* records
      const calls: Array<string> = []
      for (const [name, method, ...args] of yield* methods(team)) {
        const from = args[0] === team.caller ? 1 : 0
        for (const by of wrong) {
          for (const at of args.keys().drop(from)) {
            for (const [path, changed] of replacing(args[at], by)) {
              if (path === "report.status") continue
              const call = `${name}: ${path} of argument ${at} is ${String(by)}`
              const refused = yield* Effect.flip(method(...args.with(at, changed))).pipe(
                Effect.catchDefect((defect) => Effect.die(`${call}: ${String(defect)}`))
              )
              assert.propertyVal(refused, "_tag", "InvalidRequest", call)
              const [issue] = Reflect.get(Object(refused), "issues") as ReadonlyArray<{ readonly path: string }>
              const top = path.split(".")[0] ?? ""
              if (at === from) assert.include(issue?.path, top, call)
              calls.push(call)
            }
          }
        }
      }
      assert.isAbove(calls.length, 300)
      assert.strictEqual(yield* records, before)
    }).pipe(Effect.provide(layerService.pipe(Layer.provideMerge(Layer.merge(layerMetadata, loopback(layerObjects))))))
  )
})

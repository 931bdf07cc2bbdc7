/** A caller of one of two repositories of an account: lists, search and live updates have nothing of the other. */
import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { makeRun, registered } from "../../adapters/kit/parts/samples.ts"
import { newPreview } from "../../adapters/kit/parts/stored.ts"
import { loopback } from "../../adapters/kit/parts/objectStoreHarness.ts"
import { layerService } from "../../adapters/kit/service/world.ts"
import { layerMetadata, layerObjects } from "../../adapters/memory/index.ts"
import type { Caller } from "../model/ApiKey.ts"
import { TestRunId } from "../model/TestRun.ts"
import { Administration } from "./Administration.ts"
import { AuditEntries } from "./AuditEntries.ts"
import { Authorization } from "./Authorization.ts"
import { Changes } from "./Changes.ts"
import { OwnAccount } from "./OwnAccount.ts"
import { Overview } from "./Overview.ts"
import { Previews } from "./Previews.ts"
import { Search } from "./Search.ts"
import { ShareLinks } from "./ShareLinks.ts"
import { TestHistories } from "./TestHistories.ts"
import { TestRuns } from "./TestRuns.ts"

const scopes = ["builds", "preview_upload", "test_runs", "quarantine", "delete", "account_admin"]

it.effect("sees its repository in every list and search, and nothing else", () =>
  Effect.gen(function* () {
    const admin = yield* Administration
    const account = yield* admin.createAccount({ name: "acme" })
    const runIds: Array<string> = []
    for (const repo of ["seen", "hidden"]) {
      const repository = yield* admin.linkRepository({ account: "acme", owner: "acme", repo })
      const preview = yield* newPreview(account, { repositoryId: repository.id })
      const fields = { name: `checkout ${repo}`, source: `ci-${repo}`, branch: "main" }
      runIds.push((yield* registered(makeRun(repository, preview, fields))).id)
    }
    const authorization = yield* Authorization
    const admitted = (repositories?: ReadonlyArray<string>) =>
      authorization.admitExternal({ account: "acme", scopes, repositories })
    const [whole, caller] = [yield* admitted(), yield* admitted(["acme/seen"])]
    assert.notInclude(caller.scopes, "account_admin")

    const [search, overview, histories, runs] = [yield* Search, yield* Overview, yield* TestHistories, yield* TestRuns]
    const everything = (reader: Caller) =>
      Effect.all({
        found: search.find(reader, "checkout"),
        repositories: overview.repositories(reader),
        branches: overview.branches(reader, { limit: 10 }),
        ciRuns: histories.newestCiRuns(reader, 10)
      }).pipe(Effect.map((all) => JSON.stringify(all)))
    assert.include(yield* everything(whole), "hidden")
    const shown = yield* everything(caller)
    assert.include(shown, "seen")
    assert.notInclude(shown, "hidden")

    const query = { owner: "acme", filter: {}, limit: 10 }
    assert.lengthOf((yield* runs.list(caller, { ...query, repo: "SEEN" })).runs, 1)
    assert.strictEqual((yield* Effect.flip(runs.list(caller, { ...query, repo: "hidden" })))._tag, "NotFound")
    const { tests } = yield* histories.list(whole, { owner: "acme", repo: "hidden" })
    const ids = tests.map(({ testId }) => testId)
    assert.lengthOf(yield* histories.findEach(whole, ids), 1)
    assert.lengthOf(yield* histories.findEach(caller, ids), 0)

    const links = yield* ShareLinks
    const badge = (repo: string) => links.create(caller, { badge: { owner: "acme", repo, branch: "main" } })
    assert.strictEqual((yield* badge("seen")).link.accountId, account.id)
    assert.strictEqual((yield* Effect.flip(badge("hidden")))._tag, "NotFound")

    // It can't make what sees more: keys, or previews of no repository.
    const own = yield* OwnAccount
    yield* Effect.flip(own.createKey(caller, { name: "more", scopes: ["builds"] }))
    assert.deepStrictEqual((yield* admin.listKeys({ account: "acme" })).keys, [])
    assert.deepStrictEqual((yield* (yield* AuditEntries).list(caller)).entries, [])
    const declaration = {
      contentHash: "0".repeat(64),
      bundleSizeBytes: 1,
      bundleContentType: "text/javascript",
      isTransformed: false,
      files: [],
      recordings: [],
      git: {}
    }
    const refused = yield* Effect.flip((yield* Previews).reserve(caller, declaration))
    assert.strictEqual(refused._tag, "InvalidRequest")

    const begun = yield* Deferred.make<void>()
    const seenIds: Array<string> = []
    const watching = yield* (yield* Changes).watch(caller, Effect.succeed(DateTime.makeUnsafe("2100-01-01"))).pipe(
      Stream.tap(({ id }) =>
        Effect.andThen(
          Effect.sync(() => seenIds.push(id)),
          Deferred.succeed(begun, undefined)
        )
      ),
      Stream.take(4),
      Stream.runDrain,
      Effect.forkChild
    )
    yield* Deferred.await(begun)
    // Everything happens in the hidden repository first, then in the other.
    for (const [repo, run = ""] of [["hidden", runIds[1]] as const, ["seen", runIds[0]] as const]) {
      const id = TestRunId.make(run)
      const named = { account: "acme", owner: "acme", repo }
      for (const change of [
        admin.keep({ resource: { run: id } }),
        runs.delete(whole, id),
        admin.configureRepository({ ...named, defaultBranch: "trunk" })
      ]) {
        yield* change
        yield* TestClock.adjust("2 seconds")
      }
      assert.lengthOf(seenIds, repo === "hidden" ? 1 : 4, repo)
    }
    yield* Fiber.join(watching)
  }).pipe(Effect.provide(layerService.pipe(Layer.provideMerge(Layer.merge(layerMetadata, loopback(layerObjects))))))
)

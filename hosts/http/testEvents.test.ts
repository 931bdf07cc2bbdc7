/** The events of tests, quarantines and CI runs: each is stored once, in the commit that makes it true, by whichever of two hosts. */
import { Context, DateTime, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { newDatabase } from "../../adapters/postgres/testing/server.ts"
import type { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { ClaimId, Outbox } from "../../core/ports/Outbox.ts"
import { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { ciRunOfSource } from "../../core/rules/testRuns.ts"
import { Sweeps } from "../../core/service/Sweeps.ts"
import { layerPostgresMetadata } from "../node/engines/postgres.ts"
import { makeSlipway } from "./slipway.ts"
import { engineSets, type EngineSet } from "./testing/engineSets.ts"
import { newCi } from "./testing/everyEvent.ts"

const url = "http://127.0.0.1:1"
const farOff = DateTime.makeUnsafe("2999-01-01T00:00:00Z")

/** The metadata of each of two hosts that share it: nothing where both have one store in memory. */
const metadataOf = {
  quick: () => Promise.resolve(Layer.empty),
  slow: async () => {
    const scope = await Effect.runPromise(Scope.make())
    onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const database = await Effect.runPromise(Effect.provideService(newDatabase, Scope.Scope, scope))
    return Layer.fresh(layerPostgresMetadata({ url: Redacted.make(database), maxConnections: 5 }))
  }
}

/** Two hosts on one engine, which store their events and deliver none. On PostgreSQL, each has its own connections. */
const twoHosts = async (engine: EngineSet) => {
  const { ports: inMemory, routes } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  const metadata = await metadataOf[engine]()
  const ports = Layer.merge(inMemory, metadata)
  let shared: Layer.Success<typeof inMemory> extends infer All ? Context.Context<All> | undefined : never
  const watched = Layer.tap(ports, (context) => Effect.sync(() => (shared = context)))
  const host = (ports: typeof watched, routes?: ReturnType<typeof memory.engines>["routes"]) => {
    const slipway = makeSlipway({ settings: { url }, ports, routes, events: async () => {}, background: false })
    onTestFinished(() => slipway.dispose())
    return slipway
  }
  const first = host(watched, routes)
  await first.run(Effect.void)
  if (shared === undefined) return assert.fail("the first host has opened the engine")
  const context = shared
  const outbox = Context.get(context, Outbox)
  /** Every event that was stored since, in the order of each resource. */
  const drained = async (): Promise<ReadonlyArray<SlipwayEvent>> => {
    const events: Array<SlipwayEvent> = []
    for (;;) {
      const query = { claim: ClaimId.make("any"), now: farOff, until: farOff, limit: 100 }
      const claimed = await Effect.runPromise(outbox.claim(query))
      if (claimed.length === 0) return events
      for (const one of claimed) {
        await Effect.runPromise(outbox.done(one))
        events.push(one.event)
      }
    }
  }
  return { hosts: [first, host(Layer.merge(Layer.succeedContext(context), metadata))] as const, context, drained }
}

/** An account on two hosts that has uploaded a preview, and how to register runs alternately on both. */
const prepared = async (engine: EngineSet) => {
  const { context, drained, hosts } = await twoHosts(engine)
  const ci = await newCi(hosts[0], url, ["builds", "preview_upload", "test_runs", "quarantine"])
  const reserved = Object(await ci.upload("previews", {}))
  await ci.post("previews/finalize", { token: reserved.token })
  const named = { owner: ci.name, repo: "app" }
  let registered = 0
  const run = (name: string, status: "passed" | "failed", fields: Record<string, unknown> = {}) =>
    ci.post(
      "test-runs",
      {
        kind: "maestro",
        ...named,
        previewShareId: reserved.shareId,
        name,
        status,
        branch: "main",
        source: `github:${registered}`,
        commitSha: String(registered).padStart(40, "0"),
        ...fields
      },
      hosts[registered++ % 2]
    )
  const changes = async () => (await drained()).filter(({ type }) => type !== "run.registered")
  await drained()
  const publishEnds = () =>
    Promise.all(
      hosts.map((host) =>
        host.run(
          Sweeps.use(({ jobs }) =>
            Effect.forEach(
              jobs.filter(({ name }) => name === "publish_ends"),
              ({ step }) => step(undefined, { dryRun: false, foreign: false })
            )
          )
        )
      )
    )
  return { ...ci, named, hosts, context, run, changes, publishEnds }
}

const typesOf = (events: ReadonlyArray<SlipwayEvent>) => events.map(({ type }) => type)

const ways = () => engineSets()

describe.each(ways())("two hosts (%s)", (engine) => {
  it("a test that breaks, is fixed or becomes flaky on a branch is published with the run that changed it, and once", async () => {
    const { changes, run } = await prepared(engine)
    await run("Tide", "passed")
    assert.deepStrictEqual(await changes(), [])
    const { id: runId } = Object(
      await run("Tide", "failed", { commitSha: "a".repeat(40), source: "github:7/1", pr: 3 })
    )
    const [broken, ...others] = await changes()
    assert.deepStrictEqual(others, [])
    if (broken?.type !== "test.broken") return assert.fail(`${broken?.type} is published`)
    assert.deepInclude(broken.data, { runId, branch: "main", name: "Tide", pr: 3, source: "github:7/1" })
    assert.notProperty(broken.data, "quarantined")
    await run("Tide", "failed")
    assert.deepStrictEqual(await changes(), [], "it is broken already")
    await run("Tide", "passed")
    assert.deepStrictEqual(typesOf(await changes()), ["test.fixed"])
    const attempts = [{ status: "failed" }, { status: "passed" }]
    for (let n = 0; n < 3; n += 1) await run("Tide", "passed", { attempts })
    assert.deepStrictEqual(typesOf(await changes()), ["test.flaky"])
    await Promise.all(Array.from({ length: 16 }, () => run("Gate", "failed", { source: "github:9" })))
    assert.deepStrictEqual(typesOf(await changes()), ["test.broken"])
    await run("Gate", "failed", { branch: "next" })
    const [elsewhere] = await changes()
    assert.deepInclude(elsewhere?.data, { branch: "next" })
  })

  it("a failure in quarantine is published as such, its end once, and ten passes in a row once", async () => {
    const { changes, context, name, post, publishEnds, run } = await prepared(engine)
    const added = Object(
      await post(`quarantines?org=${name}&repo=app`, {
        kind: "maestro",
        name: "Tide",
        reason: "The moon",
        owner: "ada"
      })
    )
    await run("Tide", "failed")
    const [broken] = await changes()
    if (broken?.type !== "test.broken") return assert.fail(`${broken?.type} is published`)
    assert.deepInclude(broken.data, { id: added.id, quarantined: true })
    for (let n = 0; n < 9; n += 1) await run("Tide", "passed")
    assert.deepStrictEqual(typesOf(await changes()), ["test.fixed"])
    for (let n = 0; n < 3; n += 1) await run("Tide", "passed", { branch: "next" })
    assert.deepStrictEqual(await changes(), [], "only the default branch counts")
    await run("Tide", "passed")
    await run("Tide", "passed")
    const [recovered, ...rest] = await changes()
    assert.deepStrictEqual(rest, [])
    if (recovered?.type !== "quarantine.recovered") return assert.fail(`${recovered?.type} is published`)
    assert.deepInclude(recovered.data, { id: added.id, owner: name, repo: "app", name: "Tide" })
    await publishEnds()
    assert.deepStrictEqual(await changes(), [], "it has not ended")

    const store = Context.get(context, QuarantineStore)
    const account = recovered.account
    const found = await Effect.runPromise(store.find(account, added.id))
    if (found._tag === "None") return assert.fail("the quarantine is stored")
    const { quarantine } = found.value
    await Effect.runPromise(store.put({ ...quarantine, expiresAt: DateTime.makeUnsafe(quarantine.createdAt) }))
    await publishEnds()
    await publishEnds()
    const [expired, ...more] = await changes()
    assert.deepStrictEqual(more, [])
    if (expired?.type !== "quarantine.expired") return assert.fail(`${expired?.type} is published`)
    assert.deepInclude(expired.data.quarantine, { reason: "The moon", owner: "ada" })
    const { quarantined } = Object(await run("Tide", "failed"))
    assert.isUndefined(quarantined, "its quarantine has ended")
  })

  it("a CI run finishes once: when its imports are complete, or a day later as incomplete", async () => {
    const { changes, context, hosts, named, post, publishEnds, run } = await prepared(engine)
    await post(`quarantines?org=${named.owner}&repo=app`, { kind: "maestro", name: "Tide", reason: "The moon" })
    const announce = (source: string, fields: Record<string, unknown> = {}, host = hosts[0]) =>
      post(
        `sources/${encodeURIComponent(source)}/imports`,
        { ...named, id: "e2e", expectedRuns: 2, branch: "main", ...fields },
        host
      )
    await announce("github:50/1")
    await run("Tide", "failed", { source: "github:50/1" })
    await run("Gate", "passed", { source: "github:50/1" })
    await changes()
    const closes = hosts.flatMap((host) =>
      Array.from({ length: 4 }, () => announce("github:50/1", { registeredRuns: 2 }, host))
    )
    await Promise.all(closes)
    const [finished, ...others] = await changes()
    assert.deepStrictEqual(others, [])
    if (finished?.type !== "ci_run.finished") return assert.fail(`${finished?.type} is published`)
    assert.deepInclude(finished.data, {
      conclusion: "passed",
      passed: 1,
      failed: 0,
      quarantined: 1,
      runs: 2,
      repo: "app"
    })

    await announce("github:51/1")
    await run("Gate", "failed", { source: "github:51/1" })
    await announce("github:51/1", { registeredRuns: 2 })
    const failed = (await changes()).find(({ type }) => type === "ci_run.finished")
    assert.deepInclude(failed?.data, { conclusion: "failed", failed: 1 })

    await announce("github:52/1")
    await run("Gate", "passed", { source: "github:52/1" })
    await announce("github:52/1", { registeredRuns: 1 })
    await changes()
    await publishEnds()
    assert.deepStrictEqual(await changes(), [], "a day has not passed")
    const store = Context.get(context, TestHistoryStore)
    const key = repositoryKey(named.owner, "app")
    const found = await Effect.runPromise(store.findCiRun(finished.account, key, ciRunOfSource("github:52/1")))
    if (found._tag === "None") return assert.fail("the CI run is stored")
    const ended = { ...found.value, importsVersion: (found.value.importsVersion ?? 0) + 1 }
    assert.isDefined(ended.finishesAt)
    await Effect.runPromise(store.saveImports({ ...ended, finishesAt: DateTime.makeUnsafe(1) }))
    await publishEnds()
    await publishEnds()
    const [incomplete, ...more] = await changes()
    assert.deepStrictEqual(more, [])
    assert.deepInclude(incomplete?.data, { conclusion: "incomplete", runs: 1 })
  })
})

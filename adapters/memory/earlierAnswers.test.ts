import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as Aead from "effect/crypto/Aead"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { Account } from "../../core/model/Account.ts"
import { TestRun } from "../../core/model/TestRun.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { Builds, BuildTicket } from "../../core/service/Builds.ts"
import { Idempotency, type KeyedRequest } from "../../core/service/Idempotency.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { plainBuildTicket, plainRun } from "../kit/parts/plain.ts"
import { makePreview, makeRun } from "../kit/parts/samples.ts"
import { buildOf, layerService, newContent, newTeam } from "../kit/service/world.ts"
import { layerMetadata, layerObjects } from "./index.ts"

const services = Layer.merge(layerService, Layer.provide(Idempotency.layer, Aead.layerWebCrypto)).pipe(
  Layer.provideMerge(Layer.mergeAll(layerMetadata, loopback(layerObjects), SecureRandom.layerWebCrypto))
)

/** Keeps an answer as versions did that kept the whole of it. */
const keepWhole = Effect.fnUntraced(function* <A>(account: Account, request: KeyedRequest<A>, answer: A) {
  const once = yield* (yield* (yield* Idempotency).of(request)).keep(answer)
  yield* (yield* PreviewStore).commitReserve({ preview: makePreview(account), once })
})

it.live("a whole answer that an earlier version kept is given again", () =>
  Effect.gen(function* () {
    const team = yield* newTeam
    const { account, caller, repository } = team
    const builds = yield* Builds
    const request = buildOf(team, newContent("earlier"))
    const ticket = yield* builds.reserve(caller, request)
    yield* keepWhole(
      account,
      { caller, key: "a build", request: ["reserve build", request], answer: BuildTicket },
      ticket
    )
    const again = yield* builds.reserve(caller, request, "a build")
    assert.deepStrictEqual(plainBuildTicket(again), plainBuildTicket(ticket))

    const { owner, repo } = repository
    const report = { kind: "detox", name: "Checkout", previewShareId: makePreview(account).shareId, status: 1 } as const
    const run = makeRun(repository, makePreview(account), { ...report, status: "failed", branch: "main" })
    const answer = Schema.Struct({
      run: TestRun,
      repository: Schema.Struct({ owner: Schema.String, repo: Schema.String })
    })
    const registration = { owner, repo, report }
    yield* keepWhole(
      account,
      { caller, key: "a run", request: ["register test run", registration], answer },
      { run, repository }
    )
    const registered = yield* TestRuns.use((runs) => runs.register(caller, registration, "a run"))
    const { metadataBytes: _, ...same } = plainRun(registered.run)
    assert.deepStrictEqual(same, plainRun(run))
    assert.deepStrictEqual(registered.repository, { owner, repo })
  }).pipe(Effect.provide(services), Effect.scoped)
)

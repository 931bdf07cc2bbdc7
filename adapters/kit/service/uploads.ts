import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import type { BuildView } from "../../../core/model/Build.ts"
import type { Preview, PreviewDeclaration } from "../../../core/model/Preview.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { type RegisterRun, TestRuns } from "../../../core/service/TestRuns.ts"
import type { Faults } from "../parts/injectFaults.ts"
import { put } from "../parts/objectStoreHarness.ts"
import { plainBuildTicket, plainPreview, plainPreviewTicket, plainReservation, plainRun } from "../parts/plain.ts"
import { keyOf, plainView } from "../parts/stored.ts"
import type { Cases } from "../parts/suite.ts"
import {
  buildOf,
  type Content,
  declarationOf,
  delayEachCall,
  failEachCall,
  hostedByBuild,
  hostedByPreview,
  newContent,
  newTeam,
  putAll,
  type ServicePorts,
  type Services,
  type Team,
  uploadedBuild
} from "./world.ts"

/** A preview of the team's repository that is billed. */
export const previewOf = ({ repository: { owner, repo } }: Team, content: Content): PreviewDeclaration => ({
  ...declarationOf(content),
  recordings: [],
  git: { owner, repo },
  billingKind: "test_run"
})

const billed = ({ account }: Team) =>
  Effect.gen(function* () {
    const [month] = yield* (yield* PreviewStore).usage(account.id)
    return month?.billedTestRuns ?? 0
  })

export const newPreview = (team: Team) =>
  Effect.gen(function* () {
    const content = newContent("preview")
    const { shareId, slots, token } = yield* (yield* Previews).reserve(team.caller, previewOf(team, content))
    yield* putAll(slots, content)
    return { shareId, token, content }
  })

const assertHostsPreview = ({ caller }: Team, { finalizedAt, hostedPrefix, shareId }: Preview, content: Content) =>
  Effect.gen(function* () {
    assert.isDefined(finalizedAt)
    assert.isDefined(hostedPrefix)
    assert.deepStrictEqual(yield* hostedByPreview(caller, shareId), content)
  })

export const previewServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a preview is reserved once under its idempotency key", () =>
    failEachCall(
      Effect.map(newTeam, (team) => ({ team, declaration: previewOf(team, newContent("reserved")) })),
      ({ declaration, team }) => Previews.use((previews) => previews.reserve(team.caller, declaration, "key")),
      function* ({ declaration, team }, result) {
        const previews = yield* Previews
        const ticket = yield* previews.reserve(team.caller, declaration, "key")
        const again = yield* previews.reserve(team.caller, declaration, "key")
        assert.deepStrictEqual(plainPreviewTicket(again), plainPreviewTicket(ticket))
        if (Result.isSuccess(result)) {
          assert.deepStrictEqual(plainPreviewTicket(result.success), plainPreviewTicket(ticket))
        }
        assert.deepStrictEqual((yield* previews.read(team.caller, ticket.shareId)).declaration, declaration)
      }
    )
  )

  it.effect(
    "whichever call fails, a preview is finalized and billed or neither, and repeating the call does both",
    () =>
      failEachCall(
        Effect.gen(function* () {
          const team = yield* newTeam
          return { team, upload: yield* newPreview(team) }
        }),
        ({ team, upload }) => Previews.use((previews) => previews.finalize(team.caller, upload.token)),
        function* ({ team, upload }, result) {
          const previews = yield* Previews
          const before = yield* previews.read(team.caller, upload.shareId)
          if (Result.isSuccess(result)) assert.deepStrictEqual(plainPreview(result.success), plainPreview(before))
          assert.strictEqual(yield* billed(team), before.finalizedAt === undefined ? 0 : 1)
          if (before.finalizedAt === undefined) assert.isUndefined(before.hostedPrefix)
          else yield* assertHostsPreview(team, before, upload.content)

          const preview = yield* previews.finalize(team.caller, upload.token)
          yield* assertHostsPreview(team, preview, upload.content)
          if (before.finalizedAt !== undefined) assert.deepStrictEqual(plainPreview(preview), plainPreview(before))
          const again = yield* previews.finalize(team.caller, upload.token)
          assert.deepStrictEqual(plainPreview(again), plainPreview(preview))
          assert.strictEqual(yield* billed(team), 1)
        }
      )
  )

  it.effect("whichever call fails, a preview shares the bytes that its account has hosted, and both keep them", () =>
    failEachCall(
      Effect.gen(function* () {
        const previews = yield* Previews
        const team = yield* newTeam
        const earlier = yield* newPreview(team)
        const hosted = yield* previews.finalize(team.caller, earlier.token)
        const { shareId, slots, token } = yield* previews.reserve(team.caller, previewOf(team, earlier.content))
        const all = [slots.bundle, ...slots.files]
        assert.deepStrictEqual(
          all.map((slot) => slot.uploaded),
          [true, true, undefined]
        )
        const [, , undigested = new Uint8Array()] = earlier.content
        yield* put(all[2]?.putUrl ?? "", all[2]?.contentType ?? "", undigested)
        return { team, earlier, hosted, shareId, token }
      }),
      ({ team, token }) => Previews.use((previews) => previews.finalize(team.caller, token)),
      function* ({ earlier, hosted, team, token }) {
        const previews = yield* Previews
        yield* assertHostsPreview(team, yield* previews.finalize(team.caller, token), earlier.content)
        yield* assertHostsPreview(team, hosted, earlier.content)
      }
    )
  )
}

/** The build as it is stored, if it is. */
const stored = ({ account, repository }: Team, { identity }: ReturnType<typeof buildOf>) =>
  Effect.gen(function* () {
    const slot = yield* (yield* BuildStore).loadForReserve(account.id, keyOf(repository), identity)
    return Option.getOrUndefined(Option.getOrThrow(slot).build)
  })

/** Asserts that the build is ready and hosts exactly what was uploaded. */
const assertHostsBuild = ({ caller }: Team, { build, upload }: BuildView, content: Content) =>
  Effect.gen(function* () {
    assert.isDefined(build.readyAt)
    assert.isDefined(upload.hostedPrefix)
    assert.deepStrictEqual(yield* hostedByBuild(caller, build.id), content)
  })

export const buildServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a build is reserved whole or not at all, and once under its idempotency key", () =>
    failEachCall(
      Effect.map(newTeam, (team) => ({ team, request: buildOf(team, newContent("reserved")) })),
      ({ request, team }) => Builds.use((builds) => builds.reserve(team.caller, request, "key")),
      function* ({ request, team }, result) {
        const builds = yield* Builds
        const before = yield* stored(team, request)
        if (before !== undefined) {
          const { upload } = yield* builds.read(team.caller, before.id)
          assert.deepStrictEqual(upload.declaration, request.declaration)
        }
        const ticket = yield* builds.reserve(team.caller, request, "key")
        const again = yield* builds.reserve(team.caller, request, "key")
        assert.deepStrictEqual(plainBuildTicket(again), plainBuildTicket(ticket))
        if (Result.isSuccess(result)) assert.deepStrictEqual(plainBuildTicket(result.success), plainBuildTicket(ticket))
        if (before !== undefined) assert.strictEqual(ticket.id, before.id)
        assert.strictEqual((yield* stored(team, request))?.version, 1, "reservations that were committed")
      }
    )
  )

  it.effect("whichever call fails, a build is finalized whole or not at all, and repeating the call finalizes it", () =>
    failEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        return { team, upload: yield* uploadedBuild(team, newContent("finalized")) }
      }),
      ({ team, upload }) => Builds.use((builds) => builds.finalize(team.caller, upload.token)),
      function* ({ team, upload }, result) {
        const builds = yield* Builds
        const before = yield* builds.read(team.caller, upload.id)
        if (Result.isSuccess(result)) assert.deepStrictEqual(plainView(result.success), plainView(before))
        if (before.build.readyAt === undefined) assert.isUndefined(before.upload.hostedPrefix)
        else yield* assertHostsBuild(team, before, upload.content)

        const view = yield* builds.finalize(team.caller, upload.token)
        yield* assertHostsBuild(team, view, upload.content)
        if (before.build.readyAt !== undefined) assert.deepStrictEqual(plainView(view), plainView(before))
        assert.deepStrictEqual(plainView(yield* builds.finalize(team.caller, upload.token)), plainView(view))
        assert.strictEqual(view.build.version, 2, "commits: the reserve and one finalize")
      }
    )
  )

  it.effect("whichever call fails, a build whose bytes are not what was declared is not finalized", () =>
    failEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        const content = newContent("declared")
        const { id, slots, token } = yield* Builds.use((builds) => builds.reserve(team.caller, buildOf(team, content)))
        yield* putAll(
          slots,
          content.map((bytes, index) => (index === 0 ? bytes.map((byte) => byte ^ 1) : bytes))
        )
        return { team, content, id, slots, token }
      }),
      ({ team, token }) =>
        Builds.use((builds) => builds.finalize(team.caller, token)).pipe(
          Effect.flip,
          Effect.filterOrFail(
            (error) => error._tag !== "Unavailable",
            () => Unavailable.default
          )
        ),
      function* ({ content, id, slots, team, token }, result) {
        const builds = yield* Builds
        if (Result.isSuccess(result)) assert.strictEqual(result.success._tag, "UploadIncomplete")
        assert.isUndefined((yield* builds.read(team.caller, id)).build.readyAt)
        assert.strictEqual((yield* Effect.flip(builds.finalize(team.caller, token)))._tag, "UploadIncomplete")
        yield* putAll(slots, content)
        yield* assertHostsBuild(team, yield* builds.finalize(team.caller, token), content)
      }
    )
  )

  it.effect("whichever call is late, all concurrent finalizes of one token get the same answer", () =>
    delayEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        return { team, upload: yield* uploadedBuild(team, newContent("at once")) }
      }),
      ({ team, upload }) => {
        const finalize = Builds.use((builds) => builds.finalize(team.caller, upload.token))
        return Effect.all([finalize, finalize], { concurrency: "unbounded" })
      },
      function* ({ team, upload }, result) {
        if (Result.isFailure(result)) return assert.fail("nothing failed, and it is Unavailable all the same")
        const [one, other] = result.success
        assert.deepStrictEqual(plainView(one), plainView(other))
        assert.strictEqual(one.build.version, 2, "commits: the reserve and one finalize")
        yield* assertHostsBuild(team, one, upload.content)
      }
    )
  )

  it.effect("whichever call fails, a ready build that is uploaded again stays ready and hosts one of the two", () =>
    failEachCall(
      Effect.gen(function* () {
        const builds = yield* Builds
        const team = yield* newTeam
        const first = yield* uploadedBuild(team, newContent("first"))
        const answer = yield* builds.finalize(team.caller, first.token)
        return { team, first, answer, second: yield* uploadedBuild(team, newContent("second"), first.identity) }
      }),
      ({ second, team }) => Builds.use((builds) => builds.finalize(team.caller, second.token)),
      function* ({ answer, first, second, team }, result) {
        const builds = yield* Builds
        const now = yield* builds.read(team.caller, first.id)
        const isSecond = now.upload.id !== answer.upload.id
        if (Result.isSuccess(result)) assert.isTrue(isSecond)
        yield* assertHostsBuild(team, now, isSecond ? second.content : first.content)
        const view = yield* builds.finalize(team.caller, second.token)
        yield* assertHostsBuild(team, view, second.content)
        const again = yield* builds.finalize(team.caller, first.token)
        const { supersededAt: _, ...upload } = again.upload
        assert.deepStrictEqual(plainReservation(upload), plainView(answer).upload)
      }
    )
  )

  it.effect("whichever call fails, what is hosted is read whole or not at all", () =>
    failEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        const upload = yield* uploadedBuild(team, newContent("read"))
        yield* (yield* Builds).finalize(team.caller, upload.token)
        return { team, upload }
      }),
      ({ team, upload }) => hostedByBuild(team.caller, upload.id),
      function* ({ team, upload }, result) {
        if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, upload.content)
        assert.deepStrictEqual(yield* hostedByBuild(team.caller, upload.id), upload.content)
      }
    )
  )
}

export const testRunServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a test run is registered once under its idempotency key", () =>
    failEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        const { shareId, token } = yield* newPreview(team)
        yield* (yield* Previews).finalize(team.caller, token)
        const { owner, repo } = team.repository
        const report: RegisterRun["report"] = { kind: "detox", status: "passed", previewShareId: shareId, name: "once" }
        return { team, request: { owner, repo, report } }
      }),
      ({ request, team }) => TestRuns.use((runs) => runs.register(team.caller, request, "key")),
      function* ({ request, team }, result) {
        const runs = yield* TestRuns
        const view = yield* runs.register(team.caller, request, "key")
        const again = yield* runs.register(team.caller, request, "key")
        assert.deepStrictEqual(plainRun(again.run), plainRun(view.run))
        if (Result.isSuccess(result)) assert.deepStrictEqual(plainRun(result.success.run), plainRun(view.run))
        const { owner, repo } = request
        const page = yield* runs.list(team.caller, { owner, repo, filter: {} })
        const ids = page.runs.map(({ run }) => run.id)
        assert.deepStrictEqual(ids, [view.run.id])
      }
    )
  )
}

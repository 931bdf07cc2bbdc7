import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import type { BuildView } from "../../../core/model/Build.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { keyOf, plainView } from "../parts/buildPorts.ts"
import type { Faults } from "../parts/injectFaults.ts"
import { plainBuildTicket, plainReservation } from "../parts/plain.ts"
import type { Cases } from "../parts/suite.ts"
import { delayEachCall, failEachCall } from "./eachCall.ts"
import {
  buildOf,
  hostedByBuild,
  newContent,
  newTeam,
  putAll,
  uploadedBuild,
  type Content,
  type ServicePorts,
  type Services,
  type Team
} from "./world.ts"

/** The build as it is stored, if it is. */
const stored = ({ account, repository }: Team, { identity }: ReturnType<typeof buildOf>) =>
  Effect.gen(function* () {
    const slot = yield* (yield* BuildStore).loadForReserve(account.id, keyOf(repository), identity)
    return Option.getOrUndefined(Option.getOrThrow(slot).build)
  })

/** Asserts that the build is ready and hosts exactly what was uploaded. */
const assertHosts = ({ caller }: Team, { build, upload }: BuildView, content: Content) =>
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
        else yield* assertHosts(team, before, upload.content)

        const view = yield* builds.finalize(team.caller, upload.token)
        yield* assertHosts(team, view, upload.content)
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
            () => Unavailable.answer
          )
        ),
      function* ({ content, id, slots, team, token }, result) {
        const builds = yield* Builds
        if (Result.isSuccess(result)) assert.strictEqual(result.success._tag, "UploadIncomplete")
        assert.isUndefined((yield* builds.read(team.caller, id)).build.readyAt)
        assert.strictEqual((yield* Effect.flip(builds.finalize(team.caller, token)))._tag, "UploadIncomplete")
        yield* putAll(slots, content)
        yield* assertHosts(team, yield* builds.finalize(team.caller, token), content)
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
        yield* assertHosts(team, one, upload.content)
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
        yield* assertHosts(team, now, isSecond ? second.content : first.content)
        const view = yield* builds.finalize(team.caller, second.token)
        yield* assertHosts(team, view, second.content)
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

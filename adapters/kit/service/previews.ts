import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Preview, PreviewDeclaration } from "../../../core/model/Preview.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { Previews } from "../../../core/service/Previews.ts"
import type { Faults } from "../parts/injectFaults.ts"
import { put } from "../parts/objectStoreClient.ts"
import { plainPreview, plainPreviewTicket } from "../parts/plain.ts"
import type { Cases } from "../parts/suite.ts"
import { failEachCall } from "./eachCall.ts"
import {
  declarationOf,
  hostedByPreview,
  newContent,
  newTeam,
  putAll,
  type Content,
  type ServicePorts,
  type Services,
  type Team
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

const assertHosts = ({ caller }: Team, { finalizedAt, hostedPrefix, shareId }: Preview, content: Content) =>
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
          else yield* assertHosts(team, before, upload.content)

          const preview = yield* previews.finalize(team.caller, upload.token)
          yield* assertHosts(team, preview, upload.content)
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
        yield* assertHosts(team, yield* previews.finalize(team.caller, token), earlier.content)
        yield* assertHosts(team, hosted, earlier.content)
      }
    )
  )
}

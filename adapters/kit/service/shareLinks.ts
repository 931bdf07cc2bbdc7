import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Previews } from "../../../core/service/Previews.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import type { Faults } from "../parts/injectFaults.ts"
import type { Cases } from "../parts/suite.ts"
import { newPreview } from "./previews.ts"
import { failEachCall } from "./eachCall.ts"
import { newTeam, type ServicePorts, type Services } from "./world.ts"

const newShared = Effect.gen(function* () {
  const team = yield* newTeam
  const { shareId, token } = yield* newPreview(team)
  yield* Previews.use((previews) => previews.finalize(team.caller, token))
  return { caller: team.caller, shared: { preview: shareId } }
})

const newLink = Effect.gen(function* () {
  const { caller, shared } = yield* newShared
  const { link, secret } = yield* ShareLinks.use((links) => links.create(caller, shared))
  return { caller, shared, id: link.id, secret }
})

const open = (secret: string) => ShareLinks.use((links) => links.open(secret))

export const shareLinkServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a link is made and opens, or opens nothing", () =>
    failEachCall(
      newShared,
      ({ caller, shared }) => ShareLinks.use((links) => links.create(caller, shared)),
      function* ({ caller, shared }, result) {
        const { links } = yield* ShareLinks.use((all) => all.list(caller, shared))
        if (Result.isFailure(result)) return assert.isAtMost(links.length, 1)
        const ids = links.map(({ id }) => id)
        assert.deepStrictEqual(ids, [result.success.link.id])
        assert.deepStrictEqual((yield* open(result.success.secret)).shared, shared)
      }
    )
  )

  it.effect(
    "whichever call fails, a link that was answered as revoked opens nothing, and repeating the call revokes it",
    () =>
      failEachCall(
        newLink,
        ({ caller, id, shared }) => ShareLinks.use((links) => links.revoke(caller, shared, id)),
        function* ({ caller, id, secret, shared }, result) {
          const opened = yield* Effect.result(open(secret))
          if (Result.isSuccess(result)) assert.isTrue(Result.isFailure(opened), "a revoked link that opens")
          yield* ShareLinks.use((links) => links.revoke(caller, shared, id))
          assert.strictEqual((yield* Effect.flip(open(secret)))._tag, "ShareLinkEnded")
        }
      )
  )

  it.effect("whichever call fails, a link opens what it was made for or nothing", () =>
    failEachCall(
      newLink,
      ({ secret }) => open(secret),
      function* ({ id, secret }, result) {
        if (Result.isSuccess(result)) assert.strictEqual(result.success.id, id)
        assert.strictEqual((yield* open(secret)).id, id)
      }
    )
  )
}

/**
 * Valid requests, changed at random at every level: every answer is sound and what the OpenAPI document declares, and a refused
 * request changes nothing.
 */
import { assert, layer } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { Effect, Schema } from "effect"
import { embedded } from "../testing/engines.ts"
import { TestHost } from "../testing/TestHost.ts"
import { Change, changed } from "./testing/changes.ts"
import { asDeclared } from "./testing/asDeclared.ts"
import { newHoldings } from "./testing/holdings.ts"
import { seed } from "./testing/seed.ts"
import { inventory, snapshot } from "./testing/snapshot.ts"
import { faultsOf } from "./testing/sound.ts"
import { validRequests } from "./testing/validRequests.ts"
import { send, shown, shownResponse, type WireResponse, type WireRequest } from "./testing/wire.ts"

/** How many requests are sent to each set of engines; `fuzzDeletions.matrix.test.ts` sends as many more as make 50,000. */
const requests = 20_000

/** After this many requests the test checks that only accepted requests changed anything. */
const readBackEvery = 2_000

/** A valid request, and the changes made to it in order. */
const Fuzzed = Schema.Struct({
  request: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })),
  changes: Schema.Array(Change).check(Schema.isMaxLength(4))
})

/** The ids of what an account owns. */
type Inventory = Effect.Success<ReturnType<typeof inventory>>

/**
 * What an accepted request created, according to its answer. A form that creates a share link answers with a page that
 * lists all links.
 */
const madeBy = ({ method }: WireRequest, { headers, status, text }: WireResponse): Inventory => {
  const idsBy = (form: RegExp) => new Set([...text.matchAll(form)].map(([, id]) => id ?? ""))
  const isAccepted = method === "POST" && status < 300
  const isBuild = isAccepted && String(headers["location"] ?? "").includes("/builds/")
  const isRun = isAccepted && text.includes('"traceUrl"')
  const isLink = isAccepted && text.includes('"expiresAt"') && text.includes("/shared/")
  return {
    builds: isBuild ? idsBy(/^\{"id":"([^"]+)"/g) : new Set(),
    runs: isRun ? idsBy(/"id":"([^"]+)"/g) : new Set(),
    links: isLink ? idsBy(/^\{"id":"([^"]+)"/g) : isAccepted ? idsBy(/\/shares\/([^/"]+)\/revoke"/g) : new Set()
  }
}

const sorted = ({ builds, links, runs }: Inventory) => ({
  builds: [...builds].toSorted(),
  runs: [...runs].toSorted(),
  links: [...links].toSorted()
})

layer(TestHost.layer(embedded(), { rates: {} }))("fuzzed requests", (it) => {
  it.effect(
    `${requests} of them are answered soundly, and change only what they were accepted for`,
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestHost
        const all = yield* newHoldings
        // A request that is changed into a deletion would be accepted from a key that may delete.
        const mild = all.keys.find(({ scopes }) => scopes.length === 3 && !scopes.includes("delete"))
        const own = { ...all, key: mild?.key ?? assert.fail("a key that may do all else") }
        const others = yield* newHoldings
        const undeclared = yield* asDeclared(url)
        const valid = validRequests(own)
        const faults = faultsOf([...own.secrets, ...others.secrets])
        const kept = yield* snapshot(others)
        let made = yield* inventory(own)
        const statuses = new Map<number, number>()
        let count = 0

        const readBack = Effect.gen(function* () {
          assert.deepStrictEqual(yield* snapshot(others), kept, "of another account")
          assert.deepStrictEqual(sorted(yield* inventory(own)), sorted(made), "what exists is what was accepted")
        })

        const holds = Effect.fnUntraced(function* ({ changes, request }: typeof Fuzzed.Type) {
          const begun = valid[Math.floor((request / 1000) * valid.length)]!
          const asked = changes.reduce(changed, begun)
          const result = yield* send(url, asked)
          statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1)
          const more = madeBy(asked, result)
          made = {
            builds: made.builds.union(more.builds),
            runs: made.runs.union(more.runs),
            links: made.links.union(more.links)
          }
          const found = [...faults(asked, result), ...undeclared(asked, result)]
          if (++count % readBackEvery === 0) yield* readBack
          if (found.length > 0)
            assert.fail(`${found.join("; ")}, in answer to\n${shown(asked)}\n\n${shownResponse(result)}`)
        })

        const property = (fuzzed: typeof Fuzzed.Type) => Effect.as(Effect.catchDefect(holds(fuzzed), Effect.fail), true)
        const outcome = yield* Arbitrary.checkEffect(Arbitrary.schema(Fuzzed), property, {
          runs: requests,
          seed,
          size: 6
        })
        const failure = Arbitrary.formatCheckFailure(outcome)
        if (failure !== undefined) assert.fail(`SLIPWAY_TEST_SEED=${seed}\n${failure}`)
        yield* readBack
        process.stdout.write(
          `answers: ${[...statuses]
            .toSorted()
            .map((pair) => pair.join("×"))
            .join(" ")}\n`
        )
      }),
    // Other tests may use the CPU at the same time.
    1_200_000
  )
})

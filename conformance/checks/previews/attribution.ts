import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { places } from "../../dialect/search.ts"
import type { AccountName, Answer } from "../../session/Exchange.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { answered2xx, mustAnswer } from "../steps/answers.ts"
import { a, keyOf } from "../steps/credentials.ts"
import { eventually } from "../steps/eventually.ts"
import { bundleSizeBytes, previewInput } from "../steps/inputs.ts"
import { hostedPreview, readPreview } from "../steps/previews.ts"

/** Every value in an answer that isn't made of others, by where it lies. */
const values = ({ json }: Answer): ReadonlyMap<string, unknown> =>
  new Map(
    [...places(json)].flatMap(({ path, value }) =>
      typeof value === "object" ? [] : [[JSON.stringify(path), value] as const]
    )
  )

const noRepository = { owner: undefined, repo: undefined }

/** The repository is left out, as it tells the accounts apart by itself, unless the target insists on one. */
const fieldsWithoutRepository = Effect.gen(function* () {
  const dialect = yield* Dialect
  const answer = yield* dialect.reservePreview(yield* previewInput("asked", { fields: noRepository }), a)
  return answered2xx(answer) ? noRepository : {}
})

/**
 * Whatever attributes a preview to its account is the same in two previews of one account and another in the other
 * account's, where nothing else that was declared differs.
 */
const account: Check = {
  id: "previews.metadata.account",
  profile: "previews",
  title: "The metadata of a preview has account attribution: something in it tells whose preview it is.",
  cost: { requests: 13, bytes: 3 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const fields = yield* fieldsWithoutRepository
    const metadataOf = Effect.fnUntraced(function* (account: AccountName) {
      const { shareId } = yield* hostedPreview("preview", { account, fields })
      const answer = yield* eventually(readPreview(shareId, keyOf(account)), answered2xx)
      yield* mustAnswer(answer, "The read of a hosted preview by its account")
      return values(answer)
    })
    // One after the other, so that a time which is the same in both of one account's is the same in all three.
    const one = yield* metadataOf("a")
    const foreign = yield* metadataOf("b")
    const other = yield* metadataOf("a")
    yield* must(
      [...one].some(([place, value]) => other.get(place) === value && foreign.get(place) !== value),
      "Something in the metadata is the same in two previews of an account and another in another account's.",
      "Nothing was."
    )
  })
}

export const attributionChecks: ReadonlyArray<Check> = [account]

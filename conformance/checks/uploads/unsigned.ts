import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { refuses } from "../steps/refuses.ts"
import { bundleSlot } from "./Flow.ts"
import type { Flow } from "./Flow.ts"

const unsigned = ({ profile, reserve }: Flow): Check => ({
  id: `${profile}.put.unsigned`,
  profile,
  title: "A PUT to a presigned URL without its query, and so without a signature, is refused.",
  cost: { requests: 2, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { putUrl, ...sent } = yield* bundleSlot(yield* reserve)
    const [place = putUrl, query] = putUrl.split("?")
    // One that is signed in its path has nothing to leave out.
    if (query === undefined) return
    yield* refuses(dialect.put({ putUrl: place }, sent), "A PUT without a signature", `${profile}.put.unsigned`)
  })
})

export const unsignedChecks = (flow: Flow): ReadonlyArray<Check> => [unsigned(flow)]

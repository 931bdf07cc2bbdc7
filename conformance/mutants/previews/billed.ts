import type { KeyName } from "../../session/Exchange.ts"
import { accountOf, by, keyOf } from "../parts/Call.ts"
import { asking, at, refusing } from "../parts/fronts.ts"
import type { Where } from "../parts/fronts.ts"
import type { Front } from "../parts/Front.ts"
import type { Mutant } from "../parts/Mutant.ts"

const billed = (...keys: ReadonlyArray<KeyName>): Where =>
  at("previews.reserve", (call) => {
    const key = keyOf(call)
    return call.fields.billingKind === "test_run" && key !== undefined && keys.includes(key)
  })

/** Lets a key of this name reserve what is billed. */
const enough = (key: KeyName): Front => asking(billed(key), (call) => by(call, accountOf(call) ?? "a"))

/** Which scopes a preview wants that is billed as a test run. */
export const billedMutants: ReadonlyArray<Mutant> = [
  {
    id: "previews.billed.never",
    fault: "A preview that is billed as a test run is refused to a key with both scopes.",
    caughtBy: ["previews.billed.both-scopes"],
    front: refusing(billed("all"))
  },
  {
    id: "previews.billed.by-preview-upload",
    fault: "A preview that is billed as a test run is reserved by a key without `test_runs`.",
    caughtBy: ["previews.billed.without-test-runs"],
    front: enough("previewUpload")
  },
  {
    id: "previews.billed.by-test-runs",
    fault: "A preview that is billed as a test run is reserved by a key without `preview_upload`.",
    caughtBy: ["previews.billed.without-preview-upload"],
    front: enough("testRuns")
  }
]

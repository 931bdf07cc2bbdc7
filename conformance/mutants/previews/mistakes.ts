import { at, failing } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"

/** What a caller gets wrong is answered as the host's own fault. */
export const mistakeMutants: ReadonlyArray<Mutant> = [
  {
    id: "previews.mistakes.reserve-fails",
    fault: "A size of a bundle that is a text is answered 500 where previews are reserved.",
    caughtBy: ["previews.mistakes.reserve"],
    front: failing(at("previews.reserve", ({ fields }) => typeof fields.bundleSizeBytes === "string"))
  },
  {
    id: "previews.mistakes.body-fails",
    fault: "The finalize of a preview with an empty body is answered 500.",
    caughtBy: ["previews.mistakes.body"],
    front: failing(at("previews.finalize", ({ body }) => body === "{}"))
  },
  {
    id: "previews.mistakes.read-fails",
    fault: "A shareId of 500 characters is answered 500.",
    caughtBy: ["previews.mistakes.read"],
    front: failing(at("previews.read", ({ url }) => url.length > 500))
  }
]

import { answering, at, failing, failure } from "../parts/fronts.ts"
import { items, members } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const isMissing = (json: Parameters<typeof members>[0]): boolean =>
  items(members(json).objects).some((object) => members(object).reason === "missing")

/** What a caller gets wrong is answered as the host's own fault. */
export const mistakeMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.mistakes.reserve-fails",
    fault: "A size of a bundle that is a text is answered 500.",
    caughtBy: ["builds.mistakes.reserve"],
    front: failing(at("builds.reserve", ({ fields }) => typeof fields.bundleSizeBytes === "string"))
  },
  {
    id: "builds.mistakes.body-fails",
    fault: "A body that is a list is answered 500 where builds are reserved.",
    caughtBy: ["builds.mistakes.body"],
    front: failing(at("builds.reserve", ({ body }) => body === "[]"))
  },
  {
    id: "builds.mistakes.incomplete-fails",
    fault: "A finalize before the bundle has arrived is answered 500.",
    caughtBy: ["builds.mistakes.finalize-incomplete"],
    front: answering(at("builds.finalize"), (answer) => (isMissing(answer.json) ? failure : answer))
  },
  {
    id: "builds.mistakes.read-fails",
    fault: "A read for a platform that there isn't is answered 500.",
    caughtBy: ["builds.mistakes.read"],
    front: failing(at("builds.latest", ({ query }) => query.platform === "toaster"))
  }
]

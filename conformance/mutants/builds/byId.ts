import { answeringDone, at, telling, tellingElse, without } from "../parts/fronts.ts"
import { followedBy } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const read = at("builds.read")

/** What is answered of a build by its id. */
export const byIdMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.read.other-url",
    fault: "A build that is read by its id has another url.",
    caughtBy: ["builds.read.url"],
    front: tellingElse(read, (fields) => ({ ...fields, url: followedBy("/by-id")(fields.url) }))
  },
  {
    id: "builds.read.enveloped",
    fault: "A build that is read by its id is in an envelope, the latest of a branch isn't.",
    caughtBy: ["builds.read.same-shape"],
    front: answeringDone(read, (answer) => telling(answer, { build: answer.json }))
  },
  {
    id: "builds.read.no-status",
    fault: "A build that is read by its id has no status, the latest of a branch has one.",
    caughtBy: ["builds.read.same-shape"],
    front: without(read, "status")
  }
]

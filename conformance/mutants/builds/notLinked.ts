import { accountOf } from "../parts/Call.ts"
import { answer, answeringNotFound, at } from "../parts/fronts.ts"
import { forEither } from "../parts/isolation.ts"
import type { Mutant } from "../parts/Mutant.ts"

/** Where the latest build is asked for of a repository that nobody linked. */
const ofTheUnlinked = at("builds.latest", ({ query }, { config }) => query.owner === config.accounts.a.unlinked.owner)

/** Where account b asks: what it doesn't find is account a's. */
const toTheOther = (endpoint: "builds.latest" | "builds.read") => at(endpoint, (call) => accountOf(call) === "b")

const forbidden = answer(403, { code: "forbidden" })
const withoutCode = answer(404, { message: "There is no such thing." })

/** How it is told that a repository isn't linked to the account. */
export const notLinkedMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.latest.unlinked-empty",
    fault: "The latest build of a repository that nobody linked is answered 200, with nothing.",
    caughtBy: ["builds.latest.unlinked"],
    front: answeringNotFound(ofTheUnlinked, answer(200, {}))
  },
  {
    id: "builds.latest.unlinked-without-code",
    fault: "The latest build of a repository that nobody linked is 404 without the code not_found.",
    caughtBy: ["builds.latest.unlinked"],
    front: answeringNotFound(ofTheUnlinked, withoutCode)
  },
  {
    id: "builds.latest.foreign-shown",
    fault: "The latest build of another account's branch is shown.",
    caughtBy: ["builds.latest.foreign"],
    front: forEither(at("builds.latest"))
  },
  {
    id: "builds.latest.foreign-forbidden",
    fault: "The latest build of another account's branch is 403.",
    caughtBy: ["builds.latest.foreign"],
    front: answeringNotFound(toTheOther("builds.latest"), forbidden)
  },
  {
    id: "builds.read.foreign-shown",
    fault: "Another account's build is shown by its id.",
    caughtBy: ["builds.read.foreign"],
    front: forEither(at("builds.read"))
  },
  {
    id: "builds.read.foreign-forbidden",
    fault: "Another account's build by its id is 403.",
    caughtBy: ["builds.read.foreign"],
    front: answeringNotFound(toTheOther("builds.read"), forbidden)
  },
  {
    id: "builds.read.foreign-without-code",
    fault: "Another account's build by its id is 404 without the code not_found.",
    caughtBy: ["builds.read.foreign"],
    front: answeringNotFound(toTheOther("builds.read"), withoutCode)
  }
]

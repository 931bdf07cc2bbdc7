import { saying } from "../parts/Call.ts"
import { asking, at } from "../parts/fronts.ts"
import { doneInSecret, forEither } from "../parts/isolation.ts"
import type { Mutant } from "../parts/Mutant.ts"

/** For which repositories a build is reserved. */
export const repositoryMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.reserve.unlinked-granted",
    fault: "A reservation for a repository that nobody linked is granted.",
    caughtBy: ["builds.reserve.unlinked-repository"],
    front: asking(
      at("builds.reserve", ({ fields }, { config }) => fields.owner === config.accounts.a.unlinked.owner),
      (call, { config }) => saying(call, config.accounts.a.linked)
    )
  },
  {
    id: "builds.reserve.foreign-granted",
    fault: "A reservation for another account's repository is granted.",
    caughtBy: ["builds.reserve.foreign-repository"],
    front: forEither(at("builds.reserve"))
  },
  {
    id: "builds.reserve.foreign-done",
    fault: "A reservation for another account's repository is refused, and done all the same.",
    caughtBy: ["builds.reserve.foreign-repository"],
    front: doneInSecret(at("builds.reserve"))
  }
]

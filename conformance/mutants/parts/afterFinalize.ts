import { Effect } from "effect"
import type { Front } from "./Front.ts"
import { at, isDone, changingFields, unchanged, type Where } from "./fronts.ts"
import type { MutantTable } from "./Mutant.ts"
import type { Reservation } from "./Call.ts"

type Profile = Reservation["profile"]

const reads = { builds: at(["builds.latest", "builds.read"]), previews: at("previews.read") } as const
const names = { builds: "id", previews: "shareId" } as const

/** Such a request for a finalized upload makes it read as one that isn't finalized. */
const undoes = (profile: Profile, where: Where): Front => {
  const finalize = at(`${profile}.finalize`)
  return (ask, target, dialect) => {
    const finalized = new Set<string>()
    const undone = new Set<unknown>()
    const undoing = changingFields(reads[profile], (fields) => {
      const { previewUrl: _previewUrl, ...rest } = fields
      return undone.has(fields[names[profile]]) ? { ...rest, status: "uploading" } : fields
    })(ask, target, dialect)
    return (call) =>
      Effect.tap(undoing(call), (answer) =>
        Effect.sync(() => {
          const { reservation } = call
          if (reservation?.profile !== profile) return
          if (finalized.has(reservation.token) && where(call, target)) undone.add(reservation.id)
          if (finalize(call, target) && isDone(answer)) finalized.add(reservation.token)
        })
      )
  }
}

/** The token lifetime that a host announces, in milliseconds. Its tokens live longer. */
const reportedMs = 1

/** What happens to a build or a preview that is finalized already, or too late. */
export const afterFinalizeMutants = (profile: Profile): MutantTable => ({
  "finalize.never-too-late": [
    "A token finalizes after the life that the host tells.",
    "finalize.expired",
    unchanged,
    // The other profile's check would report the same.
    { tokenLifeMs: reportedMs, profiles: [profile] }
  ],
  "finalize.again-undoes": [
    "A second finalize with the same token undoes the first.",
    "finalize.again",
    undoes(profile, at(`${profile}.finalize`))
  ],
  "put.late-undoes": [
    "A PUT to a slot after finalize undoes the finalize.",
    "put.after-finalize",
    undoes(
      profile,
      at("put", ({ method }) => method === "PUT")
    )
  ]
})

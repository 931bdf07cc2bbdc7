import { ErasedKind, type ErasedCounts } from "../model/Erasure.ts"
import type { Reservation } from "../model/Reservation.ts"
import { declaredBytes } from "./sweeps.ts"

/** The sum of the counts of two steps. */
export const addErasedCounts = (one: ErasedCounts, other: ErasedCounts): ErasedCounts =>
  Object.fromEntries(
    ErasedKind.literals.flatMap((kind) => {
      const sum = (one[kind] ?? 0) + (other[kind] ?? 0)
      return sum === 0 ? [] : [[kind, sum]]
    })
  )

/** The counts as text: `3 builds, 12 objects`. */
export const erasedCountsText = (gone: ErasedCounts): string =>
  ErasedKind.literals
    .flatMap((kind) => {
      const count = gone[kind]
      const words = kind.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
      return count === undefined ? [] : [`${count} ${words}`]
    })
    .join(", ")

/** The objects that an upload hosts, and the bytes that it declared: none when it was never finalized. */
export const hostedBy = (
  finalizedAt: Reservation["finalizedAt"] | undefined,
  declaration: Parameters<typeof declaredBytes>[0]
): { readonly objects: number; readonly bytes: number } =>
  finalizedAt === undefined
    ? { objects: 0, bytes: 0 }
    : {
        objects: 1 + declaration.files.length + (declaration.recordings?.length ?? 0),
        bytes: declaredBytes(declaration)
      }

import { afterFinalizeMutants } from "../parts/afterFinalize.ts"
import { choiceMutants } from "../parts/choices.ts"
import { finalizerMutants } from "../parts/finalizer.ts"
import { keyMutants } from "../parts/keys.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { uploadMutants } from "../uploads/index.ts"
import { billedMutants } from "./billed.ts"
import { finalizeMutants } from "./finalize.ts"
import { metadataMutants } from "./metadata.ts"
import { missingMutants } from "./missing.ts"
import { mistakeMutants } from "./mistakes.ts"
import { reserveMutants } from "./reserve.ts"
import { visibilityMutants } from "./visibility.ts"

/** Hosts that are at fault with previews, in the order of the checks. */
export const previewMutants: ReadonlyArray<Mutant> = [
  ...reserveMutants,
  ...uploadMutants("previews"),
  ...finalizeMutants,
  ...missingMutants,
  ...finalizerMutants("previews"),
  ...afterFinalizeMutants("previews"),
  ...metadataMutants,
  ...visibilityMutants,
  ...billedMutants,
  ...keyMutants("previews"),
  ...mistakeMutants,
  choiceMutants.previews
]

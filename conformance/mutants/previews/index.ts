import { afterFinalizeMutants } from "../parts/afterFinalize.ts"
import { choiceMutants } from "../parts/choices.ts"
import { finalizerMutants } from "../parts/finalizer.ts"
import { keyMutants } from "../parts/keys.ts"
import { mistakeMutants } from "../parts/mistakes.ts"
import { toMutants } from "../parts/Mutant.ts"
import { uploadMutants } from "../uploads/index.ts"
import { emptyFileMutants } from "../builds/reserve.ts"
import { finalizeMutants, missingMutants } from "./finalize.ts"
import { metadataMutants, visibilityMutants } from "./metadata.ts"
import { billedMutants, groundMutants, reserveMutants } from "./reserve.ts"

/** Hosts with a fault in previews, in the order of the checks. */
export const previewMutants = toMutants(
  "previews",
  reserveMutants,
  groundMutants,
  emptyFileMutants("previews"),
  uploadMutants("previews"),
  finalizeMutants,
  missingMutants,
  finalizerMutants("previews"),
  afterFinalizeMutants("previews"),
  metadataMutants,
  visibilityMutants,
  billedMutants,
  keyMutants("previews"),
  mistakeMutants.previews,
  choiceMutants.previews
)

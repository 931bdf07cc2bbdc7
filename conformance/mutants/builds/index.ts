import { afterFinalizeMutants } from "../parts/afterFinalize.ts"
import { choiceMutants } from "../parts/choices.ts"
import { finalizerMutants } from "../parts/finalizer.ts"
import { keyMutants } from "../parts/keys.ts"
import { mistakeMutants } from "../parts/mistakes.ts"
import { toMutants } from "../parts/Mutant.ts"
import { uploadMutants } from "../uploads/index.ts"
import { finalizeMutants, operationMutants } from "./finalize.ts"
import { identityMutants } from "./identity.ts"
import { byIdMutants, latestMutants, notLinkedMutants } from "./reads.ts"
import { emptyFileMutants, repositoryMutants, reserveMutants } from "./reserve.ts"

/** Hosts with a fault in builds, in the order of the checks. */
export const buildMutants = toMutants(
  "builds",
  reserveMutants,
  repositoryMutants,
  emptyFileMutants("builds"),
  uploadMutants("builds"),
  finalizeMutants,
  operationMutants,
  finalizerMutants("builds"),
  afterFinalizeMutants("builds"),
  identityMutants,
  latestMutants,
  byIdMutants,
  notLinkedMutants,
  keyMutants("builds"),
  mistakeMutants.builds,
  choiceMutants.builds
)

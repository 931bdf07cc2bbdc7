import { afterFinalizeMutants } from "../parts/afterFinalize.ts"
import { choiceMutants } from "../parts/choices.ts"
import { finalizerMutants } from "../parts/finalizer.ts"
import { keyMutants } from "../parts/keys.ts"
import type { Mutant } from "../parts/Mutant.ts"
import { uploadMutants } from "../uploads/index.ts"
import { byIdMutants } from "./byId.ts"
import { finalizeMutants } from "./finalize.ts"
import { identityMutants } from "./identity.ts"
import { latestMutants } from "./latest.ts"
import { mistakeMutants } from "./mistakes.ts"
import { notLinkedMutants } from "./notLinked.ts"
import { operationMutants } from "./operation.ts"
import { repositoryMutants } from "./repositories.ts"
import { reserveMutants } from "./reserve.ts"

/** Hosts that are at fault with builds, in the order of the checks. */
export const buildMutants: ReadonlyArray<Mutant> = [
  ...reserveMutants,
  ...repositoryMutants,
  ...uploadMutants("builds"),
  ...finalizeMutants,
  ...operationMutants,
  ...finalizerMutants("builds"),
  ...afterFinalizeMutants("builds"),
  ...identityMutants,
  ...latestMutants,
  ...byIdMutants,
  ...notLinkedMutants,
  ...keyMutants("builds"),
  ...mistakeMutants,
  choiceMutants.builds
]

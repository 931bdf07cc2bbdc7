import type { Check } from "../steps/Check.ts"
import { buildUploads } from "../uploads/index.ts"
import { afterFinalizeChecks } from "./afterFinalize.ts"
import { byIdChecks } from "./byId.ts"
import { fileChecks } from "./files.ts"
import { finalizeChecks } from "./finalize.ts"
import { finalizerChecks } from "./finalizer.ts"
import { identityChecks } from "./identity.ts"
import { keyChecks } from "./keys.ts"
import { latestChecks } from "./latest.ts"
import { mistakeChecks } from "./mistakes.ts"
import { notLinkedChecks } from "./notLinked.ts"
import { operationChecks } from "./operation.ts"
import { otherIdentityChecks } from "./otherIdentity.ts"
import { platformChecks } from "./platform.ts"
import { repositoryChecks } from "./repositories.ts"
import { reserveChecks } from "./reserve.ts"
import { scopeChecks } from "./scope.ts"

/** The checks of the profile `builds`, in the order of the interface. */
export const buildChecks: ReadonlyArray<Check> = [
  ...reserveChecks,
  ...fileChecks,
  ...repositoryChecks,
  ...buildUploads,
  ...finalizeChecks,
  ...operationChecks,
  ...finalizerChecks,
  ...afterFinalizeChecks,
  ...identityChecks,
  ...otherIdentityChecks,
  ...latestChecks,
  ...platformChecks,
  ...byIdChecks,
  ...notLinkedChecks,
  ...keyChecks,
  ...scopeChecks,
  ...mistakeChecks
]

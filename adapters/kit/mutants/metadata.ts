import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { accountMutants } from "./accounts.ts"
import { buildCommitMutants } from "./buildCommits.ts"
import { buildReadMutants } from "./buildReads.ts"
import { idempotencyMutants } from "./idempotency.ts"
import { keyMutants } from "./keys.ts"
import type { Mutant } from "./Mutant.ts"
import { outboxMutants } from "./outbox.ts"
import { overviewMutants } from "./overview.ts"
import { previewMutants } from "./previews.ts"
import { repositoryMutants } from "./repositories.ts"
import { reservationMutants } from "./reservations.ts"
import { sessionMutants } from "./sessions.ts"
import { shareLinkMutants } from "./shareLinks.ts"
import { testRunMutants } from "./testRuns.ts"

/** Adapters of the metadata ports with one fault each. */
export const metadataMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  ...accountMutants,
  ...keyMutants,
  ...repositoryMutants,
  ...buildReadMutants,
  ...buildCommitMutants,
  ...previewMutants,
  ...testRunMutants,
  ...idempotencyMutants,
  ...reservationMutants,
  ...shareLinkMutants,
  ...sessionMutants,
  ...overviewMutants,
  ...outboxMutants
]

import type { AccountStore } from "../../../core/ports/AccountStore.ts"
import type { BuildStore } from "../../../core/ports/BuildStore.ts"
import type { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import type { KeyStore } from "../../../core/ports/KeyStore.ts"
import type { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import type { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import type { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import type { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import type { SessionStore } from "../../../core/ports/SessionStore.ts"
import type { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import type { TestRunStore } from "../../../core/ports/TestRunStore.ts"

/** Every port that keeps metadata. */
export type MetadataPorts =
  | AccountStore
  | BuildStore
  | IdempotencyStore
  | KeyStore
  | OverviewStore
  | PreviewStore
  | RepositoryStore
  | ReservationStore
  | SessionStore
  | ShareLinkStore
  | TestRunStore

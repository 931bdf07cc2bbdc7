import { describe } from "@effect/vitest"
import { accountStoreCases } from "./accountStore.ts"
import { buildStoreCases } from "./buildStore.ts"
import { idempotencyCases } from "./idempotency.ts"
import type { OncePorts } from "./idempotency.ts"
import { keyStoreCases } from "./keyStore.ts"
import type { KeyPorts } from "./keyStore.ts"
import { overviewStoreCases } from "./overviewStore.ts"
import type { OverviewPorts } from "./overviewStore.ts"
import { previewStoreCases } from "./previewStore.ts"
import { repositoryStoreCases } from "./repositoryStore.ts"
import { reservationStoreCases } from "./reservationStore.ts"
import type { ReservationPorts } from "./reservationStore.ts"
import { sessionStoreCases } from "./sessionStore.ts"
import type { SessionPorts } from "./sessionStore.ts"
import { shareLinkStoreCases } from "./shareLinkStore.ts"
import type { ShareLinkPorts } from "./shareLinkStore.ts"
import { suite } from "./suite.ts"
import type { Adapter } from "./suite.ts"
import { testRunStoreCases } from "./testRunStore.ts"

/** Every port of metadata. */
export type MetadataPorts = KeyPorts | OncePorts | OverviewPorts | ReservationPorts | SessionPorts | ShareLinkPorts

/** What the metadata ports must do, all of them on one adapter. */
export const metadataSuite = <S = never>(name: string, adapter: Adapter<MetadataPorts, S>): void =>
  suite(`metadata on ${name}`, adapter, (it) => {
    describe("AccountStore", () => accountStoreCases(it))
    describe("KeyStore", () => keyStoreCases(it))
    describe("RepositoryStore", () => repositoryStoreCases(it))
    describe("BuildStore", () => buildStoreCases(it))
    describe("PreviewStore", () => previewStoreCases(it))
    describe("TestRunStore", () => testRunStoreCases(it))
    describe("IdempotencyStore", () => idempotencyCases(it))
    describe("ReservationStore", () => reservationStoreCases(it))
    describe("ShareLinkStore", () => shareLinkStoreCases(it))
    describe("SessionStore", () => sessionStoreCases(it))
    describe("OverviewStore", () => overviewStoreCases(it))
  })

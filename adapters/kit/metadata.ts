import { describe, layer } from "@effect/vitest"
import type { Layer } from "effect"
import { accountStoreCases } from "./accountStore.ts"
import { buildStoreCases } from "./buildStore.ts"
import { idempotencyCases } from "./idempotency.ts"
import type { OncePorts } from "./idempotency.ts"
import { keyStoreCases } from "./keyStore.ts"
import type { KeyPorts } from "./keyStore.ts"
import { previewStoreCases } from "./previewStore.ts"
import { repositoryStoreCases } from "./repositoryStore.ts"
import { testRunStoreCases } from "./testRunStore.ts"

/**
 * What the metadata ports must do, all of them on one adapter, which is built once. It may hold data already, and keeps
 * what the cases store.
 */
export const metadataSuite = <E>(name: string, adapter: Layer.Layer<KeyPorts | OncePorts, E>) =>
  layer(adapter)(`metadata on ${name}`, (it) => {
    describe("AccountStore", () => accountStoreCases(it))
    describe("KeyStore", () => keyStoreCases(it))
    describe("RepositoryStore", () => repositoryStoreCases(it))
    describe("BuildStore", () => buildStoreCases(it))
    describe("PreviewStore", () => previewStoreCases(it))
    describe("TestRunStore", () => testRunStoreCases(it))
    describe("IdempotencyStore", () => idempotencyCases(it))
  })

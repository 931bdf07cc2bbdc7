/**
 * What every adapter must pass: a suite a port, for an adapter of one's own too, and what makes any adapter fail on
 * purpose. Needs vitest and @effect/vitest.
 */
export { accountStoreSuite } from "./accountStore.ts"
export { buildStoreSuite } from "./buildStore.ts"
export { Faults, faulty } from "./faults.ts"
export type { Call, Fault, Plan } from "./faults.ts"
export { idempotencySuite } from "./idempotency.ts"
export { keyStoreSuite } from "./keyStore.ts"
export { LeftOpen } from "./leaks.ts"
export { metadataSuite } from "./metadata.ts"
export type { MetadataPorts } from "./metadata.ts"
export { objectStoreSuite, OpenObjects, Settled, UrlFetch } from "./objectStore.ts"
export type { Capabilities } from "./objectStore.ts"
export { loopback } from "./objectStoreHarness.ts"
export { overviewStoreSuite } from "./overviewStore.ts"
export { previewStoreSuite } from "./previewStore.ts"
export { repositoryStoreSuite } from "./repositoryStore.ts"
export { serviceSuite } from "./service.ts"
export type { ServicePorts } from "./service.ts"
export type { Adapter } from "./suite.ts"
export { shareLinkStoreSuite } from "./shareLinkStore.ts"
export { testRunStoreSuite } from "./testRunStore.ts"

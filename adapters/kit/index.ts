/**
 * The suites that every adapter must pass, and a layer that makes any adapter fail on purpose. Needs vitest and @effect/vitest.
 */
export { keyValueSuite } from "./keyValueStore.ts"
export type { OpenedKeyValueStore } from "./keyValueStore.ts"
export { metadataSuite } from "./metadata.ts"
export { metadataSnapshotSuite } from "./metadataSnapshot.ts"
export { objectStoreSuite, OpenObjects, Settled, UrlFetch } from "./objectStore.ts"
export type { Capabilities } from "./objectStore.ts"
export { FailingEngine } from "./parts/commits.ts"
export { Faults, faulty } from "./parts/injectFaults.ts"
export { loopback } from "./parts/objectStoreHarness.ts"
export { Damage, LeakedHandles } from "./parts/suite.ts"
export type { Adapter } from "./parts/suite.ts"
export { serviceSuite } from "./service.ts"

/** What every adapter must pass: a suite a port, for an adapter of one's own too. Needs vitest and @effect/vitest. */
export { accountStoreSuite } from "./accountStore.ts"
export { buildStoreSuite } from "./buildStore.ts"
export { keyStoreSuite } from "./keyStore.ts"
export { metadataSuite } from "./metadata.ts"
export { objectStoreSuite } from "./objectStore.ts"
export { repositoryStoreSuite } from "./repositoryStore.ts"

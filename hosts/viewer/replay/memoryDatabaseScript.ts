/** Replaces the browser's IndexedDB by one in memory. `memory.ts` loads it when an app asks for one. */
import "fake-indexeddb/auto"

/** Puts an IndexedDB in memory in the place of the browser's. Loaded where an app asks for one, as `memoryDatabase.ts` says. */
import "fake-indexeddb/auto"

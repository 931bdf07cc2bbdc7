import type { TestOptions } from "vitest"

/**
 * The options of a test that proves these sentences of the interface over HTTP. `sentences.test.ts` reads the ids from
 * the sources; it fails for a sentence without a test and for an unknown id.
 */
export const proves = (...sentences: readonly [string, ...ReadonlyArray<string>]): TestOptions => ({
  meta: { sentences }
})

declare module "vitest" {
  interface TaskMeta {
    /** The ids of the sentences of the interface that the test proves. */
    sentences?: ReadonlyArray<string>
  }
}

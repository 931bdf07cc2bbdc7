/**
 * How long tests may wait. A timeout ends what hangs; it is no assertion, so it is far longer than any test needs on a
 * slow and busy machine. `SLIPWAY_TEST_PATIENCE`, 1 by default, multiplies it.
 */
const timeoutScale = Number(process.env["SLIPWAY_TEST_PATIENCE"] ?? 1)

/** The timeouts of tests that need at most so many minutes each. */
export const timeouts = (minutes: number) => {
  const millis = minutes * 60_000 * timeoutScale
  return {
    testTimeout: millis,
    hookTimeout: millis,
    // Ends a wait within a test a little earlier, so that the failure says what it waited for.
    provide: { waitMillis: 0.9 * millis }
  }
}

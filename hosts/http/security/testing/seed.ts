import { randomInt } from "node:crypto"

/**
 * The seed of all random choices in these tests. It is printed, so that a failure can be repeated: `SLIPWAY_TEST_SEED=…
 * npx vitest run --config .config/vitest.matrix.config.ts hosts/http/security`.
 */
export const seed = process.env["SLIPWAY_TEST_SEED"] ?? String(randomInt(2 ** 31))

process.stdout.write(`SLIPWAY_TEST_SEED=${seed}\n`)

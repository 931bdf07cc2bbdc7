import { assert } from "@effect/vitest"
import type { Context } from "effect"

/** Fails when there is no call of a method of one of the ports that a layer has built. */
export const assertEveryMethod = (ports: Context.Context<never>, calls: Readonly<Record<string, unknown>>): void => {
  const called = new Set(Object.keys(calls).map((name) => name.split(",")[0]))
  for (const [key, port] of ports.mapUnsafe) {
    if (!key.startsWith("slipway/core/ports/")) continue
    for (const method of Object.keys(port)) {
      const name = `${key.slice("slipway/core/ports/".length)}.${method}`
      assert.isTrue(called.has(name), `no call of ${name}`)
    }
  }
}

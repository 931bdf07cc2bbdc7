/**
 * Finds what a case leaves open. While its store is open, the adapter is asked what was acquired and not released
 * ({@link OpenObjects}, {@link LeakedHandles}). After the store is closed, the process is asked which files, sockets,
 * servers, child processes and workers it holds that it didn't hold before.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Schedule } from "effect"
import { readdirSync, readlinkSync } from "node:fs"

/** How many objects the store has open, or `undefined` when that can't be known and isn't checked. */
export const OpenObjects = Context.Reference<Effect.Effect<number | undefined>>("slipway/adapters/kit/OpenObjects", {
  defaultValue: () => Effect.undefined
})

/**
 * What else was acquired from the store and not released, in words: a transaction that never ended, a connection missing
 * from its pool. The adapter's own test provides it.
 */
export const LeakedHandles = Context.Reference<Effect.Effect<ReadonlyArray<string>>>(
  "slipway/adapters/kit/LeakedHandles",
  {
    defaultValue: () => Effect.succeed([])
  }
)

/**
 * What keeps a process alive, by Node's names. Pipes and timers aren't counted, because other parts open and close
 * some.
 */
const kinds = ["MessagePort", "ProcessWrap", "TCPServerWrap", "TCPSocketWrap", "UDPWrap"]

/** Those that a shared engine may open at any time until it is closed itself. */
const kindOfEngines = "TCPSocketWrap"

/** The target of a descriptor. One that was closed in between, such as the one that lists the descriptors, has none. */
const targetOf = (descriptor: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ""
  }
}

/** The files that the process has open, where the system lists them. */
const openFiles = (): ReadonlyArray<string> =>
  process.platform === "linux"
    ? readdirSync("/proc/self/fd")
        .map(targetOf)
        .filter((target) => target.startsWith("/") && !/^\/(?:dev|proc|sys)\//.test(target))
    : []

/** The names of everything that the process holds open; what is open several times is listed several times. */
export const openHandles: Effect.Effect<ReadonlyArray<string>> = Effect.sync(() => [
  ...process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)),
  ...openFiles()
])

/** The same without what may belong to an engine that cases share. */
export const openHandlesOutsideEngine: typeof openHandles = Effect.map(openHandles, (all) =>
  all.filter((handle) => handle !== kindOfEngines)
)

const without = (all: ReadonlyArray<string>, some: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const handle of some) left.set(handle, (left.get(handle) ?? 0) + 1)
  return all.filter((handle) => {
    const count = left.get(handle) ?? 0
    left.set(handle, count - 1)
    return count <= 0
  })
}

/** Checks what the cases of one suite leave open. */
export const makeWatch = () => {
  // Some handles are closed just after the answer, so the check waits for them, up to four seconds in all. What was
  // reported before isn't waited for again.
  let times = 12

  const assertNothing = (left: Effect.Effect<ReadonlyArray<string>>, where: string) =>
    Effect.gen(function* () {
      const lasting = yield* Effect.repeat(left, {
        schedule: Schedule.exponential("1 millis"),
        while: (all) => all.length > 0,
        times
      })
      if (lasting.length > 0) times = 0
      assert.deepStrictEqual(lasting, [], where)
    })

  return {
    /** Asserts that `open` lists nothing that wasn't open before. */
    assertClosed: (before: ReadonlyArray<string>, open: typeof openHandles) =>
      assertNothing(
        Effect.map(open, (now) => without(now, before)),
        "left open when the store was closed; a layer is built for each case and closes what it opened"
      ),
    /** Asserts that everything that was acquired from the store was released. */
    assertAllGivenBack: Effect.gen(function* () {
      const left = Effect.zipWith(yield* OpenObjects, yield* LeakedHandles, (count = 0, others) => [
        ...Array.from({ length: count }, () => "an object"),
        ...others
      ])
      yield* assertNothing(left, "taken of the store and not given back")
    })
  }
}

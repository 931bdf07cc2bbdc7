/**
 * What a case must not leave behind. Three are asked: the adapter itself, while its store is still open, what was taken
 * of it and not given back ({@link OpenObjects}, {@link LeftOpen}); and once it is closed the process, which files,
 * sockets, servers, child processes and workers it holds that it didn't hold before.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Schedule } from "effect"
import { readdirSync, readlinkSync } from "node:fs"

/** How many objects the store has open. `undefined` where nobody can tell; there, nothing is said of it. */
export const OpenObjects = Context.Reference<Effect.Effect<number | undefined>>("slipway/adapters/kit/OpenObjects", {
  defaultValue: () => Effect.undefined
})

/**
 * What else was taken of the store and not given back, in words: a transaction that was never ended, a connection that
 * is not in its pool again. An adapter's own test tells it, where it can know.
 */
export const LeftOpen = Context.Reference<Effect.Effect<ReadonlyArray<string>>>("slipway/adapters/kit/LeftOpen", {
  defaultValue: () => Effect.succeed([])
})

/** What keeps a process alive, as Node names it. No pipes and no timers: of those, others have some that come and go. */
const kinds = ["MessagePort", "ProcessWrap", "TCPServerWrap", "TCPSocketWrap", "UDPWrap"]

/** Of those, what an engine that cases share may open whenever it likes, until it is closed itself. */
const kindOfEngines = "TCPSocketWrap"

/** What a descriptor stands for; one that is closed in between, such as that of the look itself, for nothing. */
const targetOf = (descriptor: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ""
  }
}

/** The files that the process has open, where the system tells it. */
const openFiles = (): ReadonlyArray<string> =>
  process.platform === "linux"
    ? readdirSync("/proc/self/fd")
        .map(targetOf)
        .filter((target) => target.startsWith("/") && !/^\/(?:dev|proc|sys)\//.test(target))
    : []

/** What the process holds open: a name each, several times what is open several times. */
export const openHandles: Effect.Effect<ReadonlyArray<string>> = Effect.sync(() => [
  ...process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)),
  ...openFiles()
])

/** The same without what may belong to an engine that cases share. */
export const openBesideTheEngine: typeof openHandles = Effect.map(openHandles, (all) =>
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

/** Looks at what the cases of one suite leave behind. */
export const makeWatch = () => {
  // Some things are closed just after it is answered, so they are waited for, four seconds in all; not so for one who was
  // caught before.
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
    /** That nothing is open of what `open` tells that wasn't open before. */
    assertClosed: (before: ReadonlyArray<string>, open: typeof openHandles) =>
      assertNothing(
        Effect.map(open, (now) => without(now, before)),
        "left open when the store was closed"
      ),
    /** That everything that was taken of the store was given back to it. */
    assertAllGivenBack: Effect.gen(function* () {
      const left = Effect.zipWith(yield* OpenObjects, yield* LeftOpen, (count = 0, others) => [
        ...Array.from({ length: count }, () => "an object"),
        ...others
      ])
      yield* assertNothing(left, "taken of the store and not given back")
    })
  }
}

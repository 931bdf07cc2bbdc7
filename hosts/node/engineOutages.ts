import { Clock, Duration, Effect, Layer, Schedule, type Scope } from "effect"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { EngineOutages, type EngineName } from "../../core/ports/HostServices.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"

/** How often an engine that is away is tried. */
const tryInterval = Duration.seconds(1)

/** How often the object store is tried while nothing is known to be wrong: clients send and get most bytes without this host. */
const checkInterval = Duration.seconds(30)

/** How often the log has the number of failed calls. */
const reportInterval = Duration.toMillis(Duration.minutes(1))

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`)

/** Watches one engine: `isBack` tries it. */
const watch = (engine: EngineName, isBack: Effect.Effect<boolean>, scope: Scope.Scope) => {
  let failed: number | undefined

  const untilBack = Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    let [reportedAt, reported] = [began, 1]
    for (;;) {
      yield* Effect.sleep(tryInterval)
      const now = yield* Clock.currentTimeMillis
      const count = failed ?? 0
      if (yield* isBack) {
        failed = undefined
        const away = Duration.format(Duration.seconds(Math.round((now - began) / 1000)))
        return yield* Effect.logInfo(`The ${engine} can be used again, after ${away} and ${calls(count)} that failed`)
      }
      if (now - reportedAt >= reportInterval) {
        yield* Effect.logWarning(`The ${engine} still can't be used: ${calls(count - reported)} failed in a minute`)
        ;[reportedAt, reported] = [now, count]
      }
    }
  })

  return (line: Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (failed !== undefined) {
        failed += 1
        return Effect.void
      }
      failed = 1
      return Effect.andThen(line, Effect.forkIn(untilBack, scope))
    })
}

/**
 * When an engine goes away, the log has the first failed call, then the number of failed calls each minute, and one line when the
 * engine is back. The engine is tried every second until then, so this needs no cooperation of the calls that succeed. The object store is also tried twice a minute.
 */
export const layer = Layer.effect(
  EngineOutages,
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const objects = yield* ObjectStore
    const scope = yield* Effect.scope
    const works = (call: Effect.Effect<unknown, unknown>) =>
      call.pipe(
        Effect.timeout("5 seconds"),
        Effect.isSuccess,
        Effect.provideService(EngineOutages, () => Effect.void)
      )
    const report = {
      database: watch("database", works(accounts.findByName("")), scope),
      "object store": watch("object store", works(objects.check), scope)
    }
    const outages = (engine: EngineName, line: Effect.Effect<void>) => Effect.asVoid(report[engine](line))
    yield* Effect.ignore(objects.check).pipe(
      Effect.schedule(Schedule.spaced(checkInterval)),
      Effect.provideService(EngineOutages, outages),
      Effect.forkIn(scope)
    )
    return outages
  })
)

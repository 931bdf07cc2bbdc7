import { Clock, DateTime, Duration, Effect, Random, Schedule, Schema, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Changes } from "../../../core/service/Changes.ts"
import { Sessions } from "../../../core/service/Sessions.ts"
import { callHook } from "../../http/authenticate.ts"
import { Stopping } from "../../http/stopping.ts"
import { OwnSessions } from "../access/ownSessions.ts"
import { forAccount } from "../session/account.ts"

/** After this time a stream ends; the page asks for the next one, which needs a session that is still good. */
const life = Duration.minutes(5)

/** A comment as often as this shows whether the browser is still there, and keeps proxies from closing the connection. */
const heartbeat = Duration.seconds(25)

/** How long each page waits before it loads again, so that a host serves two of them a second however many there are. */
const secondsPerPage = 0.5

/** How often the embedder is asked whether one of its sessions has ended. The viewer's own are watched with the changes. */
const ownPause = Duration.millis(800)

const show = forAccount(
  [],
  Effect.fnUntraced(function* (caller) {
    const changes = yield* Changes
    const sessions = yield* Sessions
    const own = yield* OwnSessions
    const { ownSession, sessionId } = caller
    const until = DateTime.addDuration(yield* DateTime.now, life)
    const right =
      sessionId === undefined
        ? Effect.succeed(until)
        : Effect.map(sessions.check(sessionId), (session) => session.until)
    const ownEnd =
      own === undefined || ownSession === undefined
        ? Effect.never
        : callHook("sessions.isOn", Schema.Boolean, () => own.isOn(ownSession)).pipe(
            Effect.orElseSucceed(() => true),
            Effect.repeat({ while: (isOn) => isOn, schedule: Schedule.spaced(ownPause) })
          )
    const retry = yield* Random.nextIntBetween(3000, 8000)
    const events = changes.watch(caller, right).pipe(
      // With the time, by which a page tells whether the change is younger than itself: the browser's clock may be wrong.
      Stream.mapEffect(({ id, watchers }) =>
        Effect.map(
          Clock.currentTimeMillis,
          (now) => `id: ${id}\ndata: ${Math.ceil(watchers * secondsPerPage)} ${now}\n\n`
        )
      ),
      // The stream ends, and the page asks again.
      Stream.catchTag("Unavailable", () => Stream.empty)
    )
    const beats = Stream.map(Stream.tick(heartbeat), () => ":\n\n")
    const end = Effect.raceFirst(Effect.raceFirst(Effect.sleep(life), ownEnd), yield* Stopping)
    const lines = Stream.merge(events, beats, { haltStrategy: "left" }).pipe(Stream.interruptWhen(end))
    return HttpServerResponse.stream(Stream.encodeText(Stream.concat(Stream.make(`retry: ${retry}\n\n`), lines)), {
      contentType: "text/event-stream",
      // Proxies such as nginx pass it on at once, and what compresses answers leaves it alone, which would hold back its headers.
      headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }
    })
  })
)

/** A stream of events (Server-Sent Events) that says when something of the account has changed, and nothing of what. */
export const routes = [HttpRouter.route("GET", "/changes", show)]

import { Context, Data } from "effect"
import type { Effect } from "effect"
import type { Config } from "../config/Config.ts"
import type { Answer, Content, Json, Request } from "./Exchange.ts"

/** The target gave no answer that is HTTP: not reached, connection closed, timed out, not HTTP, wrong certificate. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly url: string
  /** For a person, in one sentence. */
  readonly reason: string
}> {}

/** Something that the run made on the target, for the ledger. */
export interface Made {
  readonly what: "build" | "preview" | "testRun"
  readonly id: string
  readonly url?: string | undefined
}

/**
 * What a check has to do with: the target, and what the suite keeps of the meeting. There is one that sends requests and
 * records them, and one that answers from a recording; a check can't tell them apart, so what it says of a recording is
 * what it said of the target.
 *
 * - `exchange` sends a request and answers what came, whatever its status. It retries on 429 and 503 as the target
 *   tells, up to a bound, and never follows a redirect.
 * - `unique` answers 16 lower-case hex digits that follow from the run, the check and the label; `content` answers as
 *   many bytes as asked for, likewise, of printable ASCII.
 * - `observe` puts what the target does where the interface is silent into the register of choices. `silence` names the
 *   silence and the situation; the same one has to be answered the same way throughout a run.
 * - `secret` tells that a value that the target answered opens something, so that no report holds it. What lies under a
 *   name such as `token`, and what a URL's query says, is taken for secret anyway.
 * - `made` writes into the ledger.
 * - `now` is when the last answer was there, in milliseconds since the check began; 0 before the first.
 */
export class Session extends Context.Service<
  Session,
  {
    /** What the run was told of the target. It holds no key. */
    readonly config: Config
    readonly exchange: (request: Request) => Effect.Effect<Answer, NoAnswer>
    readonly unique: (label: string) => string
    readonly content: (label: string, sizeBytes: number) => Content
    readonly observe: (silence: string, answer: Json) => Effect.Effect<void>
    readonly secret: (value: string) => Effect.Effect<void>
    readonly made: (made: Made) => Effect.Effect<void>
    readonly now: Effect.Effect<number>
    /** Waits before a read is tried again, up to the consistency window. Nothing is waited for in a recording. */
    readonly pause: Effect.Effect<void>
  }
>()("slipway/conformance/session/Session") {}

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
 * What a check works with: the target, and what the suite records. One implementation sends requests and records them, another
 * answers from a recording. A check can't tell them apart, so it judges a recording as it judged the target.
 *
 * - `exchange` sends a request and answers what came, whatever its status. It retries on 429 and 503 as the target
 *   tells, up to a bound, and never follows a redirect.
 * - `unique` answers 16 lower-case hex digits that follow from the run, the check and the label; `content` answers printable
 *   ASCII of the given size, which follows from the same.
 * - `observe` puts what the target does where the interface is silent into the register of choices. `silence` names the
 *   situation; the same situation must have the same answer throughout a run.
 * - `secret` marks a value of an answer as secret, so that no report contains it. Values under names such as `token`, and the
 *   values in the query of a URL, are always secret.
 * - `made` adds something that was created to the ledger.
 * - `now` is when the last answer came, in milliseconds since the check began; 0 before the first.
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

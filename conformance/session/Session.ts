import { Context, Data, type Effect } from "effect"
import type { Config } from "../config/Config.ts"
import type { Answer, Content, Json, Request } from "./Exchange.ts"

/**
 * The target gave no HTTP answer: it wasn't reached, closed the connection, timed out, didn't speak HTTP or has a wrong
 * certificate.
 */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly url: string
  /** The reason in one sentence for a person. */
  readonly reason: string
}> {}

/** Something that the run created on the target, for the ledger. Its id is its url while no answer has the id. */
export interface CreatedResource {
  readonly kind: "build" | "preview" | "testRun"
  readonly id: string
  readonly url?: string | undefined
}

/** Adds a resource, unless it is there already. The id of one that only had a url replaces it. */
export const addCreated = (all: Array<CreatedResource>, one: CreatedResource): void => {
  const isSame = ({ id, kind, url }: CreatedResource) =>
    kind === one.kind && (id === one.id || (url !== undefined && url === one.url))
  const place = all.findIndex(isSame)
  if (place < 0) all.push(one)
  else if (one.id !== one.url) all[place] = { ...all[place], ...one }
}

/**
 * The connection of a check to the target. One implementation sends requests and records them, another answers from a
 * recording. A check can't tell them apart, so it judges a recording as it judged the target.
 *
 * - `exchange` sends a request and answers the response, whatever its status. It retries on 429 and 503 as the target
 *   asks, up to a bound, and never follows a redirect.
 * - `unique` answers 16 lower-case hex digits that are derived from the run, the check and the label; `content` answers
 *   a file of the given size and type that is derived from the same, valid for a target that parses it.
 * - `observe` records in the register of choices what the target does where the interface leaves the behaviour open.
 *   `silence` names the situation; the same situation must have the same answer throughout a run.
 * - `secret` marks a value of an answer as secret, so that no report contains it. Values under names such as `token`,
 *   and the values in the query of a URL, are always secret.
 * - `made` adds something that the run created to the ledger. The dialect does so for every request that creates something.
 * - `now` is the time of the last answer, in milliseconds since the check began; 0 before the first.
 */
export class Session extends Context.Service<
  Session,
  {
    /** What the run knows of the target, without keys. */
    readonly config: Config
    readonly exchange: (request: Request) => Effect.Effect<Answer, NoAnswer>
    readonly unique: (label: string) => string
    readonly content: (label: string, sizeBytes: number, contentType?: string) => Content
    readonly observe: (silence: string, answer: Json) => Effect.Effect<void>
    readonly secret: (value: string) => Effect.Effect<void>
    readonly made: (made: CreatedResource) => Effect.Effect<void>
    readonly now: Effect.Effect<number>
    /** Waits before a read is repeated, up to the consistency window. A recording doesn't wait. */
    readonly pause: Effect.Effect<void>
    /** Waits for so many milliseconds, where time itself is what is checked. A recording doesn't wait. */
    readonly wait: (ms: number) => Effect.Effect<void>
  }
>()("slipway/conformance/session/Session") {}

import type { Issue, Problem } from "./problems.ts"

/** A failure on the client's side. A refusal of the service has the `code` of its {@link Problem}. */
export type ClientCode =
  /** Refused with an answer that is no Problem, such as the XML of an object store or the page of a proxy. */
  | "refused"
  /** No connection, or one that was cut before the answer was whole. */
  | "connection_failed"
  /** No answer, or nothing moved, within the time that was given. */
  | "timed_out"
  /** A success whose answer is not what the interface answers. */
  | "answer_unreadable"
  /** A body that can't be read, or is other than declared. */
  | "body_unfit"

/** What a {@link SlipwayError} is made of. */
export interface SlipwayErrorFields {
  readonly code: Problem["code"] | ClientCode | (string & {})
  readonly detail: string
  readonly issues?: ReadonlyArray<Issue> | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly problem?: Problem | undefined
  readonly cause?: unknown
}

/**
 * The error of a request that the service refused or didn't answer.
 *
 * @see docs/interface.md#7
 */
export class SlipwayError extends Error {
  override readonly name = "SlipwayError"
  /** Which refusal it is (`upload_incomplete`), also one that this version of the client doesn't know, or a {@link ClientCode}. */
  readonly code: SlipwayErrorFields["code"]
  /** What happened, in a sentence. */
  readonly detail: string
  /** The fields that don't fit; empty unless there are any. */
  readonly issues: ReadonlyArray<Issue>
  /** The status of the answer, where there was one. */
  readonly status: number | undefined
  /** By which the operator of the service finds the request in its logs. */
  readonly requestId: string | undefined
  /** How long the service asks to wait before the request is sent again, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The whole Problem, if the service answered one. Its other fields depend on its `code`. */
  readonly problem: Problem | undefined

  /** `request` names the request, without secrets. */
  constructor(request: string, { cause, code, detail, issues = [], ...rest }: SlipwayErrorFields) {
    const listed = issues.map(({ message, path }) => `\n  ${path}: ${message}`).join("")
    const status = rest.status === undefined ? "" : ` ${rest.status}`
    super(`${request}:${status} ${code}: ${detail}${listed}`, { cause })
    this.code = code
    this.detail = detail
    this.issues = issues
    this.status = rest.status
    this.requestId = rest.requestId
    this.retryAfterMs = rest.retryAfterMs
    this.problem = rest.problem
  }
}

import { Context, Effect, Option, Tracer } from "effect"
import { HttpServerRequest } from "effect/http"
import type { AccountId } from "../../core/model/Account.ts"
import type { Caller, KeyId, Reader } from "../../core/model/ApiKey.ts"
import type { RateLimited } from "../../core/model/Problem.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { CurrentPermit } from "../../core/service/RequestScheduler.ts"

/** What is learned of a request while it is answered, for a log of requests. None of it is a secret. */
interface AccessNotes {
  readonly requestId?: string
  /** The pattern of its path, such as `/api/v1/builds/:id`. */
  readonly route?: string
  readonly account?: AccountId
  readonly key?: KeyId
  /** The trace that the request belongs to, if the host has a tracer. */
  readonly traceId?: string
}

/** The notes are a property of the request, because a `WeakMap` would take most of the time that metrics take. */
const kept = Symbol("access notes")

/** The server's own object for a request. */
interface Noted {
  [kept]?: AccessNotes
  toString(): string
}

/** Begins to keep notes of a request. Without this, notes of it are dropped. */
export const attachNotes = (request: Noted): void => {
  request[kept] ??= {}
}

/** What was noted of a request. */
export const notesOf = (request: Noted): AccessNotes => request[kept] ?? {}

/** Adds a note to a request, if its notes are kept. */
export const note = (request: Noted, learned: AccessNotes): void => {
  const notes = request[kept]
  if (notes !== undefined) Object.assign(notes, learned)
}

const noteAccount = (account: AccountId, keyId: KeyId | undefined, key: string | undefined) =>
  Effect.withFiber<void, RateLimited, HttpServerRequest.HttpServerRequest>(({ context }) => {
    const { source } = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    note(source, { account, ...withoutUndefined({ key: keyId }) })
    return Context.get(context, CurrentPermit).attribute(account, key)
  })

/** Notes who sends the request at hand. From here on, it waits for the account's turn (`RequestScheduler`). */
export const noteCaller = ({ account, keyId }: Pick<Caller, "keyId"> & Reader) =>
  noteAccount(account.id, keyId, keyId ?? "")

/** Notes the account whose resource the URL of the request at hand opens, for anybody. The request waits for the account's turn too. */
export const noteOwner = (account: AccountId) => noteAccount(account, undefined, undefined)

/** The trace of the request at hand, if the host has a tracer. */
export const traceIdIn = (context: Context.Context<never>): string | undefined =>
  Context.get(context, Tracer.Tracer) === Tracer.nativeTracer
    ? undefined
    : Option.getOrUndefined(Context.getOption(context, Tracer.ParentSpan))?.traceId

/** The id of the request being answered: what `X-Request-Id` and every problem's `requestId` say. */
export const RequestId = Context.Reference<string>("slipway/hosts/http/RequestId", { defaultValue: () => "" })

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** The client's own id when it is 1–128 visible ASCII characters; else the request needs a new one. */
export const usableRequestId = (sent: string | undefined): string | undefined =>
  sent !== undefined && visibleAscii.test(sent) ? sent : undefined

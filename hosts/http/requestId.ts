import { Context } from "effect"

/** The id of the request being answered: what `X-Request-Id` and every problem's `requestId` say. */
export const RequestId = Context.Reference<string>("slipway/hosts/http/RequestId", { defaultValue: () => "" })

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** The client's own id when it is 1–128 visible ASCII characters; else the request needs a new one. */
export const usableRequestId = (sent: string | undefined): string | undefined =>
  sent !== undefined && visibleAscii.test(sent) ? sent : undefined

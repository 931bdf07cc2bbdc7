import { Predicate } from "effect"
import type { Fault } from "./Fault.ts"

/** An error and what it was made from, down to the first cause. */
const chain = (error: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(error, "cause") && error.cause !== undefined ? [error, ...chain(error.cause)] : [error]

/** The code that an error carries, or one that it was made from, such as `ECONNREFUSED`; `""` without one. */
export const codeOf = (error: unknown): string =>
  chain(error)
    .map((one) => (Predicate.hasProperty(one, "code") ? one.code : undefined))
    .find(Predicate.isString) ?? ""

/** What the first cause of an error says, or its code when it has no words. */
export const saidBy = (error: unknown): string => {
  const first = chain(error).at(-1)
  return (first instanceof Error ? first.message : String(first)) || codeOf(error)
}

/** Node's codes for a server that isn't reached, and what each means. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ENOTFOUND: "no such host is known",
  EAI_AGAIN: "the host's name can't be looked up just now",
  ENETUNREACH: "no network leads there",
  EHOSTUNREACH: "no network leads there",
  ETIMEDOUT: "no answer came in time",
  TimeoutError: "no answer came in time",
  ENOENT: "there is no such socket"
}

const isTls = (code: string): boolean => /CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|UNABLE_TO_/.test(code)

/** A server that isn't reached. `setting` names where it is. */
export const unreachedFault = (server: string, why: string, setting: string): Fault => ({
  detail: `${server} can't be reached: ${why}`,
  mend: `see that it runs, or correct ${setting}`
})

/** Why a server isn't reached, when that is what a code says. */
export const networkFault = (code: string, server: string, setting: string): Fault | undefined => {
  const why = unreached[code]
  if (why !== undefined) return unreachedFault(server, `${why} (${code})`, setting)
  return isTls(code)
    ? {
        detail: `the certificate of ${server} is not trusted (${code})`,
        mend: "name the certificate of who signed it in NODE_EXTRA_CA_CERTS"
      }
    : undefined
}

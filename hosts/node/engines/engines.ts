import { Data, type Layer, Predicate } from "effect"
import type { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { Ports } from "../../../core/ports/registry.ts"
import type { OpenSlots } from "../../../core/service/OpenSlots.ts"
import type { ExtraRoutes } from "../../http/slipway.ts"

/** The engine that stores the metadata. `name` is for people to read. */
export interface MetadataEngine<E> {
  readonly name: string
  readonly ports: Layer.Layer<Exclude<Ports, ObjectStore>, E>
}

/**
 * What keeps the objects, and the routes behind its signed URLs when it has no server of its own. Both are built on the
 * same layers, so within one host they share one state.
 */
export interface ObjectsEngine<E> {
  readonly name: string
  readonly ports: Layer.Layer<ObjectStore, E, SignedUrls>
  readonly routes: ExtraRoutes<E, SignedUrls | OpenSlots>
}

/** The engines of a host. */
export interface Engines<E = never> {
  /** The names of the metadata and the object engine, for people to read. */
  readonly metadata: string
  readonly objects: string
  readonly ports: Layer.Layer<Ports, E, SignedUrls>
  readonly routes: ExtraRoutes<E, SignedUrls | OpenSlots>
}

/** An engine named by a setting can't be used. The message says what is wrong and how to fix it. */
export class EngineUnusable extends Data.TaggedError("EngineUnusable")<{
  readonly setting: string
  readonly detail: string
  readonly hint: string
}> {
  override readonly message = `${this.setting}: ${this.detail}; ${this.hint}.`
}

/** Makes the error for an engine, from the setting that names it. */
export const unusable =
  (setting: string) =>
  (fault: Fault): EngineUnusable =>
    new EngineUnusable({ setting, ...fault })

/** What is wrong, and how to fix it: two parts of one line, without a full stop. */
export interface Fault {
  readonly detail: string
  readonly hint: string
}

/** An error and its causes, down to the first one. */
const chain = (error: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(error, "cause") && error.cause !== undefined ? [error, ...chain(error.cause)] : [error]

/** The first code of an error or its causes, such as `ECONNREFUSED`; `""` if there is none. */
export const codeOf = (error: unknown): string =>
  chain(error)
    .map((one) => (Predicate.hasProperty(one, "code") ? one.code : undefined))
    .find(Predicate.isString) ?? ""

/** The error that the others were caused by. */
export const firstCauseOf = (error: unknown): unknown => chain(error).at(-1)

/** The message of the first cause of an error, or the error's code if that message is empty. */
export const messageOf = (error: unknown): string => {
  const first = firstCauseOf(error)
  return (first instanceof Error ? first.message : String(first)) || codeOf(error)
}

/** Why an operation of the doctor failed: {@link messageOf}, but never the sentence for clients of a port that can't be used. */
export const reasonOf = (error: unknown): string =>
  error instanceof Unavailable ? "a store can't be used" : messageOf(error).replace(/\.$/, "")

/** Node's error codes for a server that can't be reached, and their meaning. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the host name can't be looked up right now",
  ENETUNREACH: "there is no network route to it",
  EHOSTUNREACH: "there is no network route to it",
  ETIMEDOUT: "no answer came in time",
  TimeoutError: "no answer came in time",
  ENOENT: "the socket doesn't exist"
}

const isTls = (code: string): boolean => /CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|UNABLE_TO_/.test(code)

/** The fault for a server that can't be reached. `setting` is the setting that names it. */
export const unreachedFault = (server: string, why: string, setting: string): Fault => ({
  detail: `${server} can't be reached: ${why}`,
  hint: `check that it runs, or correct ${setting}`
})

/** The fault for an error code of the network or TLS; `undefined` for any other code. */
export const networkFault = (code: string, server: string, setting: string): Fault | undefined => {
  const why = unreached[code]
  if (why !== undefined) return unreachedFault(server, `${why} (${code})`, setting)
  if (code === "CERT_HAS_EXPIRED") {
    return {
      detail: `the certificate of ${server}, or of its authority, has expired (${code})`,
      hint: "renew it, and check the clock of this machine"
    }
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      detail: `the certificate of ${server} is for another name (${code})`,
      hint: `use a certificate for this name, or correct ${setting}`
    }
  }
  return isTls(code)
    ? {
        detail: `the certificate of ${server} is not trusted (${code})`,
        hint: "trust its authority by NODE_OPTIONS=--use-system-ca if the system does, or by NODE_EXTRA_CA_CERTS, which a file of --env-file can't set"
      }
    : undefined
}

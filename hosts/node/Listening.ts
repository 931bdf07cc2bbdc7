import { Context, Data } from "effect"
import { codeOf } from "./engines/engines.ts"

/** The public URL, the address that it listens on, such as `http://127.0.0.1:8787`, and the engines of a host that is ready. */
export class Listening extends Context.Service<
  Listening,
  {
    readonly url: string
    readonly address: string
    readonly engines: { readonly metadata: string; readonly objects: string }
  }
>()("slipway/hosts/node/Listening") {}

/** What an error code of the system means for an address, and what to do. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use; stop what listens there, or choose another with --port",
  EADDRNOTAVAIL: "this machine doesn't have this address; choose another with --host",
  ENOTFOUND: "there is no host of that name; choose another with --host",
  EACCES: "this user may not; choose a port from 1024 on with --port"
}

const reasonOf = (cause: unknown): string => {
  const code = codeOf(cause)
  return reasons[code] ?? `${code || String(cause)}; choose another address with --host and --port`
}

/** The host can't listen on the address: it is in use, not of this machine, or not permitted. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly cause: unknown
}> {
  override readonly message = `Can't listen on ${this.host}:${this.port}: ${reasonOf(this.cause)}.`
}

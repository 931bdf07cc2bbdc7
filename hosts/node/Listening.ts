import { Context } from "effect"

/** The address and engines of a host that is ready. */
export class Listening extends Context.Service<
  Listening,
  { readonly url: string; readonly engines: { readonly metadata: string; readonly objects: string } }
>()("slipway/hosts/node/Listening") {}

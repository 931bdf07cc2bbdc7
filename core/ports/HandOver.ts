import { Context } from "effect"

/**
 * Closes the host whose engines are being opened, with the reason that later calls of it fail with. An engine that locks what it opens
 * calls it when another host in the same process opens that: after a hot reload, no code is left that could close the first host.
 * Without a function, such as in `slipway serve`, nothing is handed over.
 */
export const HandOver = Context.Reference<((reason: string) => Promise<void>) | undefined>(
  "slipway/core/ports/HandOver",
  { defaultValue: () => undefined }
)
